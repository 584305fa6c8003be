package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.failedTrace;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static dev.plumbline.module.web.HttpEvidence.url;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpsRedirectTest {
    private static final ModuleDefinition<HttpsRedirect.Evidence> MODULE = SheetModule.load(new HttpsRedirect());
    private static final RedirectTrace HTTPS = trace(page("https://a.test/", 200, ""));

    /**
     * The redirects of http://a.test/ as "STATUS URL", the status of the final page, whether HTTPS is reached, by the
     * first redirect, by permanent redirects, and the findings.
     */
    @ParameterizedTest(name = "{0} {1}")
    @CsvSource({
        "301 https://a.test/, 200, true, true, true, ''",
        "308 https://a.test/x?y, 200, true, true, true, ''",
        "302 https://a.test/, 200, true, true, false, temporary_redirect",
        "301 https://www.a.test/, 200, true, false, true, first_hop_elsewhere",
        "301 http://www.a.test/|301 https://www.a.test/, 200, true, false, true, first_hop_elsewhere",
        "301 https://a.test/|302 https://www.a.test/, 200, true, true, true, ''",
        "301 http://a.test/x|307 https://a.test/x, 200, true, false, false, first_hop_elsewhere temporary_redirect",
        "301 https://a.test/|301 http://b.test/|301 https://b.test/, 200, true, true, true, https_downgrade",
        "301 https://a.test/, 404, true, true, true, ends_in_error",
        "'', 200, false, false, false, http_not_redirected",
        "'', 403, false, false, false, http_refused",
        "301 http://www.a.test/, 200, false, false, false, redirects_to_http",
        "301 https://a.test/|301 http://a.test/x, 200, false, false, false, redirects_to_http"
    })
    void evaluatesTheRedirects(
            String redirects, int status, boolean https, boolean first, boolean permanent, String expected) {
        RedirectTrace http = redirects(redirects, status);
        RedirectTrace secure = http.url().secure() ? null : HTTPS;

        Evaluation evaluation = evaluate(http, null, secure, null);

        assertThat(evaluation.fields())
                .containsEntry("http_status", http.hops().get(0).status())
                .containsEntry("redirects_to_https", https)
                .containsEntry("first_hop_https", first)
                .containsEntry("permanent", permanent)
                .containsEntry("www_consistent", true)
                .containsEntry("final_url", http.url().text());
        assertThat(codes(evaluation))
                .containsExactlyInAnyOrderElementsOf(expected.isEmpty() ? List.of() : List.of(expected.split(" ")));
    }

    @Test
    void reportsHttpsThatDoesNotWork() {
        Evaluation evaluation = evaluate(
                trace(page("http://a.test/", 200, "")),
                null,
                failedTrace(ErrorCode.CONNECT_REFUSED, "https://a.test/"),
                null);

        assertThat(codes(evaluation)).containsExactly("https_unavailable");
        assertThat(evaluation.error()).isNull();
    }

    @Test
    void doesNotReportHttpsAsMissingIfItCouldNotBeChecked() {
        Evaluation evaluation = evaluate(
                trace(page("http://a.test/", 200, "")),
                null,
                failedTrace(ErrorCode.REQUEST_LIMIT, "https://a.test/"),
                null);

        assertThat(codes(evaluation)).containsExactly("http_not_redirected");
    }

    @ParameterizedTest
    @CsvSource({"TLS_UNTRUSTED", "CONNECT_REFUSED", "REDIRECT_LOOP", "TOO_MANY_REDIRECTS"})
    void reportsRedirectsThatDoNotEndAtAPage(ErrorCode code) {
        RedirectTrace http = failedTrace(code, "https://a.test/", redirect("http://a.test/", 301, "https://a.test/"));

        Evaluation evaluation = evaluate(http, null, null, null);

        assertThat(codes(evaluation)).containsExactly("redirects_broken");
        assertThat(evaluation.fields())
                .containsEntry("redirects_to_https", true)
                .containsEntry("final_url", null);
    }

    @Test
    void reportsErrorIfTheTargetIsNotTheCause() {
        RedirectTrace blocked = failedTrace(
                ErrorCode.REDIRECT_BLOCKED, "http://a.test/", redirect("http://a.test/", 301, "http://10.0.0.1/"));

        assertThat(evaluate(blocked, null, null, null).error().code()).isEqualTo(ErrorCode.REDIRECT_BLOCKED);
    }

    @Test
    void acceptsClosedPort80() {
        Evaluation evaluation = evaluate(failedTrace(ErrorCode.CONNECT_REFUSED, "http://a.test/"), HTTPS, null, null);

        assertThat(evaluation.fields())
                .containsEntry("http_status", null)
                .containsEntry("redirects_to_https", false)
                .containsEntry("final_url", "https://a.test/");
        assertThat(codes(evaluation)).containsExactly("http_closed");
        assertThat(Verdict.of(evaluation.findings(), null, false)).isEqualTo(Verdict.PASS);
    }

    @Test
    void reportsErrorIfBothPortsAreClosed() {
        Evaluation evaluation = evaluate(
                failedTrace(ErrorCode.CONNECT_REFUSED, "http://a.test/"),
                failedTrace(ErrorCode.CONNECT_TIMEOUT, "https://a.test/"),
                null,
                null);

        assertThat(evaluation.error().code()).isEqualTo(ErrorCode.CONNECT_TIMEOUT);
    }

    @ParameterizedTest
    @CsvSource({
        "301 https://a.test/?from=www, '', true, ''",
        "301 https://www.a.test/, '', false, www_different",
        "301 https://a.test/en, '', false, www_different",
        "'', DNS_NXDOMAIN, true, ''",
        "'', DNS_NO_DATA, true, ''",
        "'', TLS_UNTRUSTED, false, www_unreachable",
        "'', DNS_TIMEOUT, false, www_unknown"
    })
    void comparesTheVariantWithWww(String redirects, String error, boolean consistent, String expected) {
        RedirectTrace www = error.isEmpty()
                ? redirects(redirects, 200)
                : failedTrace(ErrorCode.valueOf(error), "http://www.a.test/");

        Evaluation evaluation =
                evaluate(redirects("301 https://a.test/", 200), null, null, new HttpsRedirect.Visit(www, null));

        assertThat(evaluation.fields()).containsEntry("www_consistent", consistent);
        assertThat(codes(evaluation)).isEqualTo(expected.isEmpty() ? List.of() : List.of(expected));
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "example.com, www.example.com",
                "www.example.com, example.com",
                "example.co.uk, www.example.co.uk",
                "shop.example.com, -",
                "www.shop.example.com, -"
            })
    void domainHasVariant(String domain, @Nullable String variant) {
        assertThat(HttpsRedirect.variant(domain)).isEqualTo(variant);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginx(@TempDir Path folder) throws Exception {
        try (DomainSites sites = new DomainSites(
                folder,
                Map.of(
                        "good.test", "return 301 https://$host:TLS$request_uri;",
                        "www.good.test", "return 301 https://good.test:TLS$request_uri;",
                        "plain.test", "return 200 plain;",
                        "loop.test", "return 302 http://$host:PLAIN/;",
                        "invalid.test", "return 308 https://$host:TLS/;"),
                Map.of(
                        "good.test", "return 200 ok;",
                        "plain.test", "return 200 ok;",
                        "www.plain.test", "return 200 other;",
                        "invalid.test", "return 200 ok;"))) {
            ModuleDefinition<HttpsRedirect.Evidence> module = SheetModule.load(new HttpsRedirect(sites.ports()));

            CheckResult good = sites.check(module, "good.test");
            assertThat(good.verdict()).as(good.findings().toString()).isEqualTo(Verdict.PASS);
            assertThat(good.findings()).isEmpty();
            assertAgrees(sites, good, "good.test");
            CheckResult www = sites.check(module, "www.good.test");
            assertThat(www.findings()).extracting(Finding::code).containsExactly("first_hop_elsewhere");
            assertAgrees(sites, www, "www.good.test");
            CheckResult plain = sites.check(module, "plain.test");
            assertThat(plain.findings())
                    .extracting(Finding::code)
                    .containsExactly("http_not_redirected", "www_different");
            assertAgrees(sites, plain, "plain.test");

            assertThat(codesOf(sites.check(module, "loop.test"))).containsExactly("redirects_broken");
            assertThat(codesOf(sites.check(module, "invalid.test"))).containsExactly("redirects_broken");
            WebPorts httpsOnly = new WebPorts(sites.closedPort(), sites.ports().https());
            assertThat(codesOf(sites.check(SheetModule.load(new HttpsRedirect(httpsOnly)), "good.test")))
                    .containsExactly("www_unreachable", "http_closed");
            WebPorts httpOnly = new WebPorts(sites.ports().http(), sites.closedPort());
            assertThat(codesOf(sites.check(SheetModule.load(new HttpsRedirect(httpOnly)), "plain.test")))
                    .contains("https_unavailable");
        }
    }

    private static List<String> codesOf(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static void assertAgrees(DomainSites sites, CheckResult result, String name) throws Exception {
        WebPorts ports = sites.ports();
        List<String> options = new ArrayList<>(List.of("--location", "--output", "/dev/null"));
        for (String host : List.of("good.test", "www.good.test", name)) {
            for (int port : List.of(ports.http(), ports.https())) {
                options.addAll(List.of("--resolve", host + ":" + port + ":127.0.0.1"));
            }
        }
        options.addAll(List.of("--write-out", "%{url_effective}"));
        String url = "http://" + name + ":" + ports.http() + "/";

        assertThat(result.fields()).containsEntry("final_url", Curl.run(url, options.toArray(String[]::new)));
    }

    /** A trace from redirects in the form "STATUS URL", separated by a bar. */
    private static RedirectTrace redirects(String redirects, int status) {
        List<HttpExchange> hops = new ArrayList<>();
        String url = "http://a.test/";
        for (String redirect : redirects.isEmpty() ? new String[0] : redirects.split("\\|")) {
            String[] parts = redirect.split(" ", 2);
            hops.add(redirect(url, Integer.parseInt(parts[0]), parts[1]));
            url = parts[1];
        }
        hops.add(page(url, status, ""));
        return new RedirectTrace(hops, url(url), null);
    }

    private static Evaluation evaluate(
            RedirectTrace http,
            @Nullable RedirectTrace fallback,
            @Nullable RedirectTrace https,
            HttpsRedirect.@Nullable Visit www) {
        return MODULE.evaluate(
                new HttpsRedirect.Evidence("a.test", new HttpsRedirect.Visit(http, fallback), https, www),
                Options.defaults(MODULE.description()));
    }
}
