package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Lines whose check ends the process: the test sends SIGKILL whenever the jar requests a certain target. */
@Tag("integration")
class PoisonLinesIT {
    @RegisterExtension
    static final CrashableDatabase DATABASE = CrashableDatabase.startTemporary();

    private static final int LINES = 60;

    /** Enough to be in progress at each kill; after it they run one at a time. */
    private static final int OTHER_LINES = 20;

    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    Path folder;

    private final CountingTarget target = new CountingTarget(VERTX);
    private final JobLoadClient poison = new JobLoadClient(target, 1);
    private final JobLoadClient others = new JobLoadClient(target, 2);
    private final Map<String, String> settings = new HashMap<>();
    private final AtomicReference<ServiceProcess> current = new AtomicReference<>();
    private String key;

    @AfterAll
    static void stopTarget() {
        Await.value(VERTX.close());
    }

    @BeforeEach
    void createKey() {
        key = DATABASE.accounts().key().secret();
        settings.put("DATABASE_URL", DATABASE.url());
        settings.put("TARGETS_PER_IP_PER_SECOND", "0");
        settings.put("TARGETS_PER_IP_CONCURRENT", "0");
        target.onKill(() -> current.get().kill());
    }

    @AfterEach
    void assertAllJobsFinal() {
        DATABASE.assertAllJobsFinal();
    }

    private List<String> lines(String kind) {
        return lines(kind, LINES);
    }

    private List<String> lines(String kind, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> target.url("/" + kind + "/" + i))
                .toList();
    }

    @Test
    void aJobOfPoisonLinesEndsAfterThreeKills() throws Exception {
        List<String> lines = lines("kill");

        JsonArray results = killUntilEnded(lines, 3);

        for (int i = 0; i < LINES; i++) {
            assertEndedByTheService(results.getJsonObject(i));
        }
    }

    @Test
    void aPoisonLineEndsAfterTwoKillsAndTheOthersComplete() throws Exception {
        List<String> lines = new ArrayList<>(lines("ok"));
        lines.set(40, target.url("/kill/40"));

        JsonArray results = killUntilEnded(lines, 2);

        for (int i = 0; i < LINES; i++) {
            JsonObject line = results.getJsonObject(i);
            if (i == 40) {
                assertEndedByTheService(line);
            } else {
                assertThat(line.getJsonObject("fields").getInteger("status")).isEqualTo(200);
            }
        }
    }

    private static void assertEndedByTheService(JsonObject line) {
        JsonObject error = line.getJsonObject("error");
        assertThat(error).as(line.encode()).isNotNull();
        assertThat(error.getString("code")).isEqualTo("internal");
        assertThat(error.getString("message")).contains("interrupted");
    }

    /**
     * Creates a job with these lines and one whose lines return 200, and restarts the service whenever it was killed.
     *
     * @return the results of the job
     */
    private JsonArray killUntilEnded(List<String> lines, int maxKills) throws Exception {
        int kills = 0;
        String token = null;
        while (true) {
            try (ServiceProcess service = ServiceProcess.start(folder, settings)) {
                current.set(service);
                if (token == null) {
                    assertThat(others.send(service.address(), others.newJob(key, lines("slow", OTHER_LINES))))
                            .isNotNull();
                    token = poison.send(service.address(), poison.newJob(key, lines));
                }
                if (awaitEndOrKill(service)) {
                    others.assertAllJobsCompleted(service.address(), TIMEOUT);
                    JsonObject job = new JsonObject(poison.body(service.address(), token));
                    assertThat(job.getString("state")).isEqualTo("completed");
                    JsonArray results = job.getJsonArray("results");
                    assertThat(results).hasSize(lines.size());
                    for (int i = 0; i < lines.size(); i++) {
                        assertThat(results.getJsonObject(i).getInteger("index")).isEqualTo(i);
                        assertThat(results.getJsonObject(i).getString("input")).isEqualTo(lines.get(i));
                    }
                    return results;
                }
                kills++;
                assertThat(kills).as("kills").isLessThanOrEqualTo(maxKills);
                assertThat(token).as("accepted before the first kill").isNotNull();
                service.awaitExit(10);
            }
            // instead of waiting for the end of the lease
            DATABASE.expireLeases();
        }
    }

    /** Returns whether all jobs have ended; false if the service was killed. */
    private static boolean awaitEndOrKill(ServiceProcess service) {
        long end = System.nanoTime() + TIMEOUT.toNanos();
        while (DATABASE.number("select count(*) from job where finished_at is null") > 0) {
            if (!service.isAlive()) {
                return false;
            }
            assertThat(System.nanoTime()).as("the jobs end within " + TIMEOUT).isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return service.isAlive();
    }
}
