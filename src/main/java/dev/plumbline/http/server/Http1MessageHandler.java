package dev.plumbline.http.server;

import dev.plumbline.http.problem.Problem;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stands between the codec of an HTTP/1 connection and Vert.x. What is broken, too large or too
 * slow is answered here, in its turn, and ends the connection: Vert.x would close without a word,
 * or answer with an empty body. And when the connection is to end, the last answer that is owed
 * says so.
 */
public final class Http1MessageHandler extends ChannelDuplexHandler {
    /** What becomes of the body of the message that is coming. */
    private enum Body {
        /** It is passed on as it comes. */
        PASSED,
        /** Nobody reads it; Vert.x was told that there is none. */
        DROPPED,
        /** Nobody reads it, but its end is only known when it is there; the request waits for that. */
        AWAITED
    }

    /** How long a peer may take nothing of the last answer once the connection is to be closed. */
    static final long STUCK_MS = 10_000;

    private final ConnectionState watch;
    private final ConnectionLimitHandler guard;

    private Body body = Body.PASSED;
    private @Nullable HttpRequest current;
    private boolean currentPassedOn;
    private long bodyBytes;
    private @Nullable ScheduledFuture<?> bodyTimer;

    /** Requests that Vert.x has and has not answered to the end. */
    private int owed;

    /** The head of an answer is written and its end is not. */
    private boolean answering;

    /** What is written belongs to an interim answer (RFC 9110, 15.2). */
    private boolean interim;

    /** No request is taken after those that are here. */
    private boolean noMore;

    /** The last answer has begun. */
    private boolean closing;

    /** What still comes is not heard. */
    private boolean deaf;

    /** What Vert.x still writes is not sent. */
    private boolean mute;

    private @Nullable FullHttpResponse refusal;

    /** Somebody wanted the connection closed while the last answer was on its way. */
    private boolean closeAwaited;

    /** How many requests are owed when it is the refusal's turn. */
    private int refusalTurn;

    Http1MessageHandler(ConnectionState watch, ConnectionLimitHandler guard) {
        this.watch = watch;
        this.guard = guard;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof HttpRequest && closing) {
            deaf = true;
        }
        if (deaf) {
            ReferenceCountUtil.release(message);
        } else if (message instanceof HttpRequest request) {
            begin(ctx, request);
        } else if (message instanceof HttpContent content) {
            goOn(ctx, content);
        } else {
            ctx.fireChannelRead(message);
        }
    }

    private void begin(ChannelHandlerContext ctx, HttpRequest request) {
        watch.requestBegan();
        current = request;
        currentPassedOn = false;
        bodyBytes = 0;
        Problem fault = RequestHeadValidator.fault(request);
        if (fault != null) {
            refuse(ctx, fault);
            return;
        }
        if (request.headers().contains(HttpHeaderNames.UPGRADE, "h2c", true)) {
            // obsolete (RFC 9113, 3.1), and nobody has to switch (RFC 9110, 7.8)
            request.headers().remove(HttpHeaderNames.UPGRADE);
        }
        boolean chunked = HttpUtil.isTransferEncodingChunked(request);
        boolean hasBody = chunked || HttpUtil.getContentLength(request, 0L) > 0;
        if (hasBody) {
            bodyTimer = ctx.executor()
                    .schedule(() -> refuse(ctx, guard.lateBody()), guard.bodyMillis(), TimeUnit.MILLISECONDS);
        }
        if (!hasBody || !RequestHeadValidator.ignoresBody(request.method().name())) {
            body = Body.PASSED;
            passOn(ctx, request);
        } else if (chunked) {
            body = Body.AWAITED;
            if (HttpUtil.is100ContinueExpected(request)) {
                ctx.writeAndFlush(new DefaultFullHttpResponse(HttpVersion.HTTP_1_1, HttpResponseStatus.CONTINUE));
            }
        } else {
            body = Body.DROPPED;
            noMore |= HttpUtil.is100ContinueExpected(request);
            passOn(ctx, request);
            ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
        }
    }

    private void passOn(ChannelHandlerContext ctx, HttpRequest request) {
        currentPassedOn = true;
        owed++;
        ctx.fireChannelRead(request);
    }

    private void goOn(ChannelHandlerContext ctx, HttpContent content) {
        bodyBytes += content.content().readableBytes();
        if (!content.decoderResult().isSuccess()) {
            content.release();
            refuse(ctx, Problem.badRequest("The chunks of the body are not as RFC 9112, 7.1 wants them."));
        } else if (bodyBytes > RequestHeadValidator.MOST_BODY) {
            content.release();
            refuse(ctx, RequestHeadValidator.tooLarge());
        } else {
            boolean last = content instanceof LastHttpContent;
            if (last) {
                endOfMessage();
            }
            if (body == Body.PASSED) {
                ctx.fireChannelRead(content);
            } else {
                content.release();
                if (last && body == Body.AWAITED && current != null) {
                    passOn(ctx, current);
                    ctx.fireChannelRead(LastHttpContent.EMPTY_LAST_CONTENT);
                }
            }
        }
    }

    private void endOfMessage() {
        watch.requestEnded();
        if (bodyTimer != null) {
            bodyTimer.cancel(false);
            bodyTimer = null;
        }
    }

    /** A head has begun and does not come to its end in time. */
    void lateHead(ChannelHandlerContext ctx) {
        if (!deaf) {
            beginBroken();
            refuse(ctx, guard.lateHead());
        }
    }

    private void beginBroken() {
        watch.requestBegan();
        current = null;
        currentPassedOn = false;
    }

    /** Answers the request that is coming with a problem, and hears nothing more. */
    private void refuse(ChannelHandlerContext ctx, Problem problem) {
        if (deaf) {
            return;
        }
        endOfMessage();
        deaf = true;
        noMore = true;
        if (currentPassedOn && (body == Body.DROPPED || answering && owed == 1)) {
            // it has, or gets, its own answer, which is the last; over when that was sent already
            closing |= answering && owed == 1;
        } else if (!currentPassedOn || owed > 0) {
            refusal = guard.refusal(problem, current);
            refusalTurn = currentPassedOn ? 1 : 0;
            if (owed == refusalTurn) {
                sendRefusal(ctx);
            }
        }
        if (owed == 0 && refusal == null && !closing) {
            watch.end();
        }
    }

    private void sendRefusal(ChannelHandlerContext ctx) {
        FullHttpResponse answer = refusal;
        if (answer != null) {
            refusal = null;
            mute = true;
            closing = true;
            watch.answered();
            ctx.writeAndFlush(answer).addListener(written -> watch.end());
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (mute) {
            ReferenceCountUtil.release(message);
            promise.tryFailure(new ClosedChannelException());
            return;
        }
        if (message instanceof HttpResponse response) {
            beginAnswer(response);
        }
        if (message instanceof LastHttpContent && !interim) {
            answering = false;
            owed--;
            watch.answered();
            if (closing) {
                ctx.write(message, promise.unvoid().addListener(written -> watch.end()));
                return;
            }
        }
        ctx.write(message, promise);
        if (!answering && owed == refusalTurn) {
            sendRefusal(ctx);
        }
    }

    private void beginAnswer(HttpResponse response) {
        interim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
        if (interim) {
            return;
        }
        answering = true;
        if (watch.isLast(noMore)) {
            closing = true;
            response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
        } else if (watch.isInsideMessage()
                && response.headers().contains(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE, true)) {
            closing = true;
        }
    }

    @Override
    public void close(ChannelHandlerContext ctx, ChannelPromise promise) {
        // one that is given up midway has no end to wait for
        if (!answering && (closing || refusal != null)) {
            if (!closeAwaited) {
                closeAwaited = true;
                closeWhenStuck(ctx, unsent(ctx));
            }
            ctx.channel().closeFuture().addListener(closed -> promise.trySuccess());
        } else {
            ctx.close(promise);
        }
    }

    /** A peer that never reads would keep the connection for ever. */
    private static void closeWhenStuck(ChannelHandlerContext ctx, long unsentBefore) {
        ctx.executor()
                .schedule(
                        () -> {
                            if (ctx.isRemoved() || !ctx.channel().isOpen()) {
                                return;
                            }
                            long unsent = unsent(ctx);
                            if (unsent == unsentBefore) {
                                ctx.channel().unsafe().close(ctx.channel().newPromise());
                            } else {
                                closeWhenStuck(ctx, unsent);
                            }
                        },
                        STUCK_MS,
                        TimeUnit.MILLISECONDS);
    }

    private static long unsent(ChannelHandlerContext ctx) {
        ChannelOutboundBuffer out = ctx.channel().unsafe().outboundBuffer();
        return out == null ? 0 : out.totalPendingWriteBytes() - out.currentProgress();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !deaf) {
            noMore = true;
            if (watch.isHeadComing()) {
                beginBroken();
                refuse(ctx, Problem.badRequest("The request broke off before the end of its head."));
            } else if (watch.isInsideMessage()) {
                refuse(ctx, Problem.badRequest("The body broke off before its end."));
            } else if (watch.isOwedNothing()) {
                ctx.close();
            }
        }
        ctx.fireUserEventTriggered(event);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        endOfMessage();
        ReferenceCountUtil.release(refusal);
        refusal = null;
    }

    public static boolean isHead(@Nullable HttpRequest request) {
        return request != null && HttpMethod.HEAD.equals(request.method());
    }
}
