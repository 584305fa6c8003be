package dev.plumbline.result;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class RenderedResultTest {
    private static final Instant CHECKED_AT = Instant.parse("2026-11-20T10:00:00.123Z");
    private static final String START = "{\"module\":\"m\",\"rules\":\"m/3\",";
    private static final String RESULT = START + "\"duration_ms\":84}";

    private static RenderedResult fresh() {
        return RenderedResult.of("key", bytes(RESULT), CHECKED_AT, true, Duration.ofMinutes(10));
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    @Test
    void onlyAFreshResultHasAWaitedTime() {
        String expiry = ",\"expires_at\":\"2026-11-20T10:10:00.123Z\"}";

        assertThat(fresh().freshBody(12))
                .hasToString(START + "\"duration_ms\":84,\"waited_ms\":12,\"cached\":false" + expiry);
        assertThat(fresh().cachedBody())
                .hasToString(START + "\"duration_ms\":84,\"waited_ms\":null,\"cached\":true" + expiry);
        assertThat(fresh().toLine()).hasToString(START + "\"duration_ms\":84,\"waited_ms\":null,\"cached\":true}");
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 7, 123_456})
    void theResultOfALineIsReadWithoutItsWaitedTime(long waitedMs) {
        assertReadAsFresh(RenderedResult.toLine(bytes(RESULT), waitedMs));
    }

    @Test
    void aLineOfAnEarlierVersionIsRead() {
        assertReadAsFresh(Buffer.buffer(START + "\"duration_ms\":84,\"cached\":false}"));
    }

    @Test
    void aResultOfAnEarlierVersionHasNoRules() {
        byte[] earlier = bytes("{\"module\":\"m\",\"duration_ms\":84}");
        RenderedResult stored = RenderedResult.fromStore("key", earlier, CHECKED_AT, fresh().expiresAt());
        RenderedResult ofNode = RenderedResult.of("key", earlier, CHECKED_AT, true, Duration.ofMinutes(10));

        assertThat(stored.result()).isEqualTo(bytes("{\"module\":\"m\",\"rules\":null,\"duration_ms\":84}"));
        assertThat(stored.cachedBody().toString()).startsWith("{\"module\":\"m\",\"rules\":null,\"duration_ms\":84,");
        assertThat(ofNode.freshBody(1).toString()).startsWith("{\"module\":\"m\",\"rules\":null,\"duration_ms\":84,");
        assertThat(ofNode.etag()).isEqualTo(stored.etag());
    }

    private static void assertReadAsFresh(Buffer line) {
        RenderedResult read = RenderedResult.fromLine("key", line.getBytes(), CHECKED_AT, fresh().expiresAt());

        assertThat(new String(read.result(), StandardCharsets.US_ASCII)).isEqualTo(RESULT);
        assertThat(read.etag()).isEqualTo(fresh().etag());
        assertThat(read.cachedBody()).isEqualTo(fresh().cachedBody());
    }
}
