package dev.plumbline.probe.http;

import static dev.plumbline.result.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.result.ErrorCode.HTTP_PROTOCOL_ERROR;
import static dev.plumbline.result.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.result.ErrorCode.RESPONSE_TOO_LARGE;

import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.check.BudgetFailures;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.CheckError;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.handler.codec.PrematureChannelClosureException;
import io.netty.handler.codec.TooLongFrameException;
import io.netty.handler.codec.http2.Http2Exception;
import io.vertx.core.Promise;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.function.BooleanSupplier;
import javax.net.ssl.SSLException;
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

    /** The memory of the objects of a header, as a multiple of its size. */
    private static final long HEADER_FACTOR = 3;

    /** Reading stops while a response waits for memory, but data that was already received can still arrive. */
    private static final int MAX_SUSPENDED_BYTES = 128 * 1024;

    private static final byte[] NO_BYTES = new byte[0];

    /** The maximum ratio of framing to content: a chunk of one byte has six. */
    private static final int MAX_FRAMING_FACTOR = 8;

    /** @param nanos the {@link System#nanoTime()} at which the head was complete */
    record Head(int status, String reason, String version, ResponseHeaders headers, long nanos) {}

    record Response(Head head, HttpBody body, @Nullable CheckError bodyError) {}

    private final Channel channel;
    private final Promise<Response> promise;
    private final HttpRequestSpec request;
    private final int maxBodyBytes;
    private final CheckContext context;
    private final BooleanSupplier keepOpen;
    private @Nullable Head head;
    private int interimResponses;
    private long receivedBytes;
    private byte[] body = NO_BYTES;
    private int bodySize;
    private boolean ended;

    /** Data received while the body waits for memory: at most one read from the socket. */
    private @Nullable Queue<Runnable> suspended;

    private int suspendedBytes;

    /**
     * @param context reserves the memory for the body, which the check holds after the exchange
     * @param keepOpen called after a response without error; returns whether the connection remains open
     */
    ResponseCollector(
            Channel channel,
            Promise<Response> promise,
            HttpRequestSpec request,
            CheckContext context,
            BooleanSupplier keepOpen) {
        this.channel = channel;
        this.promise = promise;
        this.request = request;
        this.maxBodyBytes = request.maxBodyBytes();
        this.context = context;
        this.keepOpen = keepOpen;
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
        if (suspended != null) {
            suspended.add(() -> head(status, reason, version, headers));
            return;
        }
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
            Head received = new Head(status, reason, version, headers, System.nanoTime());
            head = received;
            long bytes = HEADER_FACTOR * headers.size();
            if (reserve(bytes)) {
                endOfHead(received);
            } else {
                waitForMemory(bytes, () -> endOfHead(received));
            }
        }
    }

    private void endOfHead(Head received) {
        if (maxBodyBytes == 0) {
            finish(null, false);
        } else if (!request.redirectBodies() && HttpExchange.redirects(received.status, received.headers)) {
            finish(null, true);
        }
    }

    /** A part of the body. The caller releases the buffer. */
    void body(ByteBuf chunk) {
        if (suspended != null) {
            suspendedBytes += chunk.readableBytes();
            if (suspendedBytes > MAX_SUSPENDED_BYTES) {
                outOfMemory();
                return;
            }
            ByteBuf retained = chunk.retain();
            suspended.add(() -> {
                body(retained);
                retained.release();
            });
            return;
        }
        int count = Math.min(chunk.readableBytes(), maxBodyBytes - bodySize);
        if (ended || count <= 0) {
            return;
        }
        if (bodySize + count > body.length) {
            int newSize = (int) Math.min(maxBodyBytes, Math.max(bodySize + count, body.length * 2L));
            if (!reserve(newSize - body.length)) {
                ByteBuf retained = chunk.retain();
                waitForMemory(newSize - body.length, () -> {
                    body = Arrays.copyOf(body, newSize);
                    body(retained);
                });
                promise.future().onComplete(done -> retained.release());
                return;
            }
            body = Arrays.copyOf(body, newSize);
        }
        chunk.getBytes(chunk.readerIndex(), body, bodySize, count);
        bodySize += count;
        if (bodySize == maxBodyBytes) {
            finish(null, true);
        }
    }

    private boolean reserve(long bytes) {
        try {
            return context.memory().tryReserve(bytes);
        } catch (LimitExceededException own) {
            return false; // reported by the reservation that waits
        }
    }

    /** Stops reading from the socket until there is memory. */
    private void waitForMemory(long bytes, Runnable whenReserved) {
        channel.config().setAutoRead(false);
        Queue<Runnable> received = new ArrayDeque<>();
        suspended = received;
        context.reserve(bytes).onComplete(reserved -> channel.eventLoop().execute(() -> {
            suspended = null;
            if (reserved.failed()) {
                fail(reserved.cause());
            } else if (ended) {
                context.memory().release(bytes);
            } else {
                whenReserved.run();
            }
            resume(received);
        }));
    }

    /** Replays what was received. Another part of the body can suspend it again. */
    private void resume(Queue<Runnable> received) {
        while (!received.isEmpty()) {
            if (suspended != null) {
                suspended.addAll(received);
                return;
            }
            received.remove().run();
        }
        suspendedBytes = 0;
        channel.config().setAutoRead(true);
    }

    /** The end of a message; ignored after an interim response. */
    void end() {
        if (suspended != null) {
            suspended.add(this::end);
        } else if (head != null) {
            finish(null, false);
        }
    }

    void protocolError(String message) {
        if (suspended != null) {
            suspended.add(() -> protocolError(message));
            return;
        }
        finish(new CheckError(HTTP_PROTOCOL_ERROR, message), true);
    }

    void tooLarge(String message) {
        finish(new CheckError(RESPONSE_TOO_LARGE, message), true);
    }

    /** The peer closed or reset the connection. */
    void closed(boolean reset) {
        if (suspended != null) {
            suspended.add(() -> closed(reset));
            return;
        }
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

    /** Ends the exchange with the error for a failed connection. */
    void connectionFailed(Throwable cause) {
        for (Throwable each = cause; each != null; each = each.getCause()) {
            if (each instanceof TooLongFrameException || each instanceof Http2Exception.HeaderListSizeException) {
                tooLarge(HEAD_TOO_LARGE);
                return;
            }
            if (each instanceof OutOfMemoryError) {
                outOfMemory();
                return;
            }
            if (each instanceof Error) {
                fail(each);
                return;
            }
            if (each instanceof PrematureChannelClosureException) {
                closed(false);
                return;
            }
            if (each instanceof Http2Exception) {
                protocolError("The response is not valid HTTP/2.");
                return;
            }
            if (each instanceof SSLException) {
                protocolError("The TLS connection failed during the exchange.");
                return;
            }
            if (each instanceof IOException) {
                closed(true);
                return;
            }
        }
        protocolError("The response is not valid HTTP.");
    }

    private void finish(@Nullable CheckError error, boolean truncated) {
        if (ended) {
            return;
        }
        ended = true;
        Head received = head;
        boolean open = received != null && error == null && keepOpen.getAsBoolean();
        if (received == null) {
            CheckError cause =
                    error != null ? error : new CheckError(HTTP_PROTOCOL_ERROR, "The server sent no response.");
            promise.tryFail(new CheckFailure(cause.code(), cause.message()));
        } else {
            context.budget().recordError(error);
            byte[] bytes = bodySize == body.length ? body : Arrays.copyOf(body, bodySize);
            context.memory().release(body.length - bodySize);
            body = NO_BYTES;
            promise.tryComplete(new Response(received, new HttpBody(bytes, truncated), error));
        }
        if (!open) {
            HttpConnection.close(channel);
        }
    }

    /** Ends the exchange because this node failed, not the peer. */
    void fail(Throwable failure) {
        if (promise.tryFail(failure) && !ended) {
            int discarded = bodySize;
            finish(null, true);
            context.memory().release(discarded);
        }
    }

    /** Ends the exchange because this node does not have memory for the received data. */
    void outOfMemory() {
        context.memory().refuse();
        fail(BudgetFailures.noNetworkMemory());
    }
}
