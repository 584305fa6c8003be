package dev.plumbline.module.web;

import static dev.plumbline.lab.VirtualHosts.responding;
import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.config.Config;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.VirtualHosts;
import dev.plumbline.module.web.page.ParsedPage;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.jsoup.Jsoup;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageLinksTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<PageLinks.Evidence> MODULE = SheetModule.load(new PageLinks());
    private static final AtomicInteger REQUESTS = new AtomicInteger();

    private static final HttpProbe PROBE = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.1/32"), List.of("*")));
    private static VirtualHosts sites;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        Map<String, Consumer<HttpServerRequest>> all = new LinkedHashMap<>();
        all.put("site", request -> {
            REQUESTS.incrementAndGet();
            int status = request.path().startsWith("/status/")
                    ? Integer.parseInt(request.path().substring("/status/".length()))
                    : 200;
            if (request.method().name().equals("HEAD")) {
                status = 405;
            }
            request.response()
                    .setStatusCode(status)
                    .putHeader("content-type", "text/html")
                    .end(request.path().equals("/many") ? many() : linkedPage());
        });
        all.put("other", responding(404, "text/html", "no"));
        sites = FIXTURE.sites(all);
    }

    private static String linkedPage() {
        return """
            <a href=/status/200>ok</a> <a href=/status/301>moved</a> <a href=/status/404>missing</a>
            <a href=/status/410>gone</a> <a href=/status/500>error</a> <a href=/status/503>busy</a>
            <a href=/status/429>limited</a> <a href=/status/403>restricted</a> <a href='%s'>other</a>
            <a href=http://missing.sites.test/>unknown</a> <a href=http://inside.lab.test/>inside</a>
            <a href=http://127.0.0.1:%d/>refused</a> <a href=mailto:a@b.test>mail</a>
            """
                .formatted(sites.url("other", "/"), FIXTURE.closedPort());
    }

    private static String many() {
        return IntStream.range(0, 40)
                .mapToObj(i -> "<a href='/page/" + i + "'>p" + i + "</a>")
                .collect(Collectors.joining());
    }

    /** The body, and the listed links as {@code url text [rel]}. */
    @ParameterizedTest(name = "{index}: {0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "<a href=/b>B</a> | https://a.test/b B",
                "<a href=b#x>B</a><a href=b#y>C</a> | https://a.test/d/b B",
                "<a href=#top>T</a><a href=' #x'>T</a><a>T</a><a name=x>T</a> | -",
                "<a href=//b.test>B</a> | https://b.test/ B",
                "<a href='HTTPS://B.test:443/é?q=ü'>B</a> | https://b.test/%C3%A9?q=%C3%BC B",
                "<base href=https://c.test/x/><a href=y>Y</a> | https://c.test/x/y Y",
                "<a href=y>Y</a><base href=https://c.test/x/><base href=https://e.test/> | https://c.test/x/y Y",
                "<base href='javascript:x'><a href=y>Y</a> | https://a.test/d/y Y",
                "<a href=/b rel='NoFollow noopener'>B</a> | https://a.test/b B [nofollow noopener]",
                "<a href=/b rel=nofollow>B</a><a href=/b>C</a> | https://a.test/b B",
                "<a href=/b></a><a href=/b>C</a> | https://a.test/b C",
                "<a href=/b><img alt='An image'></a> | https://a.test/b An image",
                "<a href=/b aria-label=Label><i></i></a> | https://a.test/b Label",
                "<a href=/b>A <b>b</b>c<br>d &amp; e</a> | https://a.test/b A bc d & e",
                "<a href=/b>B<a href=/c>C</a> | https://a.test/b B, https://a.test/c C",
                "<map><area href=/b alt=B></map> | https://a.test/b B",
                "<svg><a xlink:href=/b></a></svg> | https://a.test/b ``",
                "<template><a href=/b>B</a></template><noscript><a href=/c>C</a></noscript> | -",
                "<!-- <a href=/b>B</a> --><script>'<a href=/c>'</script> | -",
                "<a href='mailto:a@b.test'>M</a><a href='tel:+1'>T</a><a href='javascript:x'>J</a> | -",
                "<a href='http://[::1'>x</a><a href='https://a b/'>x</a> | -"
            })
    void listsLinksLikeBrowsers(String body, @Nullable String expected) {
        LinkCollector.Links links = links(page("https://a.test/d/", 200, body, "Content-Type: text/html"));

        String actual = links.links().stream()
                .map(link -> link.url().text() + " " + link.text()
                        + (link.rel().isEmpty() ? "" : " [" + String.join(" ", link.rel()) + "]"))
                .collect(Collectors.joining(", "));
        assertThat(actual.strip())
                .isEqualTo(expected == null ? "" : expected.replace("``", "").strip());
    }

    @ParameterizedTest(name = "{index}: {0}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<a href=/b>B</a> | ``",
                "`` | not_a_page",
                "<p>no links | ``",
                "<a href=http://b.test/>B</a> | links_insecure",
                "<a href=/b></a> | link_text_missing",
                "<a href=/b aria-labelledby=x></a> | ``",
                "<a href=/b><svg><path></svg></a> | ``",
                "<a href=/b></a><a href=/b>B</a> | link_text_missing",
                "<a href=mailto:x>M</a> | other_schemes",
                "<a href='https://'>x</a> | links_invalid",
                "<meta name=ROBOTS content='noindex, NOFOLLOW'><a href=/b>B</a> | page_nofollow",
                "<meta name=googlebot content=nofollow><a href=/b>B</a> | ``"
            })
    void reportsFindings(String body, String code) {
        Evaluation evaluation = evaluate(page("https://a.test/", 200, body, "Content-Type: text/html"), Map.of());

        assertThat(codes(evaluation)).isEqualTo(code.isEmpty() ? List.of() : List.of(code));
    }

    /** URLs have 1.8 KiB. A long base URL is part of each; references to the same URL count, too. */
    @ParameterizedTest
    @CsvSource({"500, false", "600, true"})
    void countsLinksUpToOneMebibyteOfUrls(int count, boolean truncated) {
        String path = "/" + "d/".repeat(900);
        for (String reference : List.of("%d", path + "#%d")) {
            String body = "<base href='https://a.test" + path + "'>"
                    + IntStream.range(0, count)
                            .mapToObj(i -> "<a href='" + reference.formatted(i) + "'>B</a>")
                            .collect(Collectors.joining());

            Evaluation evaluation = evaluate(page("https://a.test/", 200, body, "Content-Type: text/html"), Map.of());

            assertThat(codes(evaluation).contains("links_truncated")).isEqualTo(truncated);
        }
    }

    @Test
    void reportsNofollowOfHeaderAndStatusOfErrorPage() {
        HttpExchange page =
                page("https://a.test/", 404, "<a href=/b>B</a>", "Content-Type: text/html", "X-Robots-Tag: none");

        assertThat(codes(evaluate(page, Map.of()))).containsExactly("error_page", "page_nofollow");
    }

    @Test
    void countsAndSelectsByScopeAndLimit() {
        HttpExchange page = page(
                "https://www.a.test/",
                200,
                "<a href=/1>1</a><a href=https://a.test/2 rel=ugc>2</a><a href=https://b.test/ rel=sponsored>3</a>"
                        + "<a href=https://sub.a.test/>4</a>",
                "Content-Type: text/html");

        Evaluation internal = evaluate(page, Map.of("scope", "internal", "limit", 1));

        assertThat(internal.fields())
                .containsEntry("link_count", 4)
                .containsEntry("internal_count", 2)
                .containsEntry("external_count", 2)
                .containsEntry("nofollow_count", 2)
                .containsEntry("broken_count", null);
        assertThat((List<?>) internal.fields().get("links")).hasSize(1);
        assertThat(codes(internal)).containsExactly("links_not_listed");
        assertThat((List<?>)
                        evaluate(page, Map.of("scope", "external")).fields().get("links"))
                .hasSize(2);
    }

    @Test
    void requestsLinksAndReportsBrokenOnes() {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("site", "/"), "check=true");

        assertThat(result.verdict()).isEqualTo(Verdict.WARN);
        assertThat(statuses(result).values())
                .containsExactly(200, 301, 404, 410, 500, 503, 429, 403, 404, null, null, null);
        assertThat(result.fields()).containsEntry("link_count", 12).containsEntry("broken_count", 6);
        assertThat(result.findings())
                .extracting(Finding::code)
                .containsExactly("links_broken", "links_not_available", "links_not_checked", "other_schemes");
        assertThat(message(result, "links_broken"))
                .contains("/status/404 (404)", "(dns_nxdomain)", "6 of the requested")
                .doesNotContain("inside");
        assertThat(message(result, "links_not_available")).contains("(503)", "(429)", "(403)");
        assertThat(message(result, "links_not_checked")).contains("http://inside.lab.test/ (target_blocked)");
    }

    @Test
    void requestsAtMostTheFirst24Links() {
        REQUESTS.set(0);

        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("site", "/many"), "check=true");

        assertThat(REQUESTS).hasValue(25);
        assertThat(statuses(result).values())
                .filteredOn(status -> status != null)
                .hasSize(24);
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(message(result, "links_not_checked")).contains("status code: 16.");
    }

    @Test
    void reportsLinksThatTheRateLimitDelaysTooLong() {
        HttpProbe slow = FIXTURE.probe(
                HttpFixture.policy(List.of("127.0.0.1/32"), List.of("*")), new Config.OutboundLimit(1, 0));
        REQUESTS.set(0);

        CheckResult result = FIXTURE.check(MODULE, slow, sites.url("site", "/many"), "check=true&timeout_ms=2500");

        assertThat(REQUESTS).hasValueBetween(1, 4);
        assertThat(message(result, "links_not_checked")).contains("deadline_exceeded");
        assertThat(result.fields()).containsEntry("broken_count", 0);
    }

    @ParameterizedTest
    @CsvSource({
        "/links, PASS, -",
        "/page, PASS, -",
        "/ok, FAIL, -",
        "/bomb/gzip, FAIL, -",
        "/drip/body, ERROR, read_timeout",
        "/redirect/loop, ERROR, redirect_loop",
        "/closed, ERROR, connection_reset"
    })
    void evaluatesLabPages(String path, Verdict verdict, String error) {
        CheckResult result = FIXTURE.check(MODULE, path, path.startsWith("/drip") ? "timeout_ms=2000" : "");

        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        assertThat(result.error() == null ? "-" : result.error().code().id()).isEqualTo(error);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlAndJsoupOnNginx() throws Exception {
        String server = "root FOLDER/www; types { text/html html; } location /old { return 301 /; } "
                + "location /busy { return 503; } location /closed { deny all; }";
        try (NginxServer nginx = NginxServer.start(folder, FIXTURE.identity(), server)) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(
                    www.resolve("index.html"),
                    "<title>x</title><a href=/>Home</a><a href=missing>M</a><p><a href='./old?a=1&amp;b=2'>O</a>"
                            + "<a href=/busy>B</a><a href=/closed rel=nofollow>C</a>");

            CheckResult result = FIXTURE.check(MODULE, PROBE, nginx.https("/"), "check=true");

            Map<String, Integer> expected = new LinkedHashMap<>();
            for (String url : Jsoup.parse(Curl.run(nginx.https("/")), nginx.https("/"))
                    .select("a[href]")
                    .eachAttr("abs:href")) {
                expected.put(
                        url, Integer.valueOf(Curl.run(url, "--output", "/dev/null", "--write-out", "%{http_code}")));
            }
            assertThat(statuses(result)).isEqualTo(expected);
            assertThat(expected.values()).containsExactly(200, 404, 301, 503, 403);
            assertThat(result.fields()).containsEntry("broken_count", 1);
        }
    }

    @Property(tries = 500)
    void acceptsAnyPage(@ForAll @StringLength(max = 300) String text) {
        LinkCollector.of(page("https://a.test/", 200, "x"), text);
        LinkCollector.of(
                page("https://a.test/", 200, "x"), text.replace(' ', '<').replace('a', '='));
    }

    @Tag("integration")
    @ParameterizedTest
    @ValueSource(
            strings = {
                "<a href=b>",
                "<a href=",
                "<a href=//",
                "<area href=/x alt=y>",
                "<a rel=a,b,c href=mailto:>",
                "<a>&",
                "<svg><a href=x>",
                "<a href='%'>",
                "<a href=?"
            })
    void parsesOneMegabyteInSeconds(String part) {
        StringBuilder html = new StringBuilder("<base href='https://a.test/" + "d/".repeat(900) + "'>");
        while (html.length() < 1 << 20) {
            html.append(part.replace("\0", "" + html.length()));
        }
        HttpExchange page = page("https://a.test/", 200, "x", "Content-Type: text/html");

        LinkCollector.Links links = Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(10), () -> LinkCollector.of(page, html.toString()));

        assertThat(links.links()).hasSizeLessThanOrEqualTo(LinkCollector.MAX_LINKS);
    }

    private static Map<String, Integer> statuses(CheckResult result) {
        Map<String, Integer> statuses = new LinkedHashMap<>();
        for (Object link : (List<?>) result.fields().get("links")) {
            Map<?, ?> row = (Map<?, ?>) link;
            statuses.put((String) row.get("url"), (Integer) row.get("status"));
        }
        return statuses;
    }

    private static String message(CheckResult result, String code) {
        return result.findings().stream()
                .filter(finding -> finding.code().equals(code))
                .map(Finding::message)
                .collect(Collectors.joining("\n"));
    }

    private static Evaluation evaluate(HttpExchange page, Map<String, Object> options) {
        LinkCollector.Links links = page.body().size() == 0 ? null : links(page);
        Options parsed = Options.parse(MODULE.description(), options).options();
        return MODULE.evaluate(new PageLinks.Evidence(new ParsedPage<>(trace(page), links, false), null), parsed);
    }

    private static LinkCollector.Links links(HttpExchange page) {
        return LinkCollector.of(page, page.body().text("text/html; charset=utf-8"));
    }
}
