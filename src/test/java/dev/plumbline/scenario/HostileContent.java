package dev.plumbline.scenario;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntFunction;

/** Responses at the limits of each parser: bodies by the kind of file, and the header of a response. */
final class HostileContent {
    /** The limit of the largest body, a sitemap. */
    private static final int MAX_BYTES = 8 * 1024 * 1024 - 16;

    private static final int HEADER_LINES = 120;
    private static final int HEADER_BYTES = 400;

    private final Map<String, Buffer> files = new TreeMap<>();
    private final Buffer page;

    /** @param origin of links, without the final slash */
    HostileContent(String origin) {
        String base = origin + "/silent/" + "b".repeat(1_800) + "/";
        page = Buffer.buffer("<!doctype html><html><head><title>" + "t".repeat(10_000) + "</title><base href=\"" + base
                + "\">"
                + "<script type=\"application/ld+json\">{\"@type\":\"A\",\"b\":[" + "{\"@type\":\"B\"},".repeat(2_000)
                + "{}]}</script>");
        int blocks = 1;
        while (page.length() < 2 * 1024 * 1024 - 2_000) {
            page.appendString(
                    "<meta property=og:image content=/i%1$d><link rel=icon href=/j%1$d><a href=k%1$d>x%1$d</a>"
                                    .formatted(blocks)
                            + "<img src=http://l%1$d.test/ srcset='m%1$d 2x'><script src=n%1$d></script>"
                                    .formatted(blocks));
            blocks++;
        }
        files.put("robots.txt", lines(500 * 1024, i -> "User-agent: a" + i + "\nDisallow: /b" + i + "\n"));
        files.put(
                "sitemap",
                Buffer.buffer("<urlset xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\">")
                        .appendBuffer(lines(
                                MAX_BYTES - 100,
                                i -> "<url><loc>" + origin + "/" + i + "</loc><lastmod>2026-01-01</lastmod></url>"))
                        .appendString("</urlset>"));
        files.put("security.txt", lines(100 * 1024, i -> "Contact: mailto:a" + i + "@b.test\n"));
        files.put(
                "mta-sts.txt",
                Buffer.buffer("version: STSv1\nmode: enforce\nmax_age: 86400\n")
                        .appendBuffer(lines(63 * 1024, i -> "mx: m" + i + ".test\n")));
        files.put(
                "svg",
                Buffer.buffer("<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.2\" baseProfile=\"tiny-ps\">")
                        .appendBuffer(lines(250 * 1024, i -> "<path d=\"M" + i + " 0\"/>"))
                        .appendString("</svg>"));
        files.put(
                "rdap",
                Buffer.buffer(
                                "{\"objectClassName\":\"domain\",\"ldhName\":\"a.test\",\"handle\":\"A\","
                                        + "\"startAddress\":\"20.0.0.0\",\"endAddress\":\"20.255.255.255\",\"ipVersion\":\"v4\",\"entities\":[")
                        .appendBuffer(lines(
                                250 * 1024,
                                i -> "{\"objectClassName\":\"entity\",\"roles\":[\"abuse\"],\"handle\":\"A" + i
                                        + "\"},"))
                        .appendString("{}]}"));
    }

    private static Buffer lines(int bytes, IntFunction<String> line) {
        Buffer out = Buffer.buffer(bytes);
        for (int i = 0; out.length() < bytes - 120; i++) {
            out.appendString(line.apply(i));
        }
        return out;
    }

    /** The body of a path. */
    Buffer body(String path) {
        return files.entrySet().stream()
                .filter(file -> path.contains(file.getKey()))
                .map(Map.Entry::getValue)
                .findFirst()
                .orElse(page);
    }

    /** Sets the header of a response: as many bytes and cookies as checks accept. */
    static void setHeaders(HttpServerResponse response, String path) {
        response.putHeader("Content-Type", type(path))
                .putHeader("Strict-Transport-Security", "max-age=31536000")
                .putHeader("Accept-Ranges", "none");
        String value = "v".repeat(HEADER_BYTES);
        for (int i = 0; i < HEADER_LINES; i++) {
            response.headers().add(i % 2 == 0 ? "Set-Cookie" : "X-Header-" + i, "c" + i + "=" + value);
        }
    }

    private static String type(String path) {
        if (path.contains("rdap")) {
            return "application/rdap+json";
        }
        if (path.contains("svg")) {
            return "image/svg+xml";
        }
        if (path.contains("sitemap")) {
            return "application/xml";
        }
        return path.endsWith(".txt") ? "text/plain" : "text/html; charset=utf-8";
    }
}
