package dev.plumbline.check;

import dev.plumbline.result.CheckError;
import dev.plumbline.target.Host;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Limits the number of outbound requests of one check, and records how long they waited. */
public final class RequestBudget {
    /** The default maximum number of outbound requests of one check. */
    public static final int MAX = 25;

    private final int max;
    private final @Nullable RequestBudget shared;
    private final @Nullable Host target;
    private final AtomicInteger left;
    private final LimitWaits limitWaits;
    private final Map<Class<?>, Object> counters = new ConcurrentHashMap<>();
    private volatile boolean sharedExhausted;
    private volatile boolean timedOut;

    public RequestBudget() {
        this(MAX);
    }

    /** @param max see {@link ModuleDefinition#requests} */
    public RequestBudget(int max) {
        this(max, null, null);
    }

    /** @param target the host of the target of the check */
    public RequestBudget(int max, Host target) {
        this(max, null, target);
    }

    /**
     * The budget of a part of a composite check.
     *
     * @param shared the budget of the composite check, from which each request is also taken
     */
    public RequestBudget(int max, RequestBudget shared) {
        this(max, shared, shared.target);
    }

    private RequestBudget(int max, @Nullable RequestBudget shared, @Nullable Host target) {
        this.max = max;
        this.shared = shared;
        this.target = target;
        this.left = new AtomicInteger(max);
        this.limitWaits = new LimitWaits(shared == null ? null : shared.limitWaits);
    }

    /** The host of the target of the check or, for a part, of the composite check; null if there is none. */
    public @Nullable Host target() {
        return target;
    }

    /** Whether this is the budget of a part of a composite check. */
    public boolean isPart() {
        return shared != null;
    }

    /** The waits of the check or part for limits of targets. */
    public LimitWaits limitWaits() {
        return limitWaits;
    }

    /** Whether at least one request was made. */
    public boolean used() {
        return left.get() < max;
    }

    /** Takes one request from the budget. Returns false if the budget is used up. */
    public boolean take() {
        if (left.getAndUpdate(n -> n > 0 ? n - 1 : 0) <= 0) {
            return false;
        }
        if (shared == null || shared.take()) {
            return true;
        }
        sharedExhausted = true;
        return false;
    }

    /** Records that a {@link #sharedCounter} of the composite check rejected a request of this part. */
    public void rejectShared() {
        sharedExhausted = shared != null;
    }

    /** Whether a request was rejected because the budget of the composite check was used up. */
    public boolean sharedExhausted() {
        return sharedExhausted;
    }

    /**
     * Records the end of a request, so that the check can be refused if lost time of this node can be the cause of a
     * timeout, even if the result of the check reports the timeout as a finding.
     *
     * @param failure null if the request succeeded
     */
    public void recordEnd(@Nullable Throwable failure) {
        if (failure instanceof CheckFailure cause) {
            recordError(cause.error());
        }
    }

    /** As {@link #recordEnd}, for a request with an incomplete response; null if it is complete. */
    public void recordError(@Nullable CheckError error) {
        if (error != null && error.code().timeout()) {
            timedOut = true;
        }
    }

    /** Whether a request of this check or part timed out. */
    public boolean timedOut() {
        return timedOut;
    }

    /**
     * Returns the per-check counter of a probe, such as the number of DNS queries.
     *
     * @param factory creates the counter on first use
     */
    public <S> S counter(Class<S> type, Supplier<S> factory) {
        return type.cast(counters.computeIfAbsent(type, key -> factory.get()));
    }

    /** As {@link #counter}, but all parts of a composite check share one counter. */
    public <S> S sharedCounter(Class<S> type, Supplier<S> factory) {
        return shared == null ? counter(type, factory) : shared.sharedCounter(type, factory);
    }

    /** A counter that is closed when the check has ended. */
    public interface ClosingCounter {
        void close();
    }

    /** Closes the counters of the check, which has ended. */
    public void close() {
        for (Object counter : counters.values()) {
            if (counter instanceof ClosingCounter closing) {
                closing.close();
            }
        }
    }
}
