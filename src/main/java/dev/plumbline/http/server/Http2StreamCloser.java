package dev.plumbline.http.server;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.Http2ConnectionAdapter;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Stream;
import java.util.concurrent.TimeUnit;

/**
 * Ends a stream that has its answer, though its request has not come to its end (RFC 9113, 8.1).
 * Stands below Vert.x, since answers are given in several places there, not all of them ours; a
 * stream that stayed would count for ever among those that a connection may have.
 */
final class Http2StreamCloser extends Http2ConnectionAdapter {
    private final ChannelHandlerContext ctx;
    private final Http2ConnectionHandler handler;

    private Http2StreamCloser(ChannelHandlerContext ctx, Http2ConnectionHandler handler) {
        this.ctx = ctx;
        this.handler = handler;
    }

    static void stand(ChannelHandlerContext ctx, Http2ConnectionHandler handler) {
        handler.connection().addListener(new Http2StreamCloser(ctx, handler));
    }

    @Override
    public void onStreamHalfClosed(Http2Stream stream) {
        if (isAnswered(stream)) {
            // most requests come to their end by themselves meanwhile
            ctx.executor().schedule(() -> cutOff(stream), LingeringClose.LINGER_MS, TimeUnit.MILLISECONDS);
        }
    }

    private static boolean isAnswered(Http2Stream stream) {
        return stream.state() == Http2Stream.State.HALF_CLOSED_LOCAL;
    }

    private void cutOff(Http2Stream stream) {
        if (isAnswered(stream)) {
            handler.encoder().writeRstStream(ctx, stream.id(), Http2Error.NO_ERROR.code(), ctx.newPromise());
            ctx.flush();
        }
    }
}
