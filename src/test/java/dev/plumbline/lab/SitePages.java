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
                        "200; indexability reports canonical_conflict and robots_directives_conflict",
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
                                        + "<img src=http://example.com/a.png>")),
                new LabPage(
                        "/indexing/canary",
                        "200; indexability does not fetch the canonical URL",
                        c -> c.respond(
                                200,
                                HTML + "link: <http://" + c.lab().canary().authority() + "/>; rel=canonical\r\n",
                                "<title>Canonical elsewhere</title>")),
                new LabPage(
                        "/links/canary",
                        "200; page-links does not request the links",
                        c -> c.respond(
                                200,
                                HTML,
                                "<title>Links</title><a href='http://"
                                        + c.lab().canary().authority() + "/'>One</a><a href='http://"
                                        + HttpLab.INTERNAL_NAME + "/'>Two</a>")),
                new LabPage(
                        "/links/invalid",
                        "200; page-links reports an invalid URL",
                        c -> c.respond(
                                200, HTML, "<title>Links</title><a href='http://a b/'>One</a><a href=/ok>Two</a>")),
                new LabPage(
                        "/.well-known/security.txt",
                        "200; a valid security.txt",
                        c -> c.respond(
                                200,
                                "content-type: text/plain; charset=utf-8\r\n",
                                "Contact: mailto:security@lab.test\nExpires: 2027-01-01T00:00:00Z\n")));
    }

    static List<LabTarget> targets(HttpLab lab) {
        return List.of(
                new LabTarget("page-links", lab.http("/links"), "link_count=3"),
                new LabTarget("page-links", lab.http("/links/50000"), "link_count=null or verdict=pass"),
                new LabTarget("page-links", lab.http("/links/invalid"), "verdict=warn"),
                new LabTarget("page-links", lab.http("/ok"), "verdict=fail"),
                new LabTarget("page-links", lab.http("/links/canary"), "broken_count=0 with check=true"),
                new LabTarget("indexability", lab.http("/indexing/canary"), "indexable=false"),
                new LabTarget("indexability", lab.http("/metadata"), "indexable=true"),
                new LabTarget("indexability", lab.http("/indexing/noindex"), "indexable=false"),
                new LabTarget("indexability", lab.http("/indexing/conflict"), "verdict=warn"),
                new LabTarget("indexability", lab.http("/status/404"), "verdict=fail"),
                new LabTarget("mixed-content", lab.secure("/metadata"), "verdict=pass"),
                new LabTarget("mixed-content", lab.http("/mixed"), "verdict=warn"),
                new LabTarget("mixed-content", lab.secure("/mixed"), "verdict=fail"),
                new LabTarget("page-metadata", lab.http("/links"), "verdict=warn"),
                new LabTarget("security-headers", lab.secure("/headers/some"), "verdict=warn"));
    }

    private static String links(int count) {
        StringBuilder page = new StringBuilder("<title>Many links</title>");
        for (int i = 0; i < count; i++) {
            page.append("<a href=/").append(i).append(">x</a>");
        }
        return page.toString();
    }
}
