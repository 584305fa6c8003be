package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.OtlpReceiver;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.opentelemetry.proto.trace.v1.Span;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Traces of requests and jobs, as a collector receives them. */
@Tag("integration")
class TracesApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String HOST = "site.traced.test";
    private static final String UNCACHED = "uncached.traced.test";
    private static final String DOMAIN = "traced.test";
    private static final String SECRET = "a secret of the collector";
    private static final String CALLER_TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String PROXY_TRACE = "1af7651916cd43dd8448eb211c80319c";
    private static final String CALLER_SPAN = "b7ad6b7169203331";
    private static final String PARENT = parent(CALLER_TRACE);

    private static OtlpReceiver collector;
    private static DnsLab dns;
    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static String key;

    @BeforeAll
    static void start() {
        collector = OtlpReceiver.start();
        dns = DnsLab.start()
                .address(HOST, "127.0.0.1")
                .address(UNCACHED, "127.0.0.1")
                .address(DOMAIN, "127.0.0.1");
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        key = new TestAccounts(DATABASE.open()).key().secret();
        service = start(Map.of("TRACING_HEADERS", "api-key=" + SECRET));
    }

    private static ServiceUnderTest start(Map<String, String> settings) {
        Map<String, String> all = new TreeMap<>(Map.of(
                "TRACING_ENDPOINT", collector.endpoint(), "DNS_SERVERS", dns.address(), "LIMITS_FRESH_PER_HOUR", "0"));
        all.putAll(settings);
        return ServiceUnderTest.start(DATABASE.url(), all);
    }

    @AfterAll
    static void stop() {
        service.close();
        dns.close();
        collector.close();
    }

    private static String parent(String traceId) {
        return "00-" + traceId + "-" + CALLER_SPAN + "-01";
    }

    private static String url(String pathAndQuery) {
        return url(HOST, pathAndQuery);
    }

    private static String url(String host, String pathAndQuery) {
        return "http://" + host + ":" + URI.create(lab.http("/")).getPort() + pathAndQuery;
    }

    private static boolean has(List<OtlpReceiver.Received> spans, String name) {
        return spans.stream().anyMatch(span -> span.name().equals(name));
    }

    private static OtlpReceiver.Received one(List<OtlpReceiver.Received> spans, String name) {
        List<OtlpReceiver.Received> found =
                spans.stream().filter(span -> span.name().equals(name)).toList();
        assertThat(found).as(name + " in\n" + OtlpReceiver.tree(spans)).hasSize(1);
        return found.get(0);
    }

    private static void assertConnected(List<OtlpReceiver.Received> spans) {
        assertThat(OtlpReceiver.orphans(spans)).as(OtlpReceiver.tree(spans)).isEmpty();
        assertThat(spans.stream().filter(span -> span.parent().isEmpty()))
                .as(OtlpReceiver.tree(spans))
                .hasSize(1);
    }

    @Test
    void instantCheckIsOneTraceFromTheRequestToEachExchangeAndStatement() {
        HttpResponse<String> response = service.instant(
                "http-status", url(UNCACHED, "/ok?secret-query=1"), "X-Request-Id", "instant-1", "traceparent", PARENT);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);

        List<OtlpReceiver.Received> spans = collector.trace(
                "instant-1",
                trace -> has(trace, "HTTP HEAD")
                        && has(trace, "SELECT")
                        && has(trace, "check.run send")
                        && OtlpReceiver.orphans(trace).isEmpty());

        assertConnected(spans);
        OtlpReceiver.Received root = one(spans, "GET /api/v1/instant/{module}/{target}");
        assertThat(root.parent()).isEmpty();
        assertThat(root.traceId()).as("an untrusted caller").isNotEqualTo(CALLER_TRACE);
        assertThat(root.attribute("http.route")).isEqualTo("/api/v1/instant/{module}/{target}");
        assertThat(root.attribute("http.response.status_code")).isEqualTo("200");
        assertThat(root.resource("service.name")).isEqualTo("plumbline");
        OtlpReceiver.Received check = one(spans, "check http-status");
        assertThat(check.parent()).isEqualTo(one(spans, "check.run process").id());
        assertThat(check.attribute("plumbline.verdict")).isEqualTo("pass");
        assertThat(check.attribute("plumbline.request_id")).isEqualTo("instant-1");
        assertThat(one(spans, "check.run process").parent())
                .isEqualTo(one(spans, "check.run send").id());
        assertThat(one(spans, "DNS A").parent()).isEqualTo(check.id());
        assertThat(one(spans, "DNS A").attribute("dns.response_code")).isEqualTo("NOERROR");
        OtlpReceiver.Received connection = one(spans, "connection");
        assertThat(connection.parent()).isEqualTo(check.id());
        assertThat(one(spans, "TCP connect").parent()).isEqualTo(connection.id());
        OtlpReceiver.Received exchange = one(spans, "HTTP HEAD");
        assertThat(exchange.parent()).isEqualTo(connection.id());
        assertThat(exchange.attribute("http.response.status_code")).isEqualTo("200");
        assertThat(spans.stream()
                        .filter(span -> span.name().equals("SELECT"))
                        .map(span -> span.attribute("db.query.text")))
                .isNotEmpty()
                .allSatisfy(text -> assertThat(text).startsWith("select").doesNotContain("'" + UNCACHED));
        assertThat(spans).as("targets are not recorded by default").allSatisfy(span -> assertThat(span.texts())
                .doesNotContain("traced.test", "/ok", "secret-query"));
        assertThat(collector.keys()).contains(SECRET);
    }

    @Test
    void tlsHandshakeAndItsFailureAreRecorded() {
        service.instant("http-status", lab.secure("/ok?tls"), "X-Request-Id", "tls-1");

        List<OtlpReceiver.Received> spans =
                collector.trace("tls-1", trace -> has(trace, "TLS handshake") && has(trace, "check http-status"));

        assertThat(one(spans, "check http-status").texts()).contains("error.type=");
        assertThat(one(spans, "TLS handshake").parent())
                .isEqualTo(one(spans, "connection").id());
    }

    @Test
    void partsOfACompositeBelongToItsTrace() {
        HttpResponse<String> response = service.instant("overview", DOMAIN, "X-Request-Id", "composite-1");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        int parts = ModuleCatalogue.load().parts("overview").size();

        List<OtlpReceiver.Received> spans = collector.trace(
                "composite-1",
                trace -> trace.stream()
                                        .filter(span -> span.name().startsWith("part "))
                                        .map(OtlpReceiver.Received::name)
                                        .distinct()
                                        .count()
                                >= parts / 2
                        && has(trace, "check overview")
                        && has(trace, "check.run send")
                        && OtlpReceiver.orphans(trace).isEmpty());

        assertConnected(spans);
        OtlpReceiver.Received check = one(spans, "check overview");
        List<OtlpReceiver.Received> recorded =
                spans.stream().filter(span -> span.name().startsWith("part ")).toList();
        assertThat(recorded).allSatisfy(part -> {
            assertThat(part.parent()).isEqualTo(check.id());
            assertThat(part.attribute("plumbline.module")).isNotEmpty();
            assertThat(part.attribute("plumbline.verdict")).isNotEmpty();
        });
        List<String> partIds = recorded.stream().map(OtlpReceiver.Received::id).toList();
        assertThat(spans.stream().filter(span -> span.name().equals("connection") && partIds.contains(span.parent())))
                .as(OtlpReceiver.tree(spans))
                .isNotEmpty();
        assertThat(spans).allSatisfy(span -> assertThat(span.texts()).doesNotContain("traced.test"));
    }

    @Test
    void eachLineOfAJobIsOneTrace() {
        JobsApiClient jobs = new JobsApiClient(service, key);
        String token =
                JobsApiClient.token(jobs.create(List.of(url("/ok?line=1"), url("/ok?line=2")), new JsonObject()));
        jobs.finished(token);

        Await.until(() -> lines().size() >= 2);
        List<OtlpReceiver.Received> roots = lines();
        assertThat(roots.stream().map(OtlpReceiver.Received::traceId)).doesNotHaveDuplicates();
        for (OtlpReceiver.Received root : roots) {
            List<OtlpReceiver.Received> spans = collector.line(
                    root.attribute("plumbline.request_id"),
                    trace -> has(trace, "HTTP HEAD")
                            && OtlpReceiver.orphans(trace).isEmpty());
            assertConnected(spans);
            assertThat(one(spans, "check http-status").attribute("plumbline.request_id"))
                    .isEqualTo(root.attribute("plumbline.request_id"))
                    .startsWith("job-");
            Span.Link link = root.span().getLinks(0);
            List<OtlpReceiver.Received> creation = collector.spans().stream()
                    .filter(span -> span.span().getTraceId().equals(link.getTraceId()))
                    .toList();
            assertThat(creation)
                    .as(OtlpReceiver.tree(creation))
                    .anyMatch(span -> span.name().equals("POST /api/v1/jobs"))
                    .anyMatch(span -> span.span().getSpanId().equals(link.getSpanId()));
        }
    }

    private static List<OtlpReceiver.Received> lines() {
        return collector.spans().stream()
                .filter(span -> span.name().equals("job line"))
                .toList();
    }

    @Test
    void callersWithAValidKeyContinueTheirTrace() {
        assertThat(service.instant(
                                "http-status",
                                url("/ok?key"),
                                "X-Request-Id",
                                "key-1",
                                "traceparent",
                                PARENT,
                                "Authorization",
                                "Bearer " + key)
                        .statusCode())
                .isEqualTo(200);

        List<OtlpReceiver.Received> spans =
                collector.trace("key-1", trace -> has(trace, "HTTP HEAD") && has(trace, "check.run send"));

        assertThat(spans).allSatisfy(span -> assertThat(span.traceId()).isEqualTo(CALLER_TRACE));
        assertThat(one(spans, "GET /api/v1/instant/{module}/{target}").parent()).isEqualTo(CALLER_SPAN);
    }

    @Test
    void callersWithAnInvalidKeyStartATraceOfTheService() {
        String invalid = "plk_" + "0".repeat(38);
        service.page(
                ServiceUnderTest.instantPath("http-status", url("/ok?invalid")),
                "X-Request-Id",
                "key-2",
                "traceparent",
                PARENT,
                "X-Api-Key",
                invalid);

        List<OtlpReceiver.Received> spans = collector.trace("key-2", trace -> has(trace, "check.run send"));

        assertThat(spans).allSatisfy(span -> assertThat(span.traceId()).isNotEqualTo(CALLER_TRACE));
        assertThat(one(spans, "GET /api/v1/instant/{module}/{target}").parent()).isEmpty();
    }

    @Test
    void cachedResponsesAreTracesOfOneSpan() {
        for (int i = 1; i <= 2; i++) {
            service.instant("http-status", url("/ok?cached"), "X-Request-Id", "cached-" + i);
        }

        List<OtlpReceiver.Received> spans = collector.trace("cached-2", trace -> true);

        assertThat(spans).hasSize(1);
        assertThat(spans.get(0).name()).isEqualTo("GET /api/v1/instant/{module}/{target}");
    }

    @Test
    void trustedProxiesAreTrustedAndTargetsAreRecordedIfEnabled() {
        ServiceUnderTest other = start(Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "TRACING_TARGETS", "true"));
        try {
            other.instant(
                    "http-status", url("/ok?proxy"), "X-Request-Id", "proxy-1", "traceparent", parent(PROXY_TRACE));

            List<OtlpReceiver.Received> spans =
                    collector.trace("proxy-1", trace -> has(trace, "HTTP HEAD") && has(trace, "check http-status"));

            assertThat(one(spans, "GET /api/v1/instant/{module}/{target}").traceId())
                    .isEqualTo(PROXY_TRACE);
            assertThat(spans.stream().map(span -> span.attribute("url.full"))).contains(url("/ok?proxy"));
            assertThat(spans.stream().map(span -> span.attribute("dns.question.name")))
                    .contains(HOST);
        } finally {
            other.close();
        }
    }

    @Test
    void requestsSucceedAndOneWarningIsLoggedWhileTheCollectorIsDown() {
        List<Integer> statuses = new ArrayList<>();
        try (CapturedLog log = new CapturedLog()) {
            ServiceUnderTest other =
                    start(Map.of("TRACING_ENDPOINT", "http://127.0.0.1:" + FreePorts.next() + "/v1/traces"));
            try {
                for (int i = 0; i < 2; i++) {
                    int round = i;
                    statuses.add(other.instant("http-status", url("/ok?down=" + round))
                            .statusCode());
                    Await.until(() -> failed(other) > round * 10);
                }
                double before = failed(other);
                statuses.add(other.instant("http-status", url("/ok?down=last")).statusCode());
                Await.until(() -> failed(other) > before);
            } finally {
                other.close();
            }
            assertThat(log.text().lines().filter(line -> line.contains("spans not exported")))
                    .as(log.text())
                    .hasSize(1);
        }
        assertThat(statuses).containsOnly(200);
    }

    private static double failed(ServiceUnderTest of) {
        return of.send("GET", of.management("/metrics"))
                .body()
                .lines()
                .filter(line -> line.startsWith("plumbline_trace_spans_total{outcome=\"failed\"}"))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
                .sum();
    }
}
