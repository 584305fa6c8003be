package dev.plumbline.http.api.policy;

import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.policy.StepBudget;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The policy and the expectations of a request, compiled for a module. Results are evaluated on worker threads, because
 * an expression can take 5 ms of CPU time. The evaluations of all results of the request share a budget, because 20
 * expressions for each of 500 lines would take almost a minute. Thread-safe.
 */
public final class ResultEvaluation {
    /** About 5 seconds of CPU time. The built-in policies need less than a hundredth of it for 500 lines. */
    private static final long MAX_STEPS = 200_000_000;

    /** The time of a turn of a client on a worker thread, if a single result does not take longer. */
    private static final long MAX_TURN_NANOS = Duration.ofMillis(20).toNanos();

    private final WorkerLimit workers;
    private final String client;
    private final PolicyParameters requested;
    private final PolicyEvaluation evaluation;
    private final String tag;
    private final StepBudget budget = new StepBudget(MAX_STEPS);

    ResultEvaluation(
            WorkerLimit workers, String client, PolicyParameters requested, PolicyEvaluation evaluation, String tag) {
        this.workers = workers;
        this.client = client;
        this.requested = requested;
        this.evaluation = evaluation;
        this.tag = tag;
    }

    /** The policy and the expectations as requested. */
    public PolicyParameters requested() {
        return requested;
    }

    /** The end of the entity tags of responses; empty without an evaluation. Equal evaluations have equal ones. */
    public static String suffix(@Nullable ResultEvaluation evaluation) {
        return evaluation == null ? "" : suffix(evaluation.tag);
    }

    static String suffix(String tag) {
        return '-' + tag;
    }

    /** The title of a finding that this evaluation adds; null for another one. */
    public @Nullable String title(String code) {
        return evaluation.title(code);
    }

    /**
     * Evaluates a serialized result. Fails with a problem of status 503 if the worker threads are overloaded, and of
     * status 422 if the evaluations for this request together take too many steps.
     *
     * @param result the output of {@link dev.plumbline.result.ResultJson#write}, possibly with further members
     */
    public Future<byte[]> apply(byte[] result) {
        return workers.executeBlocking(client, () -> evaluate(result));
    }

    /**
     * Evaluates several items. Fails as {@link #apply}. Other clients use the worker threads between its items.
     *
     * @param item evaluates the result of an item with the function that it receives
     */
    public <T> Future<List<T>> applyAll(List<T> items, BiFunction<T, UnaryOperator<byte[]>, T> item) {
        List<T> evaluated = new ArrayList<>(items.size());
        return ContextFutures.repeat(
                        () -> evaluated.size() < items.size(),
                        () -> workers.executeBlocking(client, () -> {
                            long end = System.nanoTime() + MAX_TURN_NANOS;
                            do {
                                evaluated.add(item.apply(items.get(evaluated.size()), this::evaluate));
                            } while (evaluated.size() < items.size() && System.nanoTime() < end);
                            return null;
                        }))
                .map(evaluated);
    }

    private byte[] evaluate(byte[] result) {
        try {
            return evaluation.apply(result, budget);
        } catch (StepBudget.ExceededException exceeded) {
            throw new ProblemException(Problem.of(
                    422,
                    "evaluation-limit",
                    "Evaluation limit exceeded",
                    String.format(
                            Locale.ROOT,
                            "The policy and the expectations need more than %,d steps for the results of this request."
                                    + " Use simpler expressions, or request fewer lines. An empty parameter `policy`"
                                    + " returns the stored results.",
                            MAX_STEPS)));
        }
    }
}
