package dev.plumbline.http.server;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http2.Http2ConnectionHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one accepted connection: which protocol it speaks, whether a head is on its way,
 * how many requests wait for their answer, since when it is idle. Gives up on a head that comes too
 * slowly: one byte now and then keeps a connection from being idle, and would hold it for ever (RFC
 * 9110, 15.5.9). Lives on the connection's event loop.
 */
final class ConnectionState {
    /** What a client sends first that speaks HTTP/2 without having asked (RFC 9113, 3.4). */
    private static final byte[] PREFACE = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".getBytes(StandardCharsets.US_ASCII);

    /** What Vert.x calls its codec. */
    private static final String DECODER = "httpDecoder";

    private static final String ENCODER = "httpEncoder";

    private final ConnectionLimitHandler guard;
    private final Channel channel;
    private final boolean room;

    private int prefaceSeen;
    private boolean insideMessage;
    private int unanswered;
    private boolean draining;
    private boolean ending;
    private long idleSinceNanos = System.nanoTime();
    private @Nullable ScheduledFuture<?> head;
    private @Nullable Http1MessageHandler http1;
    private @Nullable HttpConnection http2;

    /**
     * @param room false for one connection too many, which is told so and closed
     */
    ConnectionState(ConnectionLimitHandler guard, Channel channel, boolean room) {
        this.guard = guard;
        this.channel = channel;
        this.room = room;
    }

    /** Sees the bytes before any decoder does; below TLS until the handshake is over. */
    final class Bytes extends ChannelInboundHandlerAdapter {
        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            if (guard.isDraining()) {
                drainHere();
            }
            ctx.fireChannelActive();
        }

        @Override
        public void channelRead(ChannelHandlerContext ctx, Object message) {
            if (!room) {
                ReferenceCountUtil.release(message);
                guard.turnAway(ctx);
                return;
            }
            if (http2 == null && message instanceof ByteBuf bytes) {
                if (!insideMessage && head == null) {
                    expectHead();
                }
                if (http1 == null && !guard.isTls()) {
                    firstBytes(ctx, bytes);
                    return;
                }
            }
            ctx.fireChannelRead(message);
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
            ctx.fireUserEventTriggered(event);
            if (event instanceof ChannelInputShutdownEvent && http1 == null) {
                HttpConnection connection = http2;
                if (connection == null) {
                    ctx.close();
                } else {
                    connection.shutdown(guard.bodyMillis(), TimeUnit.MILLISECONDS);
                }
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            cancelHead();
            ctx.fireChannelInactive();
        }

        ConnectionState watch() {
            return ConnectionState.this;
        }
    }

    /** What is known of a connection; null when its port is not guarded. */
    static @Nullable ConnectionState of(ChannelPipeline pipeline) {
        Bytes bytes = pipeline.get(Bytes.class);
        return bytes == null ? null : bytes.watch();
    }

    /**
     * Passes the first bytes on, up to the one that tells the protocol; then Vert.x has set the codec
     * up, and ours can stand beside it before there is a message.
     */
    private void firstBytes(ChannelHandlerContext ctx, ByteBuf bytes) {
        int same = 0;
        int start = bytes.readerIndex();
        while (prefaceSeen + same < PREFACE.length
                && same < bytes.readableBytes()
                && bytes.getByte(start + same) == PREFACE[prefaceSeen + same]) {
            same++;
        }
        prefaceSeen += same;
        if (prefaceSeen == PREFACE.length || same == bytes.readableBytes()) {
            ctx.fireChannelRead(bytes);
            return;
        }
        ByteBuf rest = bytes.retainedSlice(start + same + 1, bytes.readableBytes() - same - 1);
        ctx.fireChannelRead(bytes.writerIndex(start + same + 1));
        speaksHttp1(ctx.pipeline());
        if (rest.isReadable()) {
            ctx.fireChannelRead(rest);
        } else {
            rest.release();
        }
    }

    /** Vert.x has set a connection up. */
    void speaks(ChannelPipeline pipeline, HttpConnection connection) {
        if (pipeline.get(ENCODER) == null) {
            cancelHead();
            http2 = connection;
            Http2ConnectionHandler handler = pipeline.get(Http2ConnectionHandler.class);
            if (handler != null) {
                Http2MethodValidator.stand(handler, guard);
                Http2StreamCloser.stand(pipeline.context(handler), handler);
            }
            if (draining) {
                goAway(connection);
            }
        } else if (http1 == null) {
            // after a handshake: from here on, what the decoder gets can be seen
            cancelHead();
            pipeline.remove(Bytes.class);
            pipeline.addBefore(DECODER, null, new Bytes());
            speaksHttp1(pipeline);
        }
    }

    private void speaksHttp1(ChannelPipeline pipeline) {
        Http1MessageHandler messages = new Http1MessageHandler(this, guard);
        http1 = messages;
        pipeline.replace(DECODER, DECODER, guard.decoder());
        pipeline.addAfter(ENCODER, "http1Messages", messages);
    }

    private void expectHead() {
        head = channel.eventLoop().schedule(this::headIsLate, guard.headMillis(), TimeUnit.MILLISECONDS);
    }

    private void headIsLate() {
        Http1MessageHandler messages = http1;
        ChannelHandlerContext ctx = messages == null ? null : channel.pipeline().context(messages);
        if (messages == null || ctx == null) {
            channel.pipeline().firstContext().close();
        } else {
            messages.lateHead(ctx);
        }
    }

    /** A head has come; what follows is its body. */
    void requestBegan() {
        insideMessage = true;
        unanswered++;
        cancelHead();
    }

    /** A message has come to its end; what follows is the next head. */
    void requestEnded() {
        insideMessage = false;
    }

    /** An answer has been written to its end. */
    void answered() {
        unanswered--;
        idleSinceNanos = System.nanoTime();
    }

    boolean isHeadComing() {
        return head != null;
    }

    boolean isInsideMessage() {
        return insideMessage;
    }

    boolean isOwedNothing() {
        return unanswered == 0;
    }

    /**
     * Whether the answer whose head is about to be written has to be the last.
     *
     * @param noMore whether no request is taken after those that are here
     */
    boolean isLast(boolean noMore) {
        return (draining || noMore) && unanswered <= 1;
    }

    /** From now on: no request after those that are under way or come within the grace. */
    void drain() {
        if (channel.isRegistered()) {
            channel.eventLoop().execute(this::drainHere);
        }
    }

    private void drainHere() {
        if (!draining) {
            draining = true;
            HttpConnection connection = http2;
            if (connection != null) {
                goAway(connection);
            }
            later(GracefulShutdown.GRACE_MS);
        }
    }

    private void later(long millis) {
        channel.eventLoop().schedule(this::closeWhenIdle, millis, TimeUnit.MILLISECONDS);
    }

    private void closeWhenIdle() {
        if (ending || !channel.isActive() || http2 != null) {
            return;
        }
        long idleMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - idleSinceNanos);
        boolean busy = unanswered > 0 || insideMessage || head != null;
        if (busy || idleMs < GracefulShutdown.GRACE_MS) {
            // the last answer ends the connection before this comes round again, or a timeout does
            later(busy ? GracefulShutdown.GRACE_MS : GracefulShutdown.GRACE_MS - idleMs);
        } else {
            end();
        }
    }

    /** First that there is an end in sight, then, when that is known, where it is (RFC 9113, 6.8). */
    private void goAway(HttpConnection connection) {
        connection.goAway(0, Integer.MAX_VALUE);
        channel.eventLoop()
                .schedule(
                        () -> {
                            connection.goAway(0);
                            connection.shutdown(guard.drainMillis(), TimeUnit.MILLISECONDS);
                        },
                        GracefulShutdown.GRACE_MS,
                        TimeUnit.MILLISECONDS);
    }

    /** Closes the connection so that what was written gets through. */
    void end() {
        if (!ending) {
            ending = true;
            cancelHead();
            LingeringClose.of(channel);
        }
    }

    private void cancelHead() {
        if (head != null) {
            head.cancel(false);
            head = null;
        }
    }
}
