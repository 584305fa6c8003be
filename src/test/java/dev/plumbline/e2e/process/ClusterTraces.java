package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.OtlpReceiver;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Traces over three nodes of the jar: one serves HTTP, two run checks, and one of these coordinates jobs. */
abstract class ClusterTraces {
    /** Enough to find one whose check and permit are on different nodes. */
    private static final int NAMES = 16;

    private static final Vertx VERTX = Vertx.vertx();

    @RegisterExtension
    static final ClusterProcesses CLUSTER = new ClusterProcesses();

    @TempDir
    static Path folder;

    private static final JsonObject GET_METHOD = new JsonObject().put("method", "get");

    private static CrashableDatabase database;
    private static OtlpReceiver collector;
    private static CountingTarget target;
    private static DnsLab dns;

    static OtlpReceiver collector() {
        if (collector == null) {
            collector = OtlpReceiver.start();
        }
        return collector;
    }

    static String databaseUrl() {
        return database.url();
    }

    static String url(String path) {
        return target.url(path);
    }

    /** @param endpoint passes the traces to {@link #collector} */
    static void startCluster(String endpoint) throws Exception {
        database = CrashableDatabase.start(folder.resolve("database"));
        target = CountingTarget.atAddresses(VERTX, "127.1.3");
        CLUSTER.open(folder, database.url());
        dns = DnsLab.start();
        for (int i = 0; i < NAMES; i++) {
            dns.address("site" + i + ".test", "127.1.3.1");
        }
        CLUSTER.set("TRACING_ENDPOINT", endpoint)
                .set("DNS_SERVERS", dns.address())
                // the permits of an address are on one of the run nodes
                .set("TARGETS_PER_IP_CONCURRENT", "8");
        CLUSTER.add("http", "http")
                .add("run", "run")
                .add("run-coordinate", "run,coordinate")
                .start("http", "run", "run-coordinate");
    }

    @AfterAll
    static void stopCluster() throws Exception {
        CLUSTER.close();
        if (database != null) {
            database.close();
            dns.close();
        }
        collector.close();
        Await.value(VERTX.close());
    }

    private static String instance(String node) {
        return "127.0.0.1:" + CLUSTER.port(node, "CLUSTER_PORT");
    }

    private static Set<String> instances(List<OtlpReceiver.Received> spans) {
        return spans.stream().map(span -> span.resource("service.instance.id")).collect(Collectors.toSet());
    }

    private static boolean isComplete(List<OtlpReceiver.Received> spans) {
        return OtlpReceiver.orphans(spans).isEmpty()
                && spans.stream().anyMatch(span -> span.name().startsWith("HTTP "))
                && spans.stream().anyMatch(span -> span.name().equals("check.run send"));
    }

    private static void assertConnected(List<OtlpReceiver.Received> spans) {
        assertThat(spans.stream().filter(span -> span.parent().isEmpty()))
                .as(OtlpReceiver.tree(spans))
                .hasSize(1);
    }

    private static OtlpReceiver.Received one(List<OtlpReceiver.Received> spans, String name) {
        List<OtlpReceiver.Received> found =
                spans.stream().filter(span -> span.name().equals(name)).toList();
        assertThat(found).as(name + " in\n" + OtlpReceiver.tree(spans)).hasSize(1);
        return found.get(0);
    }

    static void assertInstantCheckIsOneTraceOverThreeNodes() {
        int over = 0;
        for (int i = 0; i < NAMES; i++) {
            HttpResponse<String> response =
                    CLUSTER.node("http").instant("http-status", target.url("site" + i + ".test", "/ok/traced"));
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);

            List<OtlpReceiver.Received> spans = collector.trace(
                    response.headers().firstValue("X-Request-Id").orElseThrow(), ClusterTraces::isComplete);

            assertConnected(spans);
            OtlpReceiver.Received request = one(spans, "GET /api/v1/instant/{module}/{target}");
            assertThat(request.resource("service.instance.id")).isEqualTo(instance("http"));
            assertThat(one(spans, "check http-status").resource("service.instance.id"))
                    .isIn(instance("run"), instance("run-coordinate"));
            if (instances(spans).size() == 3) {
                over++;
                assertThat(one(spans, "permit.request process").resource("service.instance.id"))
                        .isNotEqualTo(one(spans, "check http-status").resource("service.instance.id"));
            }
        }
        assertThat(over).as("traces over three nodes").isPositive();
    }

    static void assertLineOfAJobIsOneTrace() {
        JobLoadClient load = new JobLoadClient(target, 1, GET_METHOD);
        String key = database.accounts().key().secret();
        List<String> urls = IntStream.range(0, NAMES)
                .mapToObj(i -> target.url("site" + i + ".test", "/ok/line"))
                .toList();
        load.send(CLUSTER.address("http"), load.newJob(key, urls));
        Await.until(() -> lines().size() >= NAMES);

        for (OtlpReceiver.Received line : lines()) {
            List<OtlpReceiver.Received> spans =
                    collector.line(line.attribute("plumbline.request_id"), ClusterTraces::isComplete);
            assertConnected(spans);
            assertThat(line.resource("service.instance.id")).isEqualTo(instance("run-coordinate"));
            assertThat(line.span().getLinksList()).as("link to the creation").hasSize(1);
        }
        assertThat(collector.spans().stream()
                        .filter(span -> "job line".equals(root(span).name()))
                        .filter(span -> span.name().equals("check http-status"))
                        .map(span -> span.resource("service.instance.id")))
                .contains(instance("run"));
    }

    private static List<OtlpReceiver.Received> lines() {
        return collector.spans().stream()
                .filter(span -> span.name().equals("job line"))
                .toList();
    }

    private static OtlpReceiver.Received root(OtlpReceiver.Received span) {
        return collector.spans().stream()
                .filter(other ->
                        other.traceId().equals(span.traceId()) && other.parent().isEmpty())
                .findFirst()
                .orElse(span);
    }
}
