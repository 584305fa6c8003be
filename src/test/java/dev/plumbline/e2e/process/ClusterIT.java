package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.Canary;
import dev.plumbline.support.ConnectionRecorder;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.NamedServer;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Four nodes of the jar with different roles: three serve HTTP, three run checks, two coordinate jobs. */
@Tag("integration")
class ClusterIT {
    private static final int PER_SECOND = 20;
    private static final int CONCURRENT = 8;
    private static final int DOMAIN_PER_SECOND = 10;
    private static final int DOMAIN_CONCURRENT = 4;
    private static final String HTTP_ONLY = "http";
    private static final List<String> HTTP_NODES = List.of(HTTP_ONLY, "http-run", "all");
    private static final List<String> RUN_NODES = List.of("http-run", "all", "run-coordinate");
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final Duration ONE_SECOND = Duration.ofSeconds(1);
    private static final Duration JITTER = Duration.ofMillis(250);
    private static final JsonObject GET_METHOD = new JsonObject().put("method", "get");
    private static final Vertx VERTX = Vertx.vertx();

    @RegisterExtension
    static final ClusterProcesses CLUSTER = new ClusterProcesses();

    @TempDir
    static Path folder;

    private static CrashableDatabase database;
    private static NamedServer names;

    private final CountingTarget target = CountingTarget.atAddresses(VERTX, "127.1.1");
    private final long seed = Long.getLong("plumbline.seed", System.nanoTime());
    private final JobLoadClient load = new JobLoadClient(target, seed, GET_METHOD);
    private final String key = database.accounts().key().secret();

    @BeforeAll
    static void startCluster() throws IOException {
        database = CrashableDatabase.start(folder.resolve("database"));
        names = NamedServer.start(Files.createDirectory(folder.resolve("named")), Map.of("test", zone()));
        CLUSTER.open(folder, database.url());
        CLUSTER.set("DNS_SERVERS", names.address())
                .set("TARGETS_PER_IP_PER_SECOND", "" + PER_SECOND)
                .set("TARGETS_PER_IP_CONCURRENT", "" + CONCURRENT)
                .set("TARGETS_PER_DOMAIN_PER_SECOND", "" + DOMAIN_PER_SECOND)
                .set("TARGETS_PER_DOMAIN_CONCURRENT", "" + DOMAIN_CONCURRENT);
        CLUSTER.add(HTTP_ONLY, "http")
                .add("http-run", "http,run")
                .add("all", "http,run,coordinate")
                .add("run-coordinate", "run,coordinate")
                .start(HTTP_ONLY, "http-run", "all", "run-coordinate");
    }

    /** Many domains at one address, one domain at four addresses, and many domains at the address of the nodes. */
    private static String zone() {
        StringBuilder records = new StringBuilder();
        for (int i = 0; i < 200; i++) {
            records.append(
                    "one%d IN A 127.2.0.1\nfront%d IN A 127.3.0.%d\nnode%d IN A 127.0.0.1\n".formatted(i, i, i + 1, i));
        }
        for (int i = 1; i <= 4; i++) {
            records.append("hub IN A 127.4.0.%d\n".formatted(i));
        }
        return records.toString();
    }

    @AfterAll
    static void stopCluster() throws Exception {
        CLUSTER.close();
        if (names != null) {
            names.close();
        }
        database.close();
        Await.value(VERTX.close());
    }

    @Test
    void httpNodeServesInstantChecksAndJobsOfOtherNodes() {
        double before = sumOfChecks();
        for (int i = 0; i < 40; i++) {
            HttpResponse<String> response =
                    CLUSTER.node(HTTP_ONLY).instant("http-status", target.url("/ok/instant/" + seed + "/" + i));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            assertThat(new JsonObject(response.body()).getJsonObject("fields").getInteger("status"))
                    .as(response.body())
                    .isEqualTo(200);
        }
        for (int i = 0; i < 4; i++) {
            assertThat(load.send(CLUSTER.address(HTTP_ONLY), load.newJob(key, 200)))
                    .isNotNull();
        }
        load.assertAllJobsCompleted(CLUSTER.address(HTTP_ONLY), TIMEOUT);
        load.assertNoDuplicates(CLUSTER.address("all"));
        load.assertAttempts(1);

        assertThat(CLUSTER.sum(HTTP_ONLY, "plumbline_checks_total"))
                .as("checks of the http-only node")
                .isLessThanOrEqualTo(0);
        assertThat(RUN_NODES).allSatisfy(name -> assertThat(CLUSTER.sum(name, "plumbline_checks_total"))
                .as(name)
                .isPositive());
        assertThat(sumOfChecks()).isGreaterThan(before + 40);
        assertThat(CLUSTER.sum(HTTP_ONLY, "plumbline_cluster_remote_checks_total"))
                .isGreaterThanOrEqualTo(40);
        database.assertAllJobsFinal();
    }

    private static double sumOfChecks() {
        return RUN_NODES.stream()
                .mapToDouble(name -> CLUSTER.sum(name, "plumbline_checks_total"))
                .sum();
    }

    @Test
    void equalCallersOnThreeHttpNodesReachTheTargetOnce() throws Exception {
        String path = "/gate/equal/" + seed;
        String url = target.url(path);
        ExecutorService callers = Executors.newFixedThreadPool(20);
        try {
            List<Future<HttpResponse<String>>> responses = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                String node = HTTP_NODES.get(i % 3);
                responses.add(callers.submit(() -> CLUSTER.node(node).instant("http-status", url)));
            }
            Await.until(() -> HTTP_NODES.stream()
                            .mapToDouble(node -> CLUSTER.sum(node, "plumbline_http_active_requests"))
                            .sum()
                    >= 20);
            target.openGate();
            Set<String> times = new HashSet<>();
            for (Future<HttpResponse<String>> response : responses) {
                HttpResponse<String> each = response.get(30, TimeUnit.SECONDS);
                assertThat(each.statusCode()).as(each.body()).isEqualTo(200);
                times.add(new JsonObject(each.body()).getString("checked_at"));
            }
            assertThat(times).hasSize(1);
            assertThat(target.requests(path)).isEqualTo(1);
        } finally {
            callers.shutdownNow();
        }
    }

    @Test
    void limitsOfAddressesAndDomainsHoldAcrossRunNodes(TestReporter reporter) {
        ConnectionRecorder address = new ConnectionRecorder(VERTX, Duration.ofMillis(300));
        ConnectionRecorder domain = new ConnectionRecorder(VERTX, Duration.ofMillis(300));
        List<String> ofAddress = IntStream.range(0, 160)
                .mapToObj(i -> address.url("one" + i + ".test", "/" + seed))
                .toList();
        String hub = domain.url("hub.test", "/" + seed);
        CountingTarget front = CountingTarget.redirecting(VERTX, hub + "/");
        List<String> ofDomain = IntStream.range(0, 80)
                .mapToObj(i -> front.url("front" + i + ".test", "/redirect/" + i))
                .toList();

        String one = load.send(CLUSTER.address(HTTP_ONLY), load.newJob(key, ofAddress));
        String two = load.send(CLUSTER.address("all"), load.newJob(key, ofDomain));

        load.assertAllJobsCompleted(CLUSTER.address("all"), TIMEOUT);
        assertThat(one).isNotEqualTo(two);
        reporter.publishEntry(Map.of(
                "address per second", "" + address.mostWithin(ONE_SECOND),
                "address concurrent", "" + address.mostOpen(),
                "domain per second", "" + domain.mostWithin(ONE_SECOND),
                "domain concurrent", "" + domain.mostOpen()));
        assertThat(address.connections()).isEqualTo(ofAddress.size());
        assertThat(domain.connections()).isEqualTo(ofDomain.size());
        assertLimits(address, PER_SECOND, CONCURRENT);
        assertLimits(domain, DOMAIN_PER_SECOND, DOMAIN_CONCURRENT);
    }

    private static void assertLimits(ConnectionRecorder target, int perSecond, int concurrent) {
        // the time from a permit to the connection varies
        assertThat(target.mostWithin(ONE_SECOND.minus(JITTER))).isLessThanOrEqualTo(perSecond);
        assertThat(target.mostWithin(ONE_SECOND.multipliedBy(4).minus(JITTER))).isLessThanOrEqualTo(4 * perSecond);
        assertThat(target.mostOpen()).isLessThanOrEqualTo(concurrent);
    }

    @Test
    void endpointsOfAnotherNodeAreDeniedFromItsStartUntilItsLeaseEnds() throws Exception {
        CLUSTER.add("joining", "http,run");
        List<Integer> ports = List.of(
                CLUSTER.port("joining", "HTTP_PORT"),
                CLUSTER.port("joining", "MANAGEMENT_PORT"),
                CLUSTER.port("joining", "CLUSTER_PORT"),
                CLUSTER.port("joining", "CLUSTER_PORT") + 1);
        assertThat(allDeny(ports)).as("denied before the start").isFalse();
        ServiceProcess joining = CLUSTER.launch("joining");

        Await.until(() -> allDeny(ports));

        assertThat(isOpen(ports.get(0)))
                .as("HTTP is served before its port is denied")
                .isFalse();
        joining.awaitReady();
        CLUSTER.awaitComplete();
        assertThat(allDeny(ports)).isTrue();
        assertThat(deniedByRunNodes(ports)).isTrue();

        CLUSTER.stop("joining");

        long left = System.nanoTime();
        List<Canary> canaries = new ArrayList<>();
        // Hazelcast itself still connects to its port
        for (int port : ports.subList(0, 2)) {
            canaries.add(Await.value(Canary.listen(VERTX, "127.0.0.1", port)));
        }
        assertThat(deniedByRunNodes(ports)).isTrue();
        // the shutdown took a part of the lease for which the sockets are denied
        while (System.nanoTime() - left < ClusterProcesses.LEASE.toNanos() / 2) {
            assertThat(allDeny(ports)).isTrue();
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(500));
        }
        assertThat(canaries)
                .allSatisfy(canary -> assertThat(canary.connections()).isZero());
        Await.until(() -> canaries.stream().allMatch(canary -> {
            // another target each time: a result is cached, also that of a node that still denies the port
            asked++;
            CLUSTER.node("all").instant("http-status", "http://" + canary.authority() + "/" + asked);
            return canary.connections() > 0;
        }));
    }

    private int asked;

    /** Whether each http node rejects each of these ports. */
    private boolean allDeny(List<Integer> ports) {
        asked++;
        return HTTP_NODES.stream().allMatch(node -> ports.stream().allMatch(port -> {
            HttpResponse<String> response =
                    CLUSTER.node(node).instant("http-status", "http://127.0.0.1:" + port + "/" + asked);
            return response.statusCode() == 422;
        }));
    }

    /** Whether all run nodes block names with the address of a node. */
    private boolean deniedByRunNodes(List<Integer> ports) {
        asked++;
        return IntStream.range(0, 40).allMatch(i -> {
            String url = "http://node%d.test:%d/%d".formatted(i, ports.get(i % ports.size()), asked);
            HttpResponse<String> response = CLUSTER.node(HTTP_ONLY).instant("http-status", url);
            JsonObject error = new JsonObject(response.body()).getJsonObject("error");
            return error != null && "target_blocked".equals(error.getString("code"));
        });
    }

    private static boolean isOpen(int port) {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException refused) {
            return false;
        }
    }

    @Test
    void startFailsWithoutDatabaseSecretOrCluster() throws Exception {
        Path own = Files.createDirectories(folder.resolve("faulty"));
        assertThat(startError(own, Map.of("CLUSTER_ENABLED", "true", "SESSION_SECRET", "x".repeat(40))))
                .contains("database.url");
        assertThat(startError(
                        own, Map.of("CLUSTER_ENABLED", "true", "NODE_ROLES", "run", "DATABASE_URL", database.url())))
                .contains("session.secret");
        assertThat(startError(own, Map.of("NODE_ROLES", "http"))).contains("cluster.enabled");
        assertThat(startError(
                        own,
                        Map.of(
                                "CLUSTER_ENABLED",
                                "true",
                                "NODE_ROLES",
                                "run",
                                "DATABASE_URL",
                                database.url(),
                                "SESSION_SECRET",
                                "x".repeat(40),
                                "CLUSTER_PORT",
                                "" + CLUSTER.port("all", "CLUSTER_PORT"))))
                .contains("(cluster.host, cluster.port)", "Address already in use");
    }

    private static String startError(Path folder, Map<String, String> settings) throws Exception {
        Path own = Files.createTempDirectory(folder, "start");
        try (ServiceProcess process = ServiceProcess.launch(own, settings)) {
            assertThat(process.awaitExit(60)).isNotZero();
            return process.log();
        }
    }
}
