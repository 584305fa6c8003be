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
 * The memory of the open streams of one HTTP/2 connection and of their responses that the client has not read. Confined
 * to the channel's event loop.
 */
final class UnreadResponses extends Http2ConnectionAdapter {
    /** The memory of an HTTP/2 stream with its request and the headers of its response, in bytes. */
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

    private void reserve(int streamId, long bytes) {
        boolean reserved = false;
        try {
            reserved = memory.tryReserve(bytes);
        } catch (LimitExceededException tooMuchOfOneClient) {
            // reset below
        }
        if (reserved) {
            reservedByStream.merge(streamId, bytes, Long::sum);
        } else {
            reset.accept(streamId);
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
