package dev.plumbline.egress;

import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;

/** An egress guard with the names of the lab and without rate limits. */
public final class LabEgressGuard {
    private static final Config.OutboundLimit NONE = new Config.OutboundLimit(0, 0);

    private LabEgressGuard() {}

    public static EgressGuard of(Vertx vertx, TargetPolicy policy, DnsLab dns) {
        return of(vertx, policy, dns, NONE);
    }

    /** As above, with a rate limit per address. */
    public static EgressGuard of(Vertx vertx, TargetPolicy policy, DnsLab dns, Config.OutboundLimit pace) {
        return of(vertx, policy, dns.address(), pace, 0);
    }

    /** As above, with another resolver in the format of {@code dns.servers}. */
    public static EgressGuard of(Vertx vertx, TargetPolicy policy, String resolver) {
        return of(vertx, policy, resolver, NONE, 0);
    }

    /** As above, with a rate limit of DNS queries for names below one domain, per second. */
    public static EgressGuard of(Vertx vertx, TargetPolicy policy, DnsLab dns, int queriesPerDomain) {
        return of(vertx, policy, dns.address(), NONE, queriesPerDomain);
    }

    private static EgressGuard of(
            Vertx vertx, TargetPolicy policy, String resolver, Config.OutboundLimit pace, int queriesPerDomain) {
        Config.DnsSettings settings =
                new Config.DnsSettings(List.of(resolver), List.of(), Duration.ofSeconds(1), 1_000);
        return new EgressGuard(
                policy,
                new DnsResolver(vertx, settings, policy, System::nanoTime),
                new DnsQueryLimits(vertx, queriesPerDomain),
                new Config.TargetSettings(List.of(), List.of(), List.of(), null, pace, NONE, NONE, 0),
                RateLimiterFactory.local(vertx));
    }
}
