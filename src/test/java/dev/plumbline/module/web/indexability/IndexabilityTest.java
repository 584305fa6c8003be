package dev.plumbline.module.web.indexability;

import static dev.plumbline.lab.VirtualHosts.responding;
import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static dev.plumbline.module.web.HttpEvidence.url;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.Response;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.VirtualHosts;
import dev.plumbline.module.web.page.CanonicalUrl;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ChromiumBrowser;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import io.vertx.core.http.HttpServerRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
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

class IndexabilityTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<Indexability.Evidence> MODULE = SheetModule.load(new Indexability());
    private static final Instant NOW = Instant.parse("2026-11-22T12:00:00Z");

    private static final HttpProbe PROBE = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.1/32"), List.of("*")));
    private static VirtualHosts sites;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        Map<String, Consumer<HttpServerRequest>> all = new LinkedHashMap<>();
        all.put("site", IndexabilityTest::site);
        all.put("closed", request -> (request.path().equals("/robots.txt")
                        ? responding(200, "text/plain", "User-agent: Googlebot\nDisallow: /\n")
                        : responding(200, "text/html", "<title>x</title><meta name=robots content=noindex>"))
                .accept(request));
        all.put("broken", request -> responding(request.path().equals("/robots.txt") ? 503 : 200, "text/html", "x")
                .accept(request));
        all.put("reset", request -> {
            if (request.path().equals("/robots.txt")) {
                request.connection().close();
            } else {
                responding(200, "text/html", "x").accept(request);
            }
        });
        sites = FIXTURE.sites(all);
    }

    private static void site(HttpServerRequest request) {
        String canonical =
                switch (request.path()) {
                    case "/self" -> "/self";
                    case "/to-self" -> "/self";
                    case "/loop-a" -> "/loop-b";
                    case "/loop-b" -> "/loop-a";
                    case "/chain" -> "/to-self";
                    case "/to-missing" -> "/missing";
                    case "/to-noindex" -> "/noindex";
                    case "/to-moved" -> "/moved";
                    case "/to-closed-port" -> "http://127.0.0.1:" + FIXTURE.closedPort() + "/";
                    case "/to-inside" -> "http://inside.lab.test/";
                    default -> null;
                };
        int status = request.path().equals("/missing") || request.path().equals("/robots.txt")
                ? 404
                : request.path().equals("/moved") || request.path().equals("/to-closed-site") ? 301 : 200;
        if (status == 301) {
            request.response()
                    .putHeader("location", request.path().equals("/moved") ? "/self" : sites.url("closed", "/page"));
        }
        if (request.path().equals("/noindex")) {
            request.response().putHeader("x-robots-tag", "noindex");
        }
        request.response()
                .setStatusCode(status)
                .putHeader("content-type", "text/html")
                .end("<title>Page</title>"
                        + (canonical == null ? "" : "<link rel=canonical href='" + canonical + "'>"));
    }

    @Test
    void readsTheFirstCanonicalUrlsOnly() {
        String header = "<https://%d.test/>; rel=canonical";
        String[] headers = IntStream.range(0, 100)
                .mapToObj(i -> "Link: " + header.formatted(i))
                .toArray(String[]::new);

        assertThat(CanonicalUrl.of(page("https://a.test/", 200, "x", headers), null))
                .hasSize(CanonicalUrl.MAX_DECLARED);
    }

    /** Status, head of the page, a header, and the expected reasons and findings. */
    @ParameterizedTest(name = "{index}: {0} {1} {2}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "200 | - | - | - | -",
                "203 | - | - | - | -",
                "204 | - | - | status | status_not_indexable",
                "404 | - | - | status | status_not_indexable",
                "410 | - | - | status | status_not_indexable",
                "500 | - | - | status | status_not_indexable",
                "503 | - | - | status | status_temporary",
                "429 | - | - | status | status_temporary",
                "403 | - | cf-mitigated: challenge | status | status_not_indexable blocked_suspected",
                "200 | <meta name=robots content=noindex> | - | noindex_meta | noindex_meta",
                "200 | <META NAME=ROBOTS CONTENT='Follow, NoIndex'> | - | noindex_meta | noindex_meta",
                "200 | <meta name=robots content=none> | - | noindex_meta | noindex_meta",
                "200 | <meta name=googlebot content=noindex> | - | noindex_meta | noindex_meta",
                "200 | <meta name=bingbot content=noindex> | - | - | -",
                "200 | <meta name=googlebot-news content=noindex> | - | - | -",
                "200 | <meta name=robots content='index,follow,max-snippet:-1, max-image-preview:large'> | - | - | -",
                "200 | <meta name=robots content=index><meta name=googlebot content=noindex> | - | noindex_meta"
                        + " | noindex_meta robots_directives_conflict",
                "200 | <meta name=robots content='all, noindex'> | - | noindex_meta | noindex_meta robots_directives_conflict",
                "200 | <meta name=robots content=no-index> | - | - | directive_unknown",
                "200 | <template><meta name=robots content=noindex></template> | - | - | -",
                "200 | - | X-Robots-Tag: noindex | noindex_header | noindex_header",
                "200 | - | X-Robots-Tag: googlebot: nofollow, noindex | noindex_header | noindex_header",
                "200 | - | X-Robots-Tag: otherbot: noindex, nofollow | - | -",
                "200 | - | X-Robots-Tag: otherbot: noindex, googlebot: none | noindex_header | noindex_header",
                "200 | - | X-Robots-Tag: max-snippet: 20, nofollow | - | -",
                "200 | - | X-Robots-Tag: unavailable_after: 25 Jun 2010 15:00:00 PST | unavailable_after"
                        + " | unavailable_after_passed",
                "200 | - | X-Robots-Tag: unavailable_after: Fri, 25 Jun 2027 15:00:00 GMT | - | unavailable_after",
                "200 | - | X-Robots-Tag: googlebot: unavailable_after: 2027-06-25, noindex | noindex_header"
                        + " | noindex_header unavailable_after",
                "200 | <meta name=robots content='unavailable_after: 2020-09-21'> | - | unavailable_after"
                        + " | unavailable_after_passed",
                "200 | <meta name=robots content='unavailable_after: soon'> | - | - | unavailable_after_invalid",
                "200 | <meta name=robots content=index> | X-Robots-Tag: noindex | noindex_header"
                        + " | noindex_header robots_directives_conflict",
                "200 | <meta name=robots content=noindex> | X-Robots-Tag: noindex | noindex_meta noindex_header"
                        + " | noindex_meta noindex_header",
                "200 | <link rel=canonical href=https://a.test/> | - | - | -",
                "200 | <link rel=canonical href=HTTPS://A.test:443> | - | - | -",
                "200 | <link rel=canonical href=/b> | - | canonical | canonical_elsewhere",
                "200 | <meta name=robots content=noindex><link rel=canonical href=/b> | - | noindex_meta canonical"
                        + " | noindex_meta canonical_elsewhere noindex_with_canonical",
                "200 | - | Link: <https://a.test/b>; rel=canonical | canonical | canonical_elsewhere",
                "200 | <base href=https://b.test/> | Link: </>; rel=canonical | - | -",
                "200 | <link rel=canonical href=/> | Link: <https://a.test/b>; rel=canonical | - | canonical_conflict",
                "200 | <link rel=canonical href=/> | Link: <https://a.test/>; rel=canonical | - | -",
                "200 | <link rel=canonical href=/><link rel=canonical href=/b> | - | - | canonical_conflict",
                "200 | <link rel=canonical href='javascript:x'> | - | - | canonical_invalid",
                "200 | <title>404 Not Found</title> | - | - | soft_404_suspected"
            })
    void evaluatesPage(
            int status,
            @Nullable String head,
            @Nullable String header,
            @Nullable String reasons,
            @Nullable String found) {
        List<String> headers = new ArrayList<>(List.of("Content-Type: text/html"));
        if (header != null) {
            headers.add(header);
        }
        String html = "<!doctype html>" + (head == null ? "<title>x</title>" : head);
        Evaluation evaluation =
                evaluate(page("https://a.test/", status, html, headers.toArray(String[]::new)), "Googlebot");

        assertThat(evaluation.fields())
                .containsEntry("reasons", words(reasons))
                .containsEntry("indexable", reasons == null)
                .containsEntry("status", status);
        assertThat(codes(evaluation)).containsExactlyInAnyOrderElementsOf(words(found));
    }

    private static List<String> words(@Nullable String text) {
        return text == null ? List.of() : List.of(text.split(" "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Googlebot | false",
                "googlebot | false",
                "Googlebot-Image | false",
                "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html) | false",
                "bingbot | true",
                "* | true"
            })
    void appliesDirectivesToTheirCrawler(String agent, boolean indexable) {
        HttpExchange page = page(
                "https://a.test/",
                200,
                "<title>x</title><meta name=googlebot content=noindex>",
                "Content-Type: text/html",
                "X-Robots-Tag: googlebot: noindex");

        assertThat(evaluate(page, agent).fields()).containsEntry("indexable", indexable);
    }

    @Test
    void reportsFields() {
        HttpExchange page = page(
                "https://a.test/",
                200,
                "<meta name=robots content=nofollow><meta name=googlebot content=nosnippet><link rel=canonical href=/>",
                "Content-Type: text/html",
                "X-Robots-Tag: noarchive",
                "X-Robots-Tag: otherbot: noindex");

        assertThat(evaluate(page, "Googlebot").fields())
                .containsEntry("meta_robots", "nofollow, googlebot: nosnippet")
                .containsEntry("x_robots_tag", "noarchive, otherbot: noindex")
                .containsEntry("canonical", "https://a.test/")
                .containsEntry("canonical_self", true)
                .containsEntry("robots_txt_allowed", true);
    }

    @Test
    void evaluatesFilesByTheirHeaders() {
        Evaluation pdf = evaluate(
                page("https://a.test/a.pdf", 200, "%PDF", "Content-Type: application/pdf", "X-Robots-Tag: noindex"),
                "Googlebot");
        Evaluation empty = evaluate(page("https://a.test/", 200, "", "Content-Type: text/html"), "Googlebot");

        assertThat(codes(pdf)).containsExactlyInAnyOrder("noindex_header", "not_html");
        assertThat(pdf.fields()).containsEntry("reasons", List.of("noindex_header"));
        assertThat(codes(empty)).containsExactly("page_empty");
    }

    @ParameterizedTest
    @CsvSource({
        "/self, PASS, -",
        "/to-self, WARN, canonical_elsewhere",
        "/loop-a, WARN, canonical_elsewhere canonical_loop",
        "/chain, WARN, canonical_elsewhere canonical_chain",
        "/to-missing, WARN, canonical_elsewhere canonical_broken",
        "/to-noindex, WARN, canonical_elsewhere canonical_noindex",
        "/to-moved, WARN, canonical_elsewhere canonical_redirects",
        "/to-closed-port, WARN, canonical_elsewhere canonical_not_checked",
        "/to-inside, WARN, canonical_elsewhere canonical_not_checked",
        "/moved, PASS, redirected",
        "/to-closed-site, WARN, disallowed_by_robots noindex_meta noindex_blocked_by_robots redirected"
    })
    void followsCanonicalUrlAndRedirects(String path, Verdict verdict, String found) {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("site", path), "");

        assertThat(result.verdict()).isEqualTo(verdict);
        assertThat(result.findings())
                .extracting(Finding::code)
                .containsExactlyInAnyOrderElementsOf(found.equals("-") ? List.of() : List.of(found.split(" ")));
    }

    @Test
    void reportsNoindexThatCrawlersCannotRead() {
        CheckResult google = FIXTURE.check(MODULE, PROBE, sites.url("closed", "/"), "");
        CheckResult other = FIXTURE.check(MODULE, PROBE, sites.url("closed", "/"), "agent=otherbot");

        assertThat(google.fields())
                .containsEntry("reasons", List.of("robots_txt", "noindex_meta"))
                .containsEntry("robots_txt_allowed", false);
        assertThat(google.findings())
                .extracting(Finding::code)
                .containsExactlyInAnyOrder("disallowed_by_robots", "noindex_meta", "noindex_blocked_by_robots");
        assertThat(other.fields()).containsEntry("reasons", List.of("noindex_meta"));
    }

    @Test
    void treatsServerErrorOfRobotsTxtAsDisallowedAndConnectionErrorAsUnknown() {
        CheckResult broken = FIXTURE.check(MODULE, PROBE, sites.url("broken", "/"), "");
        CheckResult reset = FIXTURE.check(MODULE, PROBE, sites.url("reset", "/"), "");

        assertThat(broken.fields()).containsEntry("reasons", List.of("robots_txt"));
        assertThat(broken.findings()).extracting(Finding::code).containsExactly("robots_unreachable");
        assertThat(reset.error().code()).isEqualTo(ErrorCode.CONNECTION_RESET);
        assertThat(reset.fields()).containsEntry("indexable", null);
    }

    @ParameterizedTest
    @CsvSource({
        "/page, PASS, -",
        "/private/x, FAIL, -",
        "/indexing/noindex, WARN, -",
        "/indexing/conflict, WARN, -",
        "/ok, PASS, -",
        "/soft-404, WARN, -",
        "/drip/body, ERROR, read_timeout",
        "/redirect/loop, ERROR, redirect_loop",
        "/closed, ERROR, connection_reset"
    })
    void evaluatesLabPages(String path, Verdict verdict, String error) {
        CheckResult result = FIXTURE.check(MODULE, path, path.startsWith("/drip") ? "timeout_ms=2000" : "");

        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        assertThat(result.error() == null ? "-" : result.error().code().id()).isEqualTo(error);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "</b>; rel=canonical | true",
                "</b>;REL = \"Canonical\" | true",
                "</b>; title=x; rel=\"alternate canonical\" | true",
                "</b>; rel=\"canonical nofollow\" | true",
                "</c>; rel=next, </b>; rel=canonical | true",
                "</b>; rel=canonical, </c>; rel=next | true",
                "</b>; rel=canonical-x | false",
                "</b>; rel=\"non-canonical\" | false",
                "</b>; rel=next; title=canonical | false",
                "</b>, rel=canonical | false"
            })
    void readsTheCanonicalUrlOfTheLinkHeader(String header, boolean canonical) {
        Evaluation evaluation = evaluate(
                page("https://a.test/", 200, "<p>x", "Content-Type: text/html", "Link: " + header), "Googlebot");

        assertThat(evaluation.fields()).containsEntry("canonical", canonical ? "https://a.test/b" : null);
    }

    @Property(tries = 500)
    void acceptsAnyPageAndHeaders(@ForAll @StringLength(max = 200) String text) {
        String value = text.replaceAll("\\R", " ");
        Evaluation evaluation = evaluate(
                page(
                        "https://a.test/",
                        200,
                        "<meta name=robots content='" + text,
                        "Content-Type: text/html",
                        "X-Robots-Tag: " + value,
                        "Link: <" + value),
                "Googlebot");

        assertThat(evaluation.fields()).containsEntry("status", 200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<meta name=robots content=",
                "<meta name=robots content='a,b:c'>",
                "<link rel=canonical href=",
                "<link rel=canonical href=/x>",
                "</x>; rel=canonical, ",
                "<>;",
                ";rel=\"a ",
                "noindex, ",
                "unavailable_after: ",
                "googlebot: "
            })
    void evaluatesAMegabyteInLinearTime(String piece) {
        String text = piece.repeat((1 << 20) / piece.length());

        Evaluation evaluation = Assertions.assertTimeoutPreemptively(
                Duration.ofSeconds(20),
                () -> evaluate(
                        page(
                                "https://a.test/",
                                200,
                                text,
                                "Content-Type: text/html",
                                "X-Robots-Tag: " + text,
                                "Link: </b>" + text),
                        "Googlebot"));

        assertThat(evaluation.fields()).containsEntry("status", 200);
    }

    @Tag("integration")
    @Test
    void agreesWithCurlAndJsoupOnNginx() throws Exception {
        String server = "root FOLDER/www; types { text/html html; text/plain txt; } "
                + "add_header X-Robots-Tag 'googlebot: nosnippet' always; add_header X-Robots-Tag noindex always; "
                + "add_header Link '</index.html>; rel=\"canonical\"' always;";
        try (NginxServer nginx = NginxServer.start(folder, FIXTURE.identity(), server)) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(www.resolve("robots.txt"), "User-agent: *\nDisallow: /index\n");
            Files.writeString(
                    www.resolve("index.html"),
                    "<title>x</title><meta name=Robots content='index, nofollow'><link rel=canonical href=./index.html>");
            String url = nginx.https("/index.html");

            CheckResult result = FIXTURE.check(MODULE, PROBE, url, "");

            Document document = Jsoup.parse(Curl.run(url), url);
            List<String> tags = Curl.run(url, "--head")
                    .lines()
                    .filter(line -> line.startsWith("x-robots-tag: "))
                    .map(line -> line.substring("x-robots-tag: ".length()))
                    .toList();
            assertThat(result.fields())
                    .containsEntry(
                            "meta_robots", document.select("meta[name=robots]").attr("content"))
                    .containsEntry(
                            "canonical",
                            document.select("link[rel=canonical]").first().absUrl("href"))
                    .containsEntry("canonical_self", true)
                    .containsEntry("x_robots_tag", String.join(", ", tags))
                    .containsEntry(
                            "status",
                            Integer.valueOf(Curl.run(url, "--output", "/dev/null", "--write-out", "%{http_code}")))
                    .containsEntry("reasons", List.of("robots_txt", "noindex_header"));
            assertThat(tags).hasSize(2);
        }
    }

    @Tag("integration")
    @Test
    void agreesWithChromiumOnNginx() throws Exception {
        String server = "root FOLDER/www; types { text/html html; } add_header X-Robots-Tag noarchive;";
        try (NginxServer nginx = NginxServer.start(folder, FIXTURE.identity(), server);
                BrowserContext context = ChromiumBrowser.openLab()) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(
                    www.resolve("page.html"),
                    """
                <!doctype html><meta charset=utf-8><title>x</title>
                <!-- <meta name=robots content=none> --><template><meta name=robots content=none></template>
                <noscript><meta name=robots content=none></noscript><script>"<meta name=robots content=none>"</script>
                <META NAME=Robots CONTENT='index, nosnippet'><meta content="noindex&#x2c; follow" name="robots"/>
                <base href=/sub/><link rel='preload Canonical' href='../page.html?a=1&amp;b=\u00fc#top'>
                <svg><link rel=canonical href=/svg></svg>
                """);
            Page page = context.newPage();
            String url = nginx.https("/page.html");

            CheckResult result = FIXTURE.check(MODULE, PROBE, url, "");
            Response response = page.navigate(url);
            Object robots = page.evaluate(
                    "[...document.querySelectorAll('meta[name=robots i]')]" + ".map(meta => meta.content).join(', ')");
            Object canonical = page.evaluate("[...document.querySelectorAll('link[rel~=canonical i]')]"
                    + ".filter(link => link instanceof HTMLLinkElement).map(link => link.href.split('#')[0])");

            assertThat(result.fields())
                    .containsEntry("status", response.status())
                    .containsEntry("x_robots_tag", response.headerValue("x-robots-tag"))
                    .containsEntry("meta_robots", robots)
                    .containsEntry("reasons", List.of("noindex_meta", "canonical"));
            assertThat(List.of(result.fields().get("canonical"))).isEqualTo(canonical);
        }
    }

    private static Evaluation evaluate(HttpExchange page, String agent) {
        Options options =
                Options.parse(MODULE.description(), Map.of("agent", agent)).options();
        try {
            Indexability.Content content = Indexability.Content.of(page, false);
            RobotsAccess robots = new RobotsAccess(url("https://a.test/robots.txt"), 404, false, null, null);
            return MODULE.evaluate(
                    new Indexability.Evidence(trace(page), content, List.of(robots), null, NOW), options);
        } catch (CheckFailure unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
