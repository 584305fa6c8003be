package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients read new lines of four jobs from two nodes, of which one is killed while both check lines and write results.
 */
@Tag("scenario")
class NewLinesScenario {
    private static final int ROUNDS = 20;
    private static final int JOBS = 4;
    private static final int LINES = 500;
    private static final int READERS_PER_JOB = 2;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @RegisterExtension
    static final CrashableDatabase DATABASE = CrashableDatabase.startTemporary();

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final CountingTarget target = new CountingTarget(vertx);
    private final long seed = Long.getLong("plumbline.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final JobLoadClient load = new JobLoadClient(target, seed);

    @Test
    void eachLineIsReturnedOnceAlthoughCoordinatorsAreKilled(TestReporter reporter) throws Exception {
        reporter.publishEntry("plumbline.seed", Long.toString(seed));
        Map<String, String> settings = Map.of(
                "DATABASE_URL",
                DATABASE.url(),
                "DATABASE_TIMEOUT",
                "5s",
                "NODE_LEASE",
                ClusterProcesses.LEASE.toSeconds() + "s",
                "TARGETS_PER_IP_PER_SECOND",
                "0",
                "TARGETS_PER_IP_CONCURRENT",
                "0",
                "SESSION_SECRET",
                "a secret for the nodes of this test only");
        ExecutorService readers = Executors.newFixedThreadPool(JOBS * READERS_PER_JOB);
        int interrupted = 0;
        try (ServiceProcess survivor = ServiceProcess.start(Files.createDirectory(folder.resolve("one")), settings)) {
            for (int round = 0; round < ROUNDS; round++) {
                Path two = Files.createDirectory(folder.resolve("two-" + round));
                try (ServiceProcess killed = ServiceProcess.start(two, settings)) {
                    List<String> nodes = List.of(survivor.address(), killed.address());
                    Map<String, List<Future<List<JsonObject>>>> received = new LinkedHashMap<>();
                    // a key can create 60 jobs per hour
                    String key = DATABASE.accounts().key().secret();
                    long responses = target.responses();
                    for (int job = 0; job < JOBS; job++) {
                        String token = load.send(nodes.get(job % 2), load.newJob(key, LINES));
                        assertThat(token).isNotNull();
                        List<Future<List<JsonObject>>> ofJob = new ArrayList<>();
                        for (int reader = 0; reader < READERS_PER_JOB; reader++) {
                            ofJob.add(readers.submit(new NewLinesReader(nodes, token, key, random.nextLong())));
                        }
                        received.put(token, ofJob);
                    }
                    long enough = responses + random.nextInt(JOBS * LINES / 2);
                    Await.until(TIMEOUT, () -> target.responses() > enough);

                    killed.kill();

                    killed.awaitExit(10);
                    interrupted += DATABASE.number("select count(*) from job where finished_at is null") > 0 ? 1 : 0;
                    for (Map.Entry<String, List<Future<List<JsonObject>>>> job : received.entrySet()) {
                        for (Future<List<JsonObject>> lines : job.getValue()) {
                            List<JsonObject> all = lines.get(TIMEOUT.toSeconds() * 3, TimeUnit.SECONDS);
                            assertThat(all).hasSize(LINES);
                            NewLinesReader.assertEachOnce(
                                    all, new JsonObject(load.body(survivor.address(), job.getKey())));
                        }
                    }
                }
            }
            load.assertAllJobsCompleted(survivor.address(), TIMEOUT);
        } finally {
            readers.shutdownNow();
            Await.value(vertx.close());
        }
        reporter.publishEntry("rounds with jobs in progress at the kill", interrupted + " of " + ROUNDS);
        assertThat(interrupted).isGreaterThan(ROUNDS / 2);
        DATABASE.assertAllJobsFinal();
    }
}
