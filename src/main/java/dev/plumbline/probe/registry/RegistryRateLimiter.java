package dev.plumbline.probe.registry;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import dev.plumbline.egress.CheckRateLimiter;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.LimiterKind;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rate limiter and circuit breaker of registry servers, per server. A query holds its permit for a few seconds at
 * most. After several timeouts in a row, the server is not queried for some seconds by this node. Thread-safe.
 */
final class RegistryRateLimiter {
    /** The maximum duration of a query. */
    static final long MAX_QUERY_MILLIS = 5_000;

    /** A shorter timeout does not count as a timeout of the server. */
    static final long MIN_TIMEOUT_MILLIS = 2_000;

    /** The timeouts in a row after which the server is not queried. */
    static final int MAX_TIMEOUTS = 3;

    static final long BACKOFF_MILLIS = 10_000;

    private static final int MAX_SERVERS = 2_000;

    /**
     * @param count the timeouts in a row
     * @param lastNanos when the last one ended, by the nano clock
     */
    private record Timeouts(int count, long lastNanos) {}

    private final CheckRateLimiter<String> limiter;
    private final LongSupplier nanoClock;
    private final Cache<String, Timeouts> timeouts = Caffeine.newBuilder()
            .maximumSize(MAX_SERVERS)
            .expireAfterWrite(Duration.ofMinutes(10))
            .executor(Runnable::run)
            .build();

    RegistryRateLimiter(
            RateLimiterFactory limiters, LimiterKind kind, Config.OutboundLimit limit, LongSupplier nanoClock) {
        this.limiter = new CheckRateLimiter<>(limiters, kind, limit, Function.identity(), Function.identity());
        this.nanoClock = nanoClock;
    }

    /**
     * Runs a query when a permit is available; lines of jobs wait for instant checks. Fails with
     * {@link dev.plumbline.check.OverloadFailure} if a permit would come too late, and with {@code deadline_exceeded}
     * if the server timed out recently, or if the query timed out because little time was left after the wait for a
     * permit. Another error of the server or of its name is {@code registry_unavailable}, because it is not one of the
     * target.
     *
     * @param server the hostname
     * @param query receives the context with the deadline of the query
     */
    <T> Future<T> run(CheckContext context, String server, Function<CheckContext, Future<T>> query) {
        CheckFailure backoff = backoff(server);
        if (backoff != null) {
            return Future.failedFuture(backoff);
        }
        if (limiter.isUnlimited()) {
            return start(context, server, query, false);
        }
        long maxWaitMillis = Math.min(context.patienceMs(), context.deadline().remainingMillis());
        // the query can start at the end of the wait
        Deadline end = context.deadline().atMost(maxWaitMillis + MAX_QUERY_MILLIS);
        Future<Runnable> permit = limiter.acquire(context, server, maxWaitMillis, end);
        boolean waited = !permit.isComplete();
        return permit.compose(release -> {
            CheckFailure rejected = backoff(server);
            Future<T> result = rejected == null ? start(context, server, query, waited) : Future.failedFuture(rejected);
            return result.onComplete(done -> release.run());
        });
    }

    private <T> Future<T> start(
            CheckContext context, String server, Function<CheckContext, Future<T>> query, boolean waited) {
        long started = nanoClock.getAsLong();
        Deadline deadline = context.deadline().atMost(MAX_QUERY_MILLIS);
        boolean shortened = waited && deadline.remainingMillis() < MIN_TIMEOUT_MILLIS;
        return ContextFutures.call(() -> query.apply(context.within(deadline)))
                .onComplete(outcome -> record(server, started, outcome))
                .recover(cause -> Future.failedFuture(ofRegistry(server, cause, shortened)));
    }

    /** @param shortened whether little time was left for the query, because the check waited for a permit */
    private static Throwable ofRegistry(String server, Throwable cause, boolean shortened) {
        if (!(cause instanceof CheckFailure failure)) {
            return cause;
        }
        ErrorCode code = failure.error().code();
        if (shortened && code.timeout()) {
            return new CheckFailure(
                    ErrorCode.DEADLINE_EXCEEDED,
                    "The check timed out because of the limit of queries to the registry server %s.".formatted(server));
        }
        return code.targetFault() || code == ErrorCode.DNS_SERVFAIL || code == ErrorCode.DNS_TIMEOUT
                ? new CheckFailure(
                        ErrorCode.REGISTRY_UNAVAILABLE,
                        "The query to the registry server %s failed. %s"
                                .formatted(server, failure.error().message()))
                : cause;
    }

    private void record(String server, long started, AsyncResult<?> outcome) {
        long now = nanoClock.getAsLong();
        if (outcome.succeeded()) {
            timeouts.invalidate(server);
        } else if (outcome.cause() instanceof CheckFailure failure) {
            ErrorCode code = failure.error().code();
            if (code != ErrorCode.READ_TIMEOUT && code != ErrorCode.CONNECT_TIMEOUT) {
                timeouts.invalidate(server);
            } else if (now - started >= TimeUnit.MILLISECONDS.toNanos(MIN_TIMEOUT_MILLIS)) {
                timeouts.asMap()
                        .merge(
                                server,
                                new Timeouts(1, now),
                                (previous, update) -> new Timeouts(previous.count() + 1, now));
            }
        }
    }

    /** The failure of a server that timed out recently; null if it can be queried. */
    private @Nullable CheckFailure backoff(String server) {
        Timeouts recent = timeouts.getIfPresent(server);
        boolean backedOff = recent != null
                && recent.count() >= MAX_TIMEOUTS
                && nanoClock.getAsLong() - recent.lastNanos() < TimeUnit.MILLISECONDS.toNanos(BACKOFF_MILLIS);
        // DEADLINE_EXCEEDED, because results with it are not cached.
        return backedOff
                ? new CheckFailure(
                        ErrorCode.DEADLINE_EXCEEDED,
                        "%s did not respond to recent queries. Queries to it are paused. Retry in a minute."
                                .formatted(server))
                : null;
    }
}
