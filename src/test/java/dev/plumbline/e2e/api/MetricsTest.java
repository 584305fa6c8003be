package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.Promtool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** {@code /metrics}, and the Prometheus rules and the Grafana dashboard that use them. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Path DEPLOY = Path.of("src/deploy");
    private static final Pattern METRIC = Pattern.compile("\\b(?:plumbline|jvm|process|system)_[a-z0-9_]+");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)[{ ]");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\S+) ");

    private ServiceUnderTest service;

    @BeforeAll
    void start(@TempDir Path folder) throws IOException {
        Path payloads = Files.writeString(
                folder.resolve("payloads.json"),
                "{\"roas\":[{\"asn\":64496,\"prefix\":\"192.0.2.0/24\",\"maxLength\":24}]}");
        HttpLab lab = Await.value(HttpLab.start(DATABASE.vertx()));
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("RPKI_VALIDATOR", payloads.toString()));
        service.instant("http-status", lab.http("/ok"));
        service.instant("http-status", lab.http("/ok"));
        service.page("/tools");
        service.page("/missing");
        System.gc();
        Await.until(() -> metrics().contains("jvm_gc_pause_seconds_sum"));
        Await.until(() -> metrics().contains("plumbline_rpki_payloads 1.0"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String metrics() {
        return service.send("GET", service.management("/metrics")).body();
    }

    @Test
    void everyMetricHasAHelpText() {
        String metrics = metrics();

        assertThat(matches(metrics, TYPE.pattern()))
                .contains("plumbline_build_info", "plumbline_http_request_duration_seconds")
                .allSatisfy(name -> assertThat(metrics).containsPattern("(?m)^# HELP " + name + " \\S"));
    }

    @Test
    void promtoolReportsNoProblems() throws Exception {
        assertThat(Promtool.run(metrics(), "check", "metrics")).isEmpty();
    }

    @Test
    void formatIsNegotiated() {
        HttpResponse<String> prometheus = service.send("GET", service.management("/metrics"), "Accept", "*/*");
        HttpResponse<String> openMetrics = openMetrics();

        assertThat(prometheus.headers().firstValue("Content-Type"))
                .contains("text/plain; version=0.0.4; charset=utf-8");
        assertThat(openMetrics.headers().firstValue("Content-Type"))
                .contains("application/openmetrics-text; version=1.0.0; charset=utf-8");
        assertThat(openMetrics.body()).endsWith("# EOF\n");
        assertThat(matches(openMetrics.body(), SAMPLE.pattern()))
                .isEqualTo(matches(prometheus.body(), SAMPLE.pattern()));
    }

    /** promtool requires a time for each sample of a block. */
    @Test
    void prometheusReadsOpenMetrics(@TempDir Path folder) throws Exception {
        String samples = openMetrics().body().replaceAll("(?m)^([^#\n].*)$", "$1 1764288000");
        Path file = Files.writeString(folder.resolve("metrics.txt"), samples);

        String output = Promtool.run(
                "",
                "tsdb",
                "create-blocks-from",
                "openmetrics",
                file.toString(),
                folder.resolve("blocks").toString());

        assertThat(output).contains("BLOCK ULID");
    }

    private HttpResponse<String> openMetrics() {
        return service.send(
                "GET",
                service.management("/metrics"),
                "Accept",
                "application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.3,*/*;q=0.2");
    }

    @Test
    void buildInfoHasTheVersions() {
        assertThat(metrics()).contains("plumbline_build_info{java=\"" + Runtime.version() + "\",version=\"dev\"} 1");
    }

    @Test
    void latencyHistogramIncludesCacheHits() {
        assertThat(metrics())
                .contains("plumbline_http_request_duration_seconds_count{operation=\"instantCheck\"} 2\n")
                .contains("plumbline_http_request_duration_seconds_bucket{operation=\"instantCheck\",le=\"+Inf\"} 2\n")
                .contains("plumbline_http_request_duration_seconds_count{operation=\"tools\"} 1\n")
                .contains("plumbline_http_request_duration_seconds_count{operation=\"none\"} 1\n");
    }

    @Test
    void everyMetricOfTheServiceIsDocumented() throws IOException {
        String documentation = Files.readString(Path.of("src/docs/operations.md"));
        Set<String> names = matches(metrics(), TYPE.pattern());
        names.removeIf(name -> !name.startsWith("plumbline_") || name.endsWith("_seconds_max"));

        assertThat(names).hasSizeGreaterThan(15).allSatisfy(name -> assertThat(documentation)
                .containsPattern("`" + name + "[`{]"));
    }

    @Test
    void alertRulesAreValidAndFireAsTested() throws Exception {
        Path rules = DEPLOY.resolve("prometheus");

        assertThat(Promtool.run("", "check", "rules", rules.resolve("rules.yml").toString()))
                .contains("SUCCESS");
        assertThat(Promtool.run(
                        "", "test", "rules", rules.resolve("rules-test.yml").toString()))
                .contains("SUCCESS");
        assertThat(matches(Files.readString(rules.resolve("rules-test.yml")), "alertname: (\\w+)"))
                .as("tested alerts")
                .isEqualTo(matches(Files.readString(rules.resolve("rules.yml")), "alert: (\\w+)"));
    }

    /** The first groups of all matches. */
    private static Set<String> matches(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    void rulesAndDashboardUseExistingMetrics() throws IOException {
        Set<String> existing = matches(metrics(), SAMPLE.pattern());
        Set<String> used = new TreeSet<>();
        METRIC.matcher(Files.readString(DEPLOY.resolve("prometheus/rules.yml")).replaceAll("(?m)^ *action:.*", ""))
                .results()
                .forEach(match -> used.add(match.group()));
        dashboardQueries().forEach(query -> used.addAll(matches(query, "(" + METRIC.pattern() + ")")));

        // metrics of a cluster, which this service is not part of
        existing.addAll(
                matches(Files.readString(Path.of("src/docs/operations.md")), "(?m)^\\| `(plumbline_cluster_[a-z_]+)"));

        assertThat(used).hasSizeGreaterThan(20);
        assertThat(existing).containsAll(used);
    }

    @Test
    void dashboardQueriesAreValid(@TempDir Path folder) throws Exception {
        List<String> queries = dashboardQueries();

        assertThat(queries).hasSizeGreaterThan(20);
        Promtool.checkQueries(queries, folder);
    }

    private static List<String> dashboardQueries() throws IOException {
        return Promtool.queries(DEPLOY.resolve("grafana/dashboard.json"));
    }
}
