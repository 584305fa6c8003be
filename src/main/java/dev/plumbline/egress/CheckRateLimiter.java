package dev.plumbline.egress;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.result.TargetLimit;
import io.vertx.core.Future;
import java.util.function.Consumer;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A rate limiter for checks. It records how long they wait, and names the limit that rejects them. Thread-safe.
 *
 * @param <K> an address, a network, a domain or a server
 */
public final class CheckRateLimiter<K> {
    private final RateLimiter<K> limiter;
    private final LimiterKind kind;
    private final Config.OutboundLimit limit;
    private final Function<K, String> displayText;

    /**
     * @param limiters called once per kind
     * @param keyText as in {@link RateLimiterFactory#create}
     * @param displayText the text of a key for people
     */
    public CheckRateLimiter(
            RateLimiterFactory limiters,
            LimiterKind kind,
            Config.OutboundLimit limit,
            Function<K, String> keyText,
            Function<K, String> displayText) {
        this.limiter = limiters.create(kind, limit, keyText);
        this.kind = kind;
        this.limit = limit;
        this.displayText = displayText;
    }

    /** Whether requests are not limited. */
    public boolean isUnlimited() {
        return limiter.isUnlimited();
    }

    /**
     * Acquires a permit, now or after waiting. Fails with {@link OverloadFailure} if it would not be available in time.
     *
     * @param maxWaitMillis the maximum time of the wait
     * @param end as in {@link RateLimiter#acquire}
     * @return completes on the context of the caller; releases the permit, to be run once
     */
    public Future<Runnable> acquire(CheckContext context, K key, long maxWaitMillis, Deadline end) {
        Future<RatePermit> acquired = limiter.acquire(key, maxWaitMillis, context.account(), end);
        if (acquired.succeeded()) {
            return Future.succeededFuture(acquired.result().onRelease());
        }
        Consumer<@Nullable TargetLimit> endOfWait =
                context.budget().limitWaits().start();
        return ContextFutures.onCallerContext(acquired).transform(outcome -> {
            TargetLimit reached = named(
                    key,
                    outcome.succeeded()
                            ? outcome.result().limitedBy()
                            : outcome.cause() instanceof OverloadFailure overload ? overload.type() : null);
            endOfWait.accept(reached);
            if (outcome.succeeded()) {
                return Future.succeededFuture(outcome.result().onRelease());
            }
            return Future.failedFuture(
                    reached != null && outcome.cause() instanceof OverloadFailure overload
                            ? overload.by(reached)
                            : outcome.cause());
        });
    }

    private @Nullable TargetLimit named(K key, TargetLimit.@Nullable Type type) {
        if (type == null) {
            return null;
        }
        String address = displayText.apply(key);
        return type == TargetLimit.Type.RATE
                ? new TargetLimit(address, kind.rate(limit.perSecond()), kind.rateSetting(), limit.perSecond())
                : new TargetLimit(address, kind.concurrency(limit.concurrent()), kind.concurrencySetting(), 0);
    }
}
