package dev.plumbline.probe.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.check.CheckContext;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares equal fetches: a running one (single-flight) and the results of the last seconds. There is one for each probe,
 * because the rules of its egress guard apply. Not a {@code SingleFlight}: a check joins a fetch only if the fetch ends
 * before the deadline of the check. Thread-safe.
 */
final class FetchCache {
    static final Duration TTL = Duration.ofSeconds(5);
    static final int MAX_BYTES = 8 * 1024 * 1024;

    /** The weight of a response without body, in bytes; it bounds the number of entries. */
    static final int MIN_ENTRY_BYTES = 8 * 1024;

    /** Fetches end shortly before the deadlines of their checks. */
    private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ConcurrentMap<Key, InFlight> inFlight = new ConcurrentHashMap<>();
    private final Cache<Key, RedirectTrace> cache;

    private record Key(HttpRequestSpec request, int redirects, @Nullable String ipVersion) {}

    /**
     * A running fetch.
     *
     * @param endNanos the latest end, by {@link System#nanoTime()}
     */
    private record InFlight(Promise<RedirectTrace> promise, long endNanos) {}

    FetchCache() {
        this(Ticker.systemTicker());
    }

    FetchCache(Ticker ticker) {
        cache = Caffeine.newBuilder()
                .maximumWeight(MAX_BYTES)
                .weigher((Key key, RedirectTrace trace) -> weight(trace))
                .expireAfterWrite(TTL)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /**
     * The result of the fetch, or of an equal one. Failures that depend on the check, such as its deadline, are not
     * shared: a waiting check then fetches itself.
     */
    Future<RedirectTrace> get(
            CheckContext context, HttpRequestSpec request, int redirects, Supplier<Future<RedirectTrace>> fetch) {
        if (context.fresh()) {
            return fetch.get();
        }
        Key key = new Key(request, redirects, context.ipVersion());
        RedirectTrace cached = cache.getIfPresent(key);
        if (cached != null) {
            return reserveBodies(context, cached);
        }
        long endNanos = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(context.deadline().remainingMillis());
        InFlight own = new InFlight(Promise.promise(), endNanos);
        InFlight leader = inFlight.putIfAbsent(key, own);
        if (leader == null) {
            return start(key, own, fetch);
        }
        if (leader.endNanos - endNanos > TOLERANCE_NANOS) {
            return fetch.get(); // it may end after the deadline of this check
        }
        return ContextFutures.onCallerContext(leader.promise.future())
                .transform(result -> result.succeeded() && isShareable(result.result())
                        ? reserveBodies(context, result.result())
                        : fetch.get());
    }

    /** Reserves the memory of a trace that another check has fetched. */
    private static Future<RedirectTrace> reserveBodies(CheckContext context, RedirectTrace trace) {
        return context.reserve(trace.bodyBytes()).map(trace);
    }

    private Future<RedirectTrace> start(Key key, InFlight own, Supplier<Future<RedirectTrace>> fetch) {
        return ContextFutures.call(fetch)
                .map(trace -> {
                    if (isShareable(trace)) {
                        cache.put(key, trace);
                    }
                    return trace;
                })
                .onComplete(outcome -> {
                    inFlight.remove(key, own);
                    own.promise.handle(outcome);
                });
    }

    private static boolean isShareable(RedirectTrace trace) {
        CheckError error = trace.error();
        return error == null || !error.retryable() && error.code() != ErrorCode.REQUEST_LIMIT;
    }

    private static int weight(RedirectTrace trace) {
        int bytes = MIN_ENTRY_BYTES;
        for (HttpExchange hop : trace.hops()) {
            bytes += hop.body().size();
            for (HttpHeader line : hop.headers().lines()) {
                bytes += 64 + line.name().length() + line.value().length();
            }
        }
        return bytes;
    }
}
