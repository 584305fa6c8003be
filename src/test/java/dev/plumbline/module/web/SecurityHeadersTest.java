package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.failedTrace;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.MAP;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.module.web.header.ContentSecurityPolicy;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Grade;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class SecurityHeadersTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<RedirectTrace> MODULE = SheetModule.load(new SecurityHeaders());
    private static final String[] PERFECT = {
        "Strict-Transport-Security: max-age=31536000; includeSubDomains",
        "Content-Security-Policy: default-src 'self'; form-action 'self'; frame-ancestors 'none'",
        "X-Content-Type-Options: nosniff",
        "Referrer-Policy: no-referrer",
        "Permissions-Policy: camera=()",
        "Cross-Origin-Opener-Policy: same-origin",
        "Cross-Origin-Embedder-Policy: require-corp",
        "Cross-Origin-Resource-Policy: same-origin"
    };

    @TempDir
    Path folder;

    @Test
    void gradesPerfectHeadersAPlus() {
        Evaluation evaluation = evaluate(trace(page("https://a.test/", 200, "", PERFECT)));

        assertThat(evaluation.fields()).containsEntry("grade", "A+").containsEntry("score", 100);
        assertThat(evaluation.findings()).isEmpty();
        assertThat((List<?>) evaluation.fields().get("missing")).isEmpty();
    }

    /** A header of the perfect page, its replacement ("-" removes it), the score and the finding codes. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "Strict-Transport-Security | - | 80 | hsts_missing",
                "Strict-Transport-Security | max-age=0 | 80 | hsts_off",
                "Strict-Transport-Security | max-age=15551999; includeSubDomains | 90 | hsts_short",
                "Strict-Transport-Security | max-age=15552000; includeSubDomains | 100 | -",
                "Strict-Transport-Security | includeSubDomains | 80 | hsts_invalid",
                "Strict-Transport-Security | max-age=31536000 | 100 | hsts_not_for_subdomains",
                "Strict-Transport-Security | max-age=31536000; includeSubDomains; preload; preload | 100 | "
                        + "hsts_malformed",
                "Strict-Transport-Security | max-age=31535999; includeSubDomains; preload | 100 | hsts_preload_unready",
                "Content-Security-Policy | frame-ancestors 'none' | 75 | csp_scripts_unlimited "
                        + "csp_objects_unlimited csp_forms_unlimited csp_inline_styles",
                "Content-Security-Policy | - | 55 | csp_missing framing_unlimited",
                "Content-Security-Policy | default-src 'self' 'unsafe-inline'; form-action 'self'; frame-ancestors "
                        + "'self' | 80 | csp_inline_scripts csp_inline_styles",
                "Content-Security-Policy | default-src 'self' 'unsafe-eval'; form-action 'self'; frame-ancestors "
                        + "'self' | 95 | csp_eval",
                "Content-Security-Policy | default-src 'self' * 'unsafe-inline'; form-action 'self'; "
                        + "frame-ancestors 'self'; object-src 'none' | 75 | csp_inline_scripts csp_any_source "
                        + "csp_inline_styles",
                "Content-Security-Policy | default-src 'self'; form-action 'self'; frame-ancestors * | 80 | "
                        + "framing_unlimited",
                "Content-Security-Policy | default-src 'self'; form-action 'self'; frame-ancestors 'self'; img "
                        + "self | 95 | csp_malformed",
                "X-Content-Type-Options | - | 90 | nosniff_missing",
                "X-Content-Type-Options | NoSniff | 100 | -",
                "X-Content-Type-Options | nosniff, sniff | 100 | -",
                "X-Content-Type-Options | sniff, nosniff | 90 | nosniff_missing",
                "Referrer-Policy | - | 95 | referrer_policy_missing",
                "Referrer-Policy | unsafe-url | 90 | referrer_policy_unsafe",
                "Referrer-Policy | no-referrer, strict-origin-when-cross-origin | 100 | -",
                "Referrer-Policy | same-origin, future-policy | 100 | -",
                "Referrer-Policy | same-origin, unsafe-url | 90 | referrer_policy_unsafe",
                "Referrer-Policy | never | 95 | referrer_policy_invalid",
                "Permissions-Policy | - | 95 | permissions_policy_missing",
                "Permissions-Policy | camera 'none' | 95 | permissions_policy_invalid",
                "Cross-Origin-Opener-Policy | - | 95 | coop_missing",
                "Cross-Origin-Opener-Policy | unsafe-none | 95 | coop_missing",
                "Cross-Origin-Opener-Policy | same-origin; report-to=\"x\" | 100 | -",
                "Cross-Origin-Embedder-Policy | - | 100 | coep_missing",
                "Cross-Origin-Resource-Policy | anything | 100 | corp_missing",
                "X-Frame-Options | ALLOW-FROM https://b.test | 95 | frame_options_invalid",
                "Server | nginx/1.22.1 | 95 | software_disclosed",
                "Server | nginx | 100 | -",
                "X-Powered-By | PHP | 95 | software_disclosed",
                "X-XSS-Protection | 1; mode=block | 100 | obsolete_header",
                "X-XSS-Protection | 0 | 100 | -",
                "Feature-Policy | camera 'none' | 100 | obsolete_header"
            })
    void scoresEachHeader(String name, String value, int score, String expected) {
        Evaluation evaluation = evaluate(trace(page("https://a.test/", 200, "", with(name, value))));

        assertThat(evaluation.fields()).containsEntry("score", score);
        assertThat(codes(evaluation)).isEqualTo(expected.equals("-") ? List.of() : List.of(expected.split(" ")));
    }

    /** The points that the description of the score states, by finding. */
    private static final Map<Integer, Set<String>> COSTS = Map.of(
            50, Set.of("plain_http"),
            25, Set.of("csp_missing", "csp_report_only"),
            20,
                    Set.of(
                            "hsts_missing",
                            "hsts_invalid",
                            "hsts_off",
                            "framing_unlimited",
                            "csp_scripts_unlimited",
                            "csp_inline_scripts",
                            "csp_any_source"),
            10, Set.of("hsts_short", "nosniff_missing", "referrer_policy_unsafe", "csp_shared_host", "csp_bypass_host"),
            5,
                    Set.of(
                            "csp_plain_http_source",
                            "csp_eval",
                            "csp_short_nonce",
                            "csp_objects_unlimited",
                            "csp_base_unlimited",
                            "csp_malformed",
                            "frame_options_invalid",
                            "referrer_policy_missing",
                            "referrer_policy_invalid",
                            "permissions_policy_missing",
                            "permissions_policy_invalid",
                            "coop_missing",
                            "software_disclosed"));

    @ParameterizedTest
    @MethodSource("findings")
    void findingsDeductTheDocumentedPoints(FindingCode finding) {
        assertThat(finding.cost()).isEqualTo(cost(finding.code()));
        if (finding.level() == Level.WARN) {
            assertThat(finding.cost()).as("a warning deducts points").isPositive();
        }
    }

    @Test
    void weaknessesHaveTheCodesOfFindings() {
        assertThat(findings())
                .extracting(FindingCode::code)
                .containsAll(Arrays.stream(ContentSecurityPolicy.Code.values())
                        .map(code -> code.name().toLowerCase(Locale.ROOT))
                        .toList());
    }

    static List<FindingCode> findings() {
        return MODULE.description().findings();
    }

    private static int cost(String code) {
        return COSTS.entrySet().stream()
                .filter(entry -> entry.getValue().contains(code))
                .mapToInt(Map.Entry::getKey)
                .sum();
    }

    @Property(tries = 500)
    void scoreIs100MinusTheCostOfTheFindings(@ForAll boolean secure, @ForAll("headers") List<String> headers) {
        String url = secure ? "https://a.test/" : "http://a.test/";

        Evaluation evaluation = evaluate(trace(page(url, 200, "", headers.toArray(String[]::new))));

        int policy = 0;
        int others = 0;
        for (String code : codes(evaluation)) {
            policy += code.startsWith("csp_") ? cost(code) : 0;
            others += code.startsWith("csp_") ? 0 : cost(code);
        }
        assertThat(evaluation.fields())
                .as(headers + " " + codes(evaluation))
                .containsEntry("score", Math.max(0, 100 - others - Math.min(25, policy)));
    }

    @Provide
    Arbitrary<List<String>> headers() {
        return Arbitraries.of(
                        "Strict-Transport-Security: max-age=0",
                        "Strict-Transport-Security: max-age=100",
                        "Strict-Transport-Security: max-age=31536000; includeSubDomains",
                        "Content-Security-Policy: default-src 'self'",
                        "Content-Security-Policy: script-src 'unsafe-inline' *; frame-ancestors *",
                        "Content-Security-Policy: script-src *.github.io ajax.googleapis.com; object-src 'none'",
                        "Content-Security-Policy: script-src http://b.test 'nonce-a' 'unsafe-eval'; img self",
                        "Content-Security-Policy-Report-Only: default-src 'self'",
                        "X-Frame-Options: DENY",
                        "X-Frame-Options: ALLOWALL",
                        "X-Content-Type-Options: nosniff",
                        "Referrer-Policy: no-referrer",
                        "Referrer-Policy: unsafe-url",
                        "Referrer-Policy: never",
                        "Permissions-Policy: camera=()",
                        "Permissions-Policy: camera 'none'",
                        "Cross-Origin-Opener-Policy: same-origin",
                        "Cross-Origin-Embedder-Policy: x",
                        "Cross-Origin-Resource-Policy: same-origin",
                        "Server: nginx/1.22.1",
                        "X-XSS-Protection: 1",
                        "Feature-Policy: camera 'none'")
                .list()
                .ofMaxSize(12);
    }

    @Test
    void listsMissingHeadersWhoseAbsenceCostsPoints() {
        assertThat((List<?>) evaluate(trace(page("https://a.test/", 200, "")))
                        .fields()
                        .get("missing"))
                .asInstanceOf(LIST)
                .containsExactly(
                        "strict-transport-security",
                        "content-security-policy",
                        "x-frame-options",
                        "x-content-type-options",
                        "referrer-policy",
                        "permissions-policy",
                        "cross-origin-opener-policy");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DENY | true",
                "sameorigin | true",
                "DENY, DENY | true",
                "SAMEORIGIN, DENY | true",
                "ALLOWALL | false",
                "ALLOW-FROM https://b.test | false"
            })
    void evaluatesFrameOptionsWithoutFrameAncestors(String value, boolean limited) {
        Evaluation evaluation = evaluate(trace(page(
                "https://a.test/",
                200,
                "",
                "Content-Security-Policy: default-src 'self'",
                "X-Frame-Options: " + value)));

        assertThat(codes(evaluation).contains("framing_unlimited")).isEqualTo(!limited);
    }

    @Test
    void frameAncestorsOverrideFrameOptions() {
        Evaluation evaluation = evaluate(trace(page(
                "https://a.test/", 200, "", "Content-Security-Policy: frame-ancestors *", "X-Frame-Options: DENY")));

        assertThat(codes(evaluation)).contains("framing_unlimited");
    }

    @Test
    void directivesDoNotContainNonces() {
        String policy = "script-src 'self' 'nonce-r4nd0mr4nd0mr4nd0mr4nd0m' 'NONCE-x' 'sha256-abc='";
        Evaluation evaluation = evaluate(trace(page("https://a.test/", 200, "", "Content-Security-Policy: " + policy)));

        assertThat(evaluation.fields().get("csp"))
                .asInstanceOf(MAP)
                .containsEntry("policy", policy)
                .containsEntry(
                        "directives",
                        List.of(Map.of(
                                "name",
                                "script-src",
                                "values",
                                List.of("'self'", "'nonce-…'", "'nonce-…'", "'sha256-abc='"))));
    }

    @Test
    void reportOnlyPolicyCountsAsMissing() {
        Evaluation evaluation = evaluate(trace(
                page("https://a.test/", 200, "", "Content-Security-Policy-Report-Only: default-src 'unsafe-inline'")));

        assertThat(codes(evaluation)).contains("csp_report_only").doesNotContain("csp_missing");
        assertThat((Map<?, ?>) evaluation.fields().get("csp"))
                .extracting("report_only", "policy")
                .containsExactly(true, "default-src 'unsafe-inline'");
        assertThat((List<?>) evaluation.fields().get("missing"))
                .asInstanceOf(LIST)
                .contains("content-security-policy");
    }

    @ParameterizedTest
    @CsvSource({"http://a.test/, 50", "https://192.0.2.1/, 100"})
    void ignoresHstsOverHttpAndForIpAddresses(String url, int score) {
        Evaluation evaluation = evaluate(trace(page(url, 200, "", PERFECT)));

        assertThat(evaluation.fields()).containsEntry("score", score);
        assertThat(codes(evaluation)).contains("hsts_ignored").doesNotContain("hsts_missing");
    }

    @Test
    void usesTheFirstHstsHeader() {
        List<String> headers = new ArrayList<>(List.of(PERFECT));
        headers.add("Strict-Transport-Security: max-age=0");

        Evaluation evaluation = evaluate(trace(page("https://a.test/", 200, "", headers.toArray(String[]::new))));

        assertThat(codes(evaluation)).containsExactly("hsts_several");
    }

    @ParameterizedTest
    @CsvSource({"100, A+", "99, A", "90, A", "89, B", "75, B", "60, C", "40, D", "39, E", "20, E", "19, F", "0, F"})
    void gradesByScore(int score, String grade) {
        assertThat(Grade.of(score)).isEqualTo(grade);
    }

    @Test
    void evaluatesTheTargetOfRedirects() {
        Evaluation evaluation = evaluate(
                trace(redirect("http://a.test/", 301, "https://a.test/"), page("https://a.test/", 200, "", PERFECT)));

        assertThat(evaluation.fields()).containsEntry("grade", "A+");
        assertThat(evaluation.findings())
                .extracting(Finding::code, Finding::level, Finding::message)
                .containsExactly(tuple(
                        "redirected",
                        Level.INFO,
                        "The URL redirects to https://a.test/. This report is about that page."));
    }

    @Test
    void evaluatesHeadersOfATruncatedResponse() {
        Evaluation evaluation = evaluate(
                failedTrace(ErrorCode.READ_TIMEOUT, "https://a.test/", page("https://a.test/", 200, "", PERFECT)));

        assertThat(evaluation.error()).isNull();
        assertThat(evaluation.fields()).containsEntry("grade", "A+");
    }

    @Test
    void reportsTheErrorOfARedirectLoop() {
        Evaluation evaluation = evaluate(failedTrace(
                ErrorCode.REDIRECT_LOOP, "https://a.test/", redirect("https://a.test/", 301, "https://a.test/")));

        assertThat(evaluation.error()).isNotNull();
        assertThat(evaluation.fields()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "/ok, FAIL, -",
        "/status/404, FAIL, -",
        "/big, FAIL, -",
        "/drip/body, FAIL, -",
        "/headers/perfect, FAIL, -",
        "/redirect/loop, ERROR, redirect_loop",
        "/closed, ERROR, connection_reset",
        "/ssh, ERROR, http_protocol_error"
    })
    void evaluatesLabResponses(String path, Verdict verdict, String error) {
        CheckResult result = FIXTURE.check(MODULE, path, "timeout_ms=2000");

        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.error() == null ? "-" : result.error().code().id()).isEqualTo(error);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
            server_tokens off;
            add_header Strict-Transport-Security 'max-age="31536000"; includeSubDomains' always;
            add_header Content-Security-Policy "default-src 'self'; form-action 'self'; frame-ancestors 'self'" always;
            add_header X-Content-Type-Options nosniff always;
            add_header Referrer-Policy same-origin always;
            add_header Permissions-Policy "camera=()" always;
            add_header Cross-Origin-Opener-Policy same-origin always;
            location = / { return 200 "nginx"; }
            location = /bare { add_header X-Frame-Options DENY; server_tokens on; return 200 "bare"; }
            location / { return 404; }
            """)) {
            FIXTURE.dns().address("lab.test", "127.0.0.1");
            var probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
            String url = nginx.https("/").replace("127.0.0.1", "lab.test");

            CheckResult good = FIXTURE.check(MODULE, probe, url, "");
            CheckResult missing = FIXTURE.check(MODULE, probe, url + "missing", "");
            CheckResult bare = FIXTURE.check(MODULE, probe, url + "bare", "");

            assertThat(good.verdict()).isEqualTo(Verdict.PASS);
            assertThat(good.fields()).containsEntry("grade", "A+");
            assertThat(missing.fields()).containsEntry("grade", "A+");
            assertThat(bare.fields()).containsEntry("grade", "E");
            assertThat(bare.verdict()).isEqualTo(Verdict.FAIL);
            for (String path : List.of("/", "/missing", "/bare")) {
                Map<String, String> expected = curlHeaders(nginx.https(path));
                CheckResult result = path.equals("/") ? good : path.equals("/bare") ? bare : missing;
                Map<String, String> fields = Map.of(
                        "x_frame_options", "x-frame-options",
                        "x_content_type_options", "x-content-type-options",
                        "referrer_policy", "referrer-policy",
                        "permissions_policy", "permissions-policy",
                        "coop", "cross-origin-opener-policy",
                        "coep", "cross-origin-embedder-policy");
                fields.forEach((field, header) ->
                        assertThat(result.fields().get(field)).isEqualTo(expected.get(header)));
            }
        }
    }

    private static Map<String, String> curlHeaders(String url) throws Exception {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String line :
                Curl.run(url, "--dump-header", "-", "--output", "/dev/null").split("\\R")) {
            String[] parts = line.split(": ", 2);
            if (parts.length == 2) {
                headers.put(parts[0].toLowerCase(Locale.ROOT), parts[1]);
            }
        }
        return headers;
    }

    private static String[] with(String name, String value) {
        List<String> headers = new ArrayList<>();
        Arrays.stream(PERFECT).filter(header -> !header.startsWith(name + ":")).forEach(headers::add);
        if (!value.equals("-")) {
            headers.add(name + ": " + value);
        }
        return headers.toArray(String[]::new);
    }

    private static Evaluation evaluate(RedirectTrace trace) {
        return MODULE.evaluate(trace, Options.defaults(MODULE.description()));
    }
}
