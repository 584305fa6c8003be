package dev.plumbline.probe.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.budget.MemoryHolder;
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
 * Shares equal fetches: a running one (single-flight) and the results of the last seconds. Each one belongs to one
 * probe, because the rules of its egress guard apply: one for the pages of all checks, and one for the exchanges of the
 * parts of each composite check. Thread-safe.
 */
final class FetchCache {
    static final Duration TTL = Duration.ofSeconds(5);

    /** The weight of a response without body, in bytes; it bounds the number of entries. */
    static final int MIN_ENTRY_BYTES = 8 * 1024;

    /** Fetches end shortly before the deadlines of their checks. */
    private static final long TOLERANCE_MS = 50;

    private final SingleFlight<Key, RedirectTrace> inFlight;
    private final Cache<Key, RedirectTrace> cache;
    private final int maxBytes;
    private final MemoryHolder memory;

    private record Key(HttpRequestSpec request, int redirects, @Nullable String ipVersion) {}

    /**
     * @param maxBytes the maximum size of the results that are kept
     * @param memory from which they are reserved; a result for which there is none is not kept
     */
    FetchCache(Vertx vertx, Ticker ticker, int maxBytes, MemoryHolder memory) {
        this.maxBytes = maxBytes;
        this.memory = memory;
        inFlight = SingleFlight.withLimits(
                vertx, outcome -> outcome.succeeded() && isShareable(outcome.result()), FetchCache::isTimeout);
        cache = Caffeine.newBuilder()
                .maximumWeight(maxBytes)
                .weigher((Key key, RedirectTrace trace) -> weight(trace))
                .removalListener((key, trace, cause) -> memory.release(trace == null ? 0 : weight(trace)))
                .expireAfterWrite(TTL)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /**
     * The result of the fetch, or of an equal one that ends before the deadline of the check. Failures that depend on
     * the check, such as its deadline or its memory, are not shared: a waiting check then starts its own fetch. It
     * receives a timeout of the target after which its own fetch would have less time.
     */
    Future<RedirectTrace> get(
            CheckContext context, HttpRequestSpec request, int redirects, Supplier<Future<RedirectTrace>> fetch) {
        Key key = new Key(request, redirects, context.ipVersion());
        RedirectTrace cached = cache.getIfPresent(key);
        if (cached != null) {
            return reserveBodies(context, cached);
        }
        long remainingMillis = context.deadline().remainingMillis();
        long endNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(remainingMillis);
        AtomicBoolean fetched = new AtomicBoolean();
        Runnable endJoin = context.budget().limitWaits().join();
        return inFlight.run(
                        key,
                        new SingleFlight.Limits(
                                remainingMillis + TOLERANCE_MS,
                                endNanos,
                                end -> end - endNanos <= TimeUnit.MILLISECONDS.toNanos(TOLERANCE_MS)),
                        () -> {
                            fetched.set(true);
                            endJoin.run();
                            return fetch.get().onSuccess(trace -> {
                                if (isShareable(trace) && tryReserve(weight(trace))) {
                                    cache.put(key, trace);
                                }
                            });
                        })
                .onComplete(done -> endJoin.run())
                .compose(
                        trace -> fetched.get() ? Future.succeededFuture(trace) : reserveBodies(context, trace),
                        failure -> failure instanceof TimeoutException
                                ? timedOut(context, request, redirects, fetch)
                                : Future.failedFuture(failure));
    }

    /** Waits again if the deadline was extended in the meantime. */
    private Future<RedirectTrace> timedOut(
            CheckContext context, HttpRequestSpec request, int redirects, Supplier<Future<RedirectTrace>> fetch) {
        return context.deadline().passed() ? fetch.get() : get(context, request, redirects, fetch);
    }

    private boolean tryReserve(int bytes) {
        try {
            return bytes <= maxBytes && memory.tryReserve(bytes);
        } catch (LimitExceededException full) {
            return false;
        }
    }

    /** Reserves the memory of a trace that another check has fetched. */
    private static Future<RedirectTrace> reserveBodies(CheckContext context, RedirectTrace trace) {
        return context.reserve(trace.bodyBytes()).map(trace);
    }

    private static boolean isShareable(RedirectTrace trace) {
        CheckError error = trace.error();
        return error == null
                || !error.retryable()
                        && error.code() != ErrorCode.REQUEST_LIMIT
                        && error.code() != ErrorCode.RESPONSE_TOO_LARGE;
    }

    private static boolean isTimeout(RedirectTrace trace) {
        CheckError error = trace.error();
        return error != null && (error.code() == ErrorCode.READ_TIMEOUT || error.code() == ErrorCode.CONNECT_TIMEOUT);
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
