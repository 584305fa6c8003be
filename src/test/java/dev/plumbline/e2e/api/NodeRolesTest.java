package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.app.Service;
import dev.plumbline.app.StartException;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Two nodes with different roles on one database. */
@Tag("integration")
class NodeRolesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final int httpPort = FreePorts.next();

    private ServiceUnderTest node(String roles) {
        Map<String, String> settings = new TreeMap<>();
        settings.put("NODE_ROLES", roles);
        settings.put("CLUSTER_ENABLED", "true");
        settings.put("CLUSTER_PORT", Integer.toString(FreePorts.nextPair()));
        if (!roles.contains("http")) {
            settings.put("HTTP_PORT", Integer.toString(httpPort));
        }
        return ServiceUnderTest.start(DATABASE.url(), settings);
    }

    private static JsonObject readiness(ServiceUnderTest node) {
        return new JsonObject(node.send("GET", node.management("/health/ready")).body());
    }

    @Test
    void aNodeRunsThePartsOfItsRolesOnly() throws IOException {
        TestAccounts.Key key = new TestAccounts(DATABASE.open()).key();
        CountingTarget target = new CountingTarget(DATABASE.vertx());
        try (CapturedLog log = new CapturedLog();
                ServiceUnderTest worker = node("run,coordinate")) {
            assertThat(worker.uri("/health/ready")).isEqualTo(worker.management("/health/ready"));
            Await.until(() -> readiness(worker).getString("status").equals("up"));
            assertThat(readiness(worker).fieldNames())
                    .contains("database", "runners")
                    .doesNotContain("http");
            try (ServerSocket free = new ServerSocket(httpPort, 1, InetAddress.getLoopbackAddress())) {
                assertThat(free.isBound()).as("the HTTP port is not used").isTrue();
            }
            assertThat(log.text()).contains("run,coordinate");
            try (ServiceUnderTest front = node("http")) {
                Await.until(() -> readiness(front).getString("status").equals("up"));
                assertThat(readiness(front).fieldNames())
                        .contains("database", "http")
                        .doesNotContain("runners");
                assertThat(metrics(front)).doesNotContain("plumbline_checks_running", "plumbline_job_lines");
                assertThat(metrics(worker)).contains("plumbline_checks_running", "plumbline_job_lines");

                assertThat(verdictOfJob(front, key.secret(), target.url("/ok/1")))
                        .isEqualTo("pass");
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cluster.host", "management.host"})
    void aHostThatCannotBeResolvedIsReportedWithItsSetting(String setting) throws ConfigException {
        // rejected without a query, because the label is too long
        String host = "x".repeat(64);
        Config config = ConfigLoader.load(
                null,
                Map.of(
                        "PLUMBLINE_NODE_ROLES",
                        "run",
                        "PLUMBLINE_CLUSTER_ENABLED",
                        "true",
                        "PLUMBLINE_CLUSTER_PORT",
                        Integer.toString(FreePorts.nextPair()),
                        "PLUMBLINE_DATABASE_URL",
                        DATABASE.url(),
                        "PLUMBLINE_SESSION_SECRET",
                        "a secret with at least 32 characters",
                        "PLUMBLINE_CLUSTER_INSECURE",
                        "true",
                        ConfigLoader.variable(setting),
                        host));

        assertThatThrownBy(() -> Service.start(config, line -> {}))
                .isInstanceOf(StartException.class)
                .hasMessage(setting + " is \"" + host + "\", which cannot be resolved. Set an IP address.");
    }

    @Test
    void aFailedStartLeavesTheCluster(@TempDir Path folder) throws Exception {
        int port = FreePorts.nextPair();

        assertThatThrownBy(() -> Service.start(withInvalidRoots(folder, "127.0.0.1", port), line -> {}))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("tls.extra_roots");

        assertThat(Await.value(DATABASE.open()
                                .query("select 1 from node where name = $1", Tuple.of("127.0.0.1:" + port)))
                        .size())
                .as("registrations of the node")
                .isZero();
    }

    @Test
    void anUnencryptedEventBusIsAWarning(@TempDir Path folder) throws Exception {
        String host = NetworkInterface.networkInterfaces()
                .filter(each -> !each.getName().equals("lo"))
                .flatMap(NetworkInterface::inetAddresses)
                .filter(Inet4Address.class::isInstance)
                .map(InetAddress::getHostAddress)
                .findFirst()
                .orElse(null);
        assumeThat(host).as("an IPv4 address other than loopback").isNotNull();

        try (CapturedLog log = new CapturedLog()) {
            assertThatThrownBy(() -> Service.start(withInvalidRoots(folder, host, FreePorts.nextPair()), line -> {}))
                    .isInstanceOf(StartException.class);

            assertThat(log.text())
                    .contains("WARN event bus not encrypted and not authenticated: cluster.insecure is true"
                            + " cluster_host=\"" + host + "\"");
        }
    }

    /** The settings of a node that joins the cluster before its start fails. */
    private static Config withInvalidRoots(Path folder, String host, int port) throws Exception {
        Path roots = Files.writeString(folder.resolve("roots.pem"), "-----BEGIN CERTIFICATE-----");
        return ConfigLoader.load(
                null,
                Map.of(
                        "PLUMBLINE_NODE_ROLES",
                        "run",
                        "PLUMBLINE_CLUSTER_ENABLED",
                        "true",
                        "PLUMBLINE_CLUSTER_PORT",
                        Integer.toString(port),
                        "PLUMBLINE_CLUSTER_HOST",
                        host,
                        "PLUMBLINE_CLUSTER_INSECURE",
                        "true",
                        "PLUMBLINE_MANAGEMENT_PORT",
                        Integer.toString(FreePorts.next()),
                        "PLUMBLINE_DATABASE_URL",
                        DATABASE.url(),
                        "PLUMBLINE_SESSION_SECRET",
                        "a secret with at least 32 characters",
                        "PLUMBLINE_TLS_EXTRA_ROOTS",
                        roots.toString()));
    }

    /** Creates a job on a node and waits for its only result there. */
    private static String verdictOfJob(ServiceUnderTest node, String key, String line) {
        String[] credentials = {"Authorization", "Bearer " + key};
        JsonObject job = new JsonObject().put("module", "http-status").put("items", new JsonArray().add(line));
        HttpResponse<String> created = node.post("/api/v1/jobs", job.encode(), credentials);
        assertThat(created.statusCode()).isEqualTo(202);
        String path = "/api/v1/jobs/" + new JsonObject(created.body()).getString("token");
        HttpResponse<String> finished = node.get(path, "Authorization", "Bearer " + key, "Prefer", "wait=30");
        return new JsonObject(finished.body())
                .getJsonArray("results")
                .getJsonObject(0)
                .getString("verdict");
    }

    private static String metrics(ServiceUnderTest node) {
        return node.send("GET", node.management("/metrics")).body();
    }
}
