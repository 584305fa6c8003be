package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.CorsPages;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ApacheServer;
import dev.plumbline.support.Curl;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class CorsTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<Cors.Evidence> MODULE = SheetModule.load(new Cors());

    @TempDir
    Path folder;

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "none, pass, cors_not_enabled",
        "any, pass, any_origin",
        "any-credentials, warn, wildcard_with_credentials",
        "reflect, warn, vary_missing any_origin",
        "reflect-credentials, fail, any_origin_with_credentials",
        "null, warn, null_origin_allowed cors_not_enabled",
        "null-credentials, fail, null_origin_with_credentials cors_not_enabled",
        "one, pass, cors_not_enabled",
        "prefix, fail, similar_origin_with_credentials cors_not_enabled",
        "suffix, warn, insecure_origin_allowed similar_origin_allowed cors_not_enabled",
        "http, warn, insecure_origin_allowed cors_not_enabled",
        "list, warn, several_origins",
        "two-headers, warn, several_origins",
        "slash, warn, allow_origin_invalid",
        "pattern, warn, allow_origin_invalid",
        "upper-case, warn, allow_origin_invalid",
        "preflight-without-headers, pass, preflight_header_missing any_origin",
        "preflight-without-origin, warn, preflight_origin_blocked any_origin",
        "preflight-301, warn, preflight_redirects any_origin",
        "preflight-401, warn, preflight_rejected any_origin",
        "preflight-405, warn, preflight_rejected any_origin",
        "preflight-closed, warn, preflight_failed any_origin",
        "redirect, pass, cors_not_enabled redirect_not_followed"
    })
    void evaluatesEachPageForAnUnrelatedOrigin(String name, String verdict, String expected) {
        CheckResult result = check(name, "");

        assertThat(result.findings()).extracting(Finding::code).containsExactly(expected.split(" "));
        assertThat(result.verdict().id()).isEqualTo(verdict);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "none, origin_blocked",
        "one, -",
        "one-credentials, -",
        "one-without-vary, vary_missing",
        "one-fixed, -",
        "credentials-upper-case, allow_credentials_invalid",
        "two-headers, several_origins origin_blocked",
        "slash, allow_origin_invalid origin_blocked"
    })
    void evaluatesEachPageForAnAllowedOrigin(String name, String expected) {
        CheckResult result = check(name, "origin=" + CorsPages.allowedOrigin(FIXTURE.lab()));

        assertThat(result.findings())
                .extracting(Finding::code)
                .isEqualTo(expected.equals("-") ? List.of() : List.of(expected.split(" ")));
    }

    @ParameterizedTest
    @CsvSource({
        "https://www.example.co.uk/, https://www.example.co.uk.cors-check.example "
                + "https://cors-check-example.co.uk http://www.example.co.uk",
        "http://a.test/, https://a.test.cors-check.example https://cors-check-a.test",
        "https://192.0.2.1/, ''"
    })
    void testsSimilarOrigins(String url, String origins) {
        assertThat(Cors.similarOrigins(HttpEvidence.url(url)))
                .isEqualTo(origins.isEmpty() ? List.of() : List.of(origins.split(" ")));
    }

    @Test
    void sendsAtMostSevenRequests() {
        String path = "/cors/one?count";

        FIXTURE.check(MODULE, FIXTURE.lab().at("https://other.test", path), "origin=https://a.test");

        assertThat(FIXTURE.lab().requestsFor(path)).hasSize(7);
        assertThat(FIXTURE.lab().requestsFor(path).get(6))
                .startsWith("OPTIONS ")
                .contains(
                        "origin: https://a.test",
                        "access-control-request-method: POST",
                        "access-control-request-headers: content-type");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"a.test", "https://a.test/", "https://A.test", "null", "*", "https://a b", "https://a.test:0"})
    void rejectsOptionsThatAreNotOrigins(String origin) {
        assertThat(Options.parse(MODULE.description(), Map.of("origin", origin)).options())
                .isNull();
    }

    @Test
    void doesNotReportVaryForResponsesThatAreNotStored() {
        String[] stored = {"Access-Control-Allow-Origin: https://a.test", "Cache-Control: max-age=5"};
        String[] notStored = {"Access-Control-Allow-Origin: https://a.test", "Cache-Control: No-Store"};

        assertThat(codes(evaluate(response("https://a.test", stored), response("https://b.test"))))
                .contains("vary_missing");
        Cors.Response other = response("https://b.test", "Cache-Control: no-store");
        assertThat(codes(evaluate(new Cors.Evidence(
                        response("https://a.test", notStored), other, other, Map.of(), new Cors.Preflight(other, "")))))
                .doesNotContain("vary_missing");
    }

    /** A test of the origin that failed is not reported as blocked. */
    @Test
    void reportsFailedRequestsAsNotTested() {
        Map<String, Cors.Response> similar = new LinkedHashMap<>();
        similar.put("https://x.test", null);
        Cors.Response none = response(Cors.UNRELATED_ORIGIN);

        Evaluation evaluation = evaluate(new Cors.Evidence(none, none, none, similar, new Cors.Preflight(none, "")));

        assertThat(codes(evaluation)).containsExactly("origins_incomplete", "cors_not_enabled");
    }

    @Property(tries = 1_000)
    void evaluatesArbitraryHeaders(@ForAll @StringLength(max = 200) String value) {
        Cors.Response response = new Cors.Response(
                Cors.UNRELATED_ORIGIN,
                200,
                false,
                new ResponseHeaders(List.of(
                        new HttpHeader("access-control-allow-origin", value),
                        new HttpHeader("access-control-allow-headers", value),
                        new HttpHeader("vary", value))));

        assertThat(evaluate(response, response).fields()).containsEntry("allow_origin", value);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a", ",", "\"", "\\", "://", " ", "*,", "https://"})
    void evaluatesAMegabyteInLinearTime(String piece) {
        assertTimeoutPreemptively(
                Duration.ofSeconds(20), () -> evaluatesArbitraryHeaders(piece.repeat((1 << 20) / piece.length())));
    }

    /** A configuration of Apache with a list of origins, and the headers that curl receives for each origin. */
    @Tag("integration")
    @Test
    void agreesWithCurlOnApache() throws Exception {
        try (ApacheServer apache = ApacheServer.start(
                folder,
                FIXTURE.identity(),
                """
            SetEnvIf Origin "^(https://app\\.example\\.com|null)$" ALLOWED=$1
            Header always set Access-Control-Allow-Origin "%{ALLOWED}e" env=ALLOWED
            Header always set Access-Control-Allow-Credentials "true" env=ALLOWED
            Header always merge Vary Origin
            RewriteEngine on
            RewriteCond %{REQUEST_METHOD} OPTIONS
            RewriteRule ^ - [R=204,L]
            """)) {
            Files.writeString(folder.resolve("www/index.html"), "<p>hello");
            HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            for (String origin : List.of("https://app.example.com", "https://appxexample.com", "https://b.test")) {
                CheckResult result = FIXTURE.check(MODULE, probe, apache.https("/"), "origin=" + origin);

                Map<String, String> curl = headers(apache.https("/"), origin);
                assertThat(result.fields())
                        .containsEntry("allow_origin", curl.get("access-control-allow-origin"))
                        .containsEntry("allow_credentials", "true".equals(curl.get("access-control-allow-credentials")))
                        .containsEntry(
                                "null_origin_allowed",
                                "null".equals(headers(apache.https("/"), "null").get("access-control-allow-origin")))
                        .containsEntry("reflects_origin", false)
                        .containsEntry("preflight_status", 204);
                assertThat(result.findings()).extracting(Finding::code).contains("null_origin_with_credentials");
            }
        }
    }

    private static Map<String, String> headers(String url, String origin) throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        Curl.run(url, "--dump-header", "-", "--output", "/dev/null", "--header", "Origin: " + origin)
                .lines()
                .filter(line -> line.contains(": "))
                .forEach(line ->
                        headers.put(line.split(": ", 2)[0].toLowerCase(Locale.ROOT), line.split(": ", 2)[1].strip()));
        return headers;
    }

    private static CheckResult check(String name, String query) {
        return FIXTURE.check(MODULE, FIXTURE.lab().at("https://other.test", "/cors/" + name), query);
    }

    private static Cors.Response response(String origin, String... headers) {
        return Cors.Response.of(origin, page("https://a.test/", 200, "", headers));
    }

    private static Evaluation evaluate(Cors.Response requested, Cors.Response unrelated) {
        return evaluate(
                new Cors.Evidence(requested, unrelated, response("null"), Map.of(), new Cors.Preflight(requested, "")));
    }

    private static Evaluation evaluate(Cors.Evidence evidence) {
        return MODULE.evaluate(evidence, Options.defaults(MODULE.description()));
    }
}
