package dev.plumbline.http.api.policy;

import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.policy.PolicyEvaluation;
import io.vertx.core.Future;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The policy and the expectations of a request, compiled for a module. Results are evaluated on worker threads, because
 * an expression can take 5 ms of CPU time. Thread-safe.
 */
public final class ResultEvaluation {
    private final WorkerLimit workers;
    private final String client;
    private final PolicyParameters requested;
    private final PolicyEvaluation evaluation;
    private final String tag;

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
     * Evaluates a serialized result. Fails with a problem of status 503 if the worker threads are overloaded.
     *
     * @param result the output of {@link dev.plumbline.result.ResultJson#write}, possibly with further members
     */
    public Future<byte[]> apply(byte[] result) {
        return workers.executeBlocking(client, () -> evaluation.apply(result));
    }

    /**
     * Evaluates several items. Fails as {@link #apply}.
     *
     * @param item evaluates the result of an item with the function that it receives
     */
    public <T> Future<List<T>> applyAll(List<T> items, BiFunction<T, UnaryOperator<byte[]>, T> item) {
        return workers.executeBlocking(client, () -> items.stream()
                .map(value -> item.apply(value, evaluation::apply))
                .toList());
    }
}
