package dev.plumbline.check;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Limits the number of outbound requests of one check. */
public final class RequestBudget {
    /** The default maximum number of outbound requests of one check. */
    public static final int MAX = 25;

    private final int max;
    private final AtomicInteger left;
    private final Map<Class<?>, Object> counters = new ConcurrentHashMap<>();

    public RequestBudget() {
        this(MAX);
    }

    /** @param max see {@link ModuleDefinition#requests} */
    public RequestBudget(int max) {
        this.max = max;
        this.left = new AtomicInteger(max);
    }

    /** Whether at least one request was made. */
    public boolean used() {
        return left.get() < max;
    }

    /** Takes one request from the budget. Returns false if the budget is used up. */
    public boolean take() {
        return left.getAndUpdate(n -> n > 0 ? n - 1 : 0) > 0;
    }

    /**
     * Returns the per-check counter of a probe, such as the number of DNS queries.
     *
     * @param factory creates the counter on first use
     */
    public <S> S counter(Class<S> type, Supplier<S> factory) {
        return type.cast(counters.computeIfAbsent(type, key -> factory.get()));
    }
}
