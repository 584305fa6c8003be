package dev.plumbline.ops;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.encoder.Encoder;
import dev.plumbline.config.Config;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.event.KeyValuePair;

class LogConfigurationTest {
    private final LoggerContext context = new LoggerContext();

    @AfterEach
    void stop() {
        context.stop();
    }

    private String line(String format, ILoggingEvent event) {
        Encoder<ILoggingEvent> encoder =
                LogConfiguration.encoder(new Config.LogSettings("info", format, false), context);
        return new String(encoder.encode(event), StandardCharsets.UTF_8);
    }

    private LoggingEvent event(Throwable failure, KeyValuePair... values) {
        LoggingEvent event = new LoggingEvent(
                "fqcn",
                context.getLogger("dev.plumbline.job.Coordinator"),
                Level.WARN,
                "lease\nexpired",
                failure,
                null);
        event.setInstant(Instant.parse("2026-11-22T10:00:00.123456Z"));
        event.setKeyValuePairs(List.of(values));
        return event;
    }

    @Test
    void jsonLineHasFlatFields() {
        String line = line(
                "json",
                event(
                        null,
                        new KeyValuePair("request_id", "a-1"),
                        new KeyValuePair("chunks", 12),
                        new KeyValuePair("duration_ms", 0.25),
                        new KeyValuePair("complete", true),
                        new KeyValuePair("cause", new IllegalStateException("closed \"now\"")),
                        new KeyValuePair("items", List.of("a", "b")),
                        new KeyValuePair("job", null)));

        assertThat(line).endsWith("}\n").doesNotContainPattern("\\n.");
        assertThat(new JsonObject(line).getMap())
                .containsExactlyInAnyOrderEntriesOf(new JsonObject()
                        .put("time", "2026-11-22T10:00:00.123Z")
                        .put("level", "WARN")
                        .put("logger", "dev.plumbline.job.Coordinator")
                        .put("message", "lease\nexpired")
                        .put("request_id", "a-1")
                        .put("chunks", 12)
                        .put("duration_ms", 0.25)
                        .put("complete", true)
                        .put("cause", "java.lang.IllegalStateException: closed \"now\"")
                        .put("items", "[a, b]")
                        .putNull("job")
                        .getMap());
    }

    @Test
    void jsonLineContainsTheStackTrace() {
        JsonObject json = new JsonObject(line("json", event(new IllegalStateException("closed"))));

        assertThat(json.getString("stack_trace"))
                .startsWith("java.lang.IllegalStateException: closed")
                .contains("at dev.plumbline.ops.LogConfigurationTest.");
    }

    @Test
    void textLineHasTheSameTimeAndNoLineBreaks() {
        assertThat(line("text", event(null, new KeyValuePair("node", "a\r\nb"))))
                .isEqualTo("2026-11-22T10:00:00.123Z WARN  Coordinator lease expired node=\"a b\"\n");
    }
}
