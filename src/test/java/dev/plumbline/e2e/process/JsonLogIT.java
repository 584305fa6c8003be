package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The log of the jar with {@code log.format: json}. */
@Tag("integration")
class JsonLogIT {
    private static final Pattern TIME = Pattern.compile("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z");

    @TempDir
    static Path folder;

    @Test
    void everyLineIsAFlatObjectFromStartToStop() throws Exception {
        String address;
        String log;
        try (ServiceProcess service = ServiceProcess.start(
                folder,
                Map.of(
                        "LOG_FORMAT",
                        "json",
                        "LOG_LEVEL",
                        "info",
                        "LOG_ACCESS",
                        "true",
                        "LIMITS_FRESH_PER_HOUR",
                        "7"))) {
            address = service.address();
            service.instant("http-status", "http://127.0.0.1:1/");
            service.terminate();
            service.awaitExit(40);
            log = service.log();
        }

        List<JsonObject> lines = log.lines().map(JsonObject::new).toList();
        assertThat(lines).allSatisfy(line -> {
            assertThat(line.getString("time")).matches(TIME);
            assertThat(line.getString("level")).isIn("INFO", "WARN");
            assertThat(line.getString("logger")).isNotBlank();
            assertThat(line.getString("message")).isNotBlank();
            assertThat(line.getMap().values())
                    .noneMatch(value -> value instanceof Map || value instanceof List || value instanceof JsonArray);
        });
        assertThat(lines)
                .extracting(line -> line.getString("message"))
                .contains("started", "database connected", "limits configured", "request completed", "stopped");
        JsonObject started = line(lines, "started");
        assertThat(started.getString("version")).isNotBlank();
        assertThat(started.getString("address")).isEqualTo(address);
        assertThat(started.getString("roles")).isEqualTo("http,run,coordinate");
        JsonObject database = line(lines, "database connected");
        assertThat(database.getString("kind")).isEqualTo("embedded");
        assertThat(database.getString("database")).matches("127\\.0\\.0\\.1:\\d+/plumbline");
        assertThat(line(lines, "limits configured").getInteger("fresh_per_hour"))
                .isEqualTo(7);
        JsonObject request = line(lines, "request completed");
        assertThat(request.getInteger("status")).isEqualTo(200);
        assertThat(request.getValue("duration_ms")).isInstanceOf(Number.class);
        assertThat(request.getString("request_id")).isNotBlank();
    }

    private static JsonObject line(List<JsonObject> lines, String message) {
        return lines.stream()
                .filter(line -> line.getString("message").equals(message))
                .findFirst()
                .orElseThrow();
    }
}
