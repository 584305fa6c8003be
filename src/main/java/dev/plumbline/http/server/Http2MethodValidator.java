package dev.plumbline.http.server;

import dev.plumbline.http.problem.Problem;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.Http2ConnectionEncoder;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2Exception;
import io.netty.handler.codec.http2.Http2FrameListener;
import io.netty.handler.codec.http2.Http2FrameListenerDecorator;
import io.netty.handler.codec.http2.Http2Headers;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Answers an HTTP/2 request whose method cannot be one. Vert.x throws over it, and with the
 * connection fall all its streams.
 */
final class Http2MethodValidator extends Http2FrameListenerDecorator {
    private final Http2ConnectionEncoder encoder;
    private final ConnectionLimitHandler guard;

    private Http2MethodValidator(
            Http2FrameListener listener, Http2ConnectionEncoder encoder, ConnectionLimitHandler guard) {
        super(listener);
        this.encoder = encoder;
        this.guard = guard;
    }

    static void stand(Http2ConnectionHandler handler, ConnectionLimitHandler guard) {
        handler.decoder()
                .frameListener(new Http2MethodValidator(handler.decoder().frameListener(), handler.encoder(), guard));
    }

    @Override
    public void onHeadersRead(ChannelHandlerContext ctx, int streamId, Http2Headers headers, int padding, boolean end)
            throws Http2Exception {
        if (isMethod(headers.method())) {
            super.onHeadersRead(ctx, streamId, headers, padding, end);
        } else {
            refuse(ctx, streamId, end);
        }
    }

    @Override
    public void onHeadersRead(
            ChannelHandlerContext ctx,
            int streamId,
            Http2Headers headers,
            int dependency,
            short weight,
            boolean exclusive,
            int padding,
            boolean end)
            throws Http2Exception {
        if (isMethod(headers.method())) {
            super.onHeadersRead(ctx, streamId, headers, dependency, weight, exclusive, padding, end);
        } else {
            refuse(ctx, streamId, end);
        }
    }

    private static boolean isMethod(@Nullable CharSequence method) {
        try {
            // none in trailers
            return method == null || HttpMethod.valueOf(method.toString()) != null;
        } catch (IllegalArgumentException noToken) {
            return false;
        }
    }

    private void refuse(ChannelHandlerContext ctx, int streamId, boolean end) {
        FullHttpResponse refusal = guard.refusal(Problem.badRequest("The method of the request is no token."), null);
        Http2Headers head = new DefaultHttp2Headers().status(refusal.status().codeAsText());
        refusal.headers().remove(HttpHeaderNames.CONNECTION);
        refusal.headers().forEach(field -> head.add(field.getKey().toLowerCase(Locale.ROOT), field.getValue()));
        encoder.writeHeaders(ctx, streamId, head, 0, false, ctx.newPromise());
        encoder.writeData(ctx, streamId, Unpooled.copiedBuffer(refusal.content()), 0, true, ctx.newPromise());
        refusal.release();
        if (!end) {
            encoder.writeRstStream(ctx, streamId, Http2Error.NO_ERROR.code(), ctx.newPromise());
        }
        ctx.flush();
    }
}
