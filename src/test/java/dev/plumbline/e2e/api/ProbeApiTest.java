package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.lab.TlsLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.Promtool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /probe}: results as Prometheus metrics. */
@Tag("integration")
class ProbeApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String TEXT = "text/plain; version=0.0.4; charset=utf-8";
    private static final int PER_MINUTE = 20;

    private static final TlsLab TLS = new TlsLab();
    private static HttpLab lab;
    private static CountingTarget counting;
    private static ServiceUnderTest service;
    private static TestAccounts accounts;
    private static String[] key;

    @BeforeAll
    static void start(@TempDir Path folder) throws IOException {
        Path roots = Files.writeString(folder.resolve("roots.pem"), TLS.rootPem());
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        counting = new CountingTarget(DATABASE.vertx());
        accounts = new TestAccounts(DATABASE.open());
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "PROBE_ENABLED",
                        "true",
                        "PROBE_ALLOW",
                        "198.51.100.0/24,2001:db8::/32",
                        "HTTP_TRUSTED_PROXIES",
                        "127.0.0.1",
                        "LIMITS_PROBES_PER_MINUTE",
                        Integer.toString(PER_MINUTE),
                        "LIMITS_FRESH_PER_HOUR",
                        "1",
                        "TLS_EXTRA_ROOTS",
                        roots.toString(),
                        "WHOIS_SERVER",
                        "127.0.0.1:" + FreePorts.next()));
        key = bearer(accounts.key());
    }

    @AfterAll
    static void stop() {
        service.close();
        TLS.close();
    }

    @Test
    void resultIsReturnedAsMetrics() {
        HttpResponse<String> response = probe("http-status", lab.http("/ok?metrics"), key);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(header(response, "Content-Type")).isEqualTo(TEXT);
        assertThat(header(response, "Cache-Control")).isEqualTo("no-store");
        assertThat(sample(response, "probe_success")).isEqualTo(1);
        assertThat(sample(response, "probe_duration_seconds")).isBetween(0.0, 10.0);
        assertThat(sample(response, "probe_timeout_seconds")).isEqualTo(10);
        assertThat(sample(response, "probe_http_status_code")).isEqualTo(200);
        assertThat(sample(response, "probe_http_version")).isEqualTo(1.1);
        assertThat(sample(response, "probe_http_redirects")).isZero();
        assertThat(sample(response, "probe_http_ssl")).isZero();
        assertThat(sample(response, "probe_http_content_length")).isEqualTo(11);
        assertThat(sample(response, "probe_ip_protocol")).isEqualTo(4);
        assertThat(sample(response, "plumbline_probe_http_status_ok")).isEqualTo(1);
        assertThat(sample(response, "plumbline_probe_http_status_content_length_bytes"))
                .isEqualTo(11);
        assertThat(sample(response, "plumbline_probe_age_seconds")).isBetween(0.0, 60.0);
        assertThat(sample(response, "plumbline_probe_finding{code=\"plain_http\",level=\"info\"}"))
                .isEqualTo(1);
        assertThat(response.body())
                .contains("# HELP plumbline_probe_http_status_response_time_seconds Response time\n")
                .contains("# TYPE plumbline_probe_http_status_response_time_seconds gauge\n")
                .doesNotContain("contains_matched", "plumbline_probe_error");
    }

    @Test
    void phasesOfTheRequestHaveTheNamesOfBlackboxExporter() {
        HttpResponse<String> response = probe("http-timing", lab.http("/ok?phases"), key);

        double sum = 0;
        for (String phase : List.of("resolve", "connect", "processing", "transfer")) {
            sum += sample(response, "probe_http_duration_seconds{phase=\"" + phase + "\"}");
        }
        assertThat(sum).isPositive();
        assertThat(sample(response, "probe_dns_lookup_time_seconds"))
                .isEqualTo(sample(response, "plumbline_probe_http_timing_dns_seconds"));
        // there was no TLS handshake
        assertThat(response.body()).doesNotContain("phase=\"tls\"");
    }

    @Test
    void certificateHasTheNamesOfBlackboxExporter() {
        TlsLab.Server server = TLS.server("expiring-soon");

        HttpResponse<String> response =
                probe("ssl-certificate", "127.0.0.1:" + server.port(), key, "sni=" + server.host());

        double now = System.currentTimeMillis() / 1000.0;
        double expiry = sample(response, "probe_ssl_earliest_cert_expiry");
        assertThat(expiry - now).isBetween(5 * 86_400.0, 6 * 86_400.0);
        assertThat(sample(response, "probe_ssl_last_chain_expiry_timestamp_seconds"))
                .isEqualTo(expiry);
        assertThat(sample(response, "plumbline_probe_ssl_certificate_not_after_timestamp_seconds"))
                .isEqualTo(expiry);
        assertThat(sample(response, "plumbline_probe_ssl_certificate_remaining_seconds"))
                .isEqualTo(5 * 86_400);
        assertThat(sample(response, "probe_tls_version_info{version=\"TLS 1.3\"}"))
                .isEqualTo(1);
        assertThat(response.body())
                .contains("probe_tls_cipher_info{cipher=\"TLS_")
                .contains("code=\"expiring_soon\"");
    }

    @Test
    void failureOfTheTargetIsASuccessfulScrape() {
        HttpResponse<String> missing = probe("http-status", counting.url("/missing/page"), key);
        HttpResponse<String> refused = probe("http-status", "http://127.0.0.1:" + FreePorts.next() + "/", key);

        assertThat(missing.statusCode()).isEqualTo(200);
        assertThat(sample(missing, "probe_success")).isZero();
        assertThat(sample(missing, "probe_http_status_code")).isEqualTo(404);
        assertThat(sample(missing, "plumbline_probe_finding{code=\"status_client_error\",level=\"fail\"}"))
                .isEqualTo(1);
        assertThat(refused.statusCode()).isEqualTo(200);
        assertThat(sample(refused, "probe_success")).isZero();
        assertThat(sample(refused, "probe_http_status_code")).isZero();
        assertThat(sample(refused, "plumbline_probe_error{code=\"connect_refused\"}"))
                .isEqualTo(1);
    }

    @Test
    void targetThatDoesNotRespondIsAFailureWithinTheScrapeTimeout() {
        HttpResponse<String> response =
                probe("http-status", lab.http("/never"), with(key, "X-Prometheus-Scrape-Timeout-Seconds", "3.0"));

        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        assertThat(sample(response, "probe_success")).isZero();
        assertThat(sample(response, "probe_timeout_seconds")).isEqualTo(2.5);
        // without the limit: 10 seconds; a loaded machine is late
        assertThat(sample(response, "probe_duration_seconds")).isBetween(2.0, 6.0);
        assertThat(sample(response, "plumbline_probe_error{code=\"read_timeout\"}"))
                .isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource({"30,,10", "10,,9.5", "10,4000,4", "2.75,4000,2.25"})
    void timeLimitIsTheLowerOne(String scrapeTimeout, String option, double expected) {
        String[] options = option == null ? new String[0] : new String[] {"timeout_ms=" + option};

        HttpResponse<String> response = probe(
                "http-status",
                lab.http("/ok?timeout"),
                with(key, "X-Prometheus-Scrape-Timeout-Seconds", scrapeTimeout),
                options);

        assertThat(sample(response, "probe_timeout_seconds")).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0", "-5", "soon", "NaN", "1e3"})
    void unusableScrapeTimeoutIsRejected(String timeout) {
        HttpResponse<String> response = probe(
                "http-status", lab.http("/ok?rejected"), with(key, "X-Prometheus-Scrape-Timeout-Seconds", timeout));

        assertProblem(response, 400, "bad-request");
        assertThat(response.body()).contains("X-Prometheus-Scrape-Timeout-Seconds");
    }

    @Test
    void checkWithoutResultIsNotAStatementAboutTheTarget() {
        // the WHOIS server does not exist
        HttpResponse<String> response = probe("domain-registration", "example.lab-registry", key);
        HttpResponse<String> log = probe("domain-registration", "example.lab-registry", key, "debug=true");

        assertProblem(response, 503, "unavailable");
        assertThat(header(response, "Retry-After")).isEqualTo("5");
        assertThat(log.statusCode()).isEqualTo(200);
        assertThat(log.body())
                .contains("registry_unavailable", "the response has the status 503 instead of these metrics");
    }

    @Test
    void openMetricsIsNegotiated() {
        String target = lab.http("/ok?formats");
        // Prometheus 2.42
        HttpResponse<String> preferred = probe(
                "http-status",
                target,
                with(
                        key,
                        "Accept",
                        "application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,"
                                + "text/plain;version=0.0.4;q=0.5,*/*;q=0.1"));
        HttpResponse<String> lower =
                probe("http-status", target, with(key, "Accept", "text/plain, application/openmetrics-text;q=0.5"));
        HttpResponse<String> other = probe("http-status", target, with(key, "Accept", "image/png"));
        HttpResponse<String> draft =
                probe("http-status", target, with(key, "Accept", "application/openmetrics-text;version=0.0.1"));

        assertThat(header(preferred, "Content-Type"))
                .isEqualTo("application/openmetrics-text; version=1.0.0; charset=utf-8");
        assertThat(preferred.body()).endsWith("# EOF\n");
        assertThat(header(lower, "Content-Type")).isEqualTo(TEXT);
        assertThat(header(other, "Content-Type")).isEqualTo(TEXT);
        assertThat(header(draft, "Content-Type")).isEqualTo(TEXT);
        assertThat(other.body()).doesNotContain("# EOF");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http-status", "http-timing", "http-headers", "redirect-chain"})
    void promtoolReportsNoProblems(String module) throws Exception {
        String metrics = probe(module, lab.http("/ok?promtool"), key).body();

        // promtool reserves the suffix for histograms, but the names are those of fields
        assertThat(Promtool.run(metrics.replaceAll("(?m)^.*_count .*\n", ""), "check", "metrics"))
                .isEmpty();
    }

    @Test
    void equalProbesShareOneCachedResult() {
        String target = counting.url("/ok?cached");
        probe("http-status", target, key);
        int requests = counting.requests("/ok");

        HttpResponse<String> cached = probe("http-status", target, bearer(accounts.key()));

        assertThat(cached.statusCode()).isEqualTo(200);
        assertThat(counting.requests("/ok")).isEqualTo(requests);
        assertThat(sample(cached, "plumbline_probe_age_seconds")).isPositive();
    }

    @Test
    void expectationsAndPoliciesCount() {
        String target = lab.http("/ok?expected");

        HttpResponse<String> met = probe("http-status", target, key, "expect=" + encoded("status == 200"));
        HttpResponse<String> missed = probe("http-status", target, key, "expect=" + encoded("status == 201"));

        assertThat(sample(met, "probe_success")).isEqualTo(1);
        assertThat(sample(missed, "probe_success")).isZero();
        assertThat(sample(missed, "plumbline_probe_finding{code=\"expectation_failed\",level=\"fail\"}"))
                .isEqualTo(1);
        assertProblem(probe("http-status", target, key, "expect=nonsense"), 422, "invalid-parameter");
        assertProblem(probe("http-status", target, key, "policy=nonsense"), 422, "invalid-parameter");
    }

    @Test
    void debugReturnsTheLogAsText() {
        HttpResponse<String> response = probe("http-status", counting.url("/missing/debug"), key, "debug=true");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(header(response, "Content-Type")).isEqualTo("text/plain; charset=utf-8");
        assertThat(response.body())
                .startsWith("module: http-status\ntarget: " + counting.url("/missing/debug") + "\nverdict: fail\n")
                .contains("\"code\" : \"status_client_error\"", "\nMetrics:\n", "probe_success 0.0");
    }

    @Test
    void invalidRequestsAreRejected() {
        assertProblem(probe("nonsense", "example.com", key), 404, "unknown-module");
        HttpResponse<String> withoutModule = service.get("/probe?target=example.com", key);
        assertProblem(withoutModule, 400, "bad-request");
        assertThat(withoutModule.body())
                .contains("Parameter module is required. Expected: The identifier of the module");
        assertProblem(service.get("/probe?module=http-status", key), 400, "bad-request");
        assertProblem(probe("http-status", "http://", key), 422, "invalid-target");
        assertProblem(probe("http-status", "http://10.0.0.1/", key), 422, "target-not-allowed");
        assertProblem(probe("http-status", "example.com", key, "nonsense=1"), 422, "invalid-option");
        assertProblem(probe("http-status", "example.com", key, "method=get", "method=head"), 422, "invalid-option");
        assertProblem(probe("http-status", "example.com", key, "module=hsts"), 422, "invalid-parameter");
        assertProblem(service.send("POST", service.uri("/probe")), 405, "method-not-allowed");
    }

    @Test
    void keyRequiresTheScopeAndThePlan() {
        String target = lab.http("/ok?keys");
        String[] other = bearer(accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ, Scope.JOBS_WRITE));
        String[] free = bearer(accounts.key(accounts.account(Plan.FREE), Scope.values()));
        String[] only = bearer(accounts.key(accounts.account(Plan.PRO), Scope.PROBE));

        assertProblem(probe("http-status", target), 401, "no-key");
        assertProblem(probe("http-status", target, new String[] {"Authorization", "Bearer plk_x"}), 401, "invalid-key");
        HttpResponse<String> refused = probe("http-status", target, other);
        assertProblem(refused, 403, "insufficient-scope");
        assertThat(header(refused, "WWW-Authenticate")).contains("scope=\"probe\"");
        HttpResponse<String> notPro = probe("http-status", target, free);
        assertProblem(notPro, 403, "not-pro");
        assertThat(notPro.body()).contains("Probes require the Pro plan");
        assertThat(probe("http-status", target, only).statusCode()).isEqualTo(200);
    }

    @Test
    void allowedAddressesDoNotNeedAKey() {
        String target = lab.http("/ok?addresses");

        assertThat(probe("http-status", target, from("198.51.100.7")).statusCode())
                .isEqualTo(200);
        assertThat(probe("http-status", target, from("2001:db8::7")).statusCode())
                .isEqualTo(200);
        assertProblem(probe("http-status", target, from("203.0.113.7")), 401, "no-key");
        // a key is never ignored
        assertProblem(
                probe("http-status", target, with(from("198.51.100.7"), "Authorization", "Bearer plk_x")),
                401,
                "invalid-key");
    }

    @Test
    void freshProbesHaveTheirOwnQuota() {
        String[] limited = bearer(accounts.key());
        for (int i = 0; i < PER_MINUTE; i++) {
            HttpResponse<String> fresh =
                    probe("http-status", lab.http("/ok?quota" + i), limited, "debug=" + (i % 2 == 0));
            assertThat(fresh.statusCode()).isEqualTo(200);
            assertThat(header(fresh, "RateLimit-Policy")).isEqualTo("\"probes\";q=" + PER_MINUTE + ";w=60");
            assertThat(header(fresh, "RateLimit")).startsWith("\"probes\";r=" + (PER_MINUTE - 1 - i) + ";t=");
        }

        HttpResponse<String> refused = probe("http-status", lab.http("/ok?quota-exceeded"), limited);

        assertProblem(refused, 429, "quota-exceeded");
        assertThat(new JsonObject(refused.body()).getJsonArray("violated-policies"))
                .containsExactly("probes");
        assertThat(Integer.parseInt(header(refused, "Retry-After"))).isBetween(1, 60);
        assertThat(header(refused, "RateLimit-Policy")).isEqualTo("\"probes\";q=" + PER_MINUTE + ";w=60");
        assertThat(header(refused, "RateLimit")).isEqualTo("\"probes\";r=0;t=" + header(refused, "Retry-After"));
        HttpResponse<String> cached = probe("http-status", lab.http("/ok?quota0"), limited);
        assertThat(cached.statusCode()).as("cached").isEqualTo(200);
        assertThat(cached.headers().firstValue("RateLimit")).isEmpty();
        assertThat(probe("http-status", lab.http("/ok?quota-exceeded"), from("198.51.100.8"))
                        .statusCode())
                .as("of another client")
                .isEqualTo(200);
        assertThat(remainingProbes(limited)).isZero();
        assertThat(remainingProbes(from("198.51.100.8")))
                .as("of an allowed address")
                .isEqualTo(PER_MINUTE - 1);
        assertThat(remainingProbes(from("203.0.113.8")))
                .as("of another address")
                .isNull();
        assertThat(remainingProbes(with(from("198.51.100.8"), "X-Api-Key", withoutScope())))
                .as("of a key without the scope")
                .isNull();
        // the quota of instant checks was not used
        assertThat(service.instant("http-status", lab.http("/ok?instant"), from("198.51.100.8"))
                        .statusCode())
                .isEqualTo(200);
    }

    private static String withoutScope() {
        return accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ).secret();
    }

    /** Returns the remaining quota of a client; null if it cannot use probes. */
    private static Integer remainingProbes(String[] client) {
        return new JsonObject(service.get("/api/v1/limits", client).body())
                .getJsonArray("limits").stream()
                        .map(JsonObject.class::cast)
                        .filter(limit -> limit.getString("name").equals("probes"))
                        .peek(limit -> assertThat(limit.getInteger("quota")).isEqualTo(PER_MINUTE))
                        .peek(limit ->
                                assertThat(limit.getInteger("window_seconds")).isEqualTo(60))
                        .map(limit -> limit.getInteger("remaining"))
                        .findFirst()
                        .orElse(null);
    }

    @Test
    void probesAreDisabledByDefault() {
        try (ServiceUnderTest plain = ServiceUnderTest.start(DATABASE.url(), Map.of("PROBE_ALLOW", "127.0.0.1"))) {
            // not in its contract
            HttpResponse<String> response = plain.page("/probe?module=http-status&target=" + encoded(lab.http("/ok")));
            HttpResponse<String> contract = plain.get("/openapi.json");

            assertProblem(response, 404, "not-found");
            assertThat(new JsonObject(contract.body()).getJsonObject("paths").fieldNames())
                    .doesNotContain("/probe");
            assertThat(new JsonObject(service.get("/openapi.json").body())
                            .getJsonObject("paths")
                            .fieldNames())
                    .contains("/probe");
        }
    }

    private static HttpResponse<String> probe(String module, String target) {
        return probe(module, target, new String[0]);
    }

    /** @param options further query parameters */
    private static HttpResponse<String> probe(String module, String target, String[] headers, String... options) {
        String query = "/probe?module=" + module + "&target=" + encoded(target);
        return service.get(options.length == 0 ? query : query + "&" + String.join("&", options), headers);
    }

    private static String[] bearer(TestAccounts.Key key) {
        return new String[] {"Authorization", "Bearer " + key.secret()};
    }

    private static String[] from(String address) {
        return new String[] {"X-Forwarded-For", address};
    }

    private static String[] with(String[] headers, String name, String value) {
        String[] all = Arrays.copyOf(headers, headers.length + 2);
        all[headers.length] = name;
        all[headers.length + 1] = value;
        return all;
    }

    private static String encoded(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow(() -> new AssertionError(name + " is missing"));
    }

    /** The value of a sample with its labels in the order of the response. */
    private static double sample(HttpResponse<String> response, String sample) {
        Matcher matcher =
                Pattern.compile("(?m)^" + Pattern.quote(sample) + " (\\S+)$").matcher(response.body());
        assertThat(matcher.find()).as(sample + " in " + response.body()).isTrue();
        return Double.parseDouble(matcher.group(1));
    }
}
