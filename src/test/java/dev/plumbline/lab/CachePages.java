package dev.plumbline.lab;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** Pages with caching headers and content codings, common ones and contradictions. */
final class CachePages {
    private static final String TEXT = "content-type: text/plain\r\n";
    private static final String TAGGED = TEXT + "etag: \"v1\"\r\n";
    private static final AtomicInteger VERSION = new AtomicInteger();

    private CachePages() {}

    static List<LabPage> all() {
        return List.of(
                page("/cache/max-age", TAGGED + "cache-control: public, max-age=60\r\n"),
                page("/cache/no-store", TEXT + "cache-control: no-store\r\n"),
                page("/cache/expired", TAGGED + "expires: 0\r\n"),
                page("/cache/conflict", TAGGED + "cache-control: no-store, public, immutable\r\n"),
                page(
                        "/cache/repeated",
                        TAGGED + "cache-control: max-age=60\r\ncache-control: max-age=5\r\nage: 61\r\nage: 7\r\n"),
                page(
                        "/cache/malformed",
                        TEXT + "cache-control: max-age=1h; public\r\nexpires: tomorrow\r\netag: v1\r\n"),
                page("/cache/cookie", TAGGED + "cache-control: public, max-age=60\r\nset-cookie: id=1\r\n"),
                page("/cache/vary-any", TAGGED + "cache-control: max-age=60\r\nvary: *\r\n"),
                new LabPage(
                        "/cache/etag-unstable",
                        "200",
                        c -> c.respond(
                                200,
                                TEXT + "cache-control: max-age=60\r\netag: \"v" + VERSION.incrementAndGet() + "\"\r\n",
                                "content")),
                new LabPage(
                        "/coding/malformed",
                        "200",
                        c -> c.respond(200, TEXT + "content-encoding: br\r\n", "not Brotli")),
                new LabPage(
                        "/coding/malformed-if-requested",
                        "200",
                        c -> c.respond(
                                200,
                                TEXT + (c.header("accept-encoding").contains("br") ? "content-encoding: br\r\n" : ""),
                                "not Brotli")));
    }

    static List<LabTarget> targets(HttpLab lab) {
        return List.of(
                new LabTarget("http-caching", lab.http("/cache/max-age"), "freshness_seconds=60"),
                new LabTarget("http-caching", lab.http("/cache/no-store"), "storable=false"),
                new LabTarget("http-caching", lab.http("/cache/expired"), "freshness_seconds=0"),
                new LabTarget("http-caching", lab.http("/cache/conflict"), "verdict=warn"),
                new LabTarget("http-caching", lab.http("/cache/repeated"), "verdict=warn, age=61"),
                new LabTarget("http-caching", lab.http("/cache/malformed"), "freshness_seconds=0"),
                new LabTarget("http-caching", lab.http("/cache/cookie"), "verdict=warn"),
                new LabTarget("http-caching", lab.http("/cache/vary-any"), "verdict=warn"),
                new LabTarget("http-caching", lab.http("/cache/etag-unstable"), "revalidates=false"),
                new LabTarget("http-compression", lab.http("/gzip"), "verdict=warn"),
                new LabTarget("http-compression", lab.http("/big"), "response_too_large"),
                new LabTarget("http-compression", lab.http("/bomb/gzip"), "response_too_large"),
                new LabTarget("http-compression", lab.http("/coding/malformed"), "http_protocol_error"),
                new LabTarget("http-compression", lab.http("/ok"), "verdict=pass"),
                new LabTarget("http-compression", lab.http("/coding/malformed-if-requested"), "verdict=fail"),
                new LabTarget("http-versions", lab.http2("/ok"), "http2=true"),
                new LabTarget("http-versions", lab.secure("/ok"), "http2=false"),
                new LabTarget("http-versions", lab.http("/closed"), "connection_reset"));
    }

    private static LabPage page(String path, String headers) {
        return new LabPage(path, "200", c -> c.respond(200, headers, "content"));
    }
}
