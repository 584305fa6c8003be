package dev.plumbline.probe.http;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Target;
import org.jspecify.annotations.Nullable;

/**
 * One request and its answer.
 *
 * @param status the final status, interim ones (1xx) are passed over
 * @param reason the reason phrase, empty where there was none (always in HTTP/2)
 * @param version 1.0, 1.1 or 2
 * @param body as it was sent, content coding and all; empty when none was asked for
 * @param ip the address that answered
 * @param bodyError why the body did not arrive whole; null when it did, or when reading stopped
 *     because it was enough
 */
public record HttpExchange(
        Target.Url url,
        HttpRequestSpec.Method method,
        int status,
        String reason,
        String version,
        ResponseHeaders headers,
        HttpBody body,
        String ip,
        HttpTimings timings,
        @Nullable CheckError bodyError) {

    static boolean redirects(int status, ResponseHeaders headers) {
        return switch (status) {
            case 301, 302, 303, 307, 308 -> {
                String location = headers.first("location");
                yield location != null && !location.isBlank();
            }
            default -> false;
        };
    }

    /** The body with its content coding undone as far as possible, in no more bytes than this. */
    public HttpBody decoded(int maxBytes) {
        return body.decoded(headers.first("content-encoding"), maxBytes);
    }

    /**
     * The body with its content coding undone, in no more bytes than this.
     *
     * @throws CheckFailure of {@code http_protocol_error} when that is not possible, so that nobody
     *     judges bytes that mean something else
     */
    public HttpBody content(int maxBytes) throws CheckFailure {
        HttpBody content = decoded(maxBytes);
        if (content.unreadable()) {
            throw new CheckFailure(
                    ErrorCode.HTTP_PROTOCOL_ERROR,
                    "The response body cannot be decoded: Content-Encoding "
                            + headers.firstText("content-encoding")
                            + " was not requested or is malformed.");
        }
        return content;
    }

    /** Whether the status asks to go on to another URL and says which. */
    public boolean redirects() {
        return redirects(status, headers);
    }
}
