package dev.plumbline.lab;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Sitemaps of each format, and hostile ones. */
final class SitemapPages {
    private static final String XMLNS = " xmlns=\"http://www.sitemaps.org/schemas/sitemap/0.9\"";
    private static final String XML = "application/xml";

    private SitemapPages() {}

    static List<LabPage> all() {
        return List.of(
                page("/sitemap.xml", XML, lab -> urlset(entry(lab.http("/ok")) + entry(lab.http("/page")))),
                page("/sitemaps/index.xml", XML, lab -> index(lab, "/sitemap.xml", "/sitemaps/c.xml.gz", "/missing")),
                page("/sitemaps/loop.xml", XML, lab -> index(lab, "/sitemaps/loop.xml", "/sitemaps/index.xml")),
                new LabPage(
                        "/sitemaps/c.xml.gz",
                        "200",
                        c -> c.respond(
                                200,
                                "content-type: application/gzip\r\n",
                                GoodPages.gzip(urlset(entry(c.lab().http("/big")))))),
                page("/sitemaps/pages.txt", "text/plain", lab -> lab.http("/ok") + "\r\n" + lab.http("/page") + "\n"),
                page("/sitemaps/50000.xml", XML, lab -> urlset(entries(lab, 50_000))),
                page("/sitemaps/50001.xml", XML, lab -> urlset(entries(lab, 50_001))),
                page("/sitemaps/broken.xml", XML, lab -> urlset(entry(lab.http("/ok")) + "<url><loc>a&b</loc></url>")),
                page("/sitemaps/truncated.xml", XML, lab -> urlset(entry(lab.http("/ok")))
                        .substring(0, 120)),
                page(
                        "/sitemaps/canary.txt",
                        "text/plain",
                        lab -> "http://" + lab.canary().authority() + "/\n"),
                page(
                        "/sitemaps/canary.xml",
                        XML,
                        lab -> "<sitemapindex" + XMLNS + "><sitemap><loc>http://"
                                + lab.canary().authority() + "/</loc></sitemap></sitemapindex>"),
                page("/sitemaps/page.html", "text/html", lab -> "<!doctype html><title>Not found</title>"),
                page("/sitemaps/bomb/entities.xml", XML, lab -> bomb()),
                page(
                        "/sitemaps/bomb/external.xml",
                        XML,
                        lab -> "<!DOCTYPE urlset [<!ENTITY e SYSTEM \"http://"
                                + lab.canary().authority() + "/\">]>" + urlset(entry("&e;"))),
                new LabPage(
                        "/sitemaps/bomb/gzip.xml.gz",
                        "200",
                        c -> c.respond(
                                200,
                                "content-type: application/gzip\r\n",
                                GoodPages.gzip(urlset(entry(c.lab().http("/ok")) + " ".repeat(16 << 20))))),
                page("/sitemaps/bomb/depth.xml", XML, lab -> urlset("<a>".repeat(100_000))),
                page("/sitemaps/bomb/tag.xml", XML, lab -> urlset("<url a='" + "x".repeat(2 << 20) + "'/>")),
                page("/sitemaps/bomb/attributes.xml", XML, lab -> urlset("<url " + attributes(10_000) + "/>")));
    }

    /** The expected result of the module for a path. */
    static Map<String, String> targets() {
        Map<String, String> targets = new LinkedHashMap<>();
        targets.put("/", "url_count=2");
        targets.put("/sitemap.xml", "url_count=2");
        targets.put("/sitemaps/index.xml", "url_count=3");
        targets.put("/sitemaps/loop.xml", "url_count=0");
        targets.put("/sitemaps/c.xml.gz", "url_count=1");
        targets.put("/sitemaps/pages.txt", "url_count=2");
        targets.put("/sitemaps/50000.xml", "url_count=10000");
        targets.put("/sitemaps/broken.xml", "verdict=fail");
        targets.put("/sitemaps/truncated.xml", "verdict=fail");
        targets.put("/sitemaps/canary.txt", "url_count=1");
        targets.put("/sitemaps/canary.xml", "verdict=warn");
        targets.put("/sitemaps/page.html", "found=false");
        targets.put("/sitemaps/bomb/entities.xml", "verdict=warn");
        targets.put("/sitemaps/bomb/external.xml", "verdict=warn");
        targets.put("/sitemaps/bomb/gzip.xml.gz", "verdict=fail");
        targets.put("/sitemaps/bomb/depth.xml", "verdict=fail");
        targets.put("/sitemaps/bomb/tag.xml", "verdict=fail");
        targets.put("/sitemaps/bomb/attributes.xml", "verdict=fail");
        targets.put("/missing", "found=false");
        return targets;
    }

    private static LabPage page(String path, String type, Function<HttpLab, String> body) {
        return new LabPage(path, "200", c -> c.respond(200, "content-type: " + type + "\r\n", body.apply(c.lab())));
    }

    private static String urlset(String entries) {
        return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset" + XMLNS + ">\n" + entries + "</urlset>\n";
    }

    private static String entry(String url) {
        return "<url><loc>" + url + "</loc><lastmod>2026-01-31</lastmod></url>\n";
    }

    private static String entries(HttpLab lab, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> entry(lab.http("/page?" + i)))
                .collect(Collectors.joining());
    }

    private static String attributes(int count) {
        return IntStream.range(0, count).mapToObj(i -> "a" + i + "=''").collect(Collectors.joining(" "));
    }

    private static String index(HttpLab lab, String... paths) {
        String sitemaps = List.of(paths).stream()
                .map(path -> "<sitemap><loc>" + lab.http(path) + "</loc><lastmod>2026-01-31</lastmod></sitemap>\n")
                .collect(Collectors.joining());
        return "<?xml version=\"1.0\"?>\n<sitemapindex" + XMLNS + ">\n" + sitemaps + "</sitemapindex>\n";
    }

    /** Entities that expand to 10^9 copies of a text. */
    private static String bomb() {
        StringBuilder entities = new StringBuilder("<!ENTITY e0 \"lol\">\n");
        for (int i = 1; i < 10; i++) {
            entities.append("<!ENTITY e%d \"%s\">\n".formatted(i, ("&e" + (i - 1) + ";").repeat(10)));
        }
        return "<?xml version=\"1.0\"?>\n<!DOCTYPE urlset [\n" + entities + "]>\n"
                + urlset(entry("&e9;")).substring(39);
    }
}
