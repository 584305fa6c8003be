package dev.plumbline.module.web;

import static dev.plumbline.module.web.HttpEvidence.url;
import static org.assertj.core.api.Assertions.assertThat;

import com.github.luben.zstd.Zstd;
import com.google.common.hash.Hashing;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.HttpFixture;
import dev.plumbline.lab.VirtualHosts;
import dev.plumbline.probe.http.HttpProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.support.ApacheServer;
import dev.plumbline.support.Await;
import dev.plumbline.support.BrotliEncoder;
import dev.plumbline.support.Curl;
import dev.plumbline.support.NginxServer;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HttpCompressionTest {
    @RegisterExtension
    static final HttpFixture FIXTURE = HttpFixture.start();

    private static final ModuleDefinition<HttpCompression.Evidence> MODULE = SheetModule.load(new HttpCompression());
    private static final String PAGE = "<p>a needle in a haystack</p>\n".repeat(200);

    private static Vertx vertx;
    private static HttpProbe probe;
    private static VirtualHosts sites;

    @BeforeAll
    static void start() {
        vertx = Vertx.vertx();
        probe = FIXTURE.probe(HttpFixture.policy(List.of("127.0.0.0/8"), List.of("*")));
        AtomicInteger counter = new AtomicInteger();
        Map<String, Consumer<HttpServerRequest>> all = new LinkedHashMap<>();
        all.put("all", request -> respond(request, coding(request), PAGE));
        all.put("none", request -> respond(request, "identity", PAGE));
        all.put("always", request -> respond(request, "gzip", PAGE));
        all.put(
                "stale",
                request -> respond(request, coding(request), coding(request).equals("br") ? "old" : PAGE));
        all.put("dynamic", request -> respond(request, coding(request), PAGE + counter.incrementAndGet()));
        all.put("huge", request -> respond(request, coding(request), PAGE.repeat(400)));
        all.put("broken", request -> request.response()
                .putHeader("content-encoding", coding(request))
                .putHeader("vary", "accept-encoding")
                .end(PAGE));
        all.put("refusing", request -> {
            if (coding(request).equals("zstd")) {
                request.response().setStatusCode(406).end();
            } else {
                respond(request, coding(request), PAGE);
            }
        });
        all.put("moved", request -> request.response()
                .setStatusCode(302)
                .putHeader("location", sites.url("all", "/"))
                .end());
        all.put("reset", request -> {
            if (coding(request).equals("br")) {
                request.connection().close();
            } else {
                respond(request, coding(request), PAGE);
            }
        });
        sites = Await.value(VirtualHosts.start(vertx, FIXTURE.dns(), all));
    }

    @AfterAll
    static void stop() {
        Await.value(vertx.close());
    }

    @ParameterizedTest
    @CsvSource({
        "all, true, true, true, true, true, ''",
        "none, false, false, false, false, true, compression_missing",
        "always, true, false, false, false, true, encoding_not_requested",
        "stale, true, true, true, true, true, content_differs",
        "dynamic, true, true, true, true, true, content_dynamic",
        "refusing, true, true, false, true, true, status_differs",
        "moved, true, true, true, true, true, redirected"
    })
    void testsEachCoding(
            String site, boolean gzip, boolean br, boolean zstd, boolean deflate, boolean vary, String code) {
        CheckResult result = check(sites.url(site, "/"));

        assertThat(result.error()).isNull();
        assertThat(result.fields())
                .containsEntry("gzip", gzip)
                .containsEntry("br", br)
                .containsEntry("zstd", zstd)
                .containsEntry("deflate", deflate)
                .containsEntry("vary_ok", vary);
        if (code.isEmpty()) {
            // the test encoder for Brotli does not compress
            assertThat(codes(result)).containsExactly("compression_larger");
            assertThat(result.fields())
                    .containsEntry("identity_bytes", PAGE.length())
                    .containsEntry("best_encoding", "zstd");
        } else {
            assertThat(codes(result)).contains(code);
        }
    }

    @Test
    void reportsMalformedContent() {
        CheckResult result = check(sites.url("broken", "/"));

        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
        assertThat(codes(result)).containsExactly("encoding_malformed");
    }

    @Test
    void reportsErrors() {
        assertThat(check(sites.url("reset", "/")).error().code()).isEqualTo(ErrorCode.CONNECTION_RESET);
        CheckResult missing = check(FIXTURE.lab().http("/status/404"));
        assertThat(codes(missing)).containsExactly("error_page");
        CheckResult huge = check(sites.url("huge", "/"));
        assertThat(huge.error().code()).isEqualTo(ErrorCode.RESPONSE_TOO_LARGE);
        assertThat(huge.fields()).containsEntry("gzip", true).containsEntry("best_bytes", null);
    }

    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            value = {
                // content type, identity bytes, gzip bytes (0: not supported), br bytes; vary; results; finding
                "text/html, 10000, 2000, 1500, true, br, 85.0, -",
                "text/html, 10000, 2000, 0, true, gzip, 80.0, modern_encoding_missing",
                "text/html, 10000, 2000, 2000, true, gzip, 80.0, -",
                "text/html, 10000, 2000, 1500, false, br, 85.0, vary_missing",
                "text/html, 10000, 0, 0, true, -, 0, compression_missing",
                "'', 10000, 0, 0, true, -, 0, compression_missing",
                "application/ld+json, 10000, 0, 0, true, -, 0, compression_missing",
                "image/svg+xml, 1024, 0, 0, true, -, 0, compression_missing",
                "text/html, 1023, 0, 0, true, -, 0, small_response",
                "text/html, 0, 0, 0, true, -, 0, small_response",
                "image/jpeg, 10000, 0, 0, true, -, 0, not_compressible",
                "font/woff2, 10000, 0, 0, true, -, 0, not_compressible",
                "text/html, 20, 44, 40, true, -, 0, compression_larger"
            })
    void comparesSizes(
            String type,
            int bytes,
            int gzip,
            int br,
            boolean vary,
            @Nullable String best,
            double saving,
            @Nullable String code) {
        Map<String, ContentSample> encoded = new LinkedHashMap<>();
        encoded.put("gzip", gzip == 0 ? sample("", bytes, bytes, type, vary) : sample("gzip", gzip, bytes, type, vary));
        encoded.put("br", br == 0 ? sample("", bytes, bytes, type, vary) : sample("br", br, bytes, type, vary));
        Evaluation evaluation = MODULE.evaluate(
                new HttpCompression.Evidence(
                        url("https://a.test/"), false, sample("", bytes, bytes, type, vary), encoded, null, null),
                Options.defaults(MODULE.description()));

        assertThat(evaluation.fields())
                .containsEntry("identity_bytes", bytes)
                .containsEntry("best_encoding", best)
                .containsEntry("saving_percent", saving)
                .containsEntry("vary_ok", vary);
        assertThat(HttpEvidence.codes(evaluation)).isEqualTo(code == null ? List.of() : List.of(code));
    }

    @Tag("integration")
    @Test
    void agreesWithCurlOnNginxAndApache(@TempDir Path first, @TempDir Path second) throws Exception {
        try (NginxServer nginx = NginxServer.start(
                        first,
                        FIXTURE.identity(),
                        """
                root FOLDER/www;
                gzip on; gzip_types text/plain; gzip_vary on; brotli on; brotli_types text/plain;
                location /off { gzip off; brotli off; }
                location /no-vary { gzip_vary off; }
                """);
                ApacheServer apache = ApacheServer.start(
                        second,
                        FIXTURE.identity(),
                        """
                <Location />
                AddOutputFilterByType BROTLI_COMPRESS;DEFLATE text/plain
                </Location>
                <Location /off>
                SetEnv no-gzip 1
                SetEnv no-brotli 1
                </Location>
                """)) {
            for (Path folder : List.of(first, second)) {
                Path www = Files.createDirectories(folder.resolve("www"));
                for (String name : List.of("page.txt", "off.txt", "no-vary.txt")) {
                    Files.writeString(www.resolve(name), PAGE);
                }
            }
            for (String url : List.of(
                    nginx.https("/page.txt"),
                    nginx.https("/off.txt"),
                    nginx.https("/no-vary.txt"),
                    nginx.http("/page.txt"),
                    apache.https("/page.txt"),
                    apache.https("/off.txt"))) {
                assertAgreesWithCurl(url);
            }
            assertThat(check(nginx.https("/page.txt")).verdict()).isEqualTo(Verdict.PASS);
            assertThat(check(nginx.https("/page.txt")).fields()).containsEntry("best_encoding", "br");
            assertThat(check(apache.https("/page.txt")).fields()).containsEntry("br", true);
            assertThat(codes(check(nginx.https("/no-vary.txt")))).contains("vary_missing");
            assertThat(codes(check(nginx.https("/off.txt")))).containsExactly("compression_missing");
        }
    }

    private static void assertAgreesWithCurl(String url) throws Exception {
        CheckResult result = check(url);
        assertThat(result.error()).isNull();
        int smallest = PAGE.length();
        for (String coding : List.of("gzip", "br", "zstd", "deflate")) {
            String[] curl = Curl.run(
                            url,
                            "--header",
                            "Accept-Encoding: " + coding,
                            "--output",
                            "/dev/null",
                            "--write-out",
                            "%header{content-encoding}|%{size_download}|")
                    .split("\\|", -1);
            assertThat(result.fields()).as(url).containsEntry(coding, curl[0].equals(coding));
            smallest = Math.min(smallest, Integer.parseInt(curl[1]));
        }
        assertThat(result.fields())
                .containsEntry("identity_bytes", PAGE.length())
                .containsEntry("best_bytes", smallest);
        assertThat(Curl.run(url, "--compressed")).isEqualTo(PAGE.strip());
    }

    private static CheckResult check(String url) {
        return FIXTURE.check(MODULE, probe, url, "");
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static ContentSample sample(String coding, int bytes, int decoded, String type, boolean vary) {
        return new ContentSample(200, coding, bytes, decoded, Hashing.sha256().hashInt(1), true, true, vary, type);
    }

    private static String coding(HttpServerRequest request) {
        return request.getHeader("accept-encoding");
    }

    private static void respond(HttpServerRequest request, String coding, String content) {
        request.response().putHeader("content-type", "text/html").putHeader("vary", "Accept-Encoding");
        if (!coding.equals("identity")) {
            request.response().putHeader("content-encoding", coding);
        }
        request.response().end(Buffer.buffer(encoded(coding, content.getBytes(StandardCharsets.UTF_8))));
    }

    private static byte[] encoded(String coding, byte[] content) {
        try {
            ByteArrayOutputStream out = new ByteArrayOutputStream();
            switch (coding) {
                case "br" -> {
                    return BrotliEncoder.encode(content);
                }
                case "zstd" -> {
                    return Zstd.compress(content);
                }
                case "gzip" -> {
                    try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
                        gzip.write(content);
                    }
                }
                case "deflate" -> {
                    try (DeflaterOutputStream deflate = new DeflaterOutputStream(out)) {
                        deflate.write(content);
                    }
                }
                default -> {
                    return content;
                }
            }
            return out.toByteArray();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }
}
