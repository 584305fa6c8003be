package dev.plumbline.lab;

import java.util.List;

/** Pages with unusual response headers, cookies and CORS responses. */
final class HeaderPages {
    private static final String OK = "HTTP/1.1 200 OK\r\nconnection: close\r\n";

    private HeaderPages() {}

    static List<LabPage> all() {
        return List.of(new LabPage(
                "/headers/framing",
                "200; Transfer-Encoding and Content-Length",
                c -> c.end(OK + "content-length: 3\r\ntransfer-encoding: chunked\r\n\r\n"
                        + (c.head() ? "" : "5\r\nhello\r\n0\r\n\r\n"))));
    }
}
