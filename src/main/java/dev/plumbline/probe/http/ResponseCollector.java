package dev.plumbline.probe.http;

import static dev.plumbline.check.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.check.ErrorCode.HTTP_PROTOCOL_ERROR;
import static dev.plumbline.check.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.check.ErrorCode.RESPONSE_TOO_LARGE;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.OverloadFailure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Collects one response within its limits and ends the exchange when it is complete. Confined to the event loop of its
 * channel.
 */
final class ResponseCollector {
    /** The maximum size of a response header in bytes. */
    static final int MAX_HEAD_BYTES = 64 * 1024;

    /** The message of a header over {@link #MAX_HEAD_BYTES}. */
    static final String HEAD_TOO_LARGE = "The response header exceeds " + MAX_HEAD_BYTES / 1024 + " KiB.";

    /** The final status of an accepted upgrade; no HTTP message follows. */
    static final int SWITCHING_PROTOCOLS = 101;

    private static final int MAX_HEADER_LINES = 1_000;
    private static final int MAX_INTERIM_RESPONSES = 20;

    /** The limit for all data before the body: interim responses and HTTP/2 frames too. */
    private static final int MAX_BYTES_BEFORE_BODY = 2 * MAX_HEAD_BYTES;

    private static final byte[] NO_BYTES = new byte[0];

    /** The maximum ratio of framing to content: a chunk of one byte has six. */
    private static final int MAX_FRAMING_FACTOR = 8;

    /**
     * A response.
     *
     * @param headNanos when the header was complete, by {@link System#nanoTime()}
     */
    record Response(
            int status,
            String reason,
            String version,
            ResponseHeaders headers,
            HttpBody body,
            long headNanos,
            @Nullable CheckError bodyError) {}

    private record Head(int status, String reason, String version, ResponseHeaders headers, long nanos) {}

    private final Channel channel;
    private final Promise<Response> promise;
    private final HttpRequestSpec request;
    private final int maxBodyBytes;
    private final BodyBudget budget;
    private @Nullable Head head;
    private int interimResponses;
    private long receivedBytes;
    private byte[] body = NO_BYTES;
    private int bodySize;
    private boolean ended;

    /** @param budget the memory for the body, until the exchange has ended */
    ResponseCollector(Channel channel, Promise<Response> promise, HttpRequestSpec request, BodyBudget budget) {
        this.channel = channel;
        this.promise = promise;
        this.request = request;
        this.maxBodyBytes = request.maxBodyBytes();
        this.budget = budget;
    }

    boolean ended() {
        return ended;
    }

    /** Counts received bytes before they are decoded. */
    void received(int bytes) {
        receivedBytes += bytes;
        if (head == null) {
            if (receivedBytes > MAX_BYTES_BEFORE_BODY) {
                tooLarge(HEAD_TOO_LARGE);
            }
        } else if (receivedBytes > MAX_BYTES_BEFORE_BODY * 2L + (long) maxBodyBytes * MAX_FRAMING_FACTOR) {
            tooLarge("The HTTP framing of the response is too large compared to its content.");
        }
    }

    /** A response header, interim or final. */
    void head(int status, String reason, String version, ResponseHeaders headers) {
        if (headers.lines().size() > MAX_HEADER_LINES) {
            tooLarge("The response has more than " + MAX_HEADER_LINES + " header fields.");
        } else if (status == SWITCHING_PROTOCOLS && !request.upgrade()) {
            protocolError("The server returned 101 Switching Protocols without an Upgrade request.");
        } else if (status < 200 && status != SWITCHING_PROTOCOLS) {
            interimResponses++;
            if (interimResponses > MAX_INTERIM_RESPONSES) {
                protocolError("The server sent more than " + MAX_INTERIM_RESPONSES + " interim responses.");
            }
        } else {
            head = new Head(status, reason, version, headers, System.nanoTime());
            if (maxBodyBytes == 0) {
                finish(null, false);
            } else if (!request.redirectBodies() && HttpExchange.redirects(status, headers)) {
                finish(null, true);
            }
        }
    }

    /** A part of the body. The caller releases the buffer. */
    void body(ByteBuf chunk) {
        int count = Math.min(chunk.readableBytes(), maxBodyBytes - bodySize);
        if (ended || count <= 0) {
            return;
        }
        if (bodySize + count > body.length && !grow(bodySize + count)) {
            overload();
            return;
        }
        chunk.getBytes(chunk.readerIndex(), body, bodySize, count);
        bodySize += count;
        if (bodySize == maxBodyBytes) {
            finish(null, true);
        }
    }

    private boolean grow(int minSize) {
        int newSize = (int) Math.min(maxBodyBytes, Math.max(minSize, body.length * 2L));
        if (!budget.acquire(newSize - body.length, newSize)) {
            return false;
        }
        body = Arrays.copyOf(body, newSize);
        return true;
    }

    private void overload() {
        promise.tryFail(new OverloadFailure("Too many responses are being read.", Duration.ofSeconds(1)));
        finish(null, true);
    }

    /** The end of a message; ignored after an interim response. */
    void end() {
        if (head != null) {
            finish(null, false);
        }
    }

    void protocolError(String message) {
        finish(new CheckError(HTTP_PROTOCOL_ERROR, message), true);
    }

    void tooLarge(String message) {
        finish(new CheckError(RESPONSE_TOO_LARGE, message), true);
    }

    /** The peer closed or reset the connection. */
    void closed(boolean reset) {
        String how = reset ? "reset" : "closed";
        String when = receivedBytes == 0 ? "without a response" : "during the response header";
        finish(
                new CheckError(
                        CONNECTION_RESET,
                        "The server %s the connection %s."
                                .formatted(how, head == null ? when : "before the end of the response")),
                true);
    }

    void timedOut() {
        finish(
                new CheckError(
                        READ_TIMEOUT,
                        head == null
                                ? "The server did not respond in time."
                                : "The response was not completed in time."),
                true);
    }

    private void finish(@Nullable CheckError error, boolean truncated) {
        if (ended) {
            return;
        }
        ended = true;
        Head received = head;
        if (received == null) {
            CheckError cause =
                    error != null ? error : new CheckError(HTTP_PROTOCOL_ERROR, "The server sent no response.");
            promise.tryFail(new CheckFailure(cause.code(), cause.message()));
        } else {
            byte[] bytes = bodySize == body.length ? body : Arrays.copyOf(body, bodySize);
            budget.release(body.length);
            body = NO_BYTES;
            HttpBody read = bytes.length == 0 && !truncated ? HttpBody.EMPTY : new HttpBody(bytes, truncated);
            promise.tryComplete(new Response(
                    received.status, received.reason, received.version, received.headers, read, received.nanos, error));
        }
        channel.pipeline().firstContext().close();
    }
}
