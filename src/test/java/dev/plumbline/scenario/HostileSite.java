package dev.plumbline.scenario;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import dev.plumbline.support.Await;
import dev.plumbline.support.BrotliEncoder;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.OpenSSLEngineOptions;
import io.vertx.core.net.PemKeyCertOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;

/**
 * An HTTP and HTTPS server on loopback whose responses are expensive to process. The start of a path selects the
 * response; the rest makes the URL unique:
 *
 * <ul>
 *   <li>{@code /ok/}: a small page
 *   <li>{@code /links/}: 10,000 links relative to a base URL of 1,900 characters; none of them responds
 *   <li>{@code /images/}: the same with resources over HTTP, 140 KB
 *   <li>{@code /brotli/}: 2 MiB of Brotli that takes long to decode
 *   <li>{@code /gzip-brotli/}: the same, compressed with gzip to less than 10 KB
 *   <li>all others: no response
 * </ul>
 */
final class HostileSite implements AutoCloseable {
    private static final int BASE_LENGTH = 1_900;
    private static final int LINKS = 10_000;
    private static final int IMAGES_BYTES = 140_000;
    private static final int BROTLI_BYTES = 2 * 1024 * 1024 - 1_024;

    private final Vertx vertx = Vertx.vertx();
    private final HttpServer http;
    private final HttpServer https;
    private final Path roots;
    private final Buffer links;
    private final Buffer images;
    private final Buffer brotli;
    private final Buffer gzipBrotli;

    private HostileSite(Path folder) throws IOException {
        TestCa ca = TestCa.root("Scenario");
        TestCa.Identity identity = ca.issue(CertificateSpec.server("localhost").address("127.0.0.1"));
        roots = Files.writeString(folder.resolve("roots.pem"), TestCa.pem(ca.certificate()));
        http = Await.value(vertx.createHttpServer(new HttpServerOptions())
                .requestHandler(this::respond)
                .listen(0, "127.0.0.1"));
        https = Await.value(vertx.createHttpServer(new HttpServerOptions()
                        .setSsl(true)
                        // the JDK signs so slowly that the target would not respond in time
                        .setSslEngineOptions(new OpenSSLEngineOptions())
                        .setKeyCertOptions(new PemKeyCertOptions()
                                .setCertValue(Buffer.buffer(TestCa.pem(identity.certificate())))
                                .setKeyValue(Buffer.buffer(identity.keyPem()))))
                .requestHandler(this::respond)
                .listen(0, "127.0.0.1"));
        links = Buffer.buffer(page("<a href=%s>", LINKS, Integer.MAX_VALUE));
        images = Buffer.buffer(page("<img src=%s>", Integer.MAX_VALUE, IMAGES_BYTES));
        byte[] slow = BrotliEncoder.slow(BROTLI_BYTES);
        brotli = Buffer.buffer(slow);
        gzipBrotli = Buffer.buffer(gzip(slow));
    }

    /** @param folder for the root certificate */
    static HostileSite start(Path folder) throws IOException {
        return new HostileSite(Files.createDirectories(folder));
    }

    private String page(String element, int most, int bytes) {
        String base = "http://127.0.0.1:" + http.actualPort() + "/silent/";
        StringBuilder page = new StringBuilder("<!doctype html><title>t</title><base href=\"")
                .append(base)
                .append("b".repeat(BASE_LENGTH - base.length() - 1))
                .append("/\">");
        for (int i = 0; i < most && page.length() < bytes; i++) {
            page.append(element.replace("%s", Integer.toString(i, Character.MAX_RADIX)));
        }
        return page.toString();
    }

    private static byte[] gzip(byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(bytes)) {
            out.write(content);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return bytes.toByteArray();
    }

    private void respond(HttpServerRequest request) {
        HttpServerResponse response = request.response().putHeader("Content-Type", "text/html; charset=utf-8");
        switch (request.path().split("/", 3)[1]) {
            case "ok" -> response.end("<!doctype html><title>A page</title><p>text");
            case "links" -> response.end(links);
            case "images" -> response.end(images);
            case "brotli" -> response.putHeader("Content-Encoding", "br").end(brotli);
            case "gzip-brotli" ->
                response.putHeader("Content-Encoding", "br, gzip").end(gzipBrotli);
            default -> request.pause();
        }
    }

    String url(String path) {
        return "http://127.0.0.1:" + http.actualPort() + path;
    }

    String secureUrl(String path) {
        return "https://127.0.0.1:" + https.actualPort() + path;
    }

    /** PEM file with the root certificate of the HTTPS server. */
    Path roots() {
        return roots;
    }

    @Override
    public void close() {
        Await.value(vertx.close());
    }
}
