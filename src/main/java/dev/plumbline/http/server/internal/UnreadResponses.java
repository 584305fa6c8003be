package dev.plumbline.http.server.internal;

import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.budget.MemoryHolder;
import io.netty.handler.codec.http2.Http2Connection;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;

/**
 * The memory of one connection of a client: of open HTTP/2 streams and their responses that the client has not read,
 * and of HTTP/1 requests that wait for the responses to earlier ones (pipelining, RFC 9112 section 9.3.2). Confined to
 * the channel's event loop.
 */
final class UnreadResponses extends Http2ConnectionAdapter {
    /** The memory of an HTTP/2 stream or of an HTTP/1 request, with the headers of its response, in bytes. */
    static final long STREAM_BYTES = 8 << 10;

    private final MemoryHolder memory;
    private final IntConsumer reset;
    private final Map<Integer, Long> reservedByStream = new HashMap<>();

    /** @param reset resets an HTTP/2 stream for which there is no memory */
    UnreadResponses(MemoryHolder memory, IntConsumer reset) {
        this.memory = memory;
        this.reset = reset;
    }

    @Override
    public void onStreamActive(Http2Stream stream) {
        reserve(stream.id(), STREAM_BYTES);
    }

    /** The response of a stream has ended. Its body is held until the client has read it. */
    void ended(Http2Connection connection, int streamId, long bodyBytes) {
        if (connection.stream(streamId) != null) {
            reserve(streamId, bodyBytes);
        }
    }

    /** Reserves memory for an HTTP/1 request that waits. Returns false if there is none. */
    boolean reserveRequest() {
        return tryReserve(STREAM_BYTES);
    }

    /** A request that waited is the next one, or is discarded. */
    void releaseRequest() {
        memory.release(STREAM_BYTES);
    }

    private void reserve(int streamId, long bytes) {
        if (tryReserve(bytes)) {
            reservedByStream.merge(streamId, bytes, Long::sum);
        } else {
            reset.accept(streamId);
        }
    }

    private boolean tryReserve(long bytes) {
        try {
            return memory.tryReserve(bytes);
        } catch (LimitExceededException tooMuchOfOneClient) {
            return false;
        }
    }

    @Override
    public void onStreamClosed(Http2Stream stream) {
        Long reserved = reservedByStream.remove(stream.id());
        if (reserved != null) {
            memory.release(reserved);
        }
    }

    void close() {
        memory.close();
    }
}
