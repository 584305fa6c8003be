package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * The jar with its embedded database, killed repeatedly while jobs are created, claimed, checked and written. Every job
 * accepted with 202 completes, without duplicates.
 */
@Tag("integration")
class JobCrashIT {
    private static final int JOBS_PER_ROUND = 9;
    private static final int QUOTA = 60;
    private static final long MAX_ROUND_NANOS = TimeUnit.SECONDS.toNanos(4);

    /**
     * The lines in progress at a crash, up to 1,200 after 20 rounds, run one at a time: 47 s on an idle machine,
     * because many of them have slow targets.
     */
    private static final Duration RECOVERY = Duration.ofMinutes(2);

    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    static Path folder;

    private final long seed = Long.getLong("plumbline.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final CountingTarget target = new CountingTarget(VERTX);
    private final JobLoadClient load = new JobLoadClient(target, seed);
    private final ExecutorService clients = Executors.newFixedThreadPool(3);

    @AfterAll
    static void close() {
        Await.value(VERTX.close());
    }

    /** The number of kills. */
    int rounds() {
        return 4;
    }

    private enum CrashPoint {
        CREATE,
        CLAIM,
        CHECK,
        WRITE
    }

    @Test
    void acceptedJobsSurviveEveryKill(TestReporter reporter) throws Exception {
        reporter.publishEntry("plumbline.seed", Long.toString(seed));
        Map<String, String> settings = new HashMap<>();
        settings.put("TARGETS_PER_IP_PER_SECOND", "0");
        settings.put("TARGETS_PER_IP_CONCURRENT", "0");
        settings.put("BOOTSTRAP_API_KEY", ApiKeySecret.generate());
        List<String> keys = new ArrayList<>();
        try (ServiceProcess first = ServiceProcess.start(folder, settings)) {
            while (keys.size() < 5) {
                keys.add(ServiceProcess.command(folder, "key", "create", "--email", "admin@localhost")
                        .out());
            }
            first.kill();
            first.awaitExit(10);
        }
        try {
            for (int round = 0; round < rounds(); round++) {
                runRound(settings, keys, round);
            }
            end(settings, keys);
            reporter.publishEntry(Map.of(
                    "jobs", "" + load.accepted(),
                    "requests", "" + load.sent(),
                    "checks", "" + target.requests()));
        } catch (Exception | AssertionError failure) {
            throw new AssertionError("with -Dplumbline.seed=" + seed + ": " + failure, failure);
        } finally {
            clients.shutdownNow();
        }
    }

    private void runRound(Map<String, String> settings, List<String> keys, int round) throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, settings)) {
            List<JobLoadClient.JobSpec> newJobs = new ArrayList<>();
            for (int i = 0; i < JOBS_PER_ROUND; i++) {
                newJobs.add(
                        i % 2 == 0
                                ? load.newJob(keys.get(0), 1)
                                : load.newJob(
                                        keys.get(1 + random.nextInt(4)),
                                        random.nextInt(8) == 0 ? 500 : 1 + random.nextInt(120)));
            }
            List<Future<?>> sending = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                int client = i;
                sending.add(clients.submit(() -> {
                    if (client == 0) {
                        load.resendWithoutResponse(service.address());
                    }
                    for (int next = client; next < newJobs.size(); next += 3) {
                        load.send(service.address(), newJobs.get(next));
                    }
                }));
            }
            await(CrashPoint.values()[random.nextInt(4)]);
            if (round % 2 == 0) {
                service.kill();
            } else if (random.nextBoolean()) {
                service.kill();
                killDatabase();
            } else {
                killDatabase();
                service.kill();
            }
            service.awaitExit(10);
            for (Future<?> each : sending) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
    }

    private void await(CrashPoint crashPoint) {
        LongSupplier counter =
                switch (crashPoint) {
                    case CREATE -> load::sent;
                    case CLAIM -> load::accepted;
                    case CHECK -> target::requests;
                    case WRITE -> target::responses;
                };
        long most = crashPoint == CrashPoint.CREATE || crashPoint == CrashPoint.CLAIM ? JOBS_PER_ROUND - 2 : 250;
        long enough = counter.getAsLong() + 1 + random.nextInt((int) most);
        long end = System.nanoTime() + MAX_ROUND_NANOS;
        while (counter.getAsLong() < enough && System.nanoTime() < end) {
            LockSupport.parkNanos(100_000);
        }
        // the event occurs shortly after
        LockSupport.parkNanos(random.nextInt(20_000_000));
    }

    private static void killDatabase() throws IOException {
        Path pidFile = folder.resolve("data/postgres/cluster/postmaster.pid");
        ProcessHandle postmaster = ProcessHandle.of(
                        Long.parseLong(Files.readAllLines(pidFile).get(0)))
                .orElseThrow();
        List<ProcessHandle> all = new ArrayList<>(List.of(postmaster));
        all.addAll(postmaster.descendants().toList());
        all.forEach(ProcessHandle::destroyForcibly);
    }

    private void end(Map<String, String> settings, List<String> keys) throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, settings)) {
            load.resendUntilAccepted(service.address());
            load.assertAllJobsCompleted(service.address(), RECOVERY);
            while (load.rejected() == 0) {
                load.send(service.address(), load.newJob(keys.get(0), 1));
            }
            assertThat(load.send(service.address(), load.newJob(keys.get(0), 1)))
                    .isNull();
            assertThat(load.accepted(keys.get(0))).as("the quota is exact").isEqualTo(QUOTA);
            load.assertAllJobsCompleted(service.address(), RECOVERY);
            load.assertNoDuplicates(service.address());
            assertThat(service.log()).doesNotContain("result write failed", "job maintenance failed");
        }
    }
}
