package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceFixture;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.stream.Stream;
import java.util.zip.GZIPInputStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The layout, security headers and assets that all pages share. */
@Tag("integration")
class PageLayoutTest {
    @RegisterExtension
    static final ServiceFixture FIXTURE = new ServiceFixture(Map.of());

    private final ServiceUnderTest service = FIXTURE.service();

    @ParameterizedTest
    @ValueSource(strings = {"/", "/nowhere"})
    void everyPageHasTheCommonLayout(String path) {
        Document page = Jsoup.parse(service.page(path, "Accept", "text/html").body());

        assertThat(page.select("html").attr("lang")).isEqualTo("en");
        assertThat(page.title()).contains("Plumbline");
        assertThat(page.select("meta[name=description]").attr("content")).isNotBlank();
        assertThat(page.select("header nav a").eachText()).containsExactly("Check", "Bulk", "Tools", "API", "Sign in");
        assertThat(page.select("a.skip").attr("href")).isEqualTo("#content");
        assertThat(page.select("main#content h1")).hasSize(1);
        assertThat(page.select("footer")).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/nowhere"})
    void noInlineOrExternalAssetsAreLoaded(String path) {
        HttpResponse<String> response = service.page(path, "Accept", "text/html");
        Document page = Jsoup.parse(response.body());

        assertThat(header(response, "content-security-policy"))
                .contains("default-src 'none'", "frame-ancestors 'none'", "base-uri 'none'")
                .doesNotContain("unsafe");
        assertThat(page.select("[style], style")).isEmpty();
        assertThat(page.select("script").eachAttr("src")).isNotEmpty().allSatisfy(src -> assertThat(src)
                .startsWith("/assets/"));
        assertThat(page.select("script:not([src])")).isEmpty();
        for (Element element : page.getAllElements()) {
            assertThat(element.attributes().asList())
                    .noneSatisfy(attribute -> assertThat(attribute.getKey()).startsWith("on"));
        }
    }

    @Test
    void pagesHaveSecurityHeaders() {
        HttpResponse<String> page = service.page("/");

        assertThat(header(page, "content-type")).isEqualTo("text/html; charset=utf-8");
        assertThat(header(page, "cache-control")).isEqualTo("private, no-cache");
        assertThat(header(page, "x-content-type-options")).isEqualTo("nosniff");
        assertThat(header(page, "referrer-policy")).isEqualTo("strict-origin-when-cross-origin");
        assertThat(header(page, "cross-origin-opener-policy")).isEqualTo("same-origin");
        assertThat(header(page, "cross-origin-resource-policy")).isEqualTo("same-origin");
        assertThat(header(page, "permissions-policy")).contains("geolocation=()");
        assertThat(header(page, "x-request-id")).isNotBlank();
        // this one is reached without TLS
        assertThat(page.headers().firstValue("strict-transport-security")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/tools?q=%", "/check?target=50%", "/sign-in?next=%zz"})
    void invalidPercentEncodingIsExplained(String path) throws Exception {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\n\r\n");

            RawHttpClient.RawResponse answer = client.response();

            assertThat(answer.status()).isEqualTo(400);
            assertThat(Jsoup.parse(answer.body()).select("main").text()).contains("Encode it as %25");
        }
    }

    @Test
    void aRequestBodyOverTheLimitGetsAPage() throws Exception {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("POST /bulk HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nContent-Length: 8388609\r\n\r\n");

            RawHttpClient.RawResponse answer = client.response();
            Document page = Jsoup.parse(answer.body());

            assertThat(answer.status()).isEqualTo(413);
            assertThat(answer.head().toLowerCase(java.util.Locale.ROOT))
                    .contains("content-type: text/html; charset=utf-8", "cache-control: no-store")
                    .contains("content-security-policy: default-src 'none'")
                    .contains("connection: close");
            assertThat(page.select("main .status").text()).isEqualTo(String.valueOf(answer.status()));
            assertThat(page.select("main .lead").text()).isNotBlank();
        }
    }

    @ParameterizedTest
    @MethodSource("rejectedHeads")
    void aRejectedHeadGetsItsStatus(String line, String fields, int status) throws Exception {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send(line + "\r\nHost: a\r\nAccept: text/html,*/*;q=0.8\r\n" + fields + "\r\n");

            assertThat(client.response().status()).isEqualTo(status);
            assertThat(client.isEnded()).isTrue();
        }
    }

    static Stream<Arguments> rejectedHeads() {
        return Stream.of(
                Arguments.of("GET /check?target=" + "x".repeat(33_000) + " HTTP/1.1", "", 414),
                Arguments.of("GET /check?target=" + "x".repeat(120_000) + " HTTP/1.1", "", 414),
                Arguments.of("GET /tools HTTP/1.1", "Cookie: a=" + "x".repeat(20_000) + "\r\n", 431),
                Arguments.of("GET /tools HTTP/1.1", "no colon\r\n", 400));
    }

    @Test
    void assetsAreCachedPermanentlyByHash() throws Exception {
        Document page = Jsoup.parse(service.page("/").body());
        String css = page.select("link[rel=stylesheet]").attr("href");

        assertThat(css).matches("/assets/site\\.[0-9a-f]{12}\\.css");
        HttpResponse<String> plain = service.page(css);
        assertThat(plain.statusCode()).isEqualTo(200);
        assertThat(header(plain, "cache-control")).isEqualTo("public, max-age=31536000, immutable");
        assertThat(header(plain, "content-type")).isEqualTo("text/css; charset=utf-8");
        HttpResponse<byte[]> small = gzipped(css);
        assertThat(small.headers().firstValue("content-encoding")).contains("gzip");
        assertThat(unzipped(small.body())).isEqualTo(plain.body());
        assertThat(service.page("/assets/site.000000000000.css").statusCode()).isEqualTo(404);
        assertThat(service.page("/assets/..%2fopenapi.json").statusCode()).isEqualTo(404);
    }

    @Test
    void firstVisitLoadsFewBytes() throws Exception {
        Document page = Jsoup.parse(service.page("/").body());
        long bytes = gzipped("/").body().length;
        for (String file : page.select("link[rel=stylesheet], link[rel=icon]").eachAttr("href")) {
            bytes += gzipped(file).body().length;
        }
        for (String file : page.select("script").eachAttr("src")) {
            bytes += gzipped(file).body().length;
        }

        assertThat(bytes).isLessThan(60 * 1024);
    }

    @Test
    void browsersGetPagesAndClientsGetProblemDocuments() {
        HttpResponse<String> page = service.page("/nowhere", "Accept", "text/html,*/*;q=0.8");
        HttpResponse<String> document = service.page("/nowhere", "Accept", "*/*");
        HttpResponse<String> api = service.page("/api/v1/nowhere", "Accept", "text/html");

        assertThat(page.statusCode()).isEqualTo(404);
        assertThat(Jsoup.parse(page.body()).select("main").text()).contains("404", "This page does not exist");
        assertThat(document.statusCode()).isEqualTo(404);
        assertThat(new JsonObject(document.body()).getString("code")).isEqualTo("not-found");
        assertThat(header(api, "content-type")).isEqualTo("application/problem+json");
    }

    @Test
    void unsupportedMethodsAreRejectedWithAllow() {
        HttpResponse<String> response = service.pageBy("DELETE", "/");

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(header(response, "allow")).isEqualTo("GET, HEAD, OPTIONS");
    }

    @Test
    void headReturnsTheHeadersOfThePage() {
        HttpResponse<String> response = service.pageBy("HEAD", "/");

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.body()).isEmpty();
        assertThat(header(response, "content-length")).isNotEqualTo("0");
    }

    @Test
    void robotsTxtDisallowsReports() {
        assertThat(service.page("/robots.txt").body()).contains("Disallow: /check/");
    }

    @Test
    void navigationShowsTheAccountWithASession() {
        Document page = Jsoup.parse(service.page("/", "Cookie", "plumbline=x").body());

        assertThat(page.select("header nav").text()).contains("Account").doesNotContain("Sign in");
    }

    @Test
    void linksUseThePublicUrl() {
        try (ServiceUnderTest below = ServiceUnderTest.start(
                FIXTURE.database().url(), Map.of("HTTP_PUBLIC_URL", "https://tools.example/plumb"))) {
            HttpResponse<String> page = below.page("/");

            assertThat(header(page, "strict-transport-security")).startsWith("max-age=31536000");
            assertThat(Jsoup.parse(page.body()).select("[href], [src]"))
                    .extracting(element -> element.attr("href") + element.attr("src"))
                    .allSatisfy(link -> assertThat(link).containsPattern("^(https://tools.example)?/plumb|^#"));
        }
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow(() -> new AssertionError("no " + name));
    }

    private HttpResponse<byte[]> gzipped(String path) throws Exception {
        URI uri = service.uri(path);
        return HttpClient.newHttpClient()
                .send(
                        HttpRequest.newBuilder(uri)
                                .header("Accept-Encoding", "gzip")
                                .build(),
                        HttpResponse.BodyHandlers.ofByteArray());
    }

    private static String unzipped(byte[] bytes) throws IOException {
        return new String(
                new GZIPInputStream(new ByteArrayInputStream(bytes)).readAllBytes(),
                java.nio.charset.StandardCharsets.UTF_8);
    }
}
