package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.withTimings;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.HttpTimings;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpTimingTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpTiming.Evidence> MODULE = SheetModule.load(new HttpTiming());

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource({
        "/ok, 11, -",
        "/big, 1048576, page_truncated",
        "/status/404, 11, error_page",
        "/redirect/301, 8, redirect_not_followed",
        "/no-reason, 0, -"
    })
    void measuresResponses(String path, int bytes, String code) {
        CheckResult result = FIXTURE.check(MODULE, path, "");

        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("bytes", bytes)
                .containsEntry("ip", "127.0.0.1")
                .containsEntry("tls_ms", null);
        if (!code.equals("-")) {
            assertThat(result.findings()).extracting(Finding::code).contains(code);
        }
        assertPhasesEqualTheTotal(result);
    }

    @Test
    void countsServerDelayAsTimeToFirstByte() {
        CheckResult result = FIXTURE.check(MODULE, "/slow", "");

        // the server waits two seconds before it responds
        assertThat(number(result, "ttfb_ms")).isGreaterThan(1_900);
        assertThat(result.findings()).extracting(Finding::code).contains("slow_ttfb");
        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
    }

    @Test
    void measuresTlsHandshake() {
        CheckResult result = FIXTURE.check(MODULE, FIXTURE.lab().secure("/ok"), "");

        assertThat(number(result, "tls_ms")).isPositive();
        assertPhasesEqualTheTotal(result);
    }

    @ParameterizedTest
    @CsvSource({"/closed, connection_reset", "/drip/body, read_timeout", "/ssh, http_protocol_error"})
    void reportsError(String path, String error) {
        CheckResult result = FIXTURE.check(MODULE, path, "timeout_ms=1500&samples=5");

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code().id()).isEqualTo(error);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
    }

    @Test
    void takesRequestedNumberOfSamples() {
        FIXTURE.check(MODULE, "/ok?samples", "samples=5");

        assertThat(FIXTURE.lab().requestsFor("/ok?samples")).hasSize(5);
    }

    @Tag("integration")
    @Test
    void reportsMeasuredSamplesAfterTimeout() {
        CheckResult result = FIXTURE.check(MODULE, "/slow", "samples=5&timeout_ms=3000");

        assertThat(result.error()).isNull();
        assertThat(result.findings()).extracting(Finding::code).contains("samples_incomplete");
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
            root FOLDER/www;
            location = /slow.txt { limit_rate 40k; }
            """)) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(www.resolve("quick.txt"), "x".repeat(100_000));
            Files.writeString(www.resolve("slow.txt"), "x".repeat(100_000));
            HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));

            for (String url : List.of(nginx.http("/quick.txt"), nginx.https("/quick.txt"), nginx.http("/slow.txt"))) {
                CheckResult result = FIXTURE.check(MODULE, probe, url, "");

                String[] curl = Curl.run(
                                url,
                                "--output",
                                "/dev/null",
                                "--write-out",
                                "%{size_download} %{remote_ip} %{time_starttransfer} %{time_total}")
                        .split(" ");
                assertThat(result.fields().get("bytes") + " " + result.fields().get("ip"))
                        .isEqualTo(curl[0] + " " + curl[1]);
                assertPhasesEqualTheTotal(result);
                if (url.endsWith("slow.txt")) {
                    // 100 kB at 40 kB/s take more than a second
                    double curlDownload = Double.parseDouble(curl[3]) - Double.parseDouble(curl[2]);
                    assertThat(curlDownload * 1_000).isGreaterThan(900);
                    assertThat(number(result, "download_ms")).isGreaterThan(900);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "1, 2, -, 3, 4, -",
                "300, 300, 500, 800, 1100, -",
                "301, 2, 3, 4, 5, slow_dns",
                "1, 301, 3, 4, 5, slow_connect",
                "1, 2, 501, 4, 5, slow_tls",
                "1, 2, 3, 801, 5, slow_ttfb",
                "1, 2, 3, 4, 3001, slow_response"
            })
    void reportsSlowPhases(
            double dns, double connect, @Nullable Double tls, double ttfb, double download, @Nullable String code) {
        Evaluation evaluation = evaluate(withTimings(
                page("https://a.test/", 200, "hello"), new HttpTimings(dns, connect, tls, ttfb, download, 99_999)));

        assertThat(codes(evaluation)).isEqualTo(code == null ? List.of() : List.of(code));
        assertThat(evaluation.fields())
                .containsEntry("total_ms", dns + connect + (tls == null ? 0 : tls) + ttfb + download)
                .containsEntry("bytes", 5);
    }

    @ParameterizedTest
    @CsvSource({
        "'10', 10, false",
        "'30,10,20', 20, false",
        "'40,10,30,20', 20, false",
        "'100,150,200', 150, false",
        "'100,300,301', 300, true",
        "'5,500,6,7,8', 7, true"
    })
    void reportsMedianSample(String totals, double middle, boolean varies) {
        List<HttpExchange> samples = new ArrayList<>();
        for (String total : totals.split(",")) {
            samples.add(withTimings(
                    page("http://a.test/", 200, ""), new HttpTimings(0, 0, null, Double.parseDouble(total), 0, 0)));
        }

        Evaluation evaluation = evaluate(samples.toArray(HttpExchange[]::new));

        assertThat(evaluation.fields()).containsEntry("total_ms", middle);
        assertThat(codes(evaluation).contains("times_vary")).isEqualTo(varies);
    }

    @Test
    void reportsRedirectsAndErrorPages() {
        assertThat(codes(evaluate(redirect("http://a.test/", 302, "/b")))).containsExactly("redirect_not_followed");
        assertThat(codes(evaluate(page("http://a.test/", 503, "")))).containsExactly("error_page");
    }

    private static void assertPhasesEqualTheTotal(CheckResult result) {
        double sum = 0;
        for (String part : List.of("dns_ms", "connect_ms", "tls_ms", "ttfb_ms", "download_ms")) {
            Object value = result.fields().get(part);
            assertThat(value == null ? 0 : (double) value).as(part).isNotNegative();
            sum += value == null ? 0 : (double) value;
        }
        assertThat(number(result, "total_ms")).isEqualTo(Math.round(sum * 1_000) / 1_000.0);
    }

    private static double number(CheckResult result, String field) {
        return (double) result.fields().get(field);
    }

    private static Evaluation evaluate(HttpExchange... samples) {
        return MODULE.evaluate(new HttpTiming.Evidence(List.of(samples), true), Options.defaults(MODULE.description()));
    }
}
