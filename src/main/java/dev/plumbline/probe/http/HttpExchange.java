package dev.plumbline.probe.http;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Target;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One request and its response.
 *
 * @param status the final status; interim responses (1xx) are skipped
 * @param reason the reason phrase; empty if there is none, always in HTTP/2
 * @param version 1.0, 1.1 or 2
 * @param alpn the protocol that the server selected by ALPN; null if it selected none, and without TLS
 * @param body the body with its content coding; empty if none was requested
 * @param ip the address of the server
 * @param bodyError why the body is incomplete; null if it is complete or reading stopped at the limit
 */
public record HttpExchange(
        Target.Url url,
        HttpRequestSpec.Method method,
        int status,
        String reason,
        String version,
        @Nullable String alpn,
        ResponseHeaders headers,
        HttpBody body,
        String ip,
        HttpTimings timings,
        @Nullable CheckError bodyError) {

    private static final Set<Integer> REDIRECTS = Set.of(301, 302, 303, 307, 308);

    static boolean redirects(int status, ResponseHeaders headers) {
        String location = headers.first("location");
        return REDIRECTS.contains(status) && location != null && !location.isBlank();
    }

    /** This exchange without the content of its body, of which only the size remains. */
    public HttpExchange withoutContent() {
        return new HttpExchange(
                url, method, status, reason, version, alpn, headers, body.withoutContent(), ip, timings, bodyError);
    }

    /**
     * The body with its content coding decoded, as far as possible, in at most this many bytes.
     *
     * @throws CheckFailure {@code response_too_large} if decoding exceeds the CPU time of the check
     */
    public HttpBody decoded(int maxBytes) throws CheckFailure {
        return body.decoded(headers.joined("content-encoding"), maxBytes);
    }

    /**
     * The body with its content coding decoded, in at most this many bytes.
     *
     * @throws CheckFailure {@code http_protocol_error} if it cannot be decoded
     */
    public HttpBody content(int maxBytes) throws CheckFailure {
        HttpBody content = decoded(maxBytes);
        if (content.unreadable()) {
            throw new CheckFailure(
                    ErrorCode.HTTP_PROTOCOL_ERROR,
                    "The response body cannot be decoded: Content-Encoding %s is not supported, or the data is malformed."
                            .formatted(headers.firstText("content-encoding")));
        }
        return content;
    }

    /** Whether the status is a redirect with a Location header. */
    public boolean redirects() {
        return redirects(status, headers);
    }

    /** The Location header; empty if it is not set. */
    public String location() {
        return Objects.requireNonNullElse(headers.firstText("location"), "");
    }
}
