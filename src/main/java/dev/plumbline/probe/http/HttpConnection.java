package dev.plumbline.probe.http;

import static dev.plumbline.result.ErrorCode.DEADLINE_EXCEEDED;
import static dev.plumbline.result.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.result.ErrorCode.TLS_HANDSHAKE_FAILED;
import static dev.plumbline.result.ErrorCode.TLS_UNTRUSTED;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.probe.http.ConnectionPool.OpenConnection;
import dev.plumbline.probe.tls.CertificateMemory;
import dev.plumbline.probe.tls.HandshakeLimitHandler;
import dev.plumbline.probe.tls.InboundHoldHandler;
import dev.plumbline.probe.tls.TlsErrors;
import dev.plumbline.probe.tls.TrustCache;
import dev.plumbline.target.IpAddressText;
import dev.plumbline.trace.Span;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.handler.ssl.SslHandler;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * Sends one request over a new connection, after it has verified the peer and its certificate, or over one that another
 * request has left open.
 */
final class HttpConnection {
    private static final String HOLD_HANDLER = "hold";
    private static final String METER = "meter";
    private static final String READER = "reader";
    private static final int NORMAL_CLOSURE = 1000;
    private static final String HTTP2 = "h2";

    /** Reads are small, because received data stays in memory while the check waits for memory. */
    private static final RecvByteBufAllocator READ_SIZES =
            new AdaptiveRecvByteBufAllocator(512, 2 * 1024, EgressGuard.CONNECTION_BYTES);

    /** The time reserved for the report, in milliseconds. */
    static final long RESERVE_MS = 50;

    /** The maximum number of bytes that an idle connection receives: the rest of a response. */
    private static final int MAX_IDLE_BYTES = 128 * 1024;

    private final Vertx vertx;
    private final EgressGuard guard;
    private final TrustCache trust;
    private final CheckContext context;
    private final HttpRequestSpec request;
    private final List<HttpHeader> headers;
    private final ConnectionPool.Key key;
    private final HttpProbe.Elapsed elapsed;
    private final Deadline deadline;
    private final @Nullable ConnectionPool pool;
    private final Promise<HttpExchange> promise;

    /** The span of the connection: the handlers of the channel have no context of Vert.x. */
    private final Span span = CurrentSpan.get();

    private long connectStart;
    private long connectEnd;
    private long tlsEnd;
    private long requestSent;
    private boolean largeChain;

    /**
     * @param headers all headers except Host
     * @param key the server and the options of the connection
     * @param elapsed the time before this connection
     * @param timeoutMs the maximum duration of the exchange
     * @param pool receives the connection after the response; null to close it
     */
    HttpConnection(
            Vertx vertx,
            EgressGuard guard,
            TrustCache trust,
            CheckContext context,
            HttpRequestSpec request,
            List<HttpHeader> headers,
            ConnectionPool.Key key,
            HttpProbe.Elapsed elapsed,
            long timeoutMs,
            @Nullable ConnectionPool pool) {
        this.vertx = vertx;
        this.guard = guard;
        this.trust = trust;
        this.context = context;
        this.request = request;
        this.headers = headers;
        this.key = key;
        this.elapsed = elapsed;
        this.deadline = context.deadline().atMost(timeoutMs);
        this.pool = pool;
        // the next requests of a part use the connections of this event loop
        this.promise = context.budget().isPart() ? VertxInternals.contextPromise(vertx) : Promise.promise();
    }

    /**
     * Opens the connection and sends the request. Fails with a {@link CheckFailure}, or as described in
     * {@link TlsErrors#ofHandshake}. For a part of a composite check, completes on the context of the caller.
     */
    Future<HttpExchange> exchange(long connectTimeoutMs) {
        connectStart = System.nanoTime();
        return guard.open(vertx, key.address(), key.port(), connectTimeoutMs).compose(this::begin);
    }

    /** Sends the request over a connection whose connect and handshake count as those of this exchange. */
    Future<HttpExchange> exchange(OpenConnection open) {
        tlsEnd = System.nanoTime();
        connectEnd = tlsEnd - open.tlsNanos();
        connectStart = connectEnd - open.connectNanos();
        send(open.channel(), HTTP2);
        return promise.future();
    }

    private Future<HttpExchange> begin(Channel channel) {
        connectEnd = System.nanoTime();
        tlsEnd = connectEnd;
        channel.config().setRecvByteBufAllocator(READ_SIZES);
        if (remainingMillis() <= 0) {
            fail(channel, new CheckFailure(DEADLINE_EXCEEDED, "The check exceeded its time limit."));
        } else if (request.url().secure()) {
            handshake(channel);
        } else {
            send(channel, null);
        }
        return promise.future();
    }

    private void handshake(Channel channel) {
        SslHandler handler =
                key.engine().handler(channel.alloc(), key.host().name(), key.port(), key.alpn(), remainingMillis());
        HandshakeLimitHandler limits = new HandshakeLimitHandler();
        channel.pipeline()
                .addLast("limits", limits)
                .addLast(HOLD_HANDLER, new InboundHoldHandler())
                .addBefore(HOLD_HANDLER, "ssl", handler);
        Span handshake = span.child("TLS handshake", Span.Kind.CLIENT);
        handler.handshakeFuture().addListener(done -> {
            tlsEnd = System.nanoTime();
            CurrentSpan.end(handshake, done.cause());
            if (done.isSuccess()) {
                if (channel.pipeline().context(limits) != null) {
                    channel.pipeline().remove(limits);
                }
                evaluate(channel, handler);
            } else {
                fail(channel, TlsErrors.ofHandshake(done.cause(), limits));
            }
        });
    }

    private void evaluate(Channel channel, SslHandler handler) {
        if (!request.verifyTls()) {
            proceed(channel, handler);
            return;
        }
        List<X509Certificate> chain;
        try {
            chain = Arrays.stream(handler.engine().getSession().getPeerCertificates())
                    .map(X509Certificate.class::cast)
                    .toList();
        } catch (SSLPeerUnverifiedException none) {
            fail(channel, new CheckFailure(TLS_HANDSHAKE_FAILED, "The server sent no certificate."));
            return;
        }
        long bytes = CertificateMemory.maxBytesOf(chain);
        largeChain = bytes > 0;
        Future<Optional<String>> verdict = bytes == 0
                ? trust.problem(context, chain, request.url().host())
                : context.reserve(bytes).compose(reserved -> {
                    // the TLS session holds the certificates until the connection is closed
                    promise.future().onComplete(ended -> context.memory().release(bytes));
                    return trust.problem(context, chain, request.url().host());
                });
        if (verdict.succeeded()) {
            completeTrust(channel, handler, verdict.result());
            return;
        }
        verdict.onComplete(result -> channel.eventLoop().execute(() -> {
            if (result.succeeded()) {
                completeTrust(channel, handler, result.result());
            } else {
                fail(channel, result.cause());
            }
        }));
    }

    private void completeTrust(Channel channel, SslHandler handler, Optional<String> problem) {
        if (problem.isPresent()) {
            fail(channel, new CheckFailure(TLS_UNTRUSTED, problem.get()));
        } else {
            proceed(channel, handler);
        }
    }

    private void proceed(Channel channel, SslHandler handler) {
        if (!channel.isActive()) {
            fail(
                    channel,
                    new CheckFailure(
                            TLS_HANDSHAKE_FAILED, "The server closed the connection after the TLS handshake."));
        } else if (remainingMillis() <= 0) {
            fail(channel, new CheckFailure(READ_TIMEOUT, "The TLS handshake timed out."));
        } else if (request.alpn() == HttpRequestSpec.Alpn.HTTP2 && !HTTP2.equals(handler.applicationProtocol())) {
            fail(channel, TlsErrors.noApplicationProtocol());
        } else {
            if (pool != null && !HTTP2.equals(handler.applicationProtocol())) {
                pool.removeLimit(key);
            }
            send(channel, handler.applicationProtocol());
            ChannelHandlerContext hold = channel.pipeline().context(HOLD_HANDLER);
            if (hold != null) {
                ((InboundHoldHandler) hold.handler()).release(hold);
            }
        }
    }

    private void send(Channel channel, @Nullable String alpn) {
        Promise<ResponseCollector.Response> response = Promise.promise();
        Span exchange = span();
        ResponseCollector collector =
                new ResponseCollector(channel, response, request, context, () -> keepOpen(channel));
        requestSent = System.nanoTime();
        endAtDeadline(channel, collector, response, remainingMillis());
        response.future().onComplete(result -> {
            end(exchange, result);
            if (result.succeeded()) {
                if (result.result().head().status() == ResponseCollector.SWITCHING_PROTOCOLS) {
                    channel.pipeline().context(READER).writeAndFlush(closeFrame(channel.alloc()));
                }
                promise.complete(exchange(result.result(), alpn));
            } else {
                promise.fail(result.cause());
            }
        });
        ChannelPipeline pipeline = channel.pipeline();
        if (pipeline.get(METER) != null) {
            pipeline.replace(METER, METER, new ByteMeter(collector));
            pipeline.replace(READER, READER, new Http2ResponseReader(request, headers, collector));
            return;
        }
        pipeline.addLast(METER, new ByteMeter(collector));
        if (HTTP2.equals(alpn)) {
            pipeline.addLast("codec", Http2ResponseReader.codec());
            pipeline.addLast(READER, new Http2ResponseReader(request, headers, collector));
        } else {
            boolean head = request.method() == HttpRequestSpec.Method.HEAD;
            pipeline.addLast("codec", Http1ResponseReader.decoder(head));
            pipeline.addLast(READER, new Http1ResponseReader(collector));
            ByteBuf encoded = ByteBufUtil.writeAscii(channel.alloc(), Http1RequestEncoder.text(request, headers));
            Buffer body = request.body();
            if (body != null) {
                encoded.writeBytes(body.getBytes());
            }
            pipeline.context(READER).writeAndFlush(encoded).addListener(written -> {
                // A peer can respond and close the connection without reading the request.
                if (!written.isSuccess() && !channel.isActive()) {
                    collector.closed(true);
                }
            });
        }
    }

    private Span span() {
        if (!span.recorded()) {
            return Span.NONE;
        }
        String method = request.method().name();
        return span.child("HTTP " + method, Span.Kind.CLIENT)
                .set("http.request.method", method)
                .setTarget("url.full", request.url().text());
    }

    private static void end(Span exchange, AsyncResult<ResponseCollector.Response> result) {
        if (result.succeeded()) {
            ResponseCollector.Head head = result.result().head();
            exchange.set("http.response.status_code", head.status()).set("network.protocol.version", head.version());
        }
        CurrentSpan.end(exchange, result.cause());
    }

    /** Keeps an HTTP/2 connection for other requests, unless its session holds a large certificate chain. */
    private boolean keepOpen(Channel channel) {
        ChannelHandlerContext reader = channel.pipeline().context(READER);
        return pool != null
                && !largeChain
                && reader != null
                && reader.handler() instanceof Http2ResponseReader http2
                && http2.endStream(reader)
                && pool.offer(new OpenConnection(
                        key, channel, connectEnd - connectStart, tlsEnd - connectEnd, System.nanoTime()));
    }

    /** Waits again if the deadline of the check was extended. */
    private void endAtDeadline(
            Channel channel, ResponseCollector collector, Promise<ResponseCollector.Response> response, long millis) {
        java.util.concurrent.Future<?> timer = channel.eventLoop()
                .schedule(
                        () -> {
                            long extension = context.deadline().remainingMillis() - RESERVE_MS;
                            if (extension > RESERVE_MS) {
                                endAtDeadline(channel, collector, response, extension);
                            } else {
                                collector.timedOut();
                            }
                        },
                        millis,
                        TimeUnit.MILLISECONDS);
        response.future().onComplete(done -> timer.cancel(false));
    }

    /** A masked Close frame without a reason (RFC 6455 sections 5.2 and 5.5.1). */
    private static ByteBuf closeFrame(ByteBufAllocator allocator) {
        int mask = ThreadLocalRandom.current().nextInt();
        return allocator
                .buffer(8)
                .writeByte(0x88)
                .writeByte(0x82)
                .writeInt(mask)
                .writeShort(NORMAL_CLOSURE ^ (mask >>> 16));
    }

    private HttpExchange exchange(ResponseCollector.Response response, @Nullable String alpn) {
        ResponseCollector.Head head = response.head();
        long end = System.nanoTime();
        return new HttpExchange(
                request.url(),
                request.method(),
                head.status(),
                head.reason(),
                head.version(),
                alpn,
                head.headers(),
                response.body(),
                IpAddressText.format(key.address()),
                new HttpTimings(
                        millis(elapsed.dnsNanos()),
                        millis(connectEnd - connectStart),
                        request.url().secure() ? millis(tlsEnd - connectEnd) : null,
                        millis(head.nanos() - requestSent),
                        millis(end - head.nanos()),
                        millis(elapsed.dnsNanos() + elapsed.connectionNanos().get() + end - connectStart)),
                response.bodyError());
    }

    private static double millis(long nanos) {
        return Math.round(nanos / 1_000.0) / 1_000.0;
    }

    private void fail(Channel channel, @Nullable Throwable cause) {
        promise.tryFail(cause);
        close(channel);
    }

    /** Closes a connection at once, without the close_notify of TLS. */
    static void close(Channel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first == null) {
            channel.close();
        } else {
            first.close();
        }
    }

    private long remainingMillis() {
        return deadline.remainingMillis();
    }

    /** Counts the bytes received, before they are decoded. */
    private static final class ByteMeter extends ChannelInboundHandlerAdapter {
        private final ResponseCollector collector;
        private int idleBytes;

        ByteMeter(ResponseCollector collector) {
            this.collector = collector;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof ByteBuf bytes) {
                collector.received(bytes.readableBytes());
                if (collector.ended()) {
                    idleBytes += bytes.readableBytes();
                    if (idleBytes > MAX_IDLE_BYTES || !context.channel().isOpen()) {
                        bytes.release();
                        close(context.channel());
                        return;
                    }
                }
            }
            context.fireChannelRead(message);
        }
    }
}
