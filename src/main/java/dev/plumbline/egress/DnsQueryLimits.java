package dev.plumbline.egress;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.config.Config;
import dev.plumbline.dns.DnsQueryPermits;
import dev.plumbline.dns.DnsResolver;
import dev.plumbline.result.LimiterKind;
import dev.plumbline.target.Host;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.ReverseMap;

/**
 * The limits of DNS queries: per check, and per second for names below one registrable domain that is not the domain of
 * the target. They apply to this node. Thread-safe.
 */
public final class DnsQueryLimits {
    /**
     * The maximum number of queries of a check, or of all parts of a composite check together. Each alias that the
     * resolver follows counts as one. It is 1.5 times the number that {@code overview} needs for domains without
     * problems.
     */
    public static final int MAX_QUERIES = 227;

    /** The maximum number of queries for names below one registrable domain other than that of the target. */
    public static final int MAX_PER_DOMAIN = 87;

    /** The maximum time that is reserved for the query itself while it waits for the rate limit, in milliseconds. */
    private static final long MAX_RESERVE_MILLIS = 2_000;

    private static final Future<Void> ACQUIRED = Future.succeededFuture();

    private final RegistrableDomains domains = new RegistrableDomains();
    private final CheckRateLimiter<String> limiter;

    /** @param perDomainPerSecond queries per second for names below one domain; 0 = no limit */
    public DnsQueryLimits(Vertx vertx, int perDomainPerSecond) {
        this.limiter = new CheckRateLimiter<>(
                RateLimiterFactory.local(vertx),
                LimiterKind.DNS_DOMAIN,
                new Config.OutboundLimit(perDomainPerSecond, 0),
                Function.identity(),
                Function.identity());
    }

    /** The permits of a check. The parts of a composite check share them. */
    public DnsQueryPermits permits(CheckContext context) {
        return new Permits(limiter, context, budget(context), false);
    }

    /** As {@link #permits}, for zones of the operator, whose queries are limited only per check. */
    public DnsQueryPermits permitsOfOperator(CheckContext context) {
        return new Permits(limiter, context, budget(context), true);
    }

    private DnsQueryBudget budget(CheckContext context) {
        return context.budget()
                .sharedCounter(
                        DnsQueryBudget.class,
                        () -> new DnsQueryBudget(nameOf(context.budget().target()), domains::ofDnsName));
    }

    private static @Nullable String nameOf(@Nullable Host target) {
        if (target == null) {
            return null;
        }
        return target.literal() == null ? target.name() : DnsResolver.text(ReverseMap.fromAddress(target.literal()));
    }

    private record Permits(
            CheckRateLimiter<String> limiter, CheckContext context, DnsQueryBudget budget, boolean ofOperator)
            implements DnsQueryPermits {
        @Override
        public Future<Void> acquire(String name) {
            String domain = ofOperator ? null : budget.limitedDomain(name);
            CheckFailure exhausted = budget.take(domain);
            if (exhausted != null) {
                context.budget().rejectShared();
                return Future.failedFuture(exhausted);
            }
            if (domain == null || limiter.isUnlimited()) {
                return ACQUIRED;
            }
            long remaining = context.deadline().atMost(context.patienceMs()).remainingMillis();
            long maxWaitMillis = remaining - Math.min(MAX_RESERVE_MILLIS, remaining / 2);
            return limiter.acquire(context, domain, maxWaitMillis, context.deadline())
                    .map(release -> {
                        release.run();
                        return null;
                    });
        }

        @Override
        public Span span() {
            return context.span();
        }

        @Override
        public void countAliases(List<Name> aliases) {
            aliases.forEach(alias -> budget.takeAlias(DnsResolver.text(alias)));
        }

        @Override
        public void countFailure() {
            budget.takeFailed();
        }
    }
}
