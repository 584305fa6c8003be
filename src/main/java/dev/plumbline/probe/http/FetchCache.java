package dev.plumbline.probe.http;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.concurrent.ContextFutures;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Fetches that are equal are made once while they are under way and for a moment after. One for
 * each probe, so that nothing passes from one guard's rules to another's. Thread-safe.
 */
final class FetchCache {
    static final Duration MOMENT = Duration.ofSeconds(5);
    static final int MOST_BYTES = 8 * 1024 * 1024;

    /** What an answer without a body is taken to hold; it bounds how many are kept. */
    static final int LEAST_BYTES = 8 * 1024;

    /** Fetches end a little before the deadlines of their checks. */
    private static final long TOLERANCE_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ConcurrentMap<Key, Flight> underWay = new ConcurrentHashMap<>();
    private final Cache<Key, RedirectTrace> done;

    private record Key(HttpRequestSpec call, int redirects, @Nullable String ipVersion) {}

    /**
     * One fetch under way.
     *
     * @param endNanos when it has ended at the latest, by {@link System#nanoTime()}
     */
    private record Flight(Promise<RedirectTrace> landing, long endNanos) {}

    FetchCache() {
        this(Ticker.systemTicker());
    }

    FetchCache(Ticker ticker) {
        done = Caffeine.newBuilder()
                .maximumWeight(MOST_BYTES)
                .weigher((Key key, RedirectTrace journey) -> weight(journey))
                .expireAfterWrite(MOMENT)
                .ticker(ticker)
                .executor(Runnable::run)
                .build();
    }

    /**
     * What the fetch gives, or gave another check a moment ago. What one check alone ran into, as a
     * deadline of its own, is no answer for another, which then fetches by itself.
     */
    Future<RedirectTrace> get(
            CheckContext context, HttpRequestSpec call, int redirects, Supplier<Future<RedirectTrace>> fetch) {
        if (context.fresh()) {
            return fetch.get();
        }
        Key key = new Key(call, redirects, context.options().text(ModuleDescription.IP_VERSION));
        RedirectTrace known = done.getIfPresent(key);
        if (known != null) {
            return Future.succeededFuture(known);
        }
        long endNanos = System.nanoTime()
                + TimeUnit.MILLISECONDS.toNanos(context.deadline().remainingMillis());
        Flight mine = new Flight(Promise.promise(), endNanos);
        Flight other = underWay.putIfAbsent(key, mine);
        if (other == null) {
            return lead(key, mine, fetch);
        }
        if (other.endNanos - endNanos > TOLERANCE_NANOS) {
            return fetch.get(); // it could still be under way when this check has to end
        }
        return ContextFutures.onCallerContext(other.landing.future())
                .transform(landed -> landed.succeeded() && shared(landed.result())
                        ? Future.succeededFuture(landed.result())
                        : fetch.get());
    }

    private Future<RedirectTrace> lead(Key key, Flight mine, Supplier<Future<RedirectTrace>> fetch) {
        return ContextFutures.call(fetch).onComplete(outcome -> {
            if (outcome.succeeded() && shared(outcome.result())) {
                done.put(key, outcome.result());
            }
            underWay.remove(key, mine);
            mine.landing.handle(outcome);
        });
    }

    private static boolean shared(RedirectTrace journey) {
        CheckError error = journey.error();
        return error == null || !error.retryable() && error.code() != ErrorCode.REQUEST_LIMIT;
    }

    private static int weight(RedirectTrace journey) {
        int bytes = LEAST_BYTES;
        for (HttpExchange hop : journey.hops()) {
            bytes += hop.body().size();
            for (HttpHeader line : hop.headers().lines()) {
                bytes += 64 + line.name().length() + line.value().length();
            }
        }
        return bytes;
    }
}
