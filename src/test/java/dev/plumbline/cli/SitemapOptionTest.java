package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.CommandLineRunner;
import dev.plumbline.support.CommandResult;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code check --sitemap}. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SitemapOptionTest {
    private static final String XMLNS = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";

    @TempDir
    static Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, byte[]> sitemaps = new ConcurrentHashMap<>();
    private final Queue<String> requested = new ConcurrentLinkedQueue<>();
    private HttpServer site;
    private HttpServer other;
    private HttpLab lab;
    private Path settings;

    @BeforeAll
    void start() throws IOException {
        site = Await.value(vertx.createHttpServer().requestHandler(this::serve).listen(0, "127.0.0.1"));
        other = Await.value(vertx.createHttpServer().requestHandler(this::serve).listen(0, "127.0.0.3"));
        lab = Await.value(HttpLab.start(vertx));
        settings = Files.writeString(
                folder.resolve("settings.yaml"),
                "targets: {allow: [%s, 127.0.0.3/32], ports: [%s, %d, %d], per_ip_per_second: 0}\n"
                        .formatted(
                                HttpLab.ALLOW,
                                lab.ports().stream().map(port -> "" + port).collect(Collectors.joining(", ")),
                                site.actualPort(),
                                other.actualPort()));
    }

    @AfterAll
    void stop() {
        Await.value(vertx.close());
    }

    @BeforeEach
    void clear() {
        sitemaps.clear();
        requested.clear();
    }

    /** A path without a sitemap is a page. */
    private void serve(HttpServerRequest request) {
        requested.add(request.path());
        byte[] sitemap = sitemaps.get(request.path());
        if (request.path().startsWith("/gone")) {
            request.response().setStatusCode(404).end("gone");
        } else if (request.path().startsWith("/moved")) {
            request.response()
                    .setStatusCode(302)
                    .putHeader("location", request.path().substring("/moved".length()))
                    .end();
        } else {
            request.response().end(sitemap == null ? Buffer.buffer("ok") : Buffer.buffer(sitemap));
        }
    }

    private String url(String path) {
        return "http://127.0.0.1:" + site.actualPort() + path;
    }

    private String sitemap(String path, String content) {
        sitemaps.put(path, content.getBytes(StandardCharsets.UTF_8));
        return url(path);
    }

    private static String urlset(String... urls) {
        return "<?xml version=\"1.0\"?>\n<urlset" + XMLNS + ">\n"
                + Arrays.stream(urls)
                        .map(url -> "<url><loc>" + url + "</loc></url>\n")
                        .collect(Collectors.joining())
                + "</urlset>";
    }

    private String urlset(String prefix, int count) {
        return urlset(IntStream.range(0, count).mapToObj(i -> url(prefix + i)).toArray(String[]::new));
    }

    private static String index(String... sitemaps) {
        return "<sitemapindex" + XMLNS + ">"
                + Arrays.stream(sitemaps)
                        .map(url -> "<sitemap><loc>" + url + "</loc></sitemap>")
                        .collect(Collectors.joining())
                + "</sitemapindex>";
    }

    private static byte[] gzip(String text) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private CommandResult check(String sitemap, String... more) {
        return checkWith("http-status", sitemap, more);
    }

    private CommandResult checkWith(String module, String sitemap, String... more) {
        List<String> arguments =
                new ArrayList<>(List.of("check", "--conf", settings.toString(), module, "--sitemap", sitemap));
        arguments.addAll(List.of(more));
        return CommandLineRunner.run("", arguments.toArray(String[]::new));
    }

    private static List<String> inputs(CommandResult result) {
        return result.out()
                .lines()
                .map(line -> new JsonObject(line).getString("input"))
                .toList();
    }

    /** Nothing was checked, and stdout is empty. */
    private void assertRejected(CommandResult result, String message) {
        assertThat(result.err()).contains(message);
        assertThat(result.code()).isEqualTo(4);
        assertThat(result.out()).isEmpty();
        assertThat(requested).noneMatch(path -> path.startsWith("/page"));
    }

    @Test
    void argumentsTheUrlsOfTheSitemapAndAFileAreCheckedInThisOrder() throws IOException {
        String map = sitemap("/map.xml", urlset(url("/page/1"), url("/gone/2"), url("/page/1")));
        Path file = Files.writeString(folder.resolve("more.txt"), url("/page/3") + "\n");

        CommandResult result = check(map, url("/page/0"), "--input", file.toString(), "--output", "ndjson");

        assertThat(inputs(result))
                .containsExactly(url("/page/0"), url("/page/1"), url("/gone/2"), url("/page/1"), url("/page/3"));
        assertThat(result.err()).isEqualTo("Sitemap: 3 URLs in 1 sitemap");
        assertThat(result.code()).isEqualTo(2);
    }

    @Test
    void theSitemapsOfAnIndexAreReadInTheirOrderAlsoCompressedAndFromOtherHosts() {
        sitemap("/a.xml", urlset("/page/a", 2));
        sitemaps.put("/b.xml.gz", gzip(urlset("/page/b", 1)));
        sitemap("/c.txt", url("/page/c") + "\r\n\r\n" + url("/page/d"));
        String elsewhere = "http://127.0.0.3:" + other.actualPort();
        sitemap("/elsewhere.xml", urlset(elsewhere + "/page/e"));
        sitemap("/inner.xml", index(url("/a.xml"), elsewhere + "/elsewhere.xml"));
        String map =
                sitemap("/index.xml", index(url("/moved/b.xml.gz"), url("/inner.xml"), url("/a.xml"), url("/c.txt")));

        CommandResult result = check(map, "--output", "ndjson");

        assertThat(inputs(result))
                .containsExactly(
                        url("/page/b0"),
                        url("/page/a0"),
                        url("/page/a1"),
                        url("/page/c"),
                        url("/page/d"),
                        elsewhere + "/page/e");
        assertThat(result.err()).isEqualTo("Sitemap: 6 URLs in 6 sitemaps");
    }

    @Test
    void indexesThatListEachOtherAreReadOnce() {
        sitemap("/a.xml", index(url("/b.xml"), url("/a.xml"), url("/urls.xml")));
        sitemap("/b.xml", index(url("/a.xml"), url("/urls.xml")));
        sitemap("/urls.xml", urlset(url("/page/1")));

        CommandResult result = check(url("/a.xml"), "--output", "ndjson");

        assertThat(inputs(result)).containsExactly(url("/page/1"));
        assertThat(requested).containsExactlyInAnyOrder("/a.xml", "/b.xml", "/urls.xml", "/page/1");
    }

    @Test
    void urlsThatTheModuleCannotCheckHaveAResult() {
        String map = sitemap("/map.xml", urlset(url("/page/1"), "http://10.0.0.1/", "http://127.0.0.1:1/"));

        CommandResult result = check(map, "--output", "ndjson");

        assertThat(result.out().lines().map(JsonObject::new))
                .extracting(line -> line.getJsonObject("error") == null
                        ? "none"
                        : line.getJsonObject("error").getString("code"))
                .containsExactly("none", "target_blocked", "target_blocked");
        assertThat(result.code()).isEqualTo(4);
        CommandResult mail = checkWith("email-address", map, "--output", "ndjson");
        assertThat(mail.out().lines().map(JsonObject::new))
                .extracting(line -> line.getJsonObject("error").getString("code"))
                .containsExactly("invalid_target", "invalid_target", "invalid_target");
        assertThat(mail.code()).isEqualTo(4);
    }

    @Test
    void fiftyThousandUrlsAreAcceptedAndOneMoreIsAnError() {
        sitemap("/30000.xml", urlset("/page/a", 30_000));
        sitemap("/20000.xml", urlset("/page/b", 20_000));
        sitemap("/one.xml", urlset("/page/c", 1));
        String fits = sitemap("/fits.xml", index(url("/30000.xml"), url("/20000.xml")));
        String tooMany = sitemap("/too-many.xml", index(url("/30000.xml"), url("/20000.xml"), url("/one.xml")));

        // no target is contacted
        CommandResult result = checkWith("email-address", fits, "--output", "ndjson");

        assertThat(result.out().lines()).hasSize(50_000);
        assertThat(result.err()).isEqualTo("Sitemap: 50,000 URLs in 3 sitemaps");
        assertRejected(
                check(tooMany),
                "plumbline: 4 of 4 sitemaps contain 50,001 URLs. The maximum is 50,000. Set --sitemap to one"
                        + " of the sitemaps, such as " + url("/one.xml") + ".");
        sitemap("/50001.xml", urlset("/page/", 50_001));
        assertRejected(check(url("/50001.xml")), "It contains more than 50,000 URLs.");
    }

    @Test
    void aSitemapThatIsNotCompleteIsAnErrorAlsoInAnIndex() {
        String complete = urlset(url("/page/1"));
        sitemap("/map.xml", complete);
        sitemap("/cut.xml", complete.substring(0, complete.length() - 12));
        sitemaps.put("/cut.gz", Arrays.copyOf(gzip(complete), 60));
        sitemap("/relative.xml", urlset(url("/page/1"), "/page/2", "page/3"));
        sitemap("/empty-loc.xml", urlset(url("/page/1"), ""));
        sitemap("/two.xml", complete.replace("</loc>", "</loc><loc>" + url("/page/2") + "</loc>"));
        sitemap("/group.xml", complete.replace("<url>", "<group><url>").replace("</url>", "</url></group>"));
        sitemap("/doctype.xml", complete.replace("?>\n", "?>\n<!DOCTYPE urlset>\n"));
        sitemap("/error.html", "<!doctype html><title>Not found</title>");
        sitemap("/nothing.xml", urlset());
        sitemaps.put("/latin.xml", urlset(url("/page/caf\u00e9")).getBytes(StandardCharsets.ISO_8859_1));

        for (Map.Entry<String, String> each : Map.of(
                        "/cut.xml", "It is malformed. Line 3: ",
                        "/cut.gz", "It is malformed. The gzip data is malformed or incomplete.",
                        "/relative.xml", "2 entries are not valid. Line 4: /page/2 is not a valid absolute URL",
                        "/empty-loc.xml", "1 entry is not valid. Line 4: the <loc> element is missing or empty.",
                        "/two.xml", "1 entry is not valid. Line 3: the entry has more than one <loc> element.",
                        "/group.xml", "1 entry is not valid. Line 3: the element <group> is not defined here.",
                        "/doctype.xml", "It contains a document type declaration, which is not processed.",
                        "/error.html", "The content is not a sitemap: the response is an HTML page.",
                        "/latin.xml", "It contains URLs with bytes that are not valid in its encoding.",
                        "/gone.xml", "The server returned status 404.")
                .entrySet()) {
            assertRejected(
                    check(sitemap("/index.xml", index(url("/map.xml"), url(each.getKey())))),
                    "plumbline: The sitemap " + url(each.getKey()) + " was not read completely. " + each.getValue());
        }
        assertThat(check(url("/gone.xml")).err())
                .endsWith("Check the sitemap, or use --input with a list of its URLs.");
        assertRejected(check(url("/nothing.xml")), "The sitemap " + url("/nothing.xml") + " contains no URLs.");
    }

    @Test
    void anIndexWithTooManySitemapsIsAnError() {
        String many = sitemap(
                "/many.xml",
                index(IntStream.range(0, 1_001).mapToObj(i -> url("/map" + i)).toArray(String[]::new)));
        String nested = sitemap(
                "/nested.xml",
                index(IntStream.range(0, 1_000).mapToObj(i -> url("/map" + i)).toArray(String[]::new)));

        assertRejected(check(many), "It lists 1,001 sitemaps; at most 1,000 are read.");
        assertRejected(
                check(nested),
                "and those that it lists are more than 1,000. Set --sitemap to one of them, such as " + url("/map0")
                        + ".");
        assertThat(requested).containsOnly("/many.xml", "/nested.xml");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/sitemaps/truncated.xml | It is malformed.",
                "/sitemaps/bomb/entities.xml | It contains a document type declaration",
                "/sitemaps/bomb/external.xml | It contains a document type declaration",
                "/sitemaps/bomb/gzip.xml.gz | is malformed. ",
                "/sitemaps/bomb/depth.xml | nested more than 64 levels deep",
                "/sitemaps/bomb/tag.xml | It is malformed.",
                "/sitemaps/index.xml | /missing was not read completely. The server returned status 404.",
                "/endless/body | not a sitemap",
            })
    void hostileSitemapsAreErrors(String path, String message) {
        assertRejected(check(lab.http(path)), message);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://10.0.0.1/sitemap.xml | Invalid --sitemap 'http://10.0.0.1/sitemap.xml': ",
                "http://127.0.0.1:1/sitemap.xml | Port 1 is not allowed",
                "ftp://example.com/sitemap.xml | Invalid --sitemap 'ftp://example.com/sitemap.xml': ",
            })
    void aSitemapThatIsNotAllowedIsAnError(String url, String message) {
        assertRejected(check(url), message);
    }

    @Test
    void sitemapsInTheInternalNetworkAreNotContacted() {
        assertRejected(check(lab.http("/sitemaps/canary.xml")), "was not read completely.");
        assertRejected(check(sitemap("/index.xml", index("http://169.254.169.254/latest"))), "169.254.169.254");
        assertThat(lab.canaryConnections()).isZero();
    }

    @Test
    void aSitemapWithOneUrlHasALineAndNotAReport() {
        CommandResult result = check(sitemap("/map.xml", urlset(url("/page/1"))), "--output", "json");

        assertThat(result.out()).startsWith("[");
        assertThat(CommandLineRunner.run("", "check", "--sitemap", url("/map.xml"))
                        .err())
                .isEqualTo("plumbline: No module is given. Add a module, for example http-status.");
    }
}
