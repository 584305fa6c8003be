package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** The files of a small site: a page of 10 KB with 60 links, a sitemap with 100 URLs and a security.txt. */
final class SiteFiles {
    private SiteFiles() {}

    static void write(Path folder) throws IOException {
        Files.writeString(folder.resolve("page.html"), page());
        Files.writeString(folder.resolve("sitemap.xml"), sitemap());
        Files.writeString(
                folder.resolve("security.txt"),
                "Contact: mailto:security@%s%nExpires: %s%n"
                        .formatted(
                                TargetNames.ZONE,
                                Instant.now().plus(90, ChronoUnit.DAYS).truncatedTo(ChronoUnit.SECONDS)));
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
