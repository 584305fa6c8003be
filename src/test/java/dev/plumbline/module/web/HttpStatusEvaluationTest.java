package dev.plumbline.module.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.probe.http.HttpBody;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpHeader;
import dev.plumbline.probe.http.HttpRequestSpec;
import dev.plumbline.probe.http.HttpTimings;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.probe.http.ResponseHeaders;
import dev.plumbline.probe.http.TestBodies;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.Target;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class HttpStatusEvaluationTest {
    private static final ModuleDefinition<HttpStatus.Evidence> MODULE = SheetModule.load(new HttpStatus());
    private static final HttpRequestSpec.Method HEAD = HttpRequestSpec.Method.HEAD;
    private static final HttpRequestSpec.Method GET = HttpRequestSpec.Method.GET;

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                "200, -, true, PASS, -",
                "204, -, true, PASS, -",
                "299, -, true, PASS, -",
                "304, -, false, WARN, status_unusual",
                "300, -, false, WARN, status_unusual",
                "302, -, false, WARN, status_unusual",
                "400, -, false, FAIL, status_client_error",
                "404, -, false, FAIL, status_client_error",
                "418, -, false, FAIL, status_client_error",
                "500, -, false, FAIL, status_server_error",
                "599, -, false, FAIL, status_server_error",
                "999, -, false, WARN, status_unusual",
                "404, 404, true, PASS, -",
                "404, '200,400-499', true, PASS, -",
                "302, 3xx, true, PASS, -",
                "200, 2xx, true, PASS, -",
                "200, '201,204', false, FAIL, expected_status_mismatch",
                "500, 2xx, false, FAIL, expected_status_mismatch"
            })
    void evaluatesStatusCode(
            int status, @Nullable String expected, boolean ok, Verdict verdict, @Nullable String code) {
        Map<String, ?> options = expected == null ? Map.of() : Map.of("expect_status", expected);

        Evaluation evaluation = evaluate(options, trace(exchange("https://a.test/", HEAD, status)));

        assertThat(evaluation.fields()).containsEntry("ok", ok).containsEntry("status", status);
        assertThat(verdict(evaluation)).isEqualTo(verdict);
        if (code != null) {
            assertThat(codes(evaluation)).contains(code);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"200", "2xx", "200,301-308", "9xx"})
    void acceptsCodesClassesAndRanges(String text) {
        assertThat(matchesExpectation(text)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "20", "2000", "xx2", "200,", "200;500", "200-", "0xx", "ok", "*"})
    void rejectsOtherExpectations(String text) {
        assertThat(matchesExpectation(text)).isFalse();
    }

    @Test
    void fillsEveryDeclaredFieldWithoutResponse() {
        CheckError refused = new CheckError(ErrorCode.CONNECT_REFUSED, "The connection was refused.");
        Evaluation evaluation = evaluate(Map.of(), new RedirectTrace(List.of(), url("http://a.test/"), refused));

        assertThat(evaluation.fields().keySet())
                .containsExactlyElementsOf(MODULE.description().fields().stream()
                        .map(FieldDescription::name)
                        .toList());
        assertThat(evaluation.error()).isEqualTo(refused);
        assertThat(evaluation.findings()).isEmpty();
        assertThat(evaluation.fields())
                .containsEntry("ok", false)
                .containsEntry("status", null)
                .containsEntry("blocked_suspected", null)
                .containsEntry("soft_404_suspected", null)
                .containsEntry("final_url", "http://a.test/")
                .containsEntry("redirect_count", 0)
                .containsEntry("method_used", "head")
                .containsEntry("attempts", 1);
        assertThat(verdict(evaluation)).isEqualTo(Verdict.FAIL);
    }

    @Test
    void listsRedirects() {
        Evaluation evaluation = evaluate(
                Map.of(),
                new RedirectTrace(
                        List.of(
                                exchange("https://a.test/", HEAD, 301, "location", "https://b.test/"),
                                exchange("https://b.test/", HEAD, 200)),
                        url("https://b.test/"),
                        null));

        assertThat(evaluation.fields())
                .containsEntry("redirect_count", 1)
                .containsEntry("final_url", "https://b.test/")
                .containsEntry("status", 200);
        assertThat(evaluation.fields().get("redirects"))
                .asString()
                .contains("url=https://a.test/, status=301, location=https://b.test/, time_ms=12");
        assertThat(codes(evaluation)).contains("permanent_redirect").doesNotContain("redirected");
    }

    @Test
    void countsBlockedRedirect() {
        CheckError blocked = new CheckError(ErrorCode.REDIRECT_BLOCKED, "A redirect leads to a private address.");
        Evaluation evaluation = evaluate(
                Map.of(),
                new RedirectTrace(
                        List.of(exchange("http://a.test/", HEAD, 302, "location", "http://10.0.0.1/")),
                        url("http://a.test/"),
                        blocked));

        assertThat(evaluation.fields())
                .containsEntry("redirect_count", 1)
                .containsEntry("status", 302)
                .containsEntry("ok", false);
        assertThat(verdict(evaluation)).isEqualTo(Verdict.ERROR);
        assertThat(codes(evaluation)).containsExactly("redirected");
    }

    @Test
    void warnsAboutLongChainsAndDowngrades() {
        HttpExchange[] hops = new HttpExchange[5];
        for (int i = 0; i < 4; i++) {
            String next = i == 3 ? "http://a.test/end" : "https://a.test/" + (i + 1);
            hops[i] = exchange("https://a.test/" + i, HEAD, 302, "location", next);
        }
        hops[4] = exchange("http://a.test/end", HEAD, 200);

        Evaluation evaluation = evaluate(Map.of(), new RedirectTrace(Arrays.asList(hops), hops[4].url(), null));

        assertThat(codes(evaluation)).contains("redirected", "long_redirect_chain", "https_downgrade", "plain_http");
        assertThat(verdict(evaluation)).isEqualTo(Verdict.WARN);
    }

    @Test
    void reportsRedirectThatWasNotFollowed() {
        Evaluation evaluation = evaluate(
                Map.of("follow_redirects", false), trace(exchange("https://a.test/", HEAD, 301, "location", "/x")));

        assertThat(codes(evaluation)).contains("redirect_not_followed");
        assertThat(evaluation.fields()).containsEntry("redirect_count", 0).containsEntry("ok", false);
    }

    @Test
    void searchesPageForText() {
        Map<String, ?> options = Map.of("contains", "needle");

        Evaluation there = evaluate(options, trace(page("https://a.test/", "a needle")));
        Evaluation missing = evaluate(options, trace(page("https://a.test/", "hay")));
        Evaluation unread = evaluate(options, trace(exchange("https://a.test/", HEAD, 200)));
        Evaluation compress =
                evaluate(options, trace(page("https://a.test/", "needle", "content-encoding", "compress")));

        assertThat(there.fields()).containsEntry("contains_matched", true);
        assertThat(codes(there)).doesNotContain("text_missing", "text_not_checked");
        assertThat(missing.fields()).containsEntry("contains_matched", false);
        assertThat(codes(missing)).contains("text_missing");
        assertThat(unread.fields()).containsEntry("contains_matched", null);
        assertThat(codes(unread)).contains("text_not_checked");
        assertThat(codes(compress)).contains("text_not_checked");
    }

    @Test
    void reportsDifferenceBetweenHeadAndGet() {
        Evaluation evaluation = evaluate(
                Map.of(), trace(exchange("https://a.test/", HEAD, 405)), trace(page("https://a.test/", "well")));

        assertThat(evaluation.fields())
                .containsEntry("attempts", 2)
                .containsEntry("method_used", "get")
                .containsEntry("status", 200)
                .containsEntry("content_length", 4L);
        assertThat(codes(evaluation)).contains("head_refused");
    }

    @ParameterizedTest
    @CsvSource({
        "403, cf-mitigated, challenge, '', true",
        "200, cf-mitigated, challenge, '', true",
        "403, server, cloudflare, '', true",
        "503, server, AkamaiGHost, '', true",
        "403, server, nginx, '', false",
        "404, server, cloudflare, '', false",
        "200, server, cloudflare, 'captcha', false",
        "403, x-datadome, protected, '', true",
        "200, x-datadome, protected, '', false",
        "403, server, x, '<title>Just a moment...</title>', true",
        "429, server, x, 'Pardon Our Interruption', true",
        "200, server, x, '<p>please verify you are a human (captcha)', true",
        "200, server, x, '<p>an article on DDoS protection by somebody', false"
    })
    void detectsBotProtection(int status, String header, String value, String body, boolean suspected) {
        Evaluation evaluation = evaluate(
                Map.of(), trace(exchange("https://a.test/", GET, status, TestBodies.of(body), List.of(header, value))));

        assertThat(evaluation.fields()).containsEntry("blocked_suspected", suspected);
        assertThat(codes(evaluation).contains("blocked_suspected")).isEqualTo(suspected);
    }

    @ParameterizedTest
    @CsvSource({
        "200, '<title>Page not found</title>', true",
        "200, '<TITLE lang=de>Seite nicht gefunden</TITLE>', true",
        "200, '<title>404</title>', true",
        "200, '<title>Area 4045</title>', false",
        "200, '<title>Shop</title><p>not found', false",
        "404, '<title>Page not found</title>', false"
    })
    void detectsSoft404(int status, String body, boolean suspected) {
        Evaluation evaluation =
                evaluate(Map.of(), trace(exchange("https://a.test/", GET, status, TestBodies.of(body), List.of())));

        assertThat(evaluation.fields()).containsEntry("soft_404_suspected", suspected);
    }

    @Test
    void detectsRedirectToErrorPage() {
        Evaluation evaluation = evaluate(
                Map.of(),
                new RedirectTrace(
                        List.of(
                                exchange("https://a.test/x", HEAD, 302, "location", "/404.html"),
                                exchange("https://a.test/404.html", HEAD, 200)),
                        url("https://a.test/404.html"),
                        null));

        assertThat(evaluation.fields()).containsEntry("soft_404_suspected", true);
    }

    @Test
    void sendsGetOnlyIfResponseMayDiffer() {
        for (int status : new int[] {400, 403, 404, 405, 500, 501, 503}) {
            assertThat(HttpStatus.rejectsHead(trace(exchange("http://a.test/", HEAD, status)), Instant.EPOCH))
                    .isTrue();
        }
        for (int status : new int[] {200, 204, 301, 304, 401, 410, 429}) {
            assertThat(HttpStatus.rejectsHead(trace(exchange("http://a.test/", HEAD, status)), Instant.EPOCH))
                    .isFalse();
        }
    }

    private static boolean matchesExpectation(String text) {
        OptionDescription option = MODULE.description().options().stream()
                .filter(each -> each.name().equals("expect_status"))
                .findFirst()
                .orElseThrow();
        return option.pattern().matcher(text).matches();
    }

    private static Evaluation evaluate(Map<String, ?> raw, RedirectTrace... traces) {
        Options.Parsed parsed = Options.parse(MODULE.description(), raw);
        assertThat(parsed.faults()).isEmpty();
        assertThat(parsed.options()).isNotNull();
        try {
            return MODULE.evaluate(HttpStatus.Evidence.of(List.of(traces), Instant.EPOCH), parsed.options());
        } catch (CheckFailure notDecoded) {
            throw new AssertionError(notDecoded);
        }
    }

    private static Verdict verdict(Evaluation evaluation) {
        return Verdict.of(
                evaluation.findings(), evaluation.error(), MODULE.description().reachability());
    }

    private static List<String> codes(Evaluation evaluation) {
        return evaluation.findings().stream().map(Finding::code).toList();
    }

    private static RedirectTrace trace(HttpExchange exchange) {
        return new RedirectTrace(List.of(exchange), exchange.url(), null);
    }

    private static HttpExchange page(String url, String body, String... headers) {
        return exchange(url, GET, 200, TestBodies.of(body), List.of(headers));
    }

    private static HttpExchange exchange(String url, HttpRequestSpec.Method method, int status, String... headers) {
        return exchange(url, method, status, TestBodies.of(""), List.of(headers));
    }

    private static HttpExchange exchange(
            String url, HttpRequestSpec.Method method, int status, HttpBody body, List<String> headers) {
        List<HttpHeader> lines = new java.util.ArrayList<>();
        for (int i = 0; i < headers.size(); i += 2) {
            lines.add(new HttpHeader(headers.get(i), headers.get(i + 1)));
        }
        return new HttpExchange(
                url(url),
                method,
                status,
                "Lab",
                "2",
                "h2",
                new ResponseHeaders(lines),
                body,
                "192.0.2.1",
                new HttpTimings(1, 2, 3.0, 4, 2, 12.3),
                null);
    }

    private static Target.Url url(String text) {
        java.net.URI uri = java.net.URI.create(text);
        return new Target.Url(
                uri.getScheme(),
                new Host(uri.getHost(), null),
                Target.Url.defaultPort(uri.getScheme()),
                uri.getRawPath());
    }
}
