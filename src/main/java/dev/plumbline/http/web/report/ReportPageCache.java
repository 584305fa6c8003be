package dev.plumbline.http.web.report;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.http.web.layout.GzipEncoder;
import dev.plumbline.http.web.layout.PageRenderer;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * Report pages in memory, by the path that asked for them. A page says how old its result is, in
 * minutes, so it is good for one of them.
 */
final class ReportPageCache {
    private static final long MOST_BYTES = 8L << 20;
    private static final long GOOD_FOR_MS = 60_000;

    private final Clock clock;
    private final Cache<String, Rendered> pages = Caffeine.newBuilder()
            .maximumWeight(MOST_BYTES)
            .weigher((String path, Rendered page) -> path.length() * 2 + page.weight())
            .executor(Runnable::run)
            .build();

    /**
     * A page, both ways.
     *
     * @param until when it says too little
     */
    record Rendered(Buffer plain, Buffer gzip, Instant until) {
        int weight() {
            return plain.length() + gzip.length() + 200;
        }
    }

    ReportPageCache(Clock clock) {
        this.clock = clock;
    }

    @Nullable
    Rendered find(String path) {
        Rendered page = pages.getIfPresent(path);
        return page != null && clock.instant().isBefore(page.until) ? page : null;
    }

    /** Keeps the page of a result that is known to all. */
    Rendered put(String path, Instant checkedAt, Instant expiresAt, byte[] html) {
        long age = clock.millis() - checkedAt.toEpochMilli();
        Instant nextMinute = checkedAt.plusMillis((Math.max(0, age) / GOOD_FOR_MS + 1) * GOOD_FOR_MS);
        Instant until = nextMinute.isBefore(expiresAt) ? nextMinute : expiresAt;
        Rendered page = new Rendered(Buffer.buffer(html), Buffer.buffer(GzipEncoder.quick(html)), until);
        pages.put(path, page);
        return page;
    }

    void send(PageRenderer pages, RoutingContext ctx, Rendered page) {
        boolean gzip = GzipEncoder.accepted(ctx.request());
        pages.send(ctx, 200, gzip ? page.gzip : page.plain, gzip);
    }
}
