package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.SmallDisk;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jar with its embedded database on a file system that becomes full while jobs are written. */
@Tag("integration")
class DiskFullIT {
    private static final int DISK_MIB = 320;
    private static final int LINES = 500;
    private static final int MAX_JOBS = 60;
    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    Path folder;

    private final CountingTarget target = new CountingTarget(VERTX);
    private final JobLoadClient load = new JobLoadClient(target, 22);
    private final String key = ApiKeySecret.generate();

    @AfterAll
    static void close() {
        Await.value(VERTX.close());
    }

    /** With 12 MiB, tables can grow, but a segment of the write-ahead log with 16 MiB cannot be created. */
    @ParameterizedTest
    @CsvSource({"0, full, database disk full", "12, down, embedded database restart failed"})
    void acceptedJobsCompleteAfterSpaceWasFreed(int freeMib, String state, String event) throws Exception {
        Path mountPoint = Files.createDirectory(folder.resolve("disk"));
        try (SmallDisk disk = SmallDisk.mount(mountPoint, DISK_MIB);
                ServiceProcess service = ServiceProcess.start(folder, settings(mountPoint.resolve("data")))) {
            String cached = checkedAt(service.instant("http-status", target.url("/ok/cached")));
            assertThat(load.send(service.address(), load.newJob(key, LINES))).isNotNull();

            disk.fill(freeMib);
            for (int i = 0; i < MAX_JOBS && !database(service).equals(state); i++) {
                load.send(service.address(), load.newJob(key, LINES));
            }

            HttpResponse<String> ready = service.ready();
            assertThat(ready.statusCode()).as(ready.body()).isEqualTo(503);
            assertThat(database(service)).isEqualTo(state);
            Await.until(() -> logs(service, event) && logs(service, "No space left on device"));
            assertThat(checkedAt(service.instant("http-status", target.url("/ok/cached"))))
                    .isEqualTo(cached);
            HttpResponse<String> fresh = service.instant("http-status", target.url("/ok/fresh"));
            assertThat(fresh.statusCode()).as(fresh.body()).isIn(200, 503);
            if (fresh.statusCode() == 503) {
                assertThat(new JsonObject(fresh.body()).getString("code")).isEqualTo("unavailable");
                assertThat(fresh.headers().firstValue("Retry-After")).isPresent();
            }

            disk.free();

            Await.until(() -> service.ready().statusCode() == 200);
            load.resendUntilAccepted(service.address());
            load.assertAllJobsCompleted(service.address(), Duration.ofMinutes(2));
            load.assertNoDuplicates(service.address());
            assertThat(service.instant("http-status", target.url("/ok/after")).statusCode())
                    .isEqualTo(200);
            assertThat(service.isAlive()).isTrue();
        }
    }

    private Map<String, String> settings(Path data) {
        Map<String, String> settings = new HashMap<>();
        settings.put("DATA_DIR", data.toString());
        settings.put("BOOTSTRAP_API_KEY", key);
        settings.put("LIMITS_FRESH_PER_HOUR", "0");
        settings.put("LIMITS_JOBS_PER_HOUR", "0");
        settings.put("LIMITS_JOBS_PER_HOUR_ACCOUNT", "0");
        settings.put("TARGETS_PER_IP_PER_SECOND", "0");
        settings.put("TARGETS_PER_IP_CONCURRENT", "0");
        return settings;
    }

    private static String database(ServiceProcess service) {
        return new JsonObject(service.ready().body()).getString("database");
    }

    private static boolean logs(ServiceProcess service, String event) {
        try {
            return service.log().contains(event);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    private static String checkedAt(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body()).getString("checked_at");
    }
}
