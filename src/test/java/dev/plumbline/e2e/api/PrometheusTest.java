package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.Lab;
import dev.plumbline.lab.LabPorts;
import dev.plumbline.lab.LabTarget;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.Promtool;
import dev.plumbline.support.ServerProcess;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Debian's Prometheus with the configuration and the alert rules of src/deploy: it probes the lab over HTTPS. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PrometheusTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Path FILES = Path.of("src/deploy/prometheus");
    private static final Path DASHBOARD = Path.of("src/deploy/grafana/probes.json");
    private static final String JOB = "{job=~\"plumbline-probe\"}";

    private final HttpClient client =
            HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();
    private final Map<String, String> targets = new LinkedHashMap<>();
    private Lab lab;
    private ServiceUnderTest service;
    private ServerProcess prometheus;
    private int port;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        Path program = DebianTool.require("prometheus");
        TestCa root = TestCa.root("Lab Root of the service");
        TestCa.Identity identity =
                root.issue(CertificateSpec.server("plumbline.test").address("127.0.0.1"));
        Files.writeString(folder.resolve("ca.pem"), TestCa.pem(root.certificate()));
        lab = new Lab(LabPorts.free());
        Path roots = Files.writeString(folder.resolve("roots.pem"), lab.rootPem());
        Map<String, String> settings = new TreeMap<>();
        for (String line : lab.environment(roots)) {
            String[] setting = line.replaceFirst("^PLUMBLINE_", "").split("=", 2);
            settings.put(setting[0], setting[1]);
        }
        settings.put("PROBE_ENABLED", "true");
        settings.put(
                "HTTP_TLS_CERTIFICATE",
                Files.writeString(folder.resolve("service.pem"), identity.pem()).toString());
        settings.put(
                "HTTP_TLS_KEY",
                Files.writeString(folder.resolve("service-key.pem"), identity.keyPem())
                        .toString());
        service = ServiceUnderTest.start(DATABASE.url(), settings);
        TestAccounts accounts = new TestAccounts(DATABASE.open());
        Files.writeString(
                folder.resolve("plumbline-key"),
                accounts.key(accounts.account(Plan.PRO), Scope.PROBE).secret() + "\n");

        String web = lab.http().secure("/ok").replace("//127.0.0.1:", "//web.lab.test:");
        targets.put("http-status", web);
        targets.put("http-timing", web);
        targets.put("ssl-certificate", target("ssl-certificate", "expiring-soon."));
        targets.put("dns-records", "web.lab.test");
        targets.put("dnssec", "secure.test");
        targets.put("domain-registration", "www.good.lab-registry");
        Files.copy(FILES.resolve("probe-rules.yml"), folder.resolve("probe-rules.yml"));
        Path configuration = Files.writeString(folder.resolve("prometheus.yml"), configuration());
        port = FreePorts.next();
        prometheus = ServerProcess.start(
                folder.resolve("log"),
                port,
                List.of(
                        program.toString(),
                        "--config.file=" + configuration,
                        "--storage.tsdb.path=" + folder.resolve("data"),
                        "--web.listen-address=127.0.0.1:" + port,
                        "--log.level=warn"));
        Await.until(() -> get("/-/ready").statusCode() == 200);
        Await.until(() -> query("up == 1").size() == targets.size());
    }

    @AfterAll
    void stop() {
        if (prometheus != null) {
            prometheus.close();
        }
        if (service != null) {
            service.close();
        }
        if (lab != null) {
            lab.close();
        }
    }

    private String target(String module, String start) {
        return lab.targets().stream()
                .filter(target ->
                        target.module().equals(module) && target.target().startsWith(start))
                .map(LabTarget::target)
                .findFirst()
                .orElseThrow();
    }

    /** The example, with the addresses of the test and shorter intervals. */
    private String configuration() throws IOException {
        String example = Files.readString(FILES.resolve("probes.yml"))
                .replace(
                        "replacement: plumbline.example.com:443",
                        "replacement: 127.0.0.1:" + service.uri("/").getPort())
                .replace("# tls_config: {ca_file: ca.pem}", "tls_config: {ca_file: ca.pem}")
                .replace("evaluation_interval: 15s", "evaluation_interval: 1s")
                .replace("scrape_interval: 1m", "scrape_interval: 5s")
                .replace("scrape_timeout: 30s", "scrape_timeout: 5s");
        for (Map.Entry<String, String> target : targets.entrySet()) {
            example = example.replaceFirst(
                    "(module: " + target.getKey() + "}\\n +targets: \\[\")[^\"]*", "$1" + target.getValue());
        }
        assertThat(example).doesNotContain("example.com/", "[\"example.com");
        return example;
    }

    @Test
    void everyTargetIsScraped() {
        for (Map.Entry<String, String> target : targets.entrySet()) {
            String labels = "{module=\"%s\", instance=\"%s\"}".formatted(target.getKey(), target.getValue());

            assertThat(query("probe_success" + labels)).as(labels).hasSize(1);
            assertThat(value("probe_success" + labels)).as(labels).isEqualTo(1);
        }
        assertThat(value("probe_http_status_code{module=\"http-status\"}")).isEqualTo(200);
    }

    @Test
    void alertOfAnExpiringCertificateFires() {
        String alert = "ALERTS{alertname=\"PlumblineCertificateExpiresSoon\", alertstate=\"firing\"}";

        Await.until(() -> !query(alert).isEmpty());

        assertThat(query(alert)).hasSize(1);
        assertThat(query(alert).getJsonObject(0).getJsonObject("metric").getString("instance"))
                .isEqualTo(targets.get("ssl-certificate"));
    }

    @Test
    void expiryOfRegistrationAndSignaturesIsKnown() {
        assertThat(value("plumbline_probe_domain_registration_expires_timestamp_seconds - time()"))
                .isGreaterThan(60 * 365 * 86_400.0);
        assertThat(value("plumbline_probe_dnssec_rrsig_expires_timestamp_seconds - time()"))
                .isPositive();
        assertThat(value("plumbline_probe_age_seconds{module=\"dnssec\"}")).isPositive();
    }

    /** The questions that the dashboard and the alerts of the blackbox_exporter mixin ask. */
    static Stream<String> mixinQueries() {
        return Stream.of(
                "max by (instance) (probe_success" + JOB + ")",
                "count(probe_success" + JOB + ")",
                "(count(probe_success" + JOB + " == 1) or vector(0)) / count(probe_success" + JOB + ")",
                "count(probe_http_ssl" + JOB + " == 1) / count(probe_http_version" + JOB + ")",
                "avg(probe_duration_seconds" + JOB + ")",
                "avg_over_time(probe_success" + JOB + "[30d])",
                "max by (instance) (probe_http_status_code" + JOB + ")",
                "max by (instance) (probe_http_ssl" + JOB + ")",
                "max by (instance, version) (probe_tls_version_info" + JOB + ")",
                "max by (instance) (probe_http_redirects" + JOB + ")",
                "max by (instance) (probe_http_version" + JOB + ")",
                "min by (instance) (probe_ssl_earliest_cert_expiry" + JOB + " - time())",
                "avg by (instance) (probe_dns_lookup_time_seconds" + JOB + ")",
                "sum by (instance) (probe_http_duration_seconds" + JOB + ")",
                "sum by (phase) (probe_http_duration_seconds" + JOB + ")",
                "probe_ssl_earliest_cert_expiry" + JOB + " - time() < 21 * 24 * 3600");
    }

    @ParameterizedTest
    @MethodSource("mixinQueries")
    void queriesOfTheBlackboxExporterMixinReturnData(String query) {
        assertThat(query(query)).isNotEmpty();
    }

    @Test
    void queriesOfTheDashboardReturnData() throws IOException {
        List<String> queries = Promtool.queries(DASHBOARD);

        assertThat(queries).hasSizeGreaterThan(10).allSatisfy(query -> assertThat(
                        query(query.replace("$job", ".*").replace("$target", ".*")))
                .as(query)
                .isNotEmpty());
    }

    @Test
    void exampleIsAValidConfiguration() throws Exception {
        assertThat(Promtool.run(
                        "",
                        "check",
                        "config",
                        "--syntax-only",
                        FILES.resolve("probes.yml").toString()))
                .contains("SUCCESS");
    }

    @Test
    void alertRulesAreValidAndFireAsTested() throws Exception {
        Path rules = FILES.resolve("probe-rules.yml");
        Path tests = FILES.resolve("probe-rules-test.yml");

        assertThat(Promtool.run("", "check", "rules", rules.toString())).contains("SUCCESS");
        assertThat(Promtool.run("", "test", "rules", tests.toString())).contains("SUCCESS");
        assertThat(matches(Files.readString(tests), "alertname: (\\w+)"))
                .as("tested alerts")
                .isEqualTo(matches(Files.readString(rules), "alert: (\\w+)"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"probe-rules.yml", "probes.yml", "probe-operator.yaml"})
    void documentationListsTheFile(String file) throws IOException {
        assertThat(Files.readString(Path.of("src/docs/prometheus.md"))).contains("`prometheus/" + file + "`");
    }

    private static Set<String> matches(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private double value(String query) {
        JsonArray result = query(query);
        assertThat(result).as(query).hasSize(1);
        return Double.parseDouble(result.getJsonObject(0).getJsonArray("value").getString(1));
    }

    /** Executes an instant query. */
    private JsonArray query(String query) {
        HttpResponse<String> response = get("/api/v1/query?query=" + URLEncoder.encode(query, StandardCharsets.UTF_8));
        assertThat(response.statusCode()).as(query + ": " + response.body()).isEqualTo(200);
        return new JsonObject(response.body()).getJsonObject("data").getJsonArray("result");
    }

    private HttpResponse<String> get(String path) {
        HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                .timeout(Duration.ofSeconds(20))
                .build();
        try {
            return client.send(request, HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new AssertionError(failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
