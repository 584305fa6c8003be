package dev.plumbline.http.server;

import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Holds HTTP/2 requests to the limits that {@link Http1MessageHandler} holds those of HTTP/1 to. Streams
 * end one by one, so it needs no connection.
 */
public final class Http2RequestLimits {
    /** The answer is whole, the rest of the request is not needed (RFC 9113, 8.1). */
    public static final long NO_ERROR = 0;

    private Http2RequestLimits() {}

    /** What is wrong with the head of a request; null when nothing is. */
    static @Nullable Problem fault(HttpServerRequest request) {
        if (request.uri() != null && request.uri().length() > HttpServerSettings.REQUEST_LINE_BYTES) {
            return RequestHeadValidator.tooLongUri();
        }
        int bytes = 0;
        for (Map.Entry<String, String> field : request.headers()) {
            bytes += field.getKey().length() + field.getValue().length();
        }
        if (bytes > HttpServerSettings.HEADER_BYTES) {
            return RequestHeadValidator.headerTooLarge();
        }
        String length = request.headers().get(HttpHeaders.CONTENT_LENGTH);
        return length != null && isTooLong(length) ? RequestHeadValidator.tooLarge() : null;
    }

    private static boolean isTooLong(String length) {
        try {
            return Long.parseLong(length) > RequestHeadValidator.MOST_BODY;
        } catch (NumberFormatException tooManyDigits) {
            return true;
        }
    }

    /** Stops hearing a body that nobody reads once it is too large; its window is then used up. */
    static void bound(HttpServerRequest request) {
        if (RequestHeadValidator.ignoresBody(request.method().name())) {
            AtomicLong bytes = new AtomicLong();
            request.handler(piece -> {
                if (bytes.addAndGet(piece.length()) > RequestHeadValidator.MOST_BODY) {
                    request.pause();
                }
            });
        }
    }
}
