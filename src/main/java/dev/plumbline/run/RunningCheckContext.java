package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.check.BudgetFailures;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Target;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * The context of a check in progress.
 *
 * @param resources the memory and CPU time of the check
 * @param verifiesCertificates see {@link CheckContext#verifiesCertificates}
 * @param composite the parts of the check; null if it is not a composite
 */
record RunningCheckContext(
        Vertx vertx,
        Options options,
        Deadline deadline,
        long patienceMs,
        long account,
        Clock clock,
        RequestBudget budget,
        boolean fresh,
        CheckResources resources,
        ClassToInstanceMap<Object> probes,
        boolean verifiesCertificates,
        @Nullable CompositeRun composite,
        Span span)
        implements CheckContext {
    /** Time after the deadline of a check at which it is ended. Probes report their timeouts first. */
    private static final long GRACE_MS = 250;

    /** The evaluation of a check that has reserved more memory can take more than a millisecond. */
    private static final long LARGE_BYTES = 256L << 10;

    RunningCheckContext withParts(CompositeRun run) {
        return new RunningCheckContext(
                vertx,
                options,
                deadline,
                patienceMs,
                account,
                clock,
                budget,
                fresh,
                resources,
                probes,
                verifiesCertificates,
                run,
                span);
    }

    /** The context of a part of this check. */
    RunningCheckContext part(
            Options other,
            Deadline end,
            long patience,
            RequestBudget requests,
            CheckResources share,
            boolean verify,
            Span spanOfPart) {
        return new RunningCheckContext(
                vertx, other, end, patience, account, clock, requests, fresh, share, probes, verify, null, spanOfPart);
    }

    /** Runs a module in this context. The future fails at the latest shortly after the deadline. */
    <E> Future<Evaluation> evaluate(ModuleDefinition<E> module, Target target) {
        Promise<Evaluation> completed = Promise.promise();
        ContextFutures.addDeadline(vertx, completed, deadline::remainingMillis, GRACE_MS, late -> {
            resources.markLate();
            late.tryFail(new CheckFailure(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "The check did not complete within " + options.integer(ModuleDescription.TIMEOUT_MS) + " ms."));
        });
        CurrentSpan.with(span, () -> ContextFutures.call(() -> module.collect(target, this)))
                .compose(collected -> memory().peak() < LARGE_BYTES
                        ? Future.succeededFuture(module.evaluate(collected, options))
                        : executeBlocking(() -> module.evaluate(collected, options)))
                .onComplete(outcome -> ContextFutures.complete(completed, outcome));
        return completed.future();
    }

    @Override
    public List<CompositePart> parts() {
        return composite == null ? List.of() : composite.parts();
    }

    @Override
    public Future<PartResult> check(CompositePart part, String target) {
        if (composite == null) {
            throw new UnsupportedOperationException("not a composite");
        }
        return composite.check(part, target);
    }

    @Override
    public <T> Future<T> executeBlocking(CpuPool.Purpose purpose, Callable<T> work) {
        return resources.cpu().execute(purpose, work).recover(cause -> Future.failedFuture(BudgetFailures.of(cause)));
    }

    @Override
    public MemoryHolder memory() {
        return resources.memory();
    }

    @Override
    public <P> P probe(Class<P> type) {
        P probe = probes.getInstance(type);
        if (probe == null) {
            throw new IllegalArgumentException("unknown probe: " + type.getSimpleName());
        }
        return probe;
    }
}
