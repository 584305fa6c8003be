package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.failedTrace;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.module.web.header.HstsPolicy;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ApacheServer;
import dev.plumbline.support.Await;
import dev.plumbline.support.Curl;
import io.vertx.core.Vertx;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HstsTest {
    private static final ModuleDefinition<Hsts.Evidence> MODULE = SheetModule.load(new Hsts());
    private static final String READY = "max-age=31536000; includeSubDomains; preload";
    private static final RedirectTrace TO_HTTPS = trace(redirect("http://a.test/", 301, "https://a.test/"));

    /** The examples of RFC 6797 section 6.2, and unusual headers. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "max-age=31536000 | 31536000 | false | PASS | hsts_not_for_subdomains",
                "max-age=15768000 ; includeSubDomains | 15768000 | true | PASS | ``",
                "max-age=\"31536000\" | 31536000 | false | PASS | hsts_not_for_subdomains",
                "max-age=0 | 0 | false | WARN | hsts_off",
                "max-age=0; includeSubDomains | 0 | true | WARN | hsts_off",
                "max-age=15551999; includeSubDomains | 15551999 | true | WARN | hsts_short",
                "max-age=15552000; INCLUDESUBDOMAINS; future=\"a;b\" | 15552000 | true | PASS | ``",
                "includeSubDomains | - | false | WARN | hsts_invalid",
                "max-age=1; max-age=2 | - | false | WARN | hsts_invalid",
                "max-age=1; includeSubDomains; includeSubDomains | - | false | WARN | hsts_invalid",
                "max-age=1; includeSubDomains=true | - | false | WARN | hsts_invalid",
                "max-age=1 includeSubDomains | - | false | WARN | hsts_invalid",
                "max-age=31536000, max-age=31536000 | - | false | WARN | hsts_invalid",
                "max-age=-1 | - | false | WARN | hsts_invalid",
                "`` | - | false | WARN | hsts_invalid"
            })
    void evaluatesTheHeader(
            String header, @Nullable Long maxAge, boolean subdomains, Verdict verdict, String expected) {
        Evaluation evaluation = evaluate(evidence(header, TO_HTTPS, null));

        assertThat(evaluation.fields())
                .containsEntry("present", true)
                .containsEntry("max_age", maxAge)
                .containsEntry("include_subdomains", subdomains)
                .containsEntry("preload_ready", false);
        assertThat(codes(evaluation)).isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
        assertThat(Verdict.of(evaluation.findings(), null, false)).isEqualTo(verdict);
        assertThat((List<?>) evaluation.fields().get("errors")).hasSize(maxAge == null ? 1 : 0);
    }

    /** RFC 6797 section 6.1 permits each directive once, but browsers apply the header nevertheless. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "max-age=31536000; includeSubDomains; preload; preload | true | The directive preload is repeated.",
                "preload; max-age=31536000; Preload; includeSubDomains | true | The directive preload is repeated.",
                "max-age=31536000; includeSubDomains; preload=1 | false | The directive preload has a value.",
                "max-age=31536000; includeSubDomains; future; future=1 | false | The directive future is repeated."
            })
    void appliesHeadersWithErrorsThatBrowsersIgnore(String header, boolean preload, String error) {
        Evaluation evaluation = evaluate(evidence(header, TO_HTTPS, null));

        assertThat(codes(evaluation)).containsExactly("hsts_malformed");
        assertThat(Verdict.of(evaluation.findings(), null, false)).isEqualTo(Verdict.PASS);
        assertThat(evaluation.fields())
                .containsEntry("max_age", 31_536_000L)
                .containsEntry("include_subdomains", true)
                .containsEntry("preload", preload)
                .containsEntry("preload_ready", preload)
                .containsEntry("errors", List.of(error));
    }

    @Test
    void limitsTheNumberOfErrors() {
        StringBuilder header = new StringBuilder("max-age=31536000");
        for (int i = 0; i < 1_000; i++) {
            header.append(";x").append(i / 2);
        }

        assertThat(HstsPolicy.parse(header.toString()).deviations()).hasSize(10);
    }

    @Test
    void usesTheFirstOfSeveralHeaders() {
        Evaluation evaluation = evaluate(new Hsts.Evidence(
                "a.test",
                trace(page(
                        "https://a.test/",
                        200,
                        "",
                        "Strict-Transport-Security: max-age=20000000; includeSubDomains",
                        "Strict-Transport-Security: max-age=0")),
                null,
                TO_HTTPS,
                null));

        assertThat(evaluation.fields()).containsEntry("max_age", 20_000_000L);
        assertThat(codes(evaluation)).containsExactly("hsts_several");
    }

    @Test
    void isReadyForThePreloadListIfAllRequirementsAreMet() {
        RedirectTrace closed = failedTrace(ErrorCode.CONNECT_REFUSED, "http://a.test/");
        RedirectTrace missing = failedTrace(ErrorCode.DNS_NXDOMAIN, "https://www.a.test/");
        RedirectTrace www = trace(page("https://www.a.test/", 404, ""));

        for (RedirectTrace http : List.of(TO_HTTPS, closed)) {
            for (RedirectTrace other : List.of(missing, www)) {
                Evaluation evaluation = evaluate(evidence(READY, http, other));

                assertThat(evaluation.fields()).containsEntry("preload_ready", true);
                assertThat(evaluation.findings()).isEmpty();
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "'max-age=31535999; includeSubDomains; preload', requires a max-age of 31536000",
        "'max-age=31536000; preload', requires includeSubDomains"
    })
    void namesUnmetRequirementOfThePreloadList(String header, String reason) {
        assertThat(unmet(evidence(header, TO_HTTPS, null))).contains(reason);
    }

    @Test
    void requiresRedirectToTheSameHostForThePreloadList() {
        String reason = "http://a.test/ does not redirect to HTTPS on the same host first.";

        assertThat(unmet(evidence(READY, trace(page("http://a.test/", 200, "")), null)))
                .isEqualTo(reason);
        assertThat(unmet(evidence(READY, trace(redirect("http://a.test/", 301, "https://www.a.test/")), null)))
                .isEqualTo(reason);
        assertThat(unmet(evidence(READY, trace(redirect("http://a.test/", 301, "/home")), null)))
                .isEqualTo(reason);
        assertThat(unmet(evidence(READY, failedTrace(ErrorCode.READ_TIMEOUT, "http://a.test/"), null)))
                .contains("could not be checked");
    }

    @Test
    void requiresHttpsOfWwwForThePreloadList() {
        for (ErrorCode code : List.of(ErrorCode.TLS_UNTRUSTED, ErrorCode.CONNECT_REFUSED, ErrorCode.DNS_TIMEOUT)) {
            assertThat(unmet(evidence(READY, TO_HTTPS, failedTrace(code, "https://www.a.test/"))))
                    .contains("https://www.a.test/ could not be reached.");
        }
    }

    @Test
    void requiresRegistrableDomainForThePreloadList() {
        Hsts.Evidence evidence = new Hsts.Evidence(
                "shop.a.test",
                trace(page("https://shop.a.test/", 200, "", "Strict-Transport-Security: " + READY)),
                null,
                trace(redirect("http://shop.a.test/", 301, "https://shop.a.test/")),
                failedTrace(ErrorCode.DNS_NXDOMAIN, "https://www.shop.a.test/"));

        assertThat(unmet(evidence)).isEqualTo("The list accepts a.test and not its subdomains.");
    }

    @Test
    void requiresValidCertificate() {
        Hsts.Evidence evidence = new Hsts.Evidence(
                "a.test",
                trace(page("https://a.test/", 200, "", "Strict-Transport-Security: " + READY)),
                new CheckError(ErrorCode.TLS_UNTRUSTED, "The certificate expired."),
                TO_HTTPS,
                null);
        Evaluation evaluation = evaluate(evidence);

        assertThat(evaluation.fields()).containsEntry("present", true).containsEntry("preload_ready", false);
        assertThat(codes(evaluation)).containsExactly("certificate_invalid", "hsts_preload_unready");
        assertThat(evaluation.findings().get(0).message()).contains("The certificate expired.");
    }

    @Test
    void ignoresHeaderOverHttp() {
        Evaluation evaluation = evaluate(new Hsts.Evidence(
                "a.test",
                trace(page("https://a.test/", 500, "")),
                null,
                trace(page("http://a.test/", 200, "", "Strict-Transport-Security: " + READY)),
                null));

        assertThat(evaluation.fields()).containsEntry("present", false).containsEntry("max_age", null);
        assertThat(codes(evaluation)).containsExactly("hsts_missing", "error_page", "hsts_over_http");
    }

    @Test
    void reportsErrorIfHttpsCouldNotBeChecked() {
        Evaluation evaluation = evaluate(new Hsts.Evidence(
                "a.test", failedTrace(ErrorCode.CONNECT_TIMEOUT, "https://a.test/"), null, null, null));

        assertThat(evaluation.error().code()).isEqualTo(ErrorCode.CONNECT_TIMEOUT);
        assertThat(evaluation.findings()).isEmpty();
    }

    @Property(tries = 500)
    void acceptsArbitraryHeaders(@ForAll String header) {
        assertThat(evaluate(evidence(header.replace(':', ' '), TO_HTTPS, null)).fields())
                .containsEntry("present", true);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        String header = "add_header Strict-Transport-Security '%s' always; ";
        String redirects = "return 301 https://$host:TLS/;";
        try (DomainSites sites = new DomainSites(
                folder,
                Map.of(
                        "ready.test",
                        redirects,
                        "moved.test",
                        "return 302 https://www.moved.test:TLS/;",
                        "plain.test",
                        header.formatted(READY) + "return 200 ok;",
                        "invalid.test",
                        redirects),
                Map.of(
                        "ready.test", header.formatted(READY) + "return 200 ok;",
                        "www.ready.test", "return 404;",
                        "moved.test", header.formatted(READY) + "return 301 https://www.moved.test:TLS/;",
                        "plain.test", "return 200 ok;",
                        "invalid.test", header.formatted(READY) + "return 200 ok;"))) {
            ModuleDefinition<Hsts.Evidence> module = SheetModule.load(new Hsts(sites.ports()));

            CheckResult ready = sites.check(module, "ready.test");
            assertThat(ready.fields())
                    .containsEntry("preload_ready", true)
                    .containsEntry("max_age", 31_536_000L)
                    .containsEntry("present", true);
            assertThat(ready.verdict()).isEqualTo(Verdict.PASS);
            assertThat(curl(sites, "ready.test")).containsIgnoringCase("strict-transport-security: " + READY);

            CheckResult moved = sites.check(module, "moved.test");
            assertThat(moved.fields()).containsEntry("present", true).containsEntry("preload_ready", false);
            assertThat(curl(sites, "moved.test")).contains("301").containsIgnoringCase("strict-transport-security");

            CheckResult plain = sites.check(module, "plain.test");
            assertThat(plain.findings()).extracting(Finding::code).containsExactly("hsts_missing", "hsts_over_http");
            assertThat(curl(sites, "plain.test")).doesNotContainIgnoringCase("strict-transport-security");

            CheckResult invalid = sites.check(module, "invalid.test");
            assertThat(invalid.findings())
                    .extracting(Finding::code)
                    .containsExactly("certificate_invalid", "hsts_preload_unready");
            assertThat(invalid.verdict()).isEqualTo(Verdict.FAIL);

            WebPorts httpOnly = new WebPorts(sites.ports().http(), sites.closedPort());
            assertThat(sites.check(SheetModule.load(new Hsts(httpOnly)), "plain.test")
                            .findings())
                    .extracting(Finding::code)
                    .containsExactly("https_unavailable");
        }
    }

    /**
     * Apache sends the headers of `Header set` with successful responses only, and those of `Header always set` also
     * with redirects.
     */
    @Tag("integration")
    @ParameterizedTest
    @CsvSource({"Header set, false", "Header always set, true"})
    void agreesWithCurlOnRedirectsOfApache(String directive, boolean present, @TempDir Path folder) throws Exception {
        Vertx vertx = Vertx.vertx();
        try (HttpFixture fixture = HttpFixture.start();
                ApacheServer apache = ApacheServer.start(
                        folder,
                        fixture.identity("apache.test"),
                        "%s Strict-Transport-Security max-age=63072000\nRedirect 301 / https://www.apache.test/"
                                .formatted(directive))) {
            fixture.dns().address("apache.test", "127.0.0.1");
            WebPorts ports = new WebPorts(
                    fixture.url(apache.http("/")).port(),
                    fixture.url(apache.https("/")).port());

            CheckResult result = DomainSites.check(
                    vertx,
                    fixture.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*"))),
                    SheetModule.load(new Hsts(ports)),
                    "apache.test");

            assertThat(result.error()).isNull();
            assertThat(result.fields())
                    .containsEntry("present", present)
                    .containsEntry("max_age", present ? 63_072_000L : null);
            assertThat(Curl.run(apache.https("/"), "--http1.1", "--head").contains("Strict-Transport-Security"))
                    .isEqualTo(present);
        } finally {
            Await.value(vertx.close());
        }
    }

    private static String curl(DomainSites sites, String name) throws Exception {
        int port = sites.ports().https();
        return Curl.run("https://" + name + ":" + port + "/", "--head", "--resolve", name + ":" + port + ":127.0.0.1");
    }

    private static Hsts.Evidence evidence(String header, RedirectTrace http, @Nullable RedirectTrace www) {
        return new Hsts.Evidence(
                "a.test",
                trace(page("https://a.test/", 200, "", "Strict-Transport-Security: " + header)),
                null,
                http,
                www);
    }

    /** The only unmet requirement. */
    private static String unmet(Hsts.Evidence evidence) {
        Evaluation evaluation = evaluate(evidence);
        assertThat(evaluation.fields()).containsEntry("preload", true).containsEntry("preload_ready", false);
        assertThat(codes(evaluation)).contains("hsts_preload_unready");
        List<?> errors = (List<?>) evaluation.fields().get("errors");
        assertThat(errors).hasSize(1);
        return errors.get(0).toString();
    }

    private static Evaluation evaluate(Hsts.Evidence evidence) {
        return MODULE.evaluate(evidence, Options.defaults(MODULE.description()));
    }
}
