package dev.plumbline.lab;

import com.github.luben.zstd.Zstd;
import dev.plumbline.support.BrotliEncoder;
import io.vertx.core.buffer.Buffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;

/** Pages that conform to the standards, and deviations that browsers accept. */
final class GoodPages {
    private static final String HTML = "content-type: text/html; charset=utf-8\r\n";

    private static final String PROTECTED =
            """
      strict-transport-security: max-age=31536000; includeSubDomains
      content-security-policy: default-src 'self'; form-action 'self'; frame-ancestors 'none'
      x-content-type-options: nosniff
      referrer-policy: no-referrer
      permissions-policy: camera=()
      cross-origin-opener-policy: same-origin
      cross-origin-embedder-policy: require-corp
      cross-origin-resource-policy: same-origin
      """
                    .replace("\n", "\r\n");

    private static final String DESCRIBED =
            """
      <!DOCTYPE html>
      <html lang="en"><head><meta charset="utf-8"><title>Well described</title>
      <meta name="description" content="A page with a description.">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <link rel="icon" href="/favicon.ico"></head><body><h1>Well described</h1></body></html>
      """;

    private GoodPages() {}

    static List<LabPage> all() {
        return List.of(
                new LabPage("/ok", "200", c -> c.respond(200, "content-type: text/plain\r\n", "all is well")),
                new LabPage(
                        "/status/{code}",
                        "{code}",
                        c -> c.respond(Integer.parseInt(c.lastSegment()), "", "status page")),
                new LabPage(
                        "/page",
                        "200; contains needle",
                        c -> c.respond(200, HTML, "<title>A page</title><p>a needle in a haystack")),
                new LabPage(
                        "/big",
                        "200; the last word, in the fourth megabyte, is needle",
                        c -> c.respond(200, HTML, "hay ".repeat(1 << 20) + "needle")),
                new LabPage(
                        "/gzip",
                        "200; contains needle",
                        c -> c.respond(200, HTML + "content-encoding: gzip\r\n", gzip("a needle"))),
                new LabPage(
                        "/deflate",
                        "200; contains needle",
                        c -> c.respond(200, HTML + "content-encoding: deflate\r\n", deflate("a needle"))),
                new LabPage(
                        "/brotli",
                        "200; contains needle",
                        c -> c.respond(200, HTML + "content-encoding: br\r\n", brotli("a needle"))),
                new LabPage(
                        "/zstd",
                        "200; contains needle",
                        c -> c.respond(200, HTML + "content-encoding: zstd\r\n", zstd("a needle"))),
                new LabPage(
                        "/chunked",
                        "200; contains needle",
                        c -> c.end("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
                                + (c.head() ? "" : "5;x=\"y\"\r\na nee\r\n3\r\ndle\r\n0\r\nx-trailer: 1\r\n\r\n"))),
                new LabPage(
                        "/until-closed",
                        "200 over HTTP/1.0; contains needle",
                        c -> c.end("HTTP/1.0 200 OK\r\n\r\n" + (c.head() ? "" : "a needle"))),
                new LabPage("/no-reason", "200", c -> c.end("HTTP/1.1 200\r\ncontent-length: 0\r\n\r\n")),
                new LabPage("/bare-line-feeds", "200", c -> c.end("HTTP/1.1 200 OK\ncontent-length: 0\n\n")),
                new LabPage(
                        "/early-hints",
                        "200",
                        c -> c.end("HTTP/1.1 103 Early Hints\r\nlink: </a.css>\r\n\r\n"
                                + "HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n")),
                new LabPage("/slow", "200 after two seconds", c -> c.later(2_000, () -> c.respond(200, "", "delayed"))),
                new LabPage("/head/405", "200 by GET", c -> respondByMethod(c, 405, 200)),
                new LabPage("/head/501", "200 by GET", c -> respondByMethod(c, 501, 200)),
                new LabPage("/head/403", "200 by GET", c -> respondByMethod(c, 403, 200)),
                new LabPage("/head/404", "200 by GET", c -> respondByMethod(c, 404, 200)),
                new LabPage("/head/reset", "200 by GET", c -> {
                    if (c.head()) {
                        c.reset();
                    } else {
                        c.respond(200, "", "well");
                    }
                }),
                new LabPage("/head/silent", "200 by GET, after half of the timeout", c -> {
                    if (!c.head()) {
                        c.respond(200, "", "well");
                    }
                }),
                new LabPage("/head/misleading", "200 by HEAD (auto), 404 by GET", c -> respondByMethod(c, 200, 404)),
                new LabPage(
                        "/head/body",
                        "200; the response to HEAD has content",
                        c -> c.end("HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nbody")),
                new LabPage(
                        "/challenge/cloudflare",
                        "403, blocked_suspected",
                        c -> c.respond(
                                403,
                                HTML + "server: cloudflare\r\ncf-mitigated: challenge\r\n",
                                "<title>Just a moment...</title>")),
                new LabPage(
                        "/challenge/akamai",
                        "403, blocked_suspected",
                        c -> c.respond(403, HTML + "server: AkamaiGHost\r\n", "<title>Access Denied</title>Reference")),
                new LabPage(
                        "/soft-404",
                        "200, soft_404_suspected with method=get",
                        c -> c.respond(200, HTML, "<title>Page not found | Shop</title>")),
                new LabPage(
                        "/headers/perfect",
                        "200; security-headers reports only the missing HTTPS",
                        c -> c.respond(200, HTML + PROTECTED, "<title>Well protected</title>")),
                new LabPage(
                        "/robots.txt",
                        "200; robots-txt disallows /private/",
                        c -> c.respond(
                                c.header("host").startsWith(HttpLab.UNAVAILABLE_NAME) ? 503 : 200,
                                "content-type: text/plain\r\n",
                                "User-agent: *\nDisallow: /private/\n")),
                new LabPage("/metadata", "200; page-metadata has no findings", c -> c.respond(200, HTML, DESCRIBED)),
                new LabPage(
                        "/refresh",
                        "200; the Refresh header is not followed",
                        c -> c.respond(
                                200,
                                HTML + "refresh: 0; url=http://"
                                        + c.lab().canary().authority() + "/\r\n",
                                "<meta http-equiv=refresh content='0;url=http://"
                                        + c.lab().canary().authority()
                                        + "/'>")));
    }

    private static void respondByMethod(LabExchange c, int head, int other) {
        c.respond(c.head() ? head : other, "", "content");
    }

    static Buffer gzip(String text) {
        return compressed(text, true);
    }

    private static Buffer deflate(String text) {
        return compressed(text, false);
    }

    private static Buffer brotli(String text) {
        return Buffer.buffer(BrotliEncoder.encode(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Buffer zstd(String text) {
        return Buffer.buffer(Zstd.compress(text.getBytes(StandardCharsets.UTF_8)));
    }

    private static Buffer compressed(String text, boolean gzip) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (OutputStream out = gzip ? new GZIPOutputStream(bytes) : new DeflaterOutputStream(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return Buffer.buffer(bytes.toByteArray());
    }
}
