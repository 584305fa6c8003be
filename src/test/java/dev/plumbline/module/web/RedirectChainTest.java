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
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RedirectChainTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<RedirectChain.Evidence> MODULE = SheetModule.load(new RedirectChain());

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "/ok, 0, 200, PASS, -",
                "/redirect/301, 1, 200, PASS, -",
                "/redirect/302, 1, 200, PASS, -",
                "/redirect/303, 1, 200, PASS, -",
                "/redirect/307, 1, 200, PASS, -",
                "/redirect/308, 1, 200, PASS, -",
                "/redirect/deep/relative, 2, 200, PASS, -",
                "/redirect/scheme-relative, 1, 200, PASS, -",
                "/redirect/fragment, 1, 200, PASS, -",
                "/redirect/dots, 1, 200, PASS, -",
                "/redirect/two-locations, 1, 200, PASS, -",
                "/redirect/non-ascii, 1, 404, FAIL, -",
                "/redirect/endless-body, 1, 200, PASS, -",
                "/redirect/no-location, 0, 302, WARN, -",
                "/redirect/empty-location, 0, 302, WARN, -",
                "/redirect/chain/10, 10, 200, WARN, -",
                "/redirect/chain/11, 11, -, FAIL, too_many_redirects",
                "/redirect/loop, 1, -, FAIL, redirect_loop",
                "/redirect/ping, 2, -, FAIL, redirect_loop",
                "/status/503, 0, 503, FAIL, -",
                "/redirect/blocked/302/metadata, 1, -, ERROR, redirect_blocked",
                "/redirect/blocked/javascript, 1, -, ERROR, redirect_blocked",
                "/closed, 0, -, ERROR, connection_reset"
            })
    void reportsTheChainOfEachUrl(
            String path, int count, @Nullable Integer status, Verdict verdict, @Nullable String error) {
        CheckResult result = FIXTURE.check(MODULE, path, "");

        assertThat(result.error() == null ? null : result.error().code().id()).isEqualTo(error);
        assertThat(result.fields())
                .containsEntry("hop_count", count)
                .containsEntry("final_status", status)
                .containsEntry("loop", "redirect_loop".equals(error));
        assertThat(result.verdict()).isEqualTo(verdict);
    }

    @Test
    void followsAtMostMaxRedirects() {
        CheckResult result = FIXTURE.check(MODULE, "/redirect/chain/9", "max_redirects=2");

        assertThat(result.fields()).containsEntry("hop_count", 3);
        assertThat(result.findings())
                .extracting(Finding::message)
                .contains("The number of redirects exceeds `max_redirects` (2).");
    }

    @ParameterizedTest
    @CsvSource({
        "0, The response is a redirect. Redirects are not followed.",
        "1, The URL redirects more than once.",
        "2, The URL redirects more than 2 times."
    })
    void reportsTooManyRedirects(int max, String message) {
        CheckResult result = FIXTURE.check(MODULE, "/redirect/chain/9", "max_redirects=" + max);

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(result.error().message()).isEqualTo(message);
        assertThat(result.findings())
                .extracting(Finding::message)
                .contains("The number of redirects exceeds `max_redirects` (" + max + ").");
        assertThat(result.findings())
                .extracting(Finding::code)
                .doesNotContain("several_redirects", "long_redirect_chain");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 5})
    void reportsNoFurtherFindingsOfALoop(int length) {
        List<HttpExchange> hops = new ArrayList<>();
        for (int i = 0; i < length; i++) {
            hops.add(redirect("https://a.test/" + i, i == 1 ? 301 : 302, "/" + (i + 1) % length));
        }

        Evaluation evaluation =
                evaluate(failedTrace(ErrorCode.REDIRECT_LOOP, "https://a.test/0", hops.toArray(HttpExchange[]::new)));

        assertThat(codes(evaluation)).containsExactly("redirect_loop");
        assertThat(evaluation.fields()).containsEntry("final_url", "https://a.test/0");
    }

    @ParameterizedTest
    @CsvSource({
        "/redirect/non-ascii, /status/404?café |, /status/404?caf%C3%A9%20|",
        "/redirect/raw-utf8, /status/404?ツ, /status/404?%E3%83%84",
        "/redirect/raw-latin1, /status/404?café, /status/404?caf%E9"
    })
    void returnsTheLocationAsSentAndFollowsItsBytes(String path, String location, String requested) {
        CheckResult result = FIXTURE.check(MODULE, path, "");

        assertThat((List<?>) result.fields().get("hops"))
                .extracting(hop -> ((Map<?, ?>) hop).get("location"))
                .isEqualTo(List.of(location));
        assertThat((String) result.fields().get("final_url")).endsWith(requested);
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(strings = {"/", "/a", "/loop", "/mixed", "/down", "/lost", "/up"})
    void agreesWithCurlOnNginx(String path) throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                """
            location = / { return 200 "nginx"; }
            location = /a { return 301 b?c=d#e; }
            location = /b { return 302 //$http_host/; }
            location = /mixed { return 308 /a; }
            location = /loop { return 302 /loop; }
            location = /down { if ($scheme = https) { return 301 http://$host:1/; } return 302 /; }
            location = /up { return 301 https://127.0.0.1:TLS/; }
            location / { return 404; }
            """)) {
            HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));

            CheckResult result = FIXTURE.check(MODULE, probe, nginx.http(path), "");

            if (result.error() == null) {
                assertThat("%s %s %s"
                                .formatted(
                                        result.fields().get("final_status"),
                                        result.fields().get("hop_count"),
                                        result.fields().get("final_url")))
                        .isEqualTo(Curl.run(
                                nginx.http(path),
                                "--location",
                                "--output",
                                "/dev/null",
                                "--write-out",
                                "%{http_code} %{num_redirects} %{url_effective}"));
            } else {
                assertThat(path).isEqualTo("/loop");
                assertThat(Curl.run(nginx.http(path), "--output", "/dev/null", "--write-out", "%{redirect_url}"))
                        .isEqualTo(nginx.http(path));
            }
        }
    }

    @Test
    void returnsEveryRedirect() {
        Evaluation evaluation = evaluate(trace(
                redirect("http://a.test/x", 301, "/y"),
                redirect("http://a.test/y", 302, "https://a.test/"),
                page("https://a.test/", 200, "")));

        assertThat(evaluation.fields())
                .containsEntry(
                        "hops",
                        List.of(
                                Map.of(
                                        "url",
                                        "http://a.test/x",
                                        "status",
                                        301,
                                        "location",
                                        "/y",
                                        "time_ms",
                                        7L,
                                        "ip",
                                        "192.0.2.1"),
                                Map.of(
                                        "url",
                                        "http://a.test/y",
                                        "status",
                                        302,
                                        "location",
                                        "https://a.test/",
                                        "time_ms",
                                        7L,
                                        "ip",
                                        "192.0.2.1")))
                .containsEntry("final_url", "https://a.test/")
                .containsEntry("mixed_permanence", true)
                .containsEntry("https_downgrade", false)
                .containsEntry("cross_domain", false);
        assertThat(codes(evaluation)).containsExactly("several_redirects", "mixed_permanence");
    }

    @ParameterizedTest
    @CsvSource({
        "https://a.test/, http://a.test/, true, false",
        "http://a.test/, https://a.test/, false, false",
        "https://a.test/, https://www.a.test/, false, false",
        "https://a.co.uk/, https://b.co.uk/, false, true",
        "https://a.github.io/, https://b.github.io/, false, true",
        "https://a.example/, https://a.test/, false, true",
        "https://192.0.2.1/, https://192.0.2.1/x, false, false",
        "https://192.0.2.1/, https://198.51.2.1/, false, true",
        "https://xn--bcher-kva.example/, https://www.bücher.example/, false, false"
    })
    void detectsDowngradesAndCrossDomainRedirects(String from, String to, boolean downgrade, boolean crossDomain) {
        Evaluation evaluation = evaluate(trace(redirect(from, 301, to), page(to, 200, "")));

        assertThat(evaluation.fields())
                .containsEntry("https_downgrade", downgrade)
                .containsEntry("cross_domain", crossDomain);
        assertThat(codes(evaluation).contains("https_downgrade")).isEqualTo(downgrade);
        assertThat(codes(evaluation).contains("cross_domain")).isEqualTo(crossDomain);
    }

    @Test
    void reportsAnotherDomainInTheMiddleOfTheChain() {
        Evaluation evaluation = evaluate(trace(
                redirect("https://a.test/", 302, "https://b.example/"),
                redirect("https://b.example/", 302, "https://a.test/in"),
                page("https://a.test/in", 200, "")));

        assertThat(evaluation.fields()).containsEntry("cross_domain", true);
    }

    @ParameterizedTest
    @CsvSource({
        "1, -",
        "2, several_redirects",
        "3, several_redirects",
        "4, long_redirect_chain",
        "9, long_redirect_chain"
    })
    void reportsTheLengthOfTheChain(int redirects, String code) {
        List<HttpExchange> hops = new ArrayList<>();
        for (int i = 0; i < redirects; i++) {
            hops.add(redirect("https://a.test/" + i, 301, "/" + (i + 1)));
        }
        hops.add(page("https://a.test/" + redirects, 200, ""));

        assertThat(codes(evaluate(trace(hops.toArray(HttpExchange[]::new)))))
                .isEqualTo(code.equals("-") ? List.of() : List.of(code));
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '`',
            value = {
                "/a b, true",
                "/café, true",
                "/a|b, true",
                "/a%20b, false",
                "?x=[1]#top, false",
                "//b.test:8080/~a/*, false"
            })
    void reportsAMalformedLocation(String location, boolean malformed) {
        Evaluation evaluation =
                evaluate(trace(redirect("https://a.test/", 301, location), page("https://a.test/", 200, "")));

        assertThat(codes(evaluation).contains("location_malformed")).isEqualTo(malformed);
    }

    @Test
    void reportsARefreshHeader() {
        assertThat(codes(evaluate(trace(page("https://a.test/", 200, "", "Refresh: 0; url=/b")))))
                .containsExactly("refresh_not_followed");
    }

    @Test
    void returnsTheRedirectsBeforeAFailure() {
        Evaluation evaluation = evaluate(failedTrace(
                ErrorCode.CONNECT_REFUSED, "http://b.test/", redirect("https://a.test/", 301, "http://b.test/")));

        assertThat(evaluation.fields())
                .containsEntry("hop_count", 1)
                .containsEntry("final_url", "http://b.test/")
                .containsEntry("final_status", null)
                .containsEntry("https_downgrade", true);
        assertThat(evaluation.error()).isNotNull();
    }

    private static Evaluation evaluate(RedirectTrace trace) {
        return MODULE.evaluate(
                new RedirectChain.Evidence(trace, Instant.EPOCH), Options.defaults(MODULE.description()));
    }
}
