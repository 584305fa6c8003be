package dev.plumbline.dns;

import dev.plumbline.config.Config;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Vertx;

/** A resolver with a low concurrency limit. */
public final class LimitedResolver {
    private LimitedResolver() {}

    /** @param maxConcurrent the maximum number of concurrent queries; the queue is disabled */
    public static DnsResolver of(Vertx vertx, Config.DnsSettings settings, TargetPolicy policy, int maxConcurrent) {
        return new DnsResolver(vertx, settings, policy, System::nanoTime, maxConcurrent, maxConcurrent, 0);
    }
}
