package dev.plumbline.lab;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** Redirects, including those that must not be followed. */
final class RedirectPages {
    private static final int[] STATUSES = {301, 302, 303, 307, 308};

    private RedirectPages() {}

    static List<LabPage> all() {
        List<LabPage> pages = new ArrayList<>();
        for (int status : STATUSES) {
            pages.add(to("/redirect/" + status, status, "200 after a " + status, lab -> "/ok"));
        }
        pages.addAll(harmless());
        pages.addAll(endless());
        pages.addAll(internal());
        pages.addAll(unsupported());
        return pages;
    }

    private static List<LabPage> harmless() {
        return List.of(
                to("/redirect/deep/relative", 302, "200 at /redirect/target", lab -> "../target"),
                to("/redirect/to-never", 302, "read_timeout, the redirect kept", lab -> "/never"),
                to("/redirect/target", 302, "200", lab -> "/ok?a=b"),
                to("/redirect/dots", 302, "200", lab -> "/a/./b/../../ok"),
                to("/redirect/scheme-relative", 302, "200", lab -> "//" + lab.authority() + "/ok"),
                to("/redirect/absolute", 302, "200", lab -> "HTTP://" + lab.authority() + "/ok"),
                to("/redirect/fragment", 302, "200 without the fragment", lab -> "/ok#part"),
                to(
                        "/redirect/non-ascii",
                        302,
                        "404 at /status/404?caf%C3%A9%20|",
                        lab -> "/status/404?caf\u00c3\u00a9 |"),
                to("/redirect/raw-utf8", 302, "404 at /status/404?%E3%83%84", lab -> "/status/404?\u00e3\u0083\u0084"),
                to("/redirect/raw-latin1", 302, "404 at /status/404?caf%E9", lab -> "/status/404?caf\u00e9"),
                to("/redirect/to-https", 301, "200 over https", lab -> lab.secure("/ok")),
                to("/redirect/to-http", 301, "200 over http, https_downgrade from https", HttpLab::plainOk),
                new LabPage(
                        "/redirect/two-locations",
                        "200 at the first",
                        c -> c.respond(302, "location: /ok\r\nlocation: /status/404\r\n", "")),
                new LabPage("/redirect/no-location", "302, status_unusual", c -> c.respond(302, "", "no location")),
                to("/redirect/empty-location", 302, "302, status_unusual", lab -> ""),
                to("/redirect/encoded-crlf", 302, "200", lab -> "/ok?%0d%0aX-Injected:%201"),
                to("/redirect/percent-signs", 302, "200", lab -> "/ok?50%off%41"),
                to("/redirect/bare-cr", 302, "200; no second request header", lab -> "/ok?\rX-Injected: 1"));
    }

    private static List<LabPage> endless() {
        return List.of(
                to("/redirect/loop", 302, "redirect_loop", lab -> "/redirect/loop"),
                to("/redirect/ping", 302, "redirect_loop", lab -> "/redirect/pong"),
                to("/redirect/pong", 302, "redirect_loop", lab -> "/redirect/ping"),
                new LabPage("/redirect/endless-body", "200 after a 302 whose body is not read", c -> {
                    c.send("HTTP/1.1 302 Found\r\nlocation: /ok\r\n\r\nx");
                    c.endless(() -> LabExchange.bytes("x".repeat(4096)));
                }),
                new LabPage("/redirect/dripping-body", "200 after a 302 whose body is not read", c -> {
                    c.send("HTTP/1.1 302 Found\r\nlocation: /ok\r\ncontent-length: 100\r\n\r\n");
                    c.drip("x".repeat(100));
                }),
                new LabPage(
                        "/redirect/chain/{length}",
                        "200 after this number of redirects; too_many_redirects from 11",
                        c -> {
                            int left = Integer.parseInt(c.lastSegment());
                            c.redirect(302, left <= 1 ? "/ok" : "/redirect/chain/" + (left - 1));
                        }));
    }

    /** Redirects to special-purpose addresses, each with every redirect status. */
    private static List<LabPage> internal() {
        Map<String, Function<HttpLab, String>> locations = new LinkedHashMap<>();
        locations.put("metadata", lab -> "http://169.254.169.254/latest/meta-data/");
        locations.put("metadata-v6", lab -> "http://[fd00:ec2::254]/latest/meta-data/");
        locations.put("canary", lab -> "http://" + lab.canary().authority() + "/");
        locations.put("canary-port", lab -> "http://" + lab.canaryOnOtherPort().authority() + "/");
        locations.put("canary-v6", lab -> "http://" + lab.canaryOverIpv6().authority() + "/");
        locations.put("canary-tls", lab -> "https://" + lab.canary().authority() + "/");
        locations.put("decimal", lab -> "http://2130706434:" + lab.canary().port() + "/");
        locations.put("hex", lab -> "http://0x7f000002:" + lab.canary().port() + "/");
        locations.put("octal", lab -> "http://0177.0.0.2:" + lab.canary().port() + "/");
        locations.put("short", lab -> "http://127.2:" + lab.canary().port() + "/");
        locations.put(
                "mapped", lab -> "http://[::ffff:127.0.0.2]:" + lab.canary().port() + "/");
        locations.put(
                "nat64", lab -> "http://[64:ff9b::127.0.0.2]:" + lab.canary().port() + "/");
        locations.put(
                "userinfo", lab -> "http://127.0.0.1@127.0.0.2:" + lab.canary().port() + "/");
        locations.put("localhost", lab -> "http://localhost:" + lab.canary().port() + "/");
        locations.put(
                "name",
                lab -> "http://" + HttpLab.INTERNAL_NAME + ":" + lab.canary().port() + "/");
        locations.put("scheme-relative", lab -> "//" + lab.canary().authority() + "/");
        locations.put("backslash", lab -> "http:\\\\" + lab.canary().authority() + "\\");
        List<LabPage> pages = new ArrayList<>();
        for (int status : STATUSES) {
            locations.forEach((name, location) -> {
                String path = "/redirect/blocked/" + status + "/" + name;
                pages.add(to(path, status, "redirect_blocked", location));
            });
        }
        return pages;
    }

    private static List<LabPage> unsupported() {
        return List.of(
                blocked("file", lab -> "file:///etc/passwd"),
                blocked("gopher", lab -> "gopher://" + lab.canary().authority() + "/_x"),
                blocked("ftp", lab -> "ftp://" + lab.canary().authority() + "/"),
                blocked("javascript", lab -> "javascript:alert(1)"),
                blocked("data", lab -> "data:text/plain,hello"),
                blocked("credentials", lab -> "http://user:password@" + lab.authority() + "/ok"),
                blocked("no-host", lab -> "http://?ok"),
                blocked("long", lab -> "/" + "x".repeat(30_000)));
    }

    private static LabPage blocked(String name, Function<HttpLab, String> location) {
        return to("/redirect/blocked/" + name, 302, "redirect_blocked", location);
    }

    private static LabPage to(String path, int status, String expectation, Function<HttpLab, String> location) {
        return new LabPage(path, expectation, c -> c.redirect(status, location.apply(c.lab())));
    }
}
