package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A node of each role and a node with all roles, which remains. Nodes are killed and stopped, and the database is
 * restarted, during jobs and instant checks. Every line has one result, and no response is wrong.
 */
@Tag("integration")
class ClusterFailureIT {
    private static final Duration RECOVERY = ClusterProcesses.RECOVERY;

    /** Longer than the lease, Hazelcast's heartbeat limit, the timeout of these checks and of the database. */
    private static final Duration LONGEST_TIMEOUT = ClusterProcesses.LEASE.multipliedBy(2);

    /**
     * How long a node that looks for other clusters waits for a suspended one: Hazelcast waits 5 s for the connection
     * and 10 s for the response, neither of which can be configured.
     */
    private static final Duration MERGE_CHECK = Duration.ofSeconds(15);

    private static final int ATTEMPTS = 3;
    private static final String SURVIVOR = "all";
    private static final Vertx VERTX = Vertx.vertx();

    @RegisterExtension
    static final ClusterProcesses CLUSTER = new ClusterProcesses();

    @TempDir
    static Path folder;

    private static CrashableDatabase database;

    private final CountingTarget target = CountingTarget.atAddresses(VERTX, "127.1.2");
    private final long seed = Long.getLong("plumbline.seed", System.nanoTime());
    private final JobLoadClient load = new JobLoadClient(target, seed, new JsonObject().put("method", "get"));
    private final String key = database.accounts().key().secret();

    @BeforeAll
    static void startCluster() throws IOException {
        database = CrashableDatabase.start(folder.resolve("database"));
        CLUSTER.open(folder, database.url());
        // so that lines are in progress when a node fails
        CLUSTER.set("CHECKS_CONCURRENT", "64");
        CLUSTER.add("http", "http")
                .add("run", "run")
                .add("coordinate", "coordinate")
                .add(SURVIVOR, "http,run,coordinate")
                .start("http", "run", "coordinate", SURVIVOR);
    }

    @AfterAll
    static void stopCluster() throws Exception {
        CLUSTER.close();
        database.close();
        Await.value(VERTX.close());
    }

    @BeforeEach
    void report(TestReporter reporter) {
        reporter.publishEntry("plumbline.seed", Long.toString(seed));
    }

    @ParameterizedTest
    @ValueSource(strings = {"run", "http", "coordinate"})
    void killedNodeLosesNothing(String killed, TestReporter reporter) throws Exception {
        try (InstantLoadClient instant = startLoad()) {
            sendJobs(CLUSTER.address("http"), 3);
            sendJobs(CLUSTER.address(SURVIVOR), 3);
            awaitProgress();
            if (killed.equals("http")) {
                instant.removeNode(CLUSTER.address("http"));
            }

            CLUSTER.kill(killed);

            long failed = System.nanoTime();
            load.resendUntilAccepted(CLUSTER.address(SURVIVOR));
            instant.awaitRecovery(RECOVERY);
            verifyJobs(remaining(failed));
            reporter.publishEntry("recovery after ms", "" + millisSince(failed));
            CLUSTER.start(killed);
            if (killed.equals("http")) {
                instant.addNode(CLUSTER.address("http"));
            }
            instant.awaitRecovery(RECOVERY);
            instant.stopAndVerify(reporter);
        }
    }

    @Test
    void stoppedAndContinuedNodesLoseNothing(TestReporter reporter) throws Exception {
        List<String> stopped = List.of("run", "http", "coordinate");
        // its requests wait while the node is stopped
        InstantLoadClient held = InstantLoadClient.start(target, "held" + seed, CLUSTER.address("http"));
        try (held;
                InstantLoadClient instant = InstantLoadClient.start(target, "live" + seed, CLUSTER.address(SURVIVOR))) {
            sendJobs(CLUSTER.address("http"), 3);
            sendJobs(CLUSTER.address(SURVIVOR), 3);
            awaitProgress();

            long before = System.nanoTime();
            for (String name : stopped) {
                CLUSTER.node(name).suspend();
            }
            sendJobs(CLUSTER.address(SURVIVOR), 1);
            instant.awaitRecovery(RECOVERY);
            verifyJobs(remaining(before));
            reporter.publishEntry("recovery after ms", "" + millisSince(before));
            while (System.nanoTime() - before < LONGEST_TIMEOUT.toNanos()) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
            for (String name : stopped) {
                CLUSTER.node(name).resume();
            }

            CLUSTER.awaitComplete(RECOVERY.plus(MERGE_CHECK));
            double checks = CLUSTER.sum("run", "plumbline_checks_total");
            sendJobs(CLUSTER.address("http"), 2);
            verifyJobs(RECOVERY);
            assertThat(CLUSTER.sum("run", "plumbline_checks_total")).isGreaterThan(checks);
            held.awaitRecovery(RECOVERY);
            held.stopAndVerify(reporter);
            instant.stopAndVerify(reporter);
        }
    }

    @Test
    void restartedDatabaseLosesNothing(TestReporter reporter) throws Exception {
        try (InstantLoadClient instant = startLoad()) {
            for (int round = 0; round < 3; round++) {
                sendJobs(CLUSTER.address("http"), 2);
                sendJobs(CLUSTER.address(SURVIVOR), 1);
                awaitProgress();

                database.restart();

                load.resendUntilAccepted(CLUSTER.address("http"));
            }
            CLUSTER.awaitComplete(RECOVERY);
            instant.awaitRecovery(RECOVERY);
            verifyJobs(RECOVERY);
            instant.stopAndVerify(reporter);
        }
    }

    /** The rest of the recovery time. */
    private static Duration remaining(long sinceNanos) {
        return RECOVERY.minusMillis(millisSince(sinceNanos));
    }

    private static long millisSince(long nanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - nanos);
    }

    private InstantLoadClient startLoad() {
        return InstantLoadClient.start(target, "live" + seed, CLUSTER.address("http"), CLUSTER.address(SURVIVOR));
    }

    private void sendJobs(String address, int jobs) {
        for (int i = 0; i < jobs; i++) {
            load.send(address, load.newJob(key, 100));
            String name = "/slow/" + seed + "/" + load.sent() + "/";
            load.send(
                    address,
                    load.newJob(
                            key,
                            IntStream.range(0, 200)
                                    .mapToObj(line -> target.url(name + line))
                                    .toList()));
        }
    }

    /** Waits until lines of the jobs were requested. */
    private void awaitProgress() {
        long enough = target.requestedPaths("/slow/" + seed) + 60;
        Await.until(() -> target.requestedPaths("/slow/" + seed) > enough);
    }

    private void verifyJobs(Duration within) {
        load.assertAllJobsCompleted(CLUSTER.address(SURVIVOR), within);
        load.assertNoDuplicates(CLUSTER.address(SURVIVOR));
        load.assertAttempts(ATTEMPTS);
        database.assertAllJobsFinal();
    }
}
