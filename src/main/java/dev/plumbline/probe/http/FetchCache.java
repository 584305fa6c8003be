package dev.plumbline.probe.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.check.CheckContext;
import dev.plumbline.concurrent.SingleFlight;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shares equal fetches: a running one (single-flight) and the results of the last seconds. There is one for each probe,
 * because the rules of its egress guard apply. Thread-safe.
 */
final class FetchCache {
    static final Duration TTL = Duration.ofSeconds(5);
    static final int MAX_BYTES = 8 * 1024 * 1024;

    /** The weight of a response without body, in bytes; it bounds the number of entries. */
    static final int MIN_ENTRY_BYTES = 8 * 1024;

    /** Fetches end shortly before the deadlines of their checks. */
    private static final long TOLERANCE_MS = 50;

    private final SingleFlight<Key, RedirectTrace> inFlight;
    private final Cache<Key, RedirectTrace> cache;

    private record Key(HttpRequestSpec request, int redirects, @Nullable String ipVersion) {}

    FetchCache(Vertx vertx, Ticker ticker) {
        inFlight = new SingleFlight<>(vertx, outcome -> outcome.succeeded() && isShareable(outcome.result()));
        cache = Caffeine.newBuilder()
                .maximumWeight(MAX_BYTES)
                .weigher((Key key, RedirectTrace trace) -> weight(trace))
                .expireAfterWrite(TTL)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /**
     * The result of the fetch, or of an equal one that ends before the deadline of the check. Failures that depend on
     * the check, such as its deadline, are not shared: a waiting check then starts its own fetch.
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
        long remainingMillis = context.deadline().remainingMillis();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(remainingMillis);
        AtomicBoolean fetched = new AtomicBoolean();
        return inFlight.run(
                        key,
                        new SingleFlight.Limits(
                                remainingMillis + TOLERANCE_MS,
                                endNanos,
                                end -> end - endNanos <= TimeUnit.MILLISECONDS.toNanos(TOLERANCE_MS)),
                        () -> {
                            fetched.set(true);
                            return fetch.get().onSuccess(trace -> {
                                if (isShareable(trace)) {
                                    cache.put(key, trace);
                                }
                            });
                        })
                .compose(
                        trace -> fetched.get() ? Future.succeededFuture(trace) : reserveBodies(context, trace),
                        failure -> failure instanceof TimeoutException ? fetch.get() : Future.failedFuture(failure));
    }

    /** Reserves the memory of a trace that another check has fetched. */
    private static Future<RedirectTrace> reserveBodies(CheckContext context, RedirectTrace trace) {
        return context.reserve(trace.bodyBytes()).map(trace);
    }

    private static boolean isShareable(RedirectTrace trace) {
        CheckError error = trace.error();
        return error == null || !error.retryable() && error.code() != ErrorCode.REQUEST_LIMIT;
    }

    private static int weight(RedirectTrace trace) {
        return MIN_ENTRY_BYTES
                + trace.hops().stream()
                        .mapToInt(hop -> hop.body().size()
                                + 64 * hop.headers().lines().size()
                                + hop.headers().size())
                        .sum();
    }
}
