package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.codes;
import static dev.plumbline.module.web.HttpEvidence.page;
import static dev.plumbline.module.web.HttpEvidence.redirect;
import static dev.plumbline.module.web.HttpEvidence.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.html.HtmlHead;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.module.web.page.ParsedPage;
import dev.plumbline.probe.http.HttpExchange;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.probe.http.RedirectTrace;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PageMetadataTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<ParsedPage<HtmlHead>> MODULE = SheetModule.load(new PageMetadata());

    /** A page without findings. */
    private static final String PERFECT =
            """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <title>A page &amp; more</title>
      <meta name="description" content="What it is about.">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="/favicon.svg">
      </head>
      <body><h1>A <em>page</em></h1></body>
      </html>
      """;

    @TempDir
    Path folder;

    @Test
    void readsPageWithoutFindings() {
        Evaluation evaluation = evaluate(PERFECT);

        assertThat(evaluation.findings()).isEmpty();
        assertThat(evaluation.fields())
                .containsEntry("title", "A page & more")
                .containsEntry("title_length", 13)
                .containsEntry("description", "What it is about.")
                .containsEntry("canonical", null)
                .containsEntry("robots", null)
                .containsEntry("lang", "en")
                .containsEntry("charset", "utf-8")
                .containsEntry("viewport", "width=device-width, initial-scale=1")
                .containsEntry("h1", List.of("A page"))
                .containsEntry("open_graph", Map.of())
                .containsEntry("hreflang", List.of())
                .containsEntry("favicon", "https://a.test/favicon.svg");
    }

    /** A part of the perfect page, its replacement, and the expected finding. */
    @ParameterizedTest(name = "{0} → {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "<title>A page &amp; more</title> | `` | title_missing",
                "<title>A page &amp; more</title> | <title> </title> | title_missing",
                "A page &amp; more | A title that goes on and on until there is no room for it any more | title_long",
                "</title> | </title><title>B</title> | several_titles",
                "<meta name=\"description\" content=\"What it is about.\"> | `` | description_missing",
                "What it is about. | `` | description_missing",
                "</head> | <meta name=DESCRIPTION content=x></head> | several_descriptions",
                "</head> | <link rel=canonical href=https://a.test/></head> | -",
                "</head> | <link rel=canonical href=HTTPS://A.test:443></head> | -",
                "</head> | <link rel=canonical href=/></head> | canonical_relative",
                "</head> | <link rel=canonical href=//a.test/></head> | canonical_relative",
                "</head> | <link rel=canonical href=https://b.test/></head> | canonical_elsewhere",
                "</head> | <link rel='CANONICAL x' href=https://a.test/b></head> | canonical_elsewhere",
                "</head> | <link rel=canonical href='javascript:x'></head> | canonical_invalid",
                "</head> | <link rel=canonical href=https://a.test/><link rel=canonical "
                        + "href=https://a.test/b></head> | canonical_conflict",
                "</head> | <link rel=canonical href=https://a.test/><link rel=canonical "
                        + "href=https://A.test></head> | -",
                "</head> | <meta name=robots content='NOINDEX, follow'></head> | noindex",
                "</head> | <meta name=robots content=none></head> | noindex",
                "</head> | <meta name=robots content='max-snippet:5'></head> | -",
                "<html lang=\"en\"> | <html> | lang_missing",
                "<html lang=\"en\"> | <html lang=''> | lang_missing",
                "<html lang=\"en\"> | <html lang=zh-Hant-TW> | -",
                "<html lang=\"en\"> | <html lang=en_US> | lang_invalid",
                "<meta charset=\"utf-8\"> | `` | charset_missing",
                "<meta charset=\"utf-8\"> | <meta charset=iso-8859-15> | charset_not_utf8",
                "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"> | `` | viewport_missing",
                "initial-scale=1 | user-scalable=no | viewport_no_zoom",
                "initial-scale=1 | maximum-scale=1.0 | viewport_no_zoom",
                "initial-scale=1 | maximum-scale=5 | -",
                "<h1>A <em>page</em></h1> | `` | h1_missing",
                "</h1> | </h1><h1>B</h1> | several_h1",
                "<link rel=\"icon\" href=\"/favicon.svg\"> | `` | favicon_missing",
                "rel=\"icon\" | rel='shortcut icon' | -",
                "rel=\"icon\" | rel='apple-touch-icon' | favicon_missing",
                "</head> | <meta property=og:title content=x></head> | open_graph_incomplete",
                "</head> | <meta property=og:title content=x><meta property=og:type content=x><meta "
                        + "property=og:image content=x><meta property=og:url content=x></head> | -",
                "</head> | <link rel=alternate hreflang=de href=https://a.test/de></head> | -",
                "</head> | <link rel=alternate hreflang=x-default href=https://a.test/></head> | -",
                "</head> | <link rel=alternate hreflang=de_DE href=https://a.test/de></head> | hreflang_invalid",
                "</head> | <link rel=alternate hreflang=de href=mailto:x></head> | hreflang_invalid",
                "</head> | <link rel=alternate type=application/rss+xml href=/feed></head> | -",
                "</head> | <script type=application/ld+json>{\"@type\":\"Thing\"}</script></head> | -",
                "</head> | <script type=application/ld+json>{\"@type\":</script></head> | json_ld_invalid"
            })
    void reportsFindings(String part, String replacement, String code) {
        assertThat(PERFECT).contains(part);

        assertThat(codes(evaluate(PERFECT.replace(part, replacement))))
                .isEqualTo(code.equals("-") ? List.of() : List.of(code));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "</> | -",
                "<https://a.test/>; rel=canonical | https://a.test/",
                "<https://a.test/x>; type=\"a\"; rel=\"canonical\" | https://a.test/x",
                "</style.css>; rel=preload, <https://b.test/>; rel=\"canonical\" | https://b.test/",
                "<https://b.test/>; rel=prev, <https://c.test/>; rel=next | -"
            })
    void readsCanonicalUrlFromLinkHeader(String header, @Nullable String canonical) {
        assertThat(evaluate(PERFECT, "Link: " + header).fields()).containsEntry("canonical", canonical);
    }

    @ParameterizedTest
    @CsvSource({"utf-8, -", "UTF-8, -", "utf8, -", "iso-8859-1, charset_conflict"})
    void comparesEncodingsOfPageAndHeader(String charset, String code) {
        Evaluation evaluation = evaluate(PERFECT, "Content-Type: text/html; charset=" + charset);

        assertThat(codes(evaluation).contains("charset_conflict")).isEqualTo(!code.equals("-"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "-",
            value = {
                "204 | - | ``",
                "200 | - | ``",
                "200 | text/html | ``",
                "200 | text/html | ` \n`",
                "200 | application/json | {\"a\": \"<b>\"}",
                "200 | - | {\"a\": \"<b>\"}",
                "200 | - | %PDF-1.7 <<"
            })
    void reportsOnlyThatResponseIsNotAnHtmlPage(int status, @Nullable String type, String body) {
        String[] headers = type == null ? new String[0] : new String[] {"Content-Type: " + type};

        Evaluation evaluation = evaluate(page("https://a.test/", status, body, headers));

        assertThat(codes(evaluation)).containsExactly("not_a_page");
        assertThat(evaluation.fields()).containsEntry("title_length", 0);
    }

    @Test
    void acceptsTextOfTypeHtmlAsPage() {
        assertThat(codes(evaluate("just words"))).contains("title_missing").doesNotContain("not_a_page");
    }

    @ParameterizedTest
    @ValueSource(strings = {"<title>x</title>", " \n<!-- x --><p>", "\ufeff<html>", "<?xml ?><html>"})
    void recognizesPageWithoutTypeByMarkup(String html) {
        assertThat(codes(evaluate(page("https://a.test/", 200, html)))).doesNotContain("not_a_page");
    }

    @Test
    void reportsRedirectTarget() {
        HttpExchange page = page("https://b.test/in", 200, PERFECT, "Content-Type: text/html");
        RedirectTrace trace = trace(redirect("http://a.test/", 301, "https://b.test/in"), page);

        Evaluation evaluation = MODULE.evaluate(evidence(trace, page), Options.defaults(MODULE.description()));

        assertThat(evaluation.findings())
                .extracting(Finding::message)
                .containsExactly("The URL redirects to https://b.test/in. This report is about that page.");
    }

    @Test
    void resolvesUrlsAgainstBaseElement() {
        Evaluation evaluation = evaluate(
                PERFECT.replace(
                        "</head>",
                        """
                <base href="https://b.test/x/y"><base href="https://c.test/">
                <link rel=canonical href="../ü?q=a b#top">
                <link rel=alternate hreflang=de href=de>
                </head>
                """));

        assertThat(evaluation.fields())
                .containsEntry("favicon", "https://b.test/favicon.svg")
                .containsEntry("canonical", "https://b.test/%C3%BC?q=a%20b")
                .containsEntry("hreflang", List.of(Map.of("lang", "de", "url", "https://b.test/x/de")));
    }

    @Test
    void readsOpenGraphTwitterCardAndStructuredData() {
        Evaluation evaluation = evaluate(
                """
            <meta property="og:title" content="T"><meta property="og:image" content="/1">
            <meta property="og:image" content="/2"><meta name="twitter:card" content="summary">
            <script type="application/ld+json">
            {"@context":"https://schema.org","@graph":[{"@type":"Article"},{"@type":["A","B"]}]}
            </script>
            <script type="application/ld+json">[{"@type":"Person"},{"name":"</p>"}]</script>
            """);

        assertThat(evaluation.fields())
                .containsEntry("open_graph", Map.of("og:title", "T", "og:image", List.of("/1", "/2")))
                .containsEntry("twitter", Map.of("twitter:card", "summary"))
                .containsEntry("json_ld_types", List.of("Article", "A", "B", "Person"));
    }

    @Test
    void rejectsPdf() {
        Evaluation evaluation = evaluate("%PDF-1.7", "Content-Type: application/pdf");

        assertThat(codes(evaluation)).containsExactly("not_a_page");
        assertThat(evaluation.fields()).containsEntry("h1", List.of()).containsEntry("title_length", 0);
    }

    @ParameterizedTest
    @CsvSource({
        "/page, WARN, -",
        "/metadata, PASS, -",
        "/gzip, WARN, -",
        "/big, WARN, -",
        "/ok, FAIL, -",
        "/status/404, FAIL, -",
        "/bomb/gzip, FAIL, -",
        "/bomb/brotli, FAIL, -",
        "/brotli, WARN, -",
        "/zstd, WARN, -",
        "/drip/body, ERROR, read_timeout",
        "/redirect/loop, ERROR, redirect_loop",
        "/closed, ERROR, connection_reset"
    })
    void evaluatesLabPages(String path, Verdict verdict, String error) {
        CheckResult result = FIXTURE.check(MODULE, path, "timeout_ms=3000");

        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        assertThat(result.error() == null ? "-" : result.error().code().id()).isEqualTo(error);
    }

    @Test
    void reportsTruncatedPage() {
        assertThat(FIXTURE.check(MODULE, "/big", "").findings())
                .extracting(Finding::code)
                .contains("page_truncated");
    }

    @Tag("integration")
    @Test
    void agreesWithCurlAndJsoupOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder,
                FIXTURE.identity(),
                "root FOLDER/www; types { text/html html; } charset utf-8; charset_types text/html;")) {
            Path www = Files.createDirectories(folder.resolve("www"));
            Files.writeString(
                    www.resolve("index.html"), PERFECT.replace("</head>", "<link rel=canonical href='/über'></head>"));
            HttpProbe probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));

            CheckResult result = FIXTURE.check(MODULE, probe, nginx.https("/"), "");

            String url = nginx.https("/");
            Document document = Jsoup.parse(Curl.run(url), url);
            assertThat(result.fields())
                    .containsEntry("title", document.title())
                    .containsEntry(
                            "description",
                            document.select("meta[name=description]").attr("content"))
                    .containsEntry("lang", document.select("html").attr("lang"))
                    .containsEntry("h1", document.select("h1").eachText())
                    .containsEntry(
                            "favicon", document.select("link[rel=icon]").first().absUrl("href"))
                    .containsEntry("canonical", nginx.https("/%C3%BCber"))
                    .containsEntry("charset", "utf-8");
        }
    }

    private static Evaluation evaluate(String html, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        if (all.stream().noneMatch(header -> header.startsWith("Content-Type"))) {
            all.add("Content-Type: text/html");
        }
        return evaluate(page("https://a.test/", 200, html, all.toArray(String[]::new)));
    }

    private static Evaluation evaluate(HttpExchange page) {
        return MODULE.evaluate(evidence(trace(page), page), Options.defaults(MODULE.description()));
    }

    private static ParsedPage<HtmlHead> evidence(RedirectTrace trace, HttpExchange page) {
        try {
            return ParsedPage.of(trace, page, (response, html) -> html.head());
        } catch (CheckFailure unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
