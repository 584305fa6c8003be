package dev.plumbline.lab;

import java.util.List;

/** Pages with unusual response headers, cookies and CORS responses. */
final class HeaderPages {
    private static final String OK = "HTTP/1.1 200 OK\r\nconnection: close\r\n";

    private HeaderPages() {}

    static List<LabPage> all() {
        return List.of(
                new LabPage(
                        "/headers/framing",
                        "200; Transfer-Encoding and Content-Length",
                        c -> c.end(OK + "content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n"
                                + (c.head() ? "" : "5\r\nhello\r\n0\r\n\r\n"))),
                new LabPage(
                        "/headers/some",
                        "200; security-headers reports a CSP that allows inline scripts",
                        c -> c.respond(
                                200,
                                "content-type: text/html\r\nstrict-transport-security: max-age=31536000\r\n"
                                        + "content-security-policy: default-src 'self'; script-src 'self' 'unsafe-inline'"
                                        + "; frame-ancestors 'none'\r\nx-content-type-options: nosniff\r\n"
                                        + "referrer-policy: no-referrer\r\n",
                                "<title>Some headers</title>")));
    }
}
