package dev.plumbline.module.web.sitemap;

import static dev.plumbline.lab.VirtualHosts.responding;
import static org.assertj.core.api.Assertions.assertThat;

import crawlercommons.sitemaps.AbstractSiteMap;
import crawlercommons.sitemaps.SiteMap;
import crawlercommons.sitemaps.SiteMapIndex;
import crawlercommons.sitemaps.SiteMapParser;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.VirtualHosts;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.ApacheServer;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SitemapTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<SitemapCrawl.Evidence> MODULE = SheetModule.load(new Sitemap());
    private static final String XMLNS = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";
    private static final String XML = "application/xml";

    private static final HttpProbe PROBE = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
    private static VirtualHosts sites;

    @TempDir
    Path folder;

    @BeforeAll
    static void start() {
        Map<String, Consumer<HttpServerRequest>> all = new LinkedHashMap<>();
        all.put("listed", site(Map.of("/robots.txt", "Sitemap: LISTED/a.xml\n", "/a.xml", urlset("LISTED/1"))));
        all.put(
                "several",
                site(Map.of(
                        "/robots.txt",
                        "Sitemap: SEVERAL/a.xml\nSitemap: SEVERAL/b.xml\nSitemap: SEVERAL/a.xml\n",
                        "/a.xml",
                        urlset("SEVERAL/1", "SEVERAL/2"),
                        "/b.xml",
                        index("SEVERAL/c.xml"),
                        "/c.xml",
                        urlset("SEVERAL/3"))));
        all.put("cdn", site(Map.of("/robots.txt", "Sitemap: LISTED/cross.xml\n")));
        all.put("default", site(Map.of("/robots.txt", "User-agent: *\n", "/sitemap.xml", urlset("DEFAULT/1"))));
        all.put("missing", site(Map.of("/robots.txt", "User-agent: *\n")));
        all.put("empty", responding(404, "text/html", "no"));
        all.put("spa", responding(200, "text/html", "<!doctype html><title>App</title>"));
        all.put("broken", request -> responding(request.path().equals("/robots.txt") ? 503 : 404, "text/html", "no")
                .accept(request));
        all.put("forbidden", request -> responding(request.path().equals("/robots.txt") ? 404 : 403, "text/html", "no")
                .accept(request));
        all.put("dangling", site(Map.of("/robots.txt", "Sitemap: DANGLING/gone.xml\n")));
        all.put("moved", request -> request.response()
                .setStatusCode(301)
                .putHeader("location", sites.url("default", request.path()))
                .end());
        all.put("loop", request -> request.response()
                .setStatusCode(302)
                .putHeader("location", request.path())
                .end());
        all.put("reset", request -> request.connection().close());
        all.put("files", SitemapTest::file);
        sites = FIXTURE.sites(all);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = '|',
            nullValues = "-",
            value = {
                "/ | urlset | 2 | PASS | not_in_robots",
                "/sitemap.xml | urlset | 2 | PASS |",
                "/sitemaps/index.xml | sitemapindex | 3 | WARN | child_unavailable outside_directory",
                "/sitemaps/loop.xml | sitemapindex | 0 | WARN | nested_index outside_directory",
                "/sitemaps/c.xml.gz | urlset | 1 | PASS | outside_directory",
                "/sitemaps/pages.txt | text | 2 | PASS | outside_directory",
                "/sitemaps/50000.xml | urlset | 10000 | PASS | outside_directory sitemap_truncated",
                "/sitemaps/broken.xml | urlset | 1 | FAIL | sitemap_malformed outside_directory",
                "/sitemaps/truncated.xml | urlset | 0 | FAIL | sitemap_malformed",
                "/sitemaps/page.html | - | 0 | FAIL | not_a_sitemap",
                "/sitemaps/bomb/entities.xml | - | 0 | WARN | doctype_not_processed",
                "/sitemaps/bomb/external.xml | - | 0 | WARN | doctype_not_processed",
                "/sitemaps/bomb/gzip.xml.gz | urlset | 1 | FAIL | sitemap_malformed outside_directory",
                "/sitemaps/bomb/depth.xml | urlset | 0 | FAIL | sitemap_malformed unknown_element",
                "/sitemaps/bomb/tag.xml | urlset | 0 | FAIL | sitemap_malformed",
                "/sitemaps/bomb/attributes.xml | urlset | 0 | FAIL | sitemap_malformed",
                "/missing | - | 0 | FAIL | sitemap_unavailable"
            })
    void reportsTheSitemapsOfTheLab(
            String path, @Nullable String kind, int count, Verdict verdict, @Nullable String codes) {
        CheckResult result = FIXTURE.check(MODULE, path, "");

        assertThat(result.error()).isNull();
        assertThat(result.fields()).containsEntry("kind", kind).containsEntry("url_count", count);
        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        assertThat(result.findings())
                .extracting(Finding::code)
                .containsExactlyInAnyOrder(codes == null ? new String[0] : codes.split(" "));
    }

    @ParameterizedTest
    @CsvSource({
        "/sitemaps/50000.xml, 50000, 50000, outside_directory",
        "/sitemaps/50001.xml, 50000, 50000, too_many_urls outside_directory",
        "/sitemaps/50000.xml, 1, 1, outside_directory sitemap_truncated",
        "/sitemaps/index.xml, 2, 2, children_not_read outside_directory"
    })
    void countsUpToTheMaximum(String path, int max, int count, String codes) {
        CheckResult result = FIXTURE.check(MODULE, path, "max_urls=" + max);

        assertThat(result.fields()).containsEntry("url_count", count);
        assertThat(result.findings()).extracting(Finding::code).containsExactlyInAnyOrder(codes.split(" "));
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "listed, true, 1, PASS, found_in_robots lastmod_missing",
        "several, true, 3, PASS, found_in_robots lastmod_missing",
        "cdn, true, 2, WARN, foreign_urls found_in_robots lastmod_missing",
        "default, true, 1, PASS, not_in_robots lastmod_missing",
        "moved, true, 1, PASS, not_in_robots lastmod_missing redirected",
        "missing, false, 0, PASS, sitemap_missing",
        "empty, false, 0, PASS, sitemap_missing",
        "spa, false, 0, PASS, sitemap_missing",
        "broken, false, 0, WARN, sitemap_undetermined",
        "forbidden, false, 0, WARN, sitemap_undetermined",
        "dangling, false, 0, FAIL, sitemap_unavailable"
    })
    void findsTheSitemapOfASite(String site, boolean found, int count, Verdict verdict, String codes) {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url(site, "/"), "");

        assertThat(result.error()).isNull();
        assertThat(result.fields()).containsEntry("found", found).containsEntry("url_count", count);
        assertThat(result.verdict()).as(result.findings().toString()).isEqualTo(verdict);
        assertThat(result.findings()).extracting(Finding::code).containsExactlyInAnyOrder(codes.split(" "));
    }

    @ParameterizedTest
    @CsvSource({"reset, CONNECTION_RESET", "loop, REDIRECT_LOOP"})
    void reportsErrors(String site, ErrorCode code) {
        for (String path : List.of("/", "/sitemap.xml")) {
            CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url(site, path), "");

            assertThat(result.error().code()).isEqualTo(code);
            assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        }
    }

    @Test
    void listsFurtherSitemapsOnce() {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("several", "/"), "");

        assertThat(result.fields().get("child_sitemaps"))
                .asString()
                .isEqualTo(List.of(child(sites.url("several", "/b.xml"), 0), child(sites.url("several", "/c.xml"), 1))
                        .toString());
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "/urls/empty.xml, empty_sitemap",
        "/urls/feed.rss, ''",
        "/urls/latin1.xml, not_utf8 lastmod_missing",
        "/urls/namespace.xml, namespace_invalid lastmod_missing",
        "/urls/typed.xml, lastmod_missing sitemap_content_type",
        "/urls/future.xml, lastmod_future",
        "/urls/dates.xml, lastmod_invalid",
        "/urls/values.xml, value_invalid lastmod_missing",
        "/urls/relative.xml, loc_invalid",
        "/urls/corrupt.xml.gz, sitemap_malformed",
        "/urls/encoded.xml, lastmod_missing"
    })
    void reportsEachProblem(String path, String codes) {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("files", path), "");

        assertThat(result.findings())
                .extracting(Finding::code)
                .containsExactlyInAnyOrder(codes.isEmpty() ? new String[0] : codes.split(" "));
        assertThat(result.fields()).containsEntry("found", true);
    }

    @Test
    void reportsAnUnknownContentCodingAsError() {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("files", "/urls/unknown-coding.xml"), "");

        assertThat(result.error().code()).isEqualTo(ErrorCode.HTTP_PROTOCOL_ERROR);
        assertThat(result.fields()).containsEntry("found", null);
    }

    /** An index with more sitemaps than one check reads. */
    @Test
    void limitsTheNumberOfRequests() {
        CheckResult result = FIXTURE.check(MODULE, PROBE, sites.url("files", "/urls/many.xml"), "");

        assertThat(result.fields()).containsEntry("url_count", SitemapCrawl.MAX_FILES - 1);
        assertThat((List<?>) result.fields().get("child_sitemaps")).hasSizeGreaterThan(100);
        assertThat(result.findings())
                .extracting(Finding::message)
                .contains("9 of 500 further sitemaps were read, so there can be more URLs.");
    }

    @Tag("integration")
    @Test
    void agreesWithCurlAndCrawlerCommonsOnNginx() throws Exception {
        try (NginxServer nginx = NginxServer.start(
                folder, FIXTURE.identity(), "root FOLDER/www; types { application/xml xml; application/gzip gz; }")) {
            assertAgreesWithCrawlerCommons(nginx.https(""), Files.createDirectories(folder.resolve("www")));
        }
    }

    /** Apache sends compressed sitemaps with a Content-Encoding. */
    @Tag("integration")
    @Test
    void agreesWithCurlAndCrawlerCommonsOnApache() throws Exception {
        try (ApacheServer apache = ApacheServer.start(
                folder, FIXTURE.identity(), "AddType application/xml .xml\nAddEncoding x-gzip .gz")) {
            assertAgreesWithCrawlerCommons(apache.http(""), folder.resolve("www"));
        }
    }

    private void assertAgreesWithCrawlerCommons(String base, Path www) throws Exception {
        String[] urls = IntStream.range(0, 3_000)
                .mapToObj(i -> base + "/page?a=" + i + "&amp;b")
                .toArray(String[]::new);
        Files.writeString(www.resolve("robots.txt"), "Sitemap: " + base + "/index.xml\n");
        Files.writeString(www.resolve("index.xml"), index(base + "/a.xml", base + "/b.xml.gz"));
        Files.writeString(www.resolve("a.xml"), urlset(urls[0], urls[1]).replace("</loc>", "</loc>" + lastmod()));
        try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(www.resolve("b.xml.gz")))) {
            out.write(urlset(urls).getBytes(StandardCharsets.UTF_8));
        }

        CheckResult result = FIXTURE.check(MODULE, PROBE, base + "/", "");

        SiteMapIndex index = (SiteMapIndex) reference(base + "/index.xml");
        List<String> children = index.getSitemaps().stream()
                .map(each -> each.getUrl().toString())
                .toList();
        int count = 0;
        int bytes = Curl.run(base + "/index.xml").length() + 1;
        for (String child : children) {
            count += ((SiteMap) reference(child)).getSiteMapUrls().size();
        }
        bytes += Files.readString(www.resolve("a.xml")).length() + urlset(urls).length();
        assertThat(result.fields())
                .containsEntry("found", true)
                .containsEntry("kind", "sitemapindex")
                .containsEntry("url_count", count)
                .containsEntry("bytes", bytes)
                .containsEntry("newest_lastmod", Instant.parse("2026-01-31T11:00:00Z"))
                .containsEntry("errors", List.of());
        assertThat((List<?>) result.fields().get("child_sitemaps"))
                .extracting(child -> ((Map<?, ?>) child).get("url"))
                .isEqualTo(children);
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
    }

    private static String lastmod() {
        return "<lastmod>2026-01-31T12:00:00+01:00</lastmod>";
    }

    /** The result of crawler-commons for the content that curl receives. */
    private AbstractSiteMap reference(String url) throws Exception {
        Path file = folder.resolve("received");
        Curl.run(url, "--output", file.toString());
        String type = url.endsWith(".gz") ? "application/gzip" : "application/xml";
        return new SiteMapParser(false)
                .parseSiteMap(type, Files.readAllBytes(file), URI.create(url).toURL());
    }

    private static void file(HttpServerRequest request) {
        String url = sites.url("files", "/urls/1");
        String path = request.path();
        switch (path) {
            case "/urls/empty.xml" -> responding(200, XML, urlset()).accept(request);
            case "/urls/feed.rss" ->
                responding(
                                200,
                                "application/rss+xml",
                                "<rss><channel><item><link>" + url + "</link></item></channel></rss>")
                        .accept(request);
            case "/urls/latin1.xml" ->
                responding(XML, urlset(url + "?\u00fc").getBytes(StandardCharsets.ISO_8859_1))
                        .accept(request);
            case "/urls/namespace.xml" ->
                responding(200, XML, urlset(url).replace("http://www.s", "https://www.s"))
                        .accept(request);
            case "/urls/typed.xml" -> responding(200, "text/html", urlset(url)).accept(request);
            case "/urls/future.xml" -> dated(url, "2999-01-01").accept(request);
            case "/urls/dates.xml" -> dated(url, "31.1.2026").accept(request);
            case "/urls/values.xml" ->
                responding(200, XML, urlset(url).replace("</loc>", "</loc><priority>9</priority>"))
                        .accept(request);
            case "/urls/relative.xml" -> responding(200, XML, urlset("/1")).accept(request);
            case "/urls/corrupt.xml.gz" ->
                responding("application/gzip", new byte[] {0x1f, (byte) 0x8b, 8, 0, 1})
                        .accept(request);
            case "/urls/encoded.xml" -> coded(request, "gzip", gzip(urlset(url)));
            case "/urls/unknown-coding.xml" -> coded(request, "compress", gzip(urlset(url)));
            case "/urls/many.xml" ->
                responding(
                                200,
                                XML,
                                index(IntStream.range(0, 500)
                                        .mapToObj(i -> sites.url("files", "/urls/child/" + i))
                                        .toArray(String[]::new)))
                        .accept(request);
            default -> responding(200, XML, urlset(url)).accept(request);
        }
    }

    private static Consumer<HttpServerRequest> dated(String url, String date) {
        return responding(200, XML, urlset(url).replace("</loc>", "</loc><lastmod>" + date + "</lastmod>"));
    }

    private static void coded(HttpServerRequest request, String coding, byte[] body) {
        request.response().putHeader("content-encoding", coding);
        responding(XML, body).accept(request);
    }

    private static byte[] gzip(String text) {
        try (var bytes = new java.io.ByteArrayOutputStream()) {
            try (OutputStream out = new GZIPOutputStream(bytes)) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
            return bytes.toByteArray();
        } catch (IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
    }

    /** Files by path, in which the label of a site in capital letters is its URL. */
    private static Consumer<HttpServerRequest> site(Map<String, String> files) {
        return request -> {
            String body = request.path().equals("/cross.xml") ? "" : files.get(request.path());
            if (body == null) {
                responding(404, "text/html", "no").accept(request);
                return;
            }
            for (String label : sites.labels()) {
                body = body.replace(label.toUpperCase(java.util.Locale.ROOT) + "/", sites.url(label, "/"));
            }
            if (request.path().equals("/cross.xml")) {
                body = urlset(sites.url("cdn", "/1"), sites.url("default", "/2"));
            }
            responding(200, request.path().endsWith(".txt") ? "text/plain" : XML, body)
                    .accept(request);
        };
    }

    private static Map<String, Object> child(String url, int count) {
        Map<String, Object> child = new LinkedHashMap<>();
        child.put("url", url);
        child.put("lastmod", null);
        child.put("status", 200);
        child.put("url_count", count);
        return child;
    }

    private static String urlset(String... urls) {
        return Stream.of(urls)
                .map(url -> "<url><loc>" + url + "</loc></url>\n")
                .collect(Collectors.joining("", "<urlset" + XMLNS + ">\n", "</urlset>\n"));
    }

    private static String index(String... urls) {
        return Stream.of(urls)
                .map(url -> "<sitemap><loc>" + url + "</loc></sitemap>\n")
                .collect(Collectors.joining("", "<sitemapindex" + XMLNS + ">\n", "</sitemapindex>\n"));
    }
}
