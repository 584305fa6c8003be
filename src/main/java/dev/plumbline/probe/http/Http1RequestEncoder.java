package dev.plumbline.probe.http;

import dev.plumbline.check.Target;
import io.vertx.core.buffer.Buffer;
import java.util.List;

/** The text of an HTTP/1.1 request. */
final class Http1RequestEncoder {
    private Http1RequestEncoder() {}

    /**
     * The head of a request, for a connection that is used once.
     *
     * @param headers what is sent besides Host and Connection
     */
    static CharSequence text(HttpRequestSpec call, List<HttpHeader> headers) {
        Target.Url url = call.url();
        StringBuilder text = new StringBuilder(256);
        text.append(call.method().name()).append(' ').append(url.pathAndQuery());
        text.append(" HTTP/1.1\r\nhost: ").append(url.authority());
        for (HttpHeader header : headers) {
            text.append("\r\n").append(header.name()).append(": ").append(header.value());
        }
        Buffer body = call.body();
        if (body != null) {
            text.append("\r\ncontent-length: ").append(body.length());
        }
        return text.append("\r\nconnection: close\r\n\r\n");
    }

    /** Whether a URL can be sent at all: nothing in it ends a line or a word. */
    static boolean sendable(Target.Url url) {
        return visible(url.pathAndQuery())
                && visible(url.authority())
                && url.pathAndQuery().startsWith("/");
    }

    private static boolean visible(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= 0x20 || c >= 0x7f) {
                return false;
            }
        }
        return true;
    }
}
