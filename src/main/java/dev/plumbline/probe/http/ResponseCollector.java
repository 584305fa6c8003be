package dev.plumbline.probe.http;

import static dev.plumbline.check.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.check.ErrorCode.HTTP_PROTOCOL_ERROR;
import static dev.plumbline.check.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.check.ErrorCode.RESPONSE_TOO_LARGE;

import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.OverloadFailure;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Gathers one answer within its limits and ends the exchange as soon as enough is known. Used on
 * the event loop of its channel alone.
 */
final class ResponseCollector {
    /** The most that the head of a response may have, in bytes as it was sent. */
    static final int MAX_HEAD_BYTES = 64 * 1024;

    /** The message of a header over {@link #MAX_HEAD_BYTES}. */
    static final String HEAD_TOO_LARGE = "The response header exceeds " + MAX_HEAD_BYTES / 1024 + " KiB.";

    private static final int MAX_HEADER_LINES = 1_000;
    private static final int MAX_INTERIM_RESPONSES = 20;

    /** What everything before the final head may have: interim responses and HTTP/2 frames too. */
    private static final int MAX_BYTES_BEFORE_BODY = 2 * MAX_HEAD_BYTES;

    private static final byte[] NOTHING = new byte[0];

    /** How much a body may grow by its framing: chunks of a single byte take six. */
    private static final int MAX_FRAMING_FACTOR = 8;

    /**
     * An answer.
     *
     * @param headNanos when its head was there, by {@link System#nanoTime()}
     */
    record Answer(
            int status,
            String reason,
            String version,
            ResponseHeaders headers,
            HttpBody body,
            long headNanos,
            @Nullable CheckError bodyError) {}

    private record Head(int status, String reason, String version, ResponseHeaders headers, long nanos) {}

    private final Channel channel;
    private final Promise<Answer> promise;
    private final HttpRequestSpec call;
    private final int maxBodyBytes;
    private final BodyBudget budget;
    private @Nullable Head head;
    private int interim;
    private long received;
    private byte[] body = NOTHING;
    private int bodySize;
    private boolean ended;

    /**
     * @param budget what is read of the body is charged to it until the exchange has ended
     */
    ResponseCollector(Channel channel, Promise<Answer> promise, HttpRequestSpec call, BodyBudget budget) {
        this.channel = channel;
        this.promise = promise;
        this.call = call;
        this.maxBodyBytes = call.maxBodyBytes();
        this.budget = budget;
    }

    boolean ended() {
        return ended;
    }

    /** Counts what came from the peer, before anything reads it. */
    void received(int bytes) {
        received += bytes;
        if (head == null) {
            if (received > MAX_BYTES_BEFORE_BODY) {
                tooLarge(HEAD_TOO_LARGE);
            }
        } else if (received > MAX_BYTES_BEFORE_BODY * 2L + (long) maxBodyBytes * MAX_FRAMING_FACTOR) {
            tooLarge("The framing of the response is disproportionately larger than its content.");
        }
    }

    /** One head, interim or final. */
    void head(int status, String reason, String version, ResponseHeaders headers) {
        if (headers.lines().size() > MAX_HEADER_LINES) {
            tooLarge("The response has more than " + MAX_HEADER_LINES + " header fields.");
        } else if (status == 101) {
            protocolError("The server returned 101 Switching Protocols without an Upgrade request.");
        } else if (status < 200) {
            interim++;
            if (interim > MAX_INTERIM_RESPONSES) {
                protocolError("The server sent more than " + MAX_INTERIM_RESPONSES + " interim responses.");
            }
        } else {
            head = new Head(status, reason, version, headers, System.nanoTime());
            if (maxBodyBytes == 0) {
                finish(null, false);
            } else if (!call.redirectBodies() && HttpExchange.redirects(status, headers)) {
                finish(null, true);
            }
        }
    }

    /** A piece of the body; the caller keeps the buffer. */
    void body(ByteBuf piece) {
        int count = Math.min(piece.readableBytes(), maxBodyBytes - bodySize);
        if (ended || count <= 0) {
            return;
        }
        if (bodySize + count > body.length && !grow(bodySize + count)) {
            noRoom();
            return;
        }
        piece.getBytes(piece.readerIndex(), body, bodySize, count);
        bodySize += count;
        if (bodySize == maxBodyBytes) {
            finish(null, true);
        }
    }

    private boolean grow(int least) {
        int wanted = (int) Math.min(maxBodyBytes, Math.max(least, body.length * 2L));
        if (!budget.take(wanted - body.length)) {
            return false;
        }
        body = Arrays.copyOf(body, wanted);
        return true;
    }

    private void noRoom() {
        promise.tryFail(new OverloadFailure("Too many responses are being read.", Duration.ofSeconds(1)));
        finish(null, true);
    }

    /** The end of a message; of an interim one when no final head was seen yet. */
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
        ErrorCode code = CONNECTION_RESET;
        String how = reset ? "reset" : "closed";
        if (head != null) {
            finish(new CheckError(code, "The server " + how + " the connection before the end of the response."), true);
        } else if (received == 0) {
            finish(new CheckError(code, "The server " + how + " the connection without a response."), true);
        } else {
            finish(new CheckError(code, "The server " + how + " the connection during the response header."), true);
        }
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
        Head seen = head;
        if (seen == null) {
            CheckError cause =
                    error != null ? error : new CheckError(HTTP_PROTOCOL_ERROR, "The server sent no response.");
            promise.tryFail(new CheckFailure(cause.code(), cause.message()));
        } else {
            byte[] bytes = bodySize == body.length ? body : Arrays.copyOf(body, bodySize);
            budget.give(body.length);
            body = NOTHING;
            HttpBody read = bytes.length == 0 && !truncated ? HttpBody.EMPTY : new HttpBody(bytes, truncated);
            promise.tryComplete(
                    new Answer(seen.status, seen.reason, seen.version, seen.headers, read, seen.nanos, error));
        }
        channel.pipeline().firstContext().close();
    }
}
