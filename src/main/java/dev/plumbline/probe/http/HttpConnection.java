package dev.plumbline.probe.http;

import static dev.plumbline.result.ErrorCode.DEADLINE_EXCEEDED;
import static dev.plumbline.result.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.result.ErrorCode.TLS_HANDSHAKE_FAILED;
import static dev.plumbline.result.ErrorCode.TLS_UNTRUSTED;

import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.probe.tls.CertificateMemory;
import dev.plumbline.probe.tls.HandshakeLimitHandler;
import dev.plumbline.probe.tls.InboundHoldHandler;
import dev.plumbline.probe.tls.NoSharedAlgorithms;
import dev.plumbline.probe.tls.TlsErrors;
import dev.plumbline.probe.tls.TrustCache;
import dev.plumbline.target.IpAddressText;
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
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * A new connection for one request: connects to a pinned address, verifies the peer and its certificate, then sends the
 * request.
 */
final class HttpConnection {
    private static final String HOLD_HANDLER = "hold";
    private static final String READER = "reader";
    private static final int NORMAL_CLOSURE = 1000;
    private static final String HTTP2 = "h2";

    /** Reads are small, because received data stays in memory while the check waits for memory. */
    private static final RecvByteBufAllocator READ_SIZES =
            new AdaptiveRecvByteBufAllocator(512, 2 * 1024, EgressGuard.CONNECTION_BYTES);

    /** The time reserved for the report, in milliseconds. */
    static final long RESERVE_MS = 50;

    private final EgressGuard guard;
    private final HttpTlsOptions tls;
    private final TrustCache trust;
    private final CheckContext context;
    private final HttpRequestSpec request;
    private final List<HttpHeader> headers;
    private final InetAddress pinned;
    private final HttpProbe.Elapsed elapsed;
    private final Deadline deadline;
    private final Promise<HttpExchange> promise = Promise.promise();
    private long connectStart;
    private long connectEnd;
    private long tlsEnd;
    private long requestSent;

    /**
     * @param headers all headers except Host
     * @param pinned the address of the server
     * @param elapsed the time before this connection
     * @param timeoutMs the maximum duration of the exchange
     */
    HttpConnection(
            EgressGuard guard,
            HttpTlsOptions tls,
            TrustCache trust,
            CheckContext context,
            HttpRequestSpec request,
            List<HttpHeader> headers,
            InetAddress pinned,
            HttpProbe.Elapsed elapsed,
            long timeoutMs) {
        this.guard = guard;
        this.tls = tls;
        this.trust = trust;
        this.context = context;
        this.request = request;
        this.headers = headers;
        this.pinned = pinned;
        this.elapsed = elapsed;
        this.deadline = context.deadline().atMost(timeoutMs);
    }

    /** Fails with a {@link CheckFailure}, or with {@link NoSharedAlgorithms} if another TLS engine may succeed. */
    Future<HttpExchange> exchange(Vertx vertx, long connectTimeoutMs) {
        connectStart = System.nanoTime();
        return guard.open(vertx, pinned, request.url().port(), connectTimeoutMs).compose(this::begin);
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
        SslHandler handler = tls.handler(
                channel.alloc(), request.url().host().name(), request.url().port(), request.alpn(), remainingMillis());
        HandshakeLimitHandler limits = new HandshakeLimitHandler();
        channel.pipeline()
                .addLast("limits", limits)
                .addLast(HOLD_HANDLER, new InboundHoldHandler())
                .addBefore(HOLD_HANDLER, "ssl", handler);
        handler.handshakeFuture().addListener(done -> {
            tlsEnd = System.nanoTime();
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
            send(channel, handler.applicationProtocol());
            ChannelHandlerContext hold = channel.pipeline().context(HOLD_HANDLER);
            if (hold != null) {
                ((InboundHoldHandler) hold.handler()).release(hold);
            }
        }
    }

    private void send(Channel channel, @Nullable String alpn) {
        Promise<ResponseCollector.Response> response = Promise.promise();
        ResponseCollector collector = new ResponseCollector(channel, response, request, context);
        requestSent = System.nanoTime();
        endAtDeadline(channel, collector, response, remainingMillis());
        response.future().onComplete(result -> {
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
        pipeline.addLast("meter", new ByteMeter(collector));
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
                IpAddressText.format(pinned),
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

        ByteMeter(ResponseCollector collector) {
            this.collector = collector;
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            if (message instanceof ByteBuf bytes) {
                collector.received(bytes.readableBytes());
                if (collector.ended()) {
                    bytes.release();
                    return;
                }
            }
            context.fireChannelRead(message);
        }
    }
}
