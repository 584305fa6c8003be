package dev.plumbline.egress;

import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.result.LimiterKind;
import io.vertx.core.Vertx;
import java.util.function.Function;
import java.util.function.LongSupplier;

/** Creates the rate limiters of a node. */
public interface RateLimiterFactory {

    /**
     * Creates a limiter; call once per kind.
     *
     * @param keyText the text of a key, the same on every node
     */
    <K> RateLimiter<K> create(LimiterKind kind, Config.OutboundLimit limit, Function<K, String> keyText);

    /** A factory of limiters for one node alone. */
    static RateLimiterFactory local(Vertx vertx) {
        return local(System::nanoTime, Scheduler.of(vertx));
    }

    /** @param nanoClock as {@link System#nanoTime} */
    static RateLimiterFactory local(LongSupplier nanoClock, Scheduler scheduler) {
        return new RateLimiterFactory() {
            @Override
            public <K> RateLimiter<K> create(
                    LimiterKind kind, Config.OutboundLimit limit, Function<K, String> keyText) {
                return new KeyedRateLimiter<>(limit, nanoClock, scheduler);
            }
        };
    }
}
