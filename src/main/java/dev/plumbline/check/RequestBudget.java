package dev.plumbline.check;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/** Counts the outbound requests of one check, so that none can be made to send a flood. */
public final class RequestBudget {
    /** The most outbound requests that one check makes, unless its module says otherwise. */
    public static final int MOST = 25;

    private final int most;
    private final AtomicInteger left;
    private final Map<Class<?>, Object> shares = new ConcurrentHashMap<>();

    public RequestBudget() {
        this(MOST);
    }

    /**
     * @param most see {@link ModuleDefinition#requests}
     */
    public RequestBudget(int most) {
        this.most = most;
        this.left = new AtomicInteger(most);
    }

    /** Whether any request was made. */
    public boolean used() {
        return left.get() < most;
    }

    /** Takes one request; false when none is left. */
    public boolean take() {
        return left.getAndUpdate(n -> n > 0 ? n - 1 : 0) > 0;
    }

    /**
     * What a probe counts of this check by itself, as the questions to the DNS.
     *
     * @param made makes it when the probe is used for the first time
     */
    public <S> S share(Class<S> type, Supplier<S> made) {
        return type.cast(shares.computeIfAbsent(type, first -> made.get()));
    }
}
