package dev.plumbline.probe.http;

import static dev.plumbline.result.ErrorCode.CONNECTION_RESET;
import static dev.plumbline.result.ErrorCode.CONNECT_REFUSED;
import static dev.plumbline.result.ErrorCode.DEADLINE_EXCEEDED;
import static dev.plumbline.result.ErrorCode.HTTP_PROTOCOL_ERROR;
import static dev.plumbline.result.ErrorCode.INTERNAL;
import static dev.plumbline.result.ErrorCode.READ_TIMEOUT;
import static dev.plumbline.result.ErrorCode.TLS_HANDSHAKE_FAILED;
import static dev.plumbline.result.ErrorCode.TLS_UNTRUSTED;

import com.google.common.base.Strings;
import dev.plumbline.check.CheckContext;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.egress.ConnectErrors;
import dev.plumbline.egress.EgressGuard;
import dev.plumbline.probe.tls.CertificateMemory;
import dev.plumbline.probe.tls.TrustCache;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.target.Target;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelPromise;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.socket.DatagramPacket;
import io.netty.channel.unix.Errors;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.codec.http3.DefaultHttp3Headers;
import io.netty.handler.codec.http3.DefaultHttp3HeadersFrame;
import io.netty.handler.codec.http3.DefaultHttp3SettingsFrame;
import io.netty.handler.codec.http3.Http3;
import io.netty.handler.codec.http3.Http3ClientConnectionHandler;
import io.netty.handler.codec.http3.Http3DataFrame;
import io.netty.handler.codec.http3.Http3Exception;
import io.netty.handler.codec.http3.Http3Headers;
import io.netty.handler.codec.http3.Http3HeadersFrame;
import io.netty.handler.codec.http3.Http3HeadersValidationException;
import io.netty.handler.codec.http3.Http3RequestStreamInboundHandler;
import io.netty.handler.codec.http3.Http3Settings;
import io.netty.handler.codec.quic.QuicChannel;
import io.netty.handler.codec.quic.QuicClosedChannelException;
import io.netty.handler.codec.quic.QuicConnectionCloseEvent;
import io.netty.handler.codec.quic.QuicException;
import io.netty.handler.codec.quic.QuicStreamChannel;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.net.SocketAddress;
import java.net.InetAddress;
import java.net.PortUnreachableException;
import java.net.SocketException;
import java.nio.channels.ClosedChannelException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes one QUIC handshake, evaluates the certificate and sends one request over HTTP/3. Reads the response until its
 * final status. Confined to the event loop of its UDP channel.
 */
final class Http3Connection {
    /** The maximum duration of the exchange: the lost packets of a handshake are sent again after 1 and 3 seconds. */
    private static final long MAX_MS = 4_000;

    /** How long a server that does not advertise HTTP/3 can send nothing. */
    private static final long SILENCE_MS = 500;

    /** The maximum size of the datagrams that the server sends, with {@link #DATAGRAM_OVERHEAD_BYTES} for each. */
    private static final int MAX_BYTES = 128 * 1024;

    /** The headers of IPv6 and UDP. */
    private static final int DATAGRAM_OVERHEAD_BYTES = 48;

    /** The memory of a connection of the native library with its windows, in bytes. */
    private static final long CONNECTION_BYTES = 128 * 1024;

    /** The error code of QUIC for the end of a connection (RFC 9000 section 20.1). */
    private static final int NO_ERROR = 0;

    private static final int MAX_INTERIM_RESPONSES = 20;
    private static final Pattern STATUS = Pattern.compile("[1-5][0-9]{2}");
    private static final String UNKNOWN_VERSION = "UNKNOWN_VERSION";
    private static final Logger LOG = LoggerFactory.getLogger(Http3Connection.class);

    private final Vertx vertx;
    private final EgressGuard guard;
    private final TrustCache trust;
    private final QuicClientCodec codec;
    private final CheckContext context;
    private final HttpRequestSpec request;
    private final List<HttpHeader> headers;
    private final SocketAddress remote;
    private final boolean advertised;

    /** Completed when the sockets are closed, from {@link #status} or {@link #failure}. */
    private final Promise<Optional<Integer>> promise;

    private Optional<Integer> status = Optional.empty();
    private @Nullable Throwable failure;
    private @Nullable QuicConnectionCloseEvent closeEvent;

    /** Null before the attempt to connect. */
    private @Nullable QuicChannel quic;

    /** Null before the end of the handshake. */
    private @Nullable QuicChannel connection;

    private long receivedBytes;
    private boolean ended;

    /**
     * @param headers the headers except the pseudo-headers
     * @param remote the classified address
     * @param advertised whether no response is a failure
     */
    Http3Connection(
            Vertx vertx,
            EgressGuard guard,
            TrustCache trust,
            QuicClientCodec codec,
            CheckContext context,
            HttpRequestSpec request,
            List<HttpHeader> headers,
            SocketAddress remote,
            boolean advertised) {
        this.vertx = vertx;
        this.guard = guard;
        this.trust = trust;
        this.codec = codec;
        this.context = context;
        this.request = request;
        this.headers = headers;
        this.remote = remote;
        this.advertised = advertised;
        this.promise = VertxInternals.contextPromise(vertx);
    }

    /** Sends the request. The future completes when the connection is closed; empty as for the probe. */
    Future<Optional<Integer>> exchange(InetAddress address) {
        return context.reserve(CONNECTION_BYTES).compose(reserved -> guard.openUdp(vertx, address, remote.port())
                .compose(udp -> {
                    try {
                        connect(udp);
                    } catch (RuntimeException | Error thrown) {
                        fail(udp, failureOf(thrown));
                    }
                    return promise.future();
                })
                .onComplete(closed -> context.memory().release(CONNECTION_BYTES)));
    }

    private void connect(Channel udp) {
        long millis = Math.min(context.deadline().remainingMillis() - HttpConnection.RESERVE_MS, MAX_MS);
        if (millis <= 0) {
            fail(udp, deadlineExceeded());
            return;
        }
        udp.config().setRecvByteBufAllocator(new FixedRecvByteBufAllocator(QuicClientCodec.MAX_DATAGRAM_BYTES));
        udp.pipeline()
                .addLast(new Meter())
                .addLast(codec.newHandler(request.url().host().name(), remote.port(), MAX_MS))
                .addLast(new SocketErrors());
        schedule(udp, millis, () -> fail(udp, millis < MAX_MS ? deadlineExceeded() : timedOut()));
        if (!advertised) {
            schedule(udp, Math.min(SILENCE_MS, millis), () -> {
                if (receivedBytes == 0) {
                    end(udp);
                }
            });
        }
        QuicChannel.newBootstrap(udp)
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, 0)
                .handler(new ChannelInitializer<QuicChannel>() {
                    @Override
                    protected void initChannel(QuicChannel channel) {
                        quic = channel;
                        channel.pipeline().addLast(connectionHandler(udp)).addLast(new ConnectionEvents(udp));
                    }
                })
                .connect()
                .addListener(connected -> {
                    if (connected.isSuccess()) {
                        connection = (QuicChannel) connected.getNow();
                        evaluate(udp, connection);
                    } else {
                        // later, because the channel states only after this callback whether it is idle
                        udp.eventLoop().execute(() -> fail(udp, failureOf(connected.cause())));
                    }
                });
    }

    private static void schedule(Channel udp, long millis, Runnable task) {
        java.util.concurrent.Future<?> timer = udp.eventLoop().schedule(task, millis, TimeUnit.MILLISECONDS);
        udp.closeFuture().addListener(closed -> timer.cancel(false));
    }

    /** The client accepts neither pushes nor a dynamic table. */
    private Http3ClientConnectionHandler connectionHandler(Channel udp) {
        Http3Settings settings = new Http3Settings().maxFieldSectionSize(ResponseCollector.MAX_HEAD_BYTES);
        return new Http3ClientConnectionHandler(
                new StreamErrors(udp), null, null, new DefaultHttp3SettingsFrame(settings), true);
    }

    private void evaluate(Channel udp, QuicChannel quic) {
        if (!request.verifyTls()) {
            send(udp, quic);
            return;
        }
        List<X509Certificate> chain;
        try {
            SSLEngine engine = quic.sslEngine();
            chain = engine == null
                    ? List.of()
                    : Arrays.stream(engine.getSession().getPeerCertificates())
                            .map(X509Certificate.class::cast)
                            .toList();
        } catch (SSLPeerUnverifiedException none) {
            chain = List.of();
        }
        if (chain.isEmpty()) {
            fail(udp, new CheckFailure(TLS_HANDSHAKE_FAILED, "The server sent no certificate over QUIC."));
            return;
        }
        List<X509Certificate> certificates = chain;
        long bytes = CertificateMemory.maxBytesOf(certificates);
        context.reserve(bytes)
                .compose(reserved -> {
                    promise.future().onComplete(closed -> context.memory().release(bytes));
                    return trust.problem(context, certificates, request.url().host());
                })
                .onComplete(verdict -> udp.eventLoop().execute(() -> {
                    Optional<String> problem = verdict.result();
                    if (verdict.failed()) {
                        fail(udp, verdict.cause());
                    } else if (problem.isPresent()) {
                        fail(udp, new CheckFailure(TLS_UNTRUSTED, problem.get()));
                    } else {
                        send(udp, quic);
                    }
                }));
    }

    private void send(Channel udp, QuicChannel quic) {
        if (ended) {
            return;
        }
        Http3.newRequestStream(quic, new ResponseReader(udp)).addListener(opened -> {
            if (!opened.isSuccess()) {
                fail(udp, failureOf(opened.cause()));
                return;
            }
            QuicStreamChannel stream = (QuicStreamChannel) opened.getNow();
            stream.writeAndFlush(new DefaultHttp3HeadersFrame(requestHeaders()))
                    .addListener(QuicStreamChannel.SHUTDOWN_OUTPUT)
                    .addListener(written -> {
                        if (!written.isSuccess()) {
                            fail(udp, failureOf(written.cause()));
                        }
                    });
        });
    }

    private Http3Headers requestHeaders() {
        Target.Url url = request.url();
        Http3Headers fields = new DefaultHttp3Headers()
                .method(request.method().name())
                .scheme(url.scheme())
                .authority(url.authority())
                .path(url.pathAndQuery());
        for (HttpHeader header : headers) {
            fields.add(header.name(), header.value());
        }
        return fields;
    }

    private CheckFailure timedOut() {
        String limit = " within " + MAX_MS / 1_000 + " seconds.";
        return receivedBytes == 0
                ? withoutResponse(
                        READ_TIMEOUT, "The server did not respond to QUIC on UDP port " + remote.port() + limit)
                : new CheckFailure(
                        READ_TIMEOUT,
                        (connection == null ? "The QUIC handshake" : "The HTTP/3 response") + " was not complete"
                                + limit);
    }

    /** The failure if the server sent no packet, which a firewall of the operator can cause for all servers. */
    private CheckFailure withoutResponse(ErrorCode code, String message) {
        return advertised && !codec.reachability().isConfirmed(remote)
                ? new CheckFailure(
                        INTERNAL,
                        "%s No server responded to this node on UDP port %d over IPv%d in the last hour, so a firewall of this service can be the cause."
                                .formatted(message, remote.port(), remote.host().indexOf(':') < 0 ? 4 : 6))
                : new CheckFailure(code, message);
    }

    private static CheckFailure deadlineExceeded() {
        return new CheckFailure(DEADLINE_EXCEEDED, "The check exceeded its time limit.");
    }

    private Throwable failureOf(Throwable cause) {
        if (cause instanceof CheckFailure) {
            return cause;
        }
        if (quic != null && quic.isTimedOut()) {
            return receivedBytes == 0
                    ? timedOut()
                    : new CheckFailure(
                            READ_TIMEOUT,
                            "The QUIC connection reached its idle timeout before the HTTP/3 response was complete.");
        }
        QuicConnectionCloseEvent closed =
                cause instanceof QuicClosedChannelException early && early.event() != null ? early.event() : closeEvent;
        if (closed != null) {
            return closed.isTlsError()
                    ? new CheckFailure(
                            TLS_HANDSHAKE_FAILED,
                            "The server rejected the TLS handshake over QUIC with alert "
                                    + QuicConnectionCloseEvent.extractTlsError(closed.error()) + ".")
                    : new CheckFailure(
                            HTTP_PROTOCOL_ERROR,
                            "The server closed the %s connection with error 0x%x."
                                    .formatted(closed.isApplicationClose() ? "HTTP/3" : "QUIC", closed.error()));
        }
        if (cause instanceof PortUnreachableException) {
            return withoutResponse(
                    CONNECT_REFUSED, "UDP port %d of %s is closed.".formatted(remote.port(), remote.host()));
        }
        if (cause instanceof SocketException || cause instanceof Errors.NativeIoException) {
            return ConnectErrors.ofUdp(cause, remote);
        }
        String message = Strings.nullToEmpty(cause.getMessage());
        if (message.contains(UNKNOWN_VERSION)) {
            return new CheckFailure(HTTP_PROTOCOL_ERROR, "The server does not support version 1 of QUIC.");
        }
        if (cause instanceof SSLException) {
            return new CheckFailure(TLS_HANDSHAKE_FAILED, "The TLS handshake over QUIC failed.");
        }
        if (cause instanceof Http3Exception violation) {
            return new CheckFailure(
                    HTTP_PROTOCOL_ERROR, "The HTTP/3 response is not valid: " + violation.errorCode() + ".");
        }
        if (cause instanceof Http3HeadersValidationException) {
            return new CheckFailure(HTTP_PROTOCOL_ERROR, "The headers of the HTTP/3 response are not valid.");
        }
        if (cause instanceof QuicException) {
            return new CheckFailure(HTTP_PROTOCOL_ERROR, "The QUIC connection failed: " + message + ".");
        }
        if (cause instanceof ClosedChannelException) {
            return new CheckFailure(CONNECTION_RESET, "The server closed the QUIC connection.");
        }
        LOG.atWarn().setCause(cause).log("HTTP/3 client failed");
        return new CheckFailure(INTERNAL, "The HTTP/3 client of this service failed. See its log.");
    }

    private void fail(Channel udp, Throwable cause) {
        if (!ended) {
            failure = cause;
        }
        end(udp);
    }

    /** The failure of one stream. The end of the connection is a failure of the connection, not of its streams. */
    private void failStream(Channel udp, Throwable thrown) {
        Throwable cause = thrown instanceof DecoderException && thrown.getCause() != null ? thrown.getCause() : thrown;
        // the decoder throws this until a frame of a reserved type (RFC 9114 section 7.2.8) is complete
        boolean incomplete = cause instanceof IndexOutOfBoundsException;
        if (!ended && !incomplete && !(cause instanceof ClosedChannelException)) {
            fail(udp, failureOf(cause));
        }
    }

    /** Sends CONNECTION_CLOSE, and closes the socket with everything that belongs to it. */
    private void end(Channel udp) {
        if (ended) {
            return;
        }
        ended = true;
        udp.closeFuture().addListener(closed -> {
            if (failure == null) {
                promise.tryComplete(status);
            } else {
                promise.tryFail(failure);
            }
        });
        // not now, because this can be a callback of the connection
        udp.eventLoop().execute(() -> {
            if (connection != null) {
                // of the transport: until the handshake is confirmed, the native library sends packets without end in
                // place of an application's, which RFC 9000 section 10.2.3 does not permit then
                connection.close(false, NO_ERROR, Unpooled.EMPTY_BUFFER);
            }
            udp.close();
        });
    }

    /** Counts what the server sends, before it is parsed. */
    private final class Meter extends ChannelDuplexHandler {
        @Override
        public void write(ChannelHandlerContext channel, Object message, ChannelPromise written) {
            // a send can report the ICMP error of an earlier packet
            channel.write(message, written.unvoid()).addListener(sent -> {
                if (!sent.isSuccess()) {
                    fail(channel.channel(), failureOf(sent.cause()));
                }
            });
        }

        @Override
        public void channelRead(ChannelHandlerContext channel, Object message) {
            DatagramPacket packet = (DatagramPacket) message;
            codec.reachability().confirm(remote);
            receivedBytes += packet.content().readableBytes() + DATAGRAM_OVERHEAD_BYTES;
            if (ended || receivedBytes > MAX_BYTES) {
                packet.release();
                fail(
                        channel.channel(),
                        new CheckFailure(
                                HTTP_PROTOCOL_ERROR,
                                "The server sent more than " + MAX_BYTES / 1024 + " KiB before its HTTP/3 response."));
            } else {
                channel.fireChannelRead(packet);
            }
        }
    }

    private final class SocketErrors extends ChannelInboundHandlerAdapter {
        @Override
        public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
            fail(channel.channel(), failureOf(cause));
        }
    }

    private final class ConnectionEvents extends ChannelInboundHandlerAdapter {
        private final Channel udp;

        ConnectionEvents(Channel udp) {
            this.udp = udp;
        }

        @Override
        public void userEventTriggered(ChannelHandlerContext channel, Object event) {
            if (event instanceof QuicConnectionCloseEvent closed) {
                closeEvent = closed;
            }
            channel.fireUserEventTriggered(event);
        }

        /** Receives the streams that the server opens, after Netty has set up their pipeline. */
        @Override
        public void channelRead(ChannelHandlerContext channel, Object message) {
            if (message instanceof QuicStreamChannel stream) {
                stream.pipeline().addLast(new StreamErrors(udp));
            }
            channel.fireChannelRead(message);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
            fail(udp, failureOf(cause));
        }

        @Override
        public void channelInactive(ChannelHandlerContext channel) {
            fail(udp, failureOf(new ClosedChannelException()));
            channel.fireChannelInactive();
        }
    }

    /** The last handler of a stream that the server opens. Netty logs what nobody handles, once for each packet. */
    private final class StreamErrors extends ChannelInboundHandlerAdapter {
        private final Channel udp;

        StreamErrors(Channel udp) {
            this.udp = udp;
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
            failStream(udp, cause);
        }
    }

    private final class ResponseReader extends Http3RequestStreamInboundHandler {
        private final Channel udp;
        private int interimResponses;

        ResponseReader(Channel udp) {
            this.udp = udp;
        }

        @Override
        protected void channelRead(ChannelHandlerContext channel, Http3HeadersFrame frame) {
            CharSequence text = frame.headers().status();
            int received = text != null && STATUS.matcher(text).matches() ? Integer.parseInt(text.toString()) : 0;
            if (received >= 200) {
                status = Optional.of(received);
                end(udp);
            } else if (received == 0) {
                fail(
                        udp,
                        new CheckFailure(
                                HTTP_PROTOCOL_ERROR,
                                text == null
                                        ? "The HTTP/3 response has no status code."
                                        : "The status code of the HTTP/3 response is not a number from 100 to 599."));
            } else if (++interimResponses > MAX_INTERIM_RESPONSES) {
                fail(udp, new CheckFailure(HTTP_PROTOCOL_ERROR, "The server sent too many interim responses."));
            }
        }

        @Override
        protected void channelRead(ChannelHandlerContext channel, Http3DataFrame frame) {
            frame.release();
        }

        @Override
        protected void channelInputClosed(ChannelHandlerContext channel) {
            fail(udp, new CheckFailure(HTTP_PROTOCOL_ERROR, "The HTTP/3 stream ended without a response."));
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext channel, Throwable cause) {
            failStream(udp, cause);
        }
    }
}
