package dev.plumbline.http.server;

import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.http.problem.Problem;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.TooLongHttpHeaderException;
import io.netty.handler.codec.http.TooLongHttpLineException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Judges the heads of HTTP/1 requests: whether they say clearly what they are and where they end.
 */
final class RequestHeadValidator {
    /** What the body of any request may have, in bytes. */
    static final long MOST_BODY = 8L << 20;

    /** A message that two readers could take to end in two places (RFC 9112, 6.3). */
    static final class Framing extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        Framing(String message) {
            super(message);
        }
    }

    private static final Set<String> WITH_BODY = Set.of("POST", "PUT", "PATCH");

    private RequestHeadValidator() {}

    /** What is wrong with a head; null when nothing is. */
    static @Nullable Problem fault(HttpRequest request) {
        if (request.decoderResult().isFailure()) {
            return undecodable(request.decoderResult().cause());
        }
        if (request.uri().length() > HttpServerSettings.REQUEST_LINE_BYTES) {
            return tooLongUri();
        }
        HttpVersion version = request.protocolVersion();
        boolean http11 = HttpVersion.HTTP_1_1.equals(version);
        if (!http11 && !HttpVersion.HTTP_1_0.equals(version)) {
            return Problem.badRequest(
                    "The request is of a version of HTTP that is not spoken here; send HTTP/1.1 or HTTP/2.");
        }
        int hosts = request.headers().getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1) {
            return Problem.badRequest("The request has several Host fields; send one.");
        }
        if (hosts == 0 && http11) {
            return Problem.badRequest("The request has no Host field; HTTP/1.1 wants one.");
        }
        String framing = framingFault(request, http11);
        if (framing != null) {
            return Problem.badRequest(framing);
        }
        return HttpUtil.getContentLength(request, 0L) > MOST_BODY ? tooLarge() : null;
    }

    private static @Nullable String framingFault(HttpRequest request, boolean http11) {
        List<String> codings = request.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (codings.isEmpty()) {
            return null;
        }
        if (!http11) {
            return "The request has a Transfer-Encoding, which HTTP/1.0 does not know.";
        }
        if (codings.size() > 1
                || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(
                        codings.get(0).strip())) {
            return "The Transfer-Encoding of the request is not understood; send the body chunked and"
                    + " nothing else, or with a Content-Length.";
        }
        return null;
    }

    private static Problem undecodable(Throwable cause) {
        if (cause instanceof TooLongHttpLineException) {
            return tooLongUri();
        }
        if (cause instanceof TooLongHttpHeaderException) {
            return headerTooLarge();
        }
        return Problem.badRequest(
                cause instanceof Framing
                        ? String.valueOf(cause.getMessage())
                        : "What was sent is no HTTP request as RFC 9112 wants it; ask again, or mend the program"
                                + " that asked.");
    }

    static Problem tooLongUri() {
        return Problem.of(
                414,
                "uri-too-long",
                "The request line is too long",
                "An address may have 32 KiB, and a target in it 2,048 bytes; shorten it. Many targets at once"
                        + " are a bulk check.");
    }

    static Problem headerTooLarge() {
        return Problem.of(
                431,
                "header-too-large",
                "The header is too large",
                "All fields may have 16 KiB; send less in them. In a browser it helps to delete the cookies"
                        + " of this site.");
    }

    static Problem tooLarge() {
        return Problem.of(
                413, "content-too-large", "The body is too large", "It may have 8,388,608 bytes; send a part of it.");
    }

    /** Whether no operation reads the body of such a request. */
    static boolean ignoresBody(String method) {
        return !WITH_BODY.contains(method);
    }
}
