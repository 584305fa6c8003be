package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The files of a small site: a page of 10 KB with 60 links, a sitemap with 100 URLs, a security.txt and a logo; and
 * RDAP responses.
 */
final class SiteFiles {
    /** The AS number in the RDAP responses. */
    private static final int AS_NUMBER = 8_075;

    private SiteFiles() {}

    static void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("page.html"), page());
        Files.writeString(folder.resolve("sitemap.xml"), sitemap());
        Files.writeString(
                folder.resolve("logo.svg"),
                """
                <svg xmlns="http://www.w3.org/2000/svg" version="1.2" baseProfile="tiny-ps" viewBox="0 0 64 64">
                <title>Benchmark</title><circle cx="32" cy="32" r="30" fill="#08c"/></svg>
                """);
        writeRegistry(Files.createDirectory(folder.resolve("rdap")));
        Files.writeString(
                folder.resolve("security.txt"),
                "Contact: mailto:security@%s%nExpires: %s%n"
                        .formatted(
                                TargetNames.ZONE,
                                Instant.now().plus(90, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS)));
    }

    private static void writeRegistry(Path folder) throws IOException {
        Files.createDirectories(folder.resolve("domain"));
        Files.createDirectories(folder.resolve("autnum"));
        Files.writeString(
                folder.resolve("domain").resolve(TargetNames.DOMAINS),
                """
                {"rdapConformance":["rdap_level_0"],"objectClassName":"domain","ldhName":"%s","status":["active"],
                 "events":[{"eventAction":"registration","eventDate":"2020-01-01T00:00:00Z"},
                           {"eventAction":"expiration","eventDate":"2099-01-01T00:00:00Z"}]}
                """
                        .formatted(TargetNames.DOMAINS));
        Files.writeString(
                folder.resolve("autnum").resolve(Integer.toString(AS_NUMBER)),
                """
                {"rdapConformance":["rdap_level_0"],"objectClassName":"autnum","handle":"AS%1$d",
                 "startAutnum":%1$d,"endAutnum":%1$d,"name":"BENCH","status":["active"]}
                """
                        .formatted(AS_NUMBER));
        Files.writeString(
                folder.resolve("ip.json"),
                """
                {"rdapConformance":["rdap_level_0","cidr0","arin_originas0"],"objectClassName":"ip network",
                 "handle":"NET-20","startAddress":"20.0.0.0","endAddress":"20.255.255.255","ipVersion":"v4",
                 "name":"BENCH","country":"US","status":["active"],"arin_originas0_originautnums":[%d],
                 "entities":[{"objectClassName":"entity","handle":"ABUSE","roles":["abuse"],"vcardArray":["vcard",
                   [["version",{},"text","4.0"],["fn",{},"text","Abuse"],["kind",{},"text","group"],
                    ["email",{},"text","abuse@%s"]]]}]}
                """
                        .formatted(AS_NUMBER, TargetNames.DOMAINS));
    }

    /**
     * Writes the bootstrap files of the RDAP server.
     *
     * @return the file of the domains
     */
    static Path writeBootstrap(Path folder, String server) throws IOException {
        String file = "{\"version\":\"1.0\",\"services\":[[[\"%s\"],[\"%s/rdap/\"]]]}";
        Files.writeString(folder.resolve("ipv4.json"), file.formatted("20.0.0.0/8", server));
        Files.writeString(folder.resolve("asn.json"), file.formatted(AS_NUMBER + "-" + AS_NUMBER, server));
        return Files.writeString(folder.resolve("dns.json"), file.formatted("test", server));
    }

    private static String page() {
        String links = lines(60, "<li><a href=\"%s/article/%2$d\">Article %2$d of the archive</a>");
        String images = lines(20, "<img src=\"/image/%2$d.png\" alt=\"Image %2$d\" width=\"320\" height=\"200\">");
        String text = lines(60, "<p>Paragraph %2$d with text that compresses about as well as other text.</p>");
        return """
        <!doctype html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <title>Benchmark page</title>
        <meta name="description" content="A page of the benchmark with links, images and text.">
        <link rel="stylesheet" href="/site.css">
        <script src="/site.js" defer></script>
        </head>
        <body>
        <h1>Benchmark page</h1>
        <ul>
        %s
        </ul>
        %s
        %s
        </body>
        </html>
        """
                .formatted(links, images, text);
    }

    private static String sitemap() {
        return """
        <?xml version="1.0" encoding="UTF-8"?>
        <urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
        %s
        </urlset>
        """
                .formatted(
                        lines(100, "<url><loc>https://127.0.0.1/page/%2$d</loc><lastmod>2026-11-01</lastmod></url>"));
    }

    /** @param line with the site (every fifth is another one) and the number */
    private static String lines(int count, String line) {
        return IntStream.range(0, count)
                .mapToObj(i -> line.formatted(i % 5 == 0 ? "https://other." + TargetNames.ZONE : "", i))
                .collect(Collectors.joining("\n"));
    }
}
