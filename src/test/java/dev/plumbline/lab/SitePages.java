package dev.plumbline.lab;

import java.util.List;

/** Pages for the modules that evaluate the content of a site: links, sitemaps, mixed content and indexing. */
final class SitePages {
    private static final String HTML = "content-type: text/html; charset=utf-8\r\n";

    private SitePages() {}

    static List<LabPage> all() {
        return List.of(
                new LabPage(
                        "/links",
                        "200; page-links reports 3 links, one of them nofollow",
                        c -> c.respond(
                                200,
                                HTML,
                                "<title>Links</title><a href=/ok>One</a><a href=/page rel=nofollow>Two</a>"
                                        + "<a href='https://example.com/'>Three</a><a href='#top'>Top</a>")),
                new LabPage(
                        "/links/50000",
                        "200; 50000 links, of which the first 512 KiB are read",
                        c -> c.respond(200, HTML, links(50_000))),
                new LabPage(
                        "/indexing/noindex",
                        "200; indexability reports noindex_header",
                        c -> c.respond(200, HTML + "x-robots-tag: noindex\r\n", "<title>Not indexed</title>")),
                new LabPage(
                        "/indexing/conflict",
                        "200; indexability reports canonical_conflict and directives_conflict",
                        c -> c.respond(
                                200,
                                HTML + "x-robots-tag: noindex\r\nlink: </ok>; rel=canonical\r\n",
                                "<title>Conflict</title><meta name=robots content=index><link rel=canonical href=/>")),
                new LabPage(
                        "/mixed",
                        "200; mixed-content over HTTPS reports a script and an image",
                        c -> c.respond(
                                200,
                                HTML,
                                "<title>Mixed</title><script src=http://example.com/a.js></script>"
                                        + "<img src=http://example.com/a.png>")));
    }

    private static String links(int count) {
        StringBuilder page = new StringBuilder("<title>Many links</title>");
        for (int i = 0; i < count; i++) {
            page.append("<a href=/").append(i).append(">x</a>");
        }
        return page.toString();
    }
}
