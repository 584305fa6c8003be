package dev.plumbline.http.web.report;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.plumbline.http.web.layout.EncodedBody;
import java.time.Clock;
import java.time.Instant;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Rendered report pages in memory, by raw request path. A page displays the age of its result in minutes, so an entry
 * expires when that age changes. It also ends when another result has replaced its result.
 */
final class ReportPageCache {
    private static final long MAX_BYTES = 8L << 20;
    private static final int ENTRY_OVERHEAD_BYTES = 200;
    private static final long MINUTE_MS = 60_000;

    private final Clock clock;
    private final Cache<String, Entry> pages = Caffeine.newBuilder()
            .maximumWeight(MAX_BYTES)
            .weigher((String path, Entry entry) -> path.length() * 2
                    + entry.page.identity().length()
                    + entry.page.gzip().length()
                    + ENTRY_OVERHEAD_BYTES)
            .executor(Runnable::run)
            .build();

    private record Entry(EncodedBody page, BooleanSupplier current, Instant expiresAt) {}

    ReportPageCache(Clock clock) {
        this.clock = clock;
    }

    @Nullable
    EncodedBody find(String path) {
        Entry entry = pages.getIfPresent(path);
        return entry != null && clock.instant().isBefore(entry.expiresAt) && entry.current.getAsBoolean()
                ? entry.page
                : null;
    }

    /**
     * Stores the page of a cached result.
     *
     * @param current whether no other result has replaced it
     */
    EncodedBody put(String path, Instant checkedAt, Instant resultExpiresAt, BooleanSupplier current, byte[] html) {
        long age = clock.millis() - checkedAt.toEpochMilli();
        Instant nextMinute = checkedAt.plusMillis((Math.max(0, age) / MINUTE_MS + 1) * MINUTE_MS);
        EncodedBody page = EncodedBody.fast(html);
        pages.put(path, new Entry(page, current, nextMinute.isBefore(resultExpiresAt) ? nextMinute : resultExpiresAt));
        return page;
    }
}
