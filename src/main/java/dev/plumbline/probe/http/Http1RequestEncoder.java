package dev.plumbline.probe.http;

import dev.plumbline.target.Target;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** Encodes the head of an HTTP/1.1 request. */
final class Http1RequestEncoder {
    private Http1RequestEncoder() {}

    /**
     * The head of a request, with {@code Connection: close} unless it requests an upgrade.
     *
     * @param headers the headers except Host and Connection
     */
    static CharSequence text(HttpRequestSpec request, List<HttpHeader> headers) {
        Target.Url url = request.url();
        StringBuilder text = new StringBuilder(256);
        text.append(request.method().name()).append(' ').append(url.pathAndQuery());
        text.append(" HTTP/1.1\r\nhost: ").append(url.authority());
        for (HttpHeader header : headers) {
            text.append("\r\n").append(header.name()).append(": ").append(header.value());
        }
        Buffer body = request.body();
        if (body != null) {
            text.append("\r\ncontent-length: ").append(body.length());
        }
        return text.append("\r\nconnection: ")
                .append(request.upgrade() ? "Upgrade" : "close")
                .append("\r\n\r\n");
    }

    /** Whether the URL has only visible ASCII characters, so that it cannot inject a line or a space. */
    static boolean isSendable(Target.Url url) {
        return isVisible(url.pathAndQuery())
                && isVisible(url.authority())
                && url.pathAndQuery().startsWith("/");
    }

    private static boolean isVisible(String text) {
        return text.chars().allMatch(c -> c > 0x20 && c < 0x7f);
    }
}
