package dev.plumbline.http.web.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class ReportPageCacheTest {
    private static final Instant CHECKED = Instant.parse("2026-01-02T03:04:05Z");
    private static final Instant EXPIRES = CHECKED.plusSeconds(90);
    private static final byte[] HTML = "<!doctype html>".getBytes(StandardCharsets.UTF_8);

    private Instant now = CHECKED;
    private final ReportPageCache cache = new ReportPageCache(new ManualClock());

    private final class ManualClock extends Clock {
        @Override
        public Instant instant() {
            return now;
        }

        @Override
        public ZoneId getZone() {
            return ZoneOffset.UTC;
        }

        @Override
        public Clock withZone(ZoneId zone) {
            return this;
        }
    }

    @Test
    void entryExpiresWhenTheAgeInMinutesChanges() {
        now = CHECKED.plusMillis(59_000);
        cache.put("/a", CHECKED, EXPIRES, () -> true, HTML);

        now = CHECKED.plusMillis(59_999);
        assertThat(cache.find("/a")).isNotNull();
        now = CHECKED.plusMillis(60_000);
        assertThat(cache.find("/a")).isNull();
        assertThat(cache.find("/b")).isNull();
    }

    @Test
    void entryEndsWhenItsResultIsReplaced() {
        AtomicBoolean current = new AtomicBoolean(true);
        cache.put("/a", CHECKED, EXPIRES, current::get, HTML);

        assertThat(cache.find("/a")).isNotNull();
        current.set(false);
        assertThat(cache.find("/a")).isNull();
    }

    @Test
    void entryExpiresWithItsResult() {
        now = CHECKED.plusMillis(60_000);
        cache.put("/a", CHECKED, EXPIRES, () -> true, HTML);

        now = EXPIRES.minusMillis(1);
        assertThat(cache.find("/a")).isNotNull();
        now = EXPIRES;
        assertThat(cache.find("/a")).isNull();
    }
}
