package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.lab.TestCa;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Status 429 and 503 with Retry-After in {@code http-status} and {@code redirect-chain}. */
class RetryAfterTest {
    private static final ModuleDefinition<HttpStatus.Evidence> STATUS = SheetModule.load(new HttpStatus());
    private static final ModuleDefinition<RedirectChain.Evidence> CHAIN = SheetModule.load(new RedirectChain());
    private static final Instant NOW = Instant.parse("1999-12-31T23:59:00Z");

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = '|',
            value = {
                // RFC 9110 section 10.2.3
                "503 | Retry-After: 120 | temporarily_unavailable | 0",
                "503 | Retry-After: Fri, 31 Dec 1999 23:59:59 GMT | temporarily_unavailable | 59",
                // RFC 6585 section 4
                "429 | Retry-After: 3600 | rate_limited | 0",
                "429 | Retry-After: 60 | rate_limited | 60",
                "429 | Retry-After: 61 | rate_limited | 0",
                "429 | Retry-After: 1 | rate_limited | 1",
                "429 | Retry-After: 0 | rate_limited | 1",
                "429 | Retry-After: 007 | rate_limited | 7",
                "429 | Retry-After: 99999999999999999999 | rate_limited | 0",
                "429 | Retry-After: Sat, 01 Jan 2000 00:00:00 GMT | rate_limited | 60",
                "429 | Retry-After: Sat, 01 Jan 2000 00:00:01 GMT | rate_limited | 0",
                "429 | Retry-After: Friday, 31-Dec-99 23:59:30 GMT | rate_limited | 30",
                "429 | Retry-After: Fri Dec 31 23:59:30 1999 | rate_limited | 30",
                // in the past
                "429 | Retry-After: Sun, 06 Nov 1994 08:49:37 GMT | rate_limited | 1",
                // the clock of the server is 100 seconds fast, or not a date
                "429 | Retry-After: Sat, 01 Jan 2000 00:00:50 GMT; Date: Sat, 01 Jan 2000 00:00:40 GMT | rate_limited | 10",
                "429 | Retry-After: Fri, 31 Dec 1999 23:59:10 GMT; Date: now | rate_limited | 10",
                // without a valid header
                "429 | - | broken | 0",
                "503 | - | broken | 0",
                "429 | Retry-After: -1 | broken | 0",
                "429 | Retry-After: 1.5 | broken | 0",
                "429 | Retry-After: soon | broken | 0",
                "429 | Retry-After: 5; Retry-After: 5 | broken | 0",
                // other status codes
                "500 | Retry-After: 5 | broken | 0",
                "502 | Retry-After: 5 | broken | 0",
                "404 | Retry-After: 5 | broken | 0"
            })
    void evaluatesRetryAfter(int status, @Nullable String headers, String code, int seconds) {
        HttpExchange response =
                page("https://a.test/", status, "busy", headers == null ? new String[0] : headers.split("; (?=[A-Z])"));
        boolean broken = code.equals("broken");

        Evaluation statusReport = status(Map.of(), response);
        Evaluation chainReport = chain(response);

        String statusCode = status >= 500 ? "status_server_error" : "status_client_error";
        assertThat(codes(statusReport)).startsWith(broken ? statusCode : code);
        assertThat(codes(chainReport)).containsExactly(broken ? "ends_in_error" : code);
        assertThat(List.of(statusReport, chainReport)).allSatisfy(report -> {
            assertThat(report.retryAfterSeconds()).isEqualTo(seconds);
            assertThat(Verdict.of(report.findings(), null, false)).isEqualTo(broken ? Verdict.FAIL : Verdict.WARN);
        });
    }

    @Test
    void namesTheStatusAndTheHeader() {
        Evaluation report = status(Map.of(), page("https://a.test/", 503, "", "Retry-After: 120"));

        assertThat(report.findings().get(0).message())
                .isEqualTo("The server returned 503 with `Retry-After: 120`. It is temporarily unavailable.");
        assertThat(report.fields()).containsEntry("status", 503).containsEntry("ok", false);
    }

    @ParameterizedTest
    @CsvSource({
        "expect_status, 200, 'rate_limited,expected_status_mismatch', 5",
        "expect_status, 429, '', 0",
        "contains, needle, rate_limited, 5",
        "contains, busy, rate_limited, 5"
    })
    void evaluatesExpectationsOfTheUser(String option, String value, String expected, int seconds) {
        Evaluation report = status(Map.of(option, value), page("https://a.test/", 429, "busy", "Retry-After: 5"));

        assertThat(String.join(",", codes(report)).replaceAll(",?served_over_http1", ""))
                .isEqualTo(expected);
        assertThat(report.retryAfterSeconds()).isEqualTo(seconds);
    }

    @Test
    void evaluatesTheFinalResponseOfAChainOnly() {
        HttpExchange redirect = page("https://a.test/", 302, "", "Location: https://a.test/b", "Retry-After: 5");

        assertThat(codes(chain(redirect, page("https://a.test/b", 200, "")))).containsExactly("temporary_redirect");
        assertThat(codes(chain(redirect, page("https://a.test/b", 503, "", "Retry-After: 5"))))
                .containsExactly("temporarily_unavailable", "temporary_redirect");
    }

    @Test
    void sendsNoSecondRequestIfTheServerRequestsADelay() {
        RedirectTrace unavailable = trace(page("https://a.test/", 503, "", "Retry-After: 5"));

        assertThat(HttpStatus.rejectsHead(unavailable, NOW)).isFalse();
    }

    @Property
    void anyHeaderIsEvaluated(@ForAll String value) {
        HttpExchange response = page("https://a.test/", 429, "", "Retry-After: " + value);

        assertThat(status(Map.of(), response).retryAfterSeconds()).isBetween(0, 60);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        try (HttpFixture fixture = HttpFixture.start();
                NginxServer nginx = NginxServer.start(
                        folder,
                        TestCa.root("Lab Root")
                                .issue(CertificateSpec.server("a.test").address("127.0.0.1")),
                        """
            location /limited { add_header Retry-After 30 always; return 429; }
            location /maintenance { add_header Retry-After "Fri, 31 Dec 2055 23:59:59 GMT" always; return 503; }
            location /moved { return 301 /limited; }
            location /overloaded { return 503; }
            """)) {
            var probe = fixture.probe(HttpFixture.policy(List.of(HttpLab.ALLOW), List.of("*")));
            for (String path : List.of("/limited", "/maintenance", "/moved", "/overloaded")) {
                String[] curl = Curl.run(
                                nginx.http(path),
                                "--location",
                                "--output",
                                folder.resolve("page").toString(),
                                "--write-out",
                                "%{http_code} %header{retry-after}")
                        .split(" ", 2);

                CheckResult status = fixture.check(STATUS, probe, nginx.http(path), "");
                CheckResult chain = fixture.check(CHAIN, probe, nginx.http(path), "");

                assertThat(status.fields()).containsEntry("status", Integer.valueOf(curl[0]));
                assertThat(chain.fields()).containsEntry("final_status", Integer.valueOf(curl[0]));
                for (CheckResult result : List.of(status, chain)) {
                    assertThat(messages(result).anyMatch(message -> message.contains("`Retry-After: ")))
                            .isEqualTo(curl.length == 2);
                    assertThat(messages(result))
                            .anyMatch(
                                    message -> curl.length == 1 || message.contains("`Retry-After: " + curl[1] + "`"));
                    assertThat(result.retryAfterSeconds()).isEqualTo(curl.length == 2 && curl[1].equals("30") ? 30 : 0);
                    assertThat(result.cacheable()).isEqualTo(result.retryAfterSeconds() == 0);
                }
            }
        }
    }

    private static Stream<String> messages(CheckResult result) {
        return result.findings().stream().map(Finding::message);
    }

    private static Evaluation status(Map<String, ?> options, HttpExchange... hops) {
        Options parsed = Options.parse(STATUS.description(), options).options();
        try {
            return STATUS.evaluate(HttpStatus.Evidence.of(List.of(trace(hops)), NOW), parsed);
        } catch (CheckFailure notDecoded) {
            throw new AssertionError(notDecoded);
        }
    }

    private static Evaluation chain(HttpExchange... hops) {
        return CHAIN.evaluate(new RedirectChain.Evidence(trace(hops), NOW), Options.defaults(CHAIN.description()));
    }
}
