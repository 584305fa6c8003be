package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.NetworkNamespaces;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes in their own network namespaces. The network between them fails, with and without the database, and
 * returns. Every line has one result, no response is wrong, and the nodes form one cluster again.
 */
@Tag("integration")
class ClusterPartitionIT {
    private static final Duration RECOVERY = ClusterProcesses.RECOVERY;

    /** Until a split is reported: Hazelcast's heartbeat limit, a lease and a renewal, on a loaded machine. */
    private static final Duration DETECTION = Duration.ofSeconds(60);

    private static final int HTTP = 1;
    private static final int ALL = 2;
    private static final int ISOLATED = 3;
    private static final int ATTEMPTS = 3;
    private static final Vertx VERTX = Vertx.vertx();

    @RegisterExtension
    static final ClusterProcesses CLUSTER = new ClusterProcesses();

    @TempDir
    static Path folder;

    private static NetworkNamespaces network;
    private static CrashableDatabase database;
    private static CountingTarget target;

    private final long seed = Long.getLong("plumbline.seed", System.nanoTime());
    private final JobLoadClient load = new JobLoadClient(target, seed, new JsonObject().put("method", "get"));
    private final String key = database.accounts().key().secret();

    @BeforeAll
    static void startCluster() throws Exception {
        network = NetworkNamespaces.create(3);
        target = CountingTarget.atAddresses(VERTX, network.targets());
        database = CrashableDatabase.start(folder.resolve("database"));
        FaultInjectionProxy proxy = new FaultInjectionProxy(VERTX, network.address(0), database.port());
        CLUSTER.open(
                folder, database.url().replaceFirst("@[^/]+/", "@" + network.address(0) + ":" + proxy.port() + "/"));
        CLUSTER.set("TARGETS_ALLOW", "198.18.0.0/15")
                .set("CHECKS_CONCURRENT", "64")
                .set("CLUSTER_INSECURE", "true");
        add("http", HTTP, "http");
        add("all", ALL, "http,run,coordinate");
        add("isolated", ISOLATED, "http,run,coordinate");
        CLUSTER.start("http", "all", "isolated");
    }

    private static void add(String name, int host, String roles) {
        CLUSTER.add(name, roles, network.address(host), network.launcher(host));
    }

    /** So that a failure does not affect the other test. */
    @AfterEach
    void heal() throws Exception {
        network.heal();
    }

    @AfterAll
    static void stopCluster() throws Exception {
        CLUSTER.close();
        if (database != null) {
            database.close();
        }
        if (network != null) {
            network.close();
        }
        Await.value(VERTX.close());
    }

    /** The bus between the nodes fails; all reach the database and the targets. */
    @Test
    void partitionedBusLosesNothingAndRejoins(TestReporter reporter) throws Exception {
        try (InstantLoadClient instant = InstantLoadClient.start(
                target, "live" + seed, CLUSTER.address("http"), CLUSTER.address("all"), CLUSTER.address("isolated"))) {
            sendJobs("http", 3);
            awaitProgress();

            network.partition(ISOLATED, HTTP);
            network.partition(ISOLATED, ALL);

            sendJobs("all", 2);
            sendJobs("isolated", 2);
            instant.awaitRecovery(RECOVERY);
            verifyJobs("http");
            awaitSplit("isolated", 1);
            awaitSplit("all", 1);
            sendJobs("isolated", 1);
            sendJobs("http", 1);
            verifyJobs("isolated");

            network.heal();

            CLUSTER.awaitComplete(RECOVERY);
            assertThat(CLUSTER.metric("isolated", "plumbline_cluster_split")).isZero();
            assertThat(CLUSTER.log("isolated")).contains("split");
            sendJobs("isolated", 1);
            verifyJobs("http");
            instant.awaitRecovery(RECOVERY);
            instant.stopAndVerify(reporter);
        }
    }

    private static void awaitSplit(String name, double value) {
        long end = System.nanoTime() + DETECTION.toNanos();
        while (CLUSTER.metric(name, "plumbline_cluster_split") != value) {
            assertThat(System.nanoTime()).as(name + " reports the split").isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(200));
        }
        assertThat(new JsonObject(CLUSTER.node(name).ready().body()).getString("cluster"))
                .isEqualTo("split");
    }

    /** A node reaches neither the other nodes nor the database nor its targets until its lease has expired. */
    @Test
    void isolatedNodeLosesNothingAndRejoins(TestReporter reporter) throws Exception {
        try (InstantLoadClient instant =
                InstantLoadClient.start(target, "live" + seed, CLUSTER.address("http"), CLUSTER.address("all"))) {
            sendJobs("isolated", 3);
            sendJobs("http", 2);
            awaitProgress();

            network.isolate(ISOLATED);

            instant.awaitRecovery(RECOVERY);
            verifyJobs("http");
            Await.until(
                    () -> database.number("select count(*) from node where lease_expires_at > clock_timestamp()") == 2);

            network.heal();

            CLUSTER.awaitComplete(RECOVERY);
            sendJobs("isolated", 1);
            verifyJobs("isolated");
            instant.addNode(CLUSTER.address("isolated"));
            instant.awaitRecovery(RECOVERY);
            instant.stopAndVerify(reporter);
        }
    }

    private void sendJobs(String node, int jobs) {
        for (int i = 0; i < jobs; i++) {
            load.send(CLUSTER.address(node), load.newJob(key, 100));
            String name = "/slow/" + seed + "/" + load.sent() + "/";
            load.send(
                    CLUSTER.address(node),
                    load.newJob(
                            key,
                            IntStream.range(0, 200)
                                    .mapToObj(line -> target.url(name + line))
                                    .toList()));
        }
    }

    private void awaitProgress() {
        Await.until(() -> target.requestedPaths("/slow/" + seed) > 60);
    }

    private void verifyJobs(String node) {
        load.resendUntilAccepted(CLUSTER.address(node));
        load.assertAllJobsCompleted(CLUSTER.address(node), RECOVERY);
        load.assertNoDuplicates(CLUSTER.address(node));
        load.assertAttempts(ATTEMPTS);
        database.assertAllJobsFinal();
    }
}
