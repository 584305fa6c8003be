package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
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
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** One or two nodes of the jar with an external PostgreSQL, and failures of nodes and of the database. */
@Tag("integration")
class MultiNodeJobsIT {
    @RegisterExtension
    static final CrashableDatabase DATABASE = CrashableDatabase.startTemporary();

    private static final Duration RECOVERY = ClusterProcesses.RECOVERY;

    /** Timeout for events that normally occur immediately. */
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    /** Less than the timeout of a check. */
    private static final Duration HOLD_TIMEOUT = Duration.ofSeconds(25);

    /** Three quarters of the default of {@code checks.concurrent}. */
    private static final int MAX_CHECKS_PER_NODE = 384;

    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    Path one;

    @TempDir
    Path two;

    private final CountingTarget target = new CountingTarget(VERTX);
    private final long seed = Long.getLong("plumbline.seed", System.nanoTime());
    private final JobLoadClient load = new JobLoadClient(target, seed);
    private final Map<String, String> settings = new HashMap<>();
    private String key;

    @AfterAll
    static void stopTarget() {
        Await.value(VERTX.close());
    }

    @BeforeEach
    void createKey(TestReporter reporter) {
        reporter.publishEntry("plumbline.seed", Long.toString(seed));
        key = DATABASE.accounts().key().secret();
        settings.put("DATABASE_URL", DATABASE.url());
        settings.put("NODE_LEASE", ClusterProcesses.LEASE.toSeconds() + "s");
        settings.put("TARGETS_PER_IP_PER_SECOND", "0");
        settings.put("TARGETS_PER_IP_CONCURRENT", "0");
        settings.put("SESSION_SECRET", "a secret for the nodes of this test only");
    }

    @AfterEach
    void assertAllJobsFinal() {
        DATABASE.assertAllJobsFinal();
    }

    /** Prevents database timeouts on a loaded machine. */
    private void raiseDatabaseTimeout() {
        settings.put("DATABASE_TIMEOUT", "5s");
    }

    private List<String> lines(String kind, int lines) {
        return IntStream.range(0, lines)
                .mapToObj(i -> target.url("/" + kind + "/" + seed + "/" + i))
                .toList();
    }

    @Test
    void databaseRestartLosesNothing() throws Exception {
        Random random = new Random(seed);
        ExecutorService client = Executors.newSingleThreadExecutor();
        try (ServiceProcess service = ServiceProcess.start(one, settings)) {
            for (int round = 0; round < 5; round++) {
                List<JobLoadClient.JobSpec> jobs = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    jobs.add(load.newJob(key, 1 + random.nextInt(i == 0 ? 500 : 100)));
                }
                Future<?> sending = client.submit(() -> jobs.forEach(each -> load.send(service.address(), each)));
                long enough = target.responses() + 1 + random.nextInt(150);
                Await.until(TIMEOUT, () -> target.responses() >= enough || sending.isDone());
                LockSupport.parkNanos(random.nextInt(20_000_000));

                DATABASE.restart();

                sending.get(120, TimeUnit.SECONDS);
                Await.until(TIMEOUT, () -> service.ready().statusCode() == 200);
            }
            load.resendUntilAccepted(service.address());
            load.assertAllJobsCompleted(service.address(), RECOVERY);
            load.assertNoDuplicates(service.address());
            Await.until(TIMEOUT, DATABASE::isAvailable);
        } finally {
            client.shutdownNow();
        }
    }

    @Test
    void suspendedOrKilledNodeLosesNothing() throws Exception {
        raiseDatabaseTimeout();
        try (ServiceProcess first = ServiceProcess.start(one, settings);
                ServiceProcess second = ServiceProcess.start(two, settings)) {
            createMoreLinesThanOneNodeChecks(first);
            for (int i = 0; i < 6; i++) {
                load.send(first.address(), load.newJob(key, 300));
            }
            load.assertAllJobsCompleted(second.address(), RECOVERY);
            assertThat(checkCount(first)).as("checks of the first node").isPositive();
            assertThat(checkCount(second)).as("checks of the second node").isPositive();

            suspendedNodeLosesNothing(first, second);
            killedNodeLosesNothing(second, first);
            load.assertAllJobsCompleted(first.address(), RECOVERY);
            load.assertNoDuplicates(first.address());
        }
    }

    /** More lines wait at their target than one node checks concurrently, so both nodes have some. */
    private void createMoreLinesThanOneNodeChecks(ServiceProcess one) {
        load.send(one.address(), load.slowTargetJob(key, lines("gate", 500)));
        Await.until(HOLD_TIMEOUT, () -> target.requestedPaths("/gate/" + seed + "/") > MAX_CHECKS_PER_NODE);
        target.openGate();
    }

    private static double checkCount(ServiceProcess node) {
        return node.metrics()
                .body()
                .lines()
                .filter(line -> line.startsWith("plumbline_checks_total"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }

    /**
     * One node is suspended with requests in progress, whose targets respond late and differently than to the other
     * node.
     */
    private void suspendedNodeLosesNothing(ServiceProcess suspended, ServiceProcess successor) throws Exception {
        List<String> held = lines("held", 100);
        // so that the other node claims them
        successor.suspend();
        String token = load.send(suspended.address(), load.slowTargetJob(key, held));
        Await.until(HOLD_TIMEOUT, () -> target.requestedPaths("/held/" + seed + "/") == held.size());
        suspended.suspend();
        try {
            successor.resume();
            load.assertAllJobsCompleted(successor.address(), RECOVERY);
            final String done = load.body(successor.address(), token);
            target.releaseHeld();
            suspended.resume();

            Await.until(TIMEOUT, () -> logOf(suspended).contains("own lease expired"));
            load.send(suspended.address(), load.newJob(key, 50));
            load.assertAllJobsCompleted(suspended.address(), RECOVERY);
            assertThat(load.body(successor.address(), token)).isEqualTo(done);
            assertThat(held)
                    .allMatch(url -> target.requests(java.net.URI.create(url).getPath()) == 2);
        } finally {
            suspended.resume();
        }
    }

    private static String logOf(ServiceProcess service) {
        try {
            return service.log();
        } catch (IOException unreadable) {
            throw new java.io.UncheckedIOException(unreadable);
        }
    }

    /** Clients that read new lines meanwhile receive each line once. */
    private void killedNodeLosesNothing(ServiceProcess killed, ServiceProcess successor) throws Exception {
        List<String> nodes = List.of(killed.address(), successor.address());
        Map<String, Future<List<JsonObject>>> received = new HashMap<>();
        ExecutorService readers = Executors.newCachedThreadPool();
        try {
            for (int i = 0; i < 4; i++) {
                String token = load.send(killed.address(), load.newJob(key, 400));
                if (token != null) {
                    received.put(token, readers.submit(new NewLinesReader(nodes, token, key, seed + i)));
                }
            }
            // an expired node registers again with another ID
            Await.until(TIMEOUT, () -> DATABASE.number("select count(*) from node") == 2);
            killed.kill();
            killed.awaitExit(10);
            load.resendUntilAccepted(successor.address());
            Await.until(RECOVERY, () -> DATABASE.number("select count(*) from node") == 1);
            assertThat(received).isNotEmpty();
            for (Map.Entry<String, Future<List<JsonObject>>> job : received.entrySet()) {
                NewLinesReader.assertEachOnce(
                        job.getValue().get(RECOVERY.toSeconds(), TimeUnit.SECONDS),
                        new JsonObject(load.body(successor.address(), job.getKey())));
            }
        } finally {
            readers.shutdownNow();
        }
    }

    @Test
    void stoppedNodeReleasesItsChunks() throws Exception {
        raiseDatabaseTimeout();
        // 24 concurrent lines of at least 300 ms: 1,800 lines take 22 seconds, so some remain
        settings.put("CHECKS_CONCURRENT", "32");
        ExecutorService client = Executors.newSingleThreadExecutor();
        try (ServiceProcess service = ServiceProcess.start(one, settings)) {
            for (int i = 0; i < 6; i++) {
                assertThat(load.send(service.address(), load.newJob(key, slow(i))))
                        .isNotNull();
            }
            long before = target.requests();
            Await.until(TIMEOUT, () -> target.requests() > before + 50);
            Future<?> sending = client.submit(() -> sendUntilRejected(service.address()));

            service.terminate();

            assertThat(service.awaitExit(35)).isZero();
            sending.get(60, TimeUnit.SECONDS);
            assertThat(service.log()).contains("stopped");
            assertThat(warningsAndErrors(service)).isEmpty();
        } finally {
            client.shutdownNow();
        }
        assertThat(DATABASE.number("select count(*) from job where finished_at is null"))
                .isPositive();
        assertThat(DATABASE.number("select count(*) from job_chunk where state = 'claimed'"))
                .isZero();
        assertThat(DATABASE.number("select coalesce(sum(crash_count), 0) from job_chunk where state = 'waiting'"))
                .isZero();
        settings.remove("CHECKS_CONCURRENT");
        try (ServiceProcess service = ServiceProcess.start(one, settings)) {
            load.resendUntilAccepted(service.address());
            load.assertAllJobsCompleted(service.address(), RECOVERY);
            load.assertNoDuplicates(service.address());
        }
    }

    /** Except warnings about a blocked event loop on a loaded machine. */
    private static List<String> warningsAndErrors(ServiceProcess service) {
        return logOf(service)
                .lines()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR "))
                .filter(line -> !line.contains("BlockedThreadChecker"))
                .toList();
    }

    private List<String> slow(int job) {
        return IntStream.range(0, 300)
                .mapToObj(i -> target.url("/slow/" + seed + "/" + job + "/" + i))
                .toList();
    }

    private void sendUntilRejected(String address) {
        int before = load.accepted();
        for (int i = 0; i < 30 && load.accepted() == before + i; i++) {
            load.send(address, load.newJob(key, 5));
        }
    }
}
