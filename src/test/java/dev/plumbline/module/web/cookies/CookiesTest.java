package dev.plumbline.module.web.cookies;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.failedTrace;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CookiesTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<Cookies.Evidence> MODULE = SheetModule.load(new Cookies());
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    @TempDir
    Path folder;

    @Test
    void evaluatesAtMost1000Cookies() {
        HttpExchange[] hops = new HttpExchange[20];
        for (int i = 0; i < hops.length; i++) {
            List<String> headers = new ArrayList<>(List.of("Location: /next"));
            for (int j = 0; j < 490; j++) {
                headers.add("Set-Cookie: a=1; Path=/" + (1_000 * i + j) + (i < 10 ? "; Secure" : ""));
            }
            String url = (i < 10 ? "https" : "http") + "://www.a.test/" + i;
            hops[i] = page(url, i < 19 ? 302 : 200, "", headers.toArray(String[]::new));
        }

        Evaluation result = Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(2),
                () -> MODULE.evaluate(new Cookies.Evidence(trace(hops), NOW), Options.defaults(MODULE.description())));

        assertThat(result.error()).isNotNull();
        assertThat(result.error().code()).isEqualTo(ErrorCode.RESPONSE_TOO_LARGE);
        assertThat((List<?>) result.fields().get("cookies")).hasSize(1_000);
    }

    /** Set-Cookie headers of {@code https://www.a.test/}, separated by commas, and the states of the cookies. */
    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1; Secure; HttpOnly; SameSite=Lax | stored | -",
                "__Host-sid=1; Secure; HttpOnly; SameSite=Strict; Path=/ | stored | -",
                "a=1; HttpOnly; SameSite=Lax | stored | cookie_insecure",
                "a=1; Secure; SameSite=Lax | stored | httponly_missing",
                "a=1; Secure; HttpOnly | stored | samesite_missing",
                "a=1; Secure; HttpOnly; SameSite=Lux | stored | attribute_ignored samesite_missing",
                "a=1; Secure; HttpOnly; SameSite=None | stored | -",
                "PHPSESSID=1; Secure; HttpOnly; SameSite=None | stored | samesite_none",
                "PHPSESSID=1; HttpOnly; SameSite=Lax | stored | session_insecure",
                "connect.sid=1; Secure; SameSite=Lax | stored | session_not_httponly",
                "auth=1; Secure; HttpOnly; SameSite=Lax; Domain=a.test | stored | session_for_subdomains",
                "csrf_session=1; Secure; SameSite=Strict | stored | httponly_missing",
                "author=1; Secure; SameSite=Strict | stored | httponly_missing",
                "a=1; Secure; HttpOnly; SameSite=Lax; Max-Age=34560000 | stored | -",
                "a=1; Secure; HttpOnly; SameSite=Lax; Max-Age=34560001 | stored | lifetime_shortened",
                "a=1; Secure; HttpOnly; SameSite=Lax, a=2; Secure; HttpOnly; SameSite=Lax "
                        + "| replaced stored | cookie_repeated",
                "a=1; Secure; HttpOnly; SameSite=Lax, a=; Max-Age=0 | replaced expired | cookie_repeated",
                "a=; Max-Age=0 | expired | -",
                "a=1; SameSite=None | rejected | samesite_none_insecure",
                "a=1; Partitioned | rejected | partitioned_insecure",
                "a=1; Secure; HttpOnly; SameSite=None; Partitioned | stored | -",
                "a=1; Domain=b.test | rejected | domain_invalid",
                "a=1; Domain=test | rejected | public_suffix",
                "__Secure-a=1 | rejected | prefix_invalid",
                "__Host-a=1; Secure | rejected | prefix_invalid",
                "__Host-Http-a=1; Secure; Path=/ | rejected | prefix_invalid",
                "=1; Secure; HttpOnly; SameSite=Lax | stored | -",
                "= | rejected | cookie_malformed"
            })
    void evaluatesEachCookie(String headers, String states, String expected) {
        Evaluation evaluation = evaluate(setting("https://www.a.test/", headers.split(", ")));

        assertThat(cookies(evaluation.fields()).stream().map(cookie -> cookie.get("state")))
                .isEqualTo(List.of(states.split(" ")));
        assertThat(codes(evaluation)).isEqualTo(expected.equals("-") ? List.of() : List.of(expected.split(" ")));
    }

    /** The examples of draft-ietf-httpbis-rfc6265bis sections 4.1.3.1 and 4.1.3.2. */
    @ParameterizedTest
    @CsvSource({
        "__Secure-SID=12345; Domain=site.example, rejected",
        "__Secure-SID=12345; Domain=site.example; Secure, stored",
        "__Host-SID=12345, rejected",
        "__Host-SID=12345; Secure, rejected",
        "__Host-SID=12345; Domain=site.example, rejected",
        "__Host-SID=12345; Domain=site.example; Path=/, rejected",
        "__Host-SID=12345; Secure; Domain=site.example; Path=/, rejected",
        "__Host-SID=12345; Secure; Path=/, stored"
    })
    void evaluatesThePrefixExamplesOfTheStandard(String header, String state) {
        Evaluation evaluation = evaluate(setting("https://site.example/", header));

        assertThat(cookies(evaluation.fields())).singleElement().satisfies(cookie -> assertThat(cookie)
                .containsEntry("state", state)
                .containsEntry("prefix_ok", state.equals("stored")));
        assertThat(codes(evaluation).contains("prefix_invalid")).isEqualTo(state.equals("rejected"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a=1; Secure | rejected | secure_over_http plain_http",
                "PHPSESSID=1 | stored | session_insecure session_not_httponly samesite_missing plain_http"
            })
    void evaluatesCookiesOverHttp(String header, String state, String expected) {
        Evaluation evaluation = evaluate(setting("http://a.test/", header));

        assertThat(cookies(evaluation.fields())).singleElement().satisfies(cookie -> assertThat(cookie)
                .containsEntry("state", state));
        assertThat(codes(evaluation)).containsExactly(expected.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "max-age=5, '', cookie_insecure",
        "max-age=0, '', session_insecure",
        "max-age=5, ; Domain=a.test, session_insecure",
        "max-age=5; includeSubDomains, ; Domain=a.test, cookie_insecure"
    })
    void considersHsts(String hsts, String attributes, String expected) {
        Evaluation evaluation = evaluate(page(
                "https://a.test/",
                200,
                "",
                "Strict-Transport-Security: " + hsts,
                "Set-Cookie: sid=1; HttpOnly; SameSite=Lax" + attributes));

        assertThat(codes(evaluation)).first().isEqualTo(expected);
    }

    /** The response over HTTP cannot replace the cookie of the response over HTTPS. */
    @Test
    void evaluatesAllResponses() {
        Evaluation evaluation = evaluate(
                page(
                        "https://a.test/",
                        302,
                        "",
                        "Location: http://www.a.test/x/y",
                        "Set-Cookie: a=1; Secure; Domain=a.test"),
                page("http://www.a.test/x/y", 200, "", "Set-Cookie: a=2", "Set-Cookie: b=3"));

        assertThat(cookies(evaluation.fields()))
                .extracting(cookie -> cookie.get("domain"), cookie -> cookie.get("path"), cookie -> cookie.get("state"))
                .containsExactly(
                        tuple(".a.test", "/", "stored"),
                        tuple("www.a.test", "/x", "rejected"),
                        tuple("www.a.test", "/x", "stored"));
        assertThat(codes(evaluation)).contains("secure_exists", "redirected");
        assertThat(evaluation.fields())
                .containsEntry("cookie_count", 2)
                .containsEntry("insecure_count", 1)
                .containsEntry("missing_httponly_count", 2)
                .containsEntry("missing_samesite_count", 2);
    }

    @Test
    void reportsNoCookiesOnlyAfterTheLastResponse() {
        RedirectTrace failed = failedTrace(ErrorCode.READ_TIMEOUT, "https://b.test/", page("https://a.test/", 302, ""));

        assertThat(codes(evaluate(page("https://a.test/", 200, "")))).containsExactly("no_cookies");
        assertThat(codes(evaluate(failed))).isEmpty();
    }

    @Test
    void reportsManyAndLargeCookies() {
        String[] headers = new String[60];
        Arrays.setAll(headers, i -> "c" + i + "=" + "x".repeat(150) + "; Secure; HttpOnly; SameSite=Lax");

        assertThat(codes(evaluate(setting("https://a.test/", headers))))
                .containsExactly("cookies_large", "cookies_many");
    }

    @ParameterizedTest
    @CsvSource({"/cookies/good, 1, pass", "/cookies/weak, 1, fail", "/cookies/900, 900, warn", "/cookies/none, 0, pass"
    })
    void checksPagesOfTheLab(String path, int count, String verdict) {
        CheckResult result = FIXTURE.check(MODULE, FIXTURE.lab().secure(path), "");

        assertThat(result.error()).isNull();
        assertThat(result.verdict().id()).isEqualTo(verdict);
        assertThat(result.fields()).containsEntry("cookie_count", count);
    }

    @Test
    void reportsTheCookiesBeforeARedirectLoop() {
        CheckResult result = FIXTURE.check(MODULE, "/cookies/required", "");

        assertThat(result.error().code()).isEqualTo(ErrorCode.REDIRECT_LOOP);
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(cookies(result.fields()))
                .extracting(cookie -> cookie.get("name"))
                .containsExactly("consent");
    }

    @Test
    void rejectsTooManyHeaders() {
        CheckResult result = FIXTURE.check(MODULE, "/cookies/10000", "");

        assertThat(result.error().code()).isEqualTo(ErrorCode.RESPONSE_TOO_LARGE);
    }

    /** curl writes the cookies that it stored in the format of Netscape. */
    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
            add_header Set-Cookie "plain=1";
            add_header Set-Cookie "all=2; Path=/a; Secure; HttpOnly; Max-Age=3600";
            add_header Set-Cookie "gone=3; Expires=Thu, 01 Jan 1970 00:00:01 GMT";
            add_header Set-Cookie "other=4; Domain=other.test";
            add_header Set-Cookie "__Host-ok=5; Secure; Path=/";
            add_header Set-Cookie "__Host-bad=6; Path=/";
            location / { return 200 "hello"; }
            location = /moved { return 302 /y; }
            """)) {
            HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            for (String path : List.of("/", "/moved")) {
                CheckResult result = FIXTURE.check(MODULE, probe, nginx.https(path), "");

                List<String> curl = Curl.run(
                                nginx.https(path), "--location", "--cookie-jar", "-", "--output", "/dev/null")
                        .lines()
                        .map(line -> line.replace("#HttpOnly_", "http_only "))
                        .filter(line -> line.contains("\t"))
                        .map(line -> line.split("\t"))
                        .map(parts -> "%s %s %s secure=%s"
                                .formatted(parts[5], parts[0], parts[2], parts[3].toLowerCase(Locale.ROOT)))
                        .sorted()
                        .toList();
                assertThat(cookies(result.fields()).stream()
                                .filter(cookie -> cookie.get("state").equals("stored"))
                                .map(cookie -> "%s %s%s %s secure=%s"
                                        .formatted(
                                                cookie.get("name"),
                                                cookie.get("http_only").equals(true) ? "http_only " : "",
                                                cookie.get("domain"),
                                                cookie.get("path"),
                                                cookie.get("secure")))
                                .sorted())
                        .isEqualTo(curl);
                assertThat(result.findings()).extracting(Finding::code).contains("domain_invalid", "prefix_invalid");
            }
        }
    }

    private static HttpExchange setting(String url, String... headers) {
        return page(
                url,
                200,
                "",
                Arrays.stream(headers).map(header -> "Set-Cookie: " + header).toArray(String[]::new));
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> cookies(Map<String, Object> fields) {
        return (List<Map<String, Object>>) fields.get("cookies");
    }

    private static Evaluation evaluate(HttpExchange... hops) {
        return evaluate(trace(hops));
    }

    private static Evaluation evaluate(RedirectTrace trace) {
        return MODULE.evaluate(new Cookies.Evidence(trace, NOW), Options.defaults(MODULE.description()));
    }
}
