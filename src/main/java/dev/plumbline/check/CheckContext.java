package dev.plumbline.check;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import java.time.Clock;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/** The options, limits and probes of one running check. */
public interface CheckContext {

    Options options();

    /** The end of the check's time limit. */
    Deadline deadline();

    /** The wall clock, for comparison with times in certificates and headers. */
    Clock clock();

    /** The span of the check, or of its part. */
    default Span span() {
        return Span.NONE;
    }

    /** How long the check can wait for the rate limit of a target, in milliseconds. */
    default long patienceMs() {
        return deadline().remainingMillis();
    }

    /** The account of the job if the check is a line of a job; 0 for other checks, which have priority over jobs. */
    default long account() {
        return 0;
    }

    /** Whether cached data of other checks must not be used. */
    default boolean fresh() {
        return false;
    }

    /** Runs CPU-bound work of more than a millisecond, such as parsing a page, outside the event loop. */
    default <T> Future<T> executeBlocking(Callable<T> work) {
        return executeBlocking(CpuPool.Purpose.PARSING, work);
    }

    /**
     * Runs CPU-bound work outside the event loop. Fails with {@code response_too_large} if the check has used its CPU
     * time, and with {@link OverloadFailure} if the node has none.
     */
    default <T> Future<T> executeBlocking(CpuPool.Purpose purpose, Callable<T> work) {
        try {
            return Future.succeededFuture(work.call());
        } catch (Exception thrown) {
            return Future.failedFuture(thrown);
        }
    }

    /** The memory of this check. It is reserved before data is stored, and released when the result is rendered. */
    default MemoryHolder memory() {
        return MemoryHolder.unlimited();
    }

    /**
     * Reserves memory for what this check holds, such as a body or a list of links. Fails with
     * {@code response_too_large} if the check exceeds its limit, and with {@link OverloadFailure} if the node has no
     * memory within a second.
     */
    default Future<Void> reserve(long bytes) {
        Future<Void> reserved = memory().reserve(bytes);
        return reserved.succeeded()
                ? reserved
                : reserved.recover(cause -> Future.failedFuture(BudgetFailures.of(cause)));
    }

    /** The outbound requests that remain for this check. */
    RequestBudget budget();

    /**
     * Returns the probe of a class.
     *
     * @throws IllegalArgumentException if the probe does not exist
     */
    <P> P probe(Class<P> type);

    /** The parts of this module, in fixed order; empty if it is not a composite. */
    default List<CompositePart> parts() {
        return List.of();
    }

    /**
     * Runs a part of a composite module with its default options, or returns its cached result. The part has its own
     * budget of requests, which also counts against the budget of this check, and ends at the deadline of this check at
     * the latest. If the part ends with {@code tls_untrusted}, it runs again without verification of certificates.
     *
     * @param part one of {@link #parts}
     * @param target the target of the part, as a caller would enter it
     * @return the result as in JSON: times are strings. Does not fail: the result of a part that did not run or did not
     *     complete has an error
     */
    default Future<PartResult> check(CompositePart part, String target) {
        throw new UnsupportedOperationException("not a composite");
    }

    /** Whether an untrusted certificate of a server ends a request. */
    default boolean verifiesCertificates() {
        return true;
    }

    /** The IP version of connections: {@code 4}, {@code 6}, or any other text or null for both. */
    default @Nullable String ipVersion() {
        return options().optionalText(ModuleDescription.IP_VERSION);
    }

    /** The host to connect to instead of the host of the target; null if none was chosen. */
    default @Nullable Host connectTo() {
        return options().connectTo();
    }

    /** Returns a context whose connections use one IP version, {@code 4} or {@code 6}. */
    default CheckContext overIpVersion(String version) {
        return new Derived(this, deadline(), false, version);
    }

    /**
     * Returns a context with an earlier deadline, for one part of the check.
     *
     * @param share for example {@code deadline().atMost(500)}
     */
    default CheckContext within(Deadline share) {
        return new Derived(this, share, false, ipVersion());
    }

    /**
     * Returns a context that waits for rate limits until its deadline. For use after the check has made requests that a
     * retry would have to repeat.
     */
    default CheckContext patiently() {
        return new Derived(this, deadline(), true, ipVersion());
    }

    /**
     * A context with another deadline, patience or IP version.
     *
     * @param patient whether to wait for rate limits until the deadline, however patient the base is
     */
    record Derived(CheckContext base, Deadline deadline, boolean patient, @Nullable String ipVersion)
            implements CheckContext {
        @Override
        public long patienceMs() {
            long remaining = deadline.remainingMillis();
            return patient ? remaining : Math.min(base.patienceMs(), remaining);
        }

        @Override
        public Options options() {
            return base.options();
        }

        @Override
        public Clock clock() {
            return base.clock();
        }

        @Override
        public Span span() {
            return base.span();
        }

        @Override
        public long account() {
            return base.account();
        }

        @Override
        public boolean fresh() {
            return base.fresh();
        }

        @Override
        public <T> Future<T> executeBlocking(CpuPool.Purpose purpose, Callable<T> work) {
            return base.executeBlocking(purpose, work);
        }

        @Override
        public MemoryHolder memory() {
            return base.memory();
        }

        @Override
        public RequestBudget budget() {
            return base.budget();
        }

        @Override
        public List<CompositePart> parts() {
            return base.parts();
        }

        @Override
        public Future<PartResult> check(CompositePart part, String target) {
            return base.check(part, target);
        }

        @Override
        public boolean verifiesCertificates() {
            return base.verifiesCertificates();
        }

        @Override
        public <P> P probe(Class<P> type) {
            return base.probe(type);
        }
    }
}
