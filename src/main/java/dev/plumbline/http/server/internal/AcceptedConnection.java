package dev.plumbline.http.server.internal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One accepted connection: its protocol, its header timeout and its graceful close. Confined to the channel's event
 * loop.
 */
final class AcceptedConnection {
    /** How long an idle connection stays open after the start of a drain. */
    static final long DRAIN_GRACE_MS = 1_000;

    /**
     * How long a connection is read after its last response. A close with unread input resets the connection and may
     * destroy the response (RFC 9112, 9.6).
     */
    private static final long LINGER_MS = 300;

    /** The connection preface of HTTP/2 with prior knowledge (RFC 9113, 3.4). */
    private static final ByteBuf PREFACE = Unpooled.unreleasableBuffer(
            Unpooled.copiedBuffer("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", StandardCharsets.US_ASCII));

    /** The names that Vert.x gives to its codec. */
    static final String DECODER = "httpDecoder";

    static final String ENCODER = "httpEncoder";

    private static final String REQUEST_TIMEOUT =
            "HTTP/1.1 408 Request Timeout\r\nConnection: close\r\nContent-Length: 0\r\n\r\n";
    private static final String TOO_MANY_CONNECTIONS =
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nConnection: close\r\n" + "Content-Length: 0\r\n\r\n";

    private final ConnectionRegistry registry;
    private final Channel channel;

    private final UnreadResponses unread;

    private @Nullable HttpConnection http2;
    private @Nullable Http2ConnectionHandler http2Handler;
    private boolean http1;
    private @Nullable ScheduledFuture<?> headTimer;

    /** HTTP/1 requests without a complete response. */
    private int pending;

    /** Whether a head was received and the end of its body was not. */
    private boolean insideRequest;

    private boolean draining;

    /** Whether the last response has begun. */
    private boolean closing;

    private long idleSinceNanos = System.nanoTime();

    AcceptedConnection(ConnectionRegistry registry, Channel channel) {
        this.registry = registry;
        this.channel = channel;
        this.unread = new UnreadResponses(registry.responseMemory(channel), this::resetStream);
        channel.closeFuture().addListener(closed -> unread.close());
    }

    void accept() {
        channel.pipeline().addLast(new FirstByteListener(), new ProtocolDetector());
    }

    /** @param respond whether to send 503; otherwise the connection is closed immediately */
    void reject(boolean respond) {
        channel.pipeline().addLast(new Rejection(respond));
    }

    /** Vert.x has configured the connection. */
    void configured(HttpConnection connection) {
        ChannelPipeline pipeline = channel.pipeline();
        if (pipeline.get(ENCODER) == null) {
            cancelHeadTimer();
            http2 = connection;
            http2Handler = pipeline.get(Http2ConnectionHandler.class);
            if (http2Handler != null) {
                http2Handler.connection().addListener(unread);
            }
            if (draining) {
                goAway(connection);
            }
        } else if (!http1) {
            configureHttp1(pipeline);
        }
    }

    /** The response to an HTTP/2 request has ended. */
    void responseEnded(int streamId, long bodyBytes) {
        if (http2Handler != null) {
            unread.ended(http2Handler.connection(), streamId, bodyBytes);
        }
    }

    /** Resets a stream after the current frame, because the codec cannot close a stream while it opens it. */
    private void resetStream(int streamId) {
        ChannelHandlerContext codec = channel.pipeline().context(Http2ConnectionHandler.class);
        if (codec != null && http2Handler != null) {
            Http2ConnectionHandler handler = http2Handler;
            codec.executor().execute(() -> {
                handler.resetStream(codec, streamId, Http2Error.ENHANCE_YOUR_CALM.code(), codec.newPromise());
                codec.flush();
            });
        }
    }

    private void configureHttp1(ChannelPipeline pipeline) {
        http1 = true;
        StrictRequestDecoder decoder = registry.newDecoder();
        pipeline.replace(DECODER, DECODER, decoder);
        pipeline.addAfter(ENCODER, null, new Http1Handler(decoder));
    }

    /** Sends 503 in response to the first bytes. */
    private final class Rejection extends ChannelInboundHandlerAdapter {
        private final boolean respond;
        private boolean sent;

        Rejection(boolean respond) {
            this.respond = respond;
        }

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            if (respond) {
                closeAfter(registry.headerTimeoutMillis());
            } else {
                ctx.close();
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ReferenceCountUtil.release(message);
            if (!sent) {
                sent = true;
                send(ctx, TOO_MANY_CONNECTIONS);
            }
        }
    }

    private final class FirstByteListener extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            registry.addSilent(AcceptedConnection.this);
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            registry.removeSilent(AcceptedConnection.this);
            ctx.pipeline().remove(this);
            ctx.fireChannelRead(message);
        }
    }

    /**
     * Waits for enough bytes to distinguish HTTP/1 from HTTP/2. For HTTP/1 it makes Vert.x configure its codec, so that
     * the decoder can be replaced before the first request. Not needed with TLS.
     */
    private final class ProtocolDetector extends ChannelInboundHandlerAdapter {
        private ByteBuf received = Unpooled.EMPTY_BUFFER;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            if (registry.isDraining()) {
                drain();
            }
            ctx.fireChannelActive();
            if (registry.isTls()) {
                ctx.pipeline().remove(this);
            }
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            received = received.isReadable() ? Unpooled.wrappedBuffer(received, bytes) : bytes;
            int compared = Math.min(received.readableBytes(), PREFACE.readableBytes());
            boolean preface = ByteBufUtil.equals(received, received.readerIndex(), PREFACE, 0, compared);
            if (preface && compared < PREFACE.readableBytes()) {
                startHeadTimer();
                return;
            }
            cancelHeadTimer();
            if (!preface) {
                // the decoder ignores line breaks before a request (RFC 9112, 2.2)
                ctx.fireChannelRead(Unpooled.copiedBuffer("\n", StandardCharsets.US_ASCII));
                configureHttp1(ctx.pipeline());
            }
            ByteBuf all = received;
            received = Unpooled.EMPTY_BUFFER;
            ctx.fireChannelRead(all);
            ctx.pipeline().remove(this);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext ctx) {
            received.release();
        }
    }

    /** Between the HTTP/1 codec and Vert.x. */
    private final class Http1Handler extends ChannelDuplexHandler {
        private final StrictRequestDecoder decoder;
        private boolean messageRead;
        private boolean interim;
        private boolean invalid;
        private boolean closeScheduled;

        Http1Handler(StrictRequestDecoder decoder) {
            this.decoder = decoder;
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            messageRead = true;
            cancelHeadTimer();
            if (closing && !insideRequest) {
                ReferenceCountUtil.release(message);
                return;
            }
            if (message instanceof HttpRequest request) {
                if (pending > 0 && !unread.reserveRequest()) {
                    // the client may send the requests without a response again (RFC 9112, 9.3.2)
                    closing = true;
                    ReferenceCountUtil.release(message);
                    ctx.close();
                    return;
                }
                pending++;
                insideRequest = true;
                // an upgrade is optional (RFC 9110, 7.8), and to h2c obsolete (RFC 9113, 3.1)
                request.headers().remove(HttpHeaderNames.UPGRADE);
            }
            if (message instanceof LastHttpContent) {
                insideRequest = false;
            }
            if (message instanceof HttpObject part && part.decoderResult().isFailure()) {
                invalid = true;
                if (message instanceof HttpRequest request) {
                    // Vert.x copies it into the response
                    request.setProtocolVersion(HttpVersion.HTTP_1_1);
                }
            }
            ctx.fireChannelRead(message);
        }

        @Override
        public void channelReadComplete(ChannelHandlerContext ctx) {
            if (decoder.bytesRead() && !messageRead && !insideRequest) {
                startHeadTimer();
            }
            messageRead = false;
            ctx.fireChannelReadComplete();
        }

        @Override
        public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
            ChannelPromise written = promise;
            if (message instanceof HttpResponse response) {
                interim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
                if (!interim && draining && pending <= 1) {
                    closing = true;
                    response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
                }
            }
            if (message instanceof LastHttpContent && !interim) {
                pending--;
                if (pending > 0) {
                    unread.releaseRequest();
                }
                idleSinceNanos = System.nanoTime();
                if (closing) {
                    written = promise.unvoid();
                    written.addListener(sent -> closeAfter(LINGER_MS));
                }
            }
            ctx.write(message, written);
        }

        /** Vert.x closes the connection of an invalid request before its response is read. */
        @Override
        public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
            if (!invalid) {
                ctx.close(promise);
                return;
            }
            channel.closeFuture().addListener(closed -> promise.trySuccess());
            if (!closeScheduled) {
                closeScheduled = true;
                channel.config().setAutoRead(true);
                ctx.executor().schedule(() -> ctx.close(), LINGER_MS, TimeUnit.MILLISECONDS);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            cancelHeadTimer();
            ctx.fireChannelInactive();
        }
    }

    private void startHeadTimer() {
        if (headTimer == null) {
            headTimer = channel.eventLoop()
                    .schedule(this::closeOnHeaderTimeout, registry.headerTimeoutMillis(), TimeUnit.MILLISECONDS);
        }
    }

    private void cancelHeadTimer() {
        if (headTimer != null) {
            headTimer.cancel(false);
            headTimer = null;
        }
    }

    private void closeOnHeaderTimeout() {
        headTimer = null;
        if (pending > 0) {
            startHeadTimer();
            return;
        }
        closing = true;
        ChannelHandlerContext codec = channel.pipeline().context(DECODER);
        send(codec == null ? channel.pipeline().firstContext() : codec, REQUEST_TIMEOUT);
    }

    private void send(ChannelHandlerContext ctx, String response) {
        ctx.writeAndFlush(Unpooled.copiedBuffer(response, StandardCharsets.US_ASCII));
        closeAfter(LINGER_MS);
    }

    private void closeAfter(long millis) {
        channel.eventLoop().schedule(() -> channel.close(), millis, TimeUnit.MILLISECONDS);
    }

    void close() {
        channel.close();
    }

    /** Closes the connection after its pending requests, and when it has been idle for the grace. */
    void drain() {
        if (channel.isRegistered()) {
            channel.eventLoop().execute(() -> {
                draining = true;
                HttpConnection connection = http2;
                if (connection != null) {
                    goAway(connection);
                }
                channel.eventLoop().schedule(this::closeIfIdle, DRAIN_GRACE_MS, TimeUnit.MILLISECONDS);
            });
        }
    }

    private void closeIfIdle() {
        if (closing || http2 != null || !channel.isActive()) {
            return;
        }
        boolean idle = pending == 0
                && !insideRequest
                && headTimer == null
                && System.nanoTime() - idleSinceNanos >= TimeUnit.MILLISECONDS.toNanos(DRAIN_GRACE_MS);
        if (idle) {
            channel.close();
        } else {
            channel.eventLoop().schedule(this::closeIfIdle, DRAIN_GRACE_MS, TimeUnit.MILLISECONDS);
        }
    }

    /** Two GOAWAY frames, so that no stream that is on its way is lost (RFC 9113, 6.8). */
    private void goAway(HttpConnection connection) {
        connection.goAway(0, Integer.MAX_VALUE);
        channel.eventLoop()
                .schedule(
                        () -> {
                            connection.goAway(0);
                            connection.shutdown(registry.drainMillis(), TimeUnit.MILLISECONDS);
                        },
                        DRAIN_GRACE_MS,
                        TimeUnit.MILLISECONDS);
    }
}
