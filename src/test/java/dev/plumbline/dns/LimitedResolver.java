package dev.plumbline.dns;

import dev.plumbline.check.TargetPolicy;
import dev.plumbline.config.Config;
import io.vertx.core.Vertx;

/** A resolver that is soon overloaded. */
public final class LimitedResolver {
    private LimitedResolver() {}

    /**
     * @param mostOpen questions that may be open at once; no other waits
     */
    public static DnsResolver of(Vertx vertx, Config.DnsSettings settings, TargetPolicy policy, int mostOpen) {
        return new DnsResolver(vertx, settings, policy, System::nanoTime, mostOpen, mostOpen, 0);
    }
}
