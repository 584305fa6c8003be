package dev.plumbline.probe.http;

import com.github.benmanes.caffeine.cache.Ticker;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.probe.tls.AcceptAllTrustManager;
import dev.plumbline.result.ErrorCode;
import io.netty.channel.ChannelHandler;
import io.netty.handler.codec.http3.Http3;
import io.netty.handler.codec.quic.Quic;
import io.netty.handler.codec.quic.QuicClientCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The native library for QUIC (quiche with BoringSSL), its TLS context, which accepts all certificates, and the servers
 * that it can reach.
 */
final class QuicClientCodec {
    /** The maximum size of received datagrams in bytes: that of Ethernet without the headers of IPv4 and UDP. */
    static final int MAX_DATAGRAM_BYTES = 1_472;

    private static final Logger LOG = LoggerFactory.getLogger(QuicClientCodec.class);
    private static final String HTTP3 = "h3";

    /** The data that a server can send before this client has read it, in bytes. */
    private static final long WINDOW_BYTES = 64 * 1024;

    private static final long CONTROL_WINDOW_BYTES = 8 * 1024;

    /** The control stream, the two streams of QPACK, and reserved types that servers open for greasing. */
    private static final long CONTROL_STREAMS = 8;

    private final QuicSslContext tls;
    private final QuicReachability reachability = new QuicReachability(Ticker.systemTicker());

    private QuicClientCodec(QuicSslContext tls) {
        this.tls = tls;
    }

    /**
     * Loads the library. Blocks for some tens of milliseconds.
     *
     * @throws CheckFailure {@code internal} if there is none for this platform, or if it cannot be loaded
     */
    static QuicClientCodec load() throws CheckFailure {
        try {
            Quic.ensureAvailability();
            QuicSslContext tls = QuicSslContextBuilder.forClient()
                    .trustManager(new AcceptAllTrustManager())
                    .endpointIdentificationAlgorithm("")
                    .applicationProtocols(HTTP3)
                    .build();
            // resumed sessions have no Certificate message
            tls.sessionContext().setSessionCacheSize(0);
            return new QuicClientCodec(tls);
        } catch (LinkageError | RuntimeException failure) {
            Throwable cause = failure.getCause() == null ? failure : failure.getCause();
            LOG.atWarn().addKeyValue("cause", cause.toString()).log("native QUIC library not loaded");
            throw new CheckFailure(
                    ErrorCode.INTERNAL,
                    "The native library for QUIC cannot be loaded on this node. It supports Linux on x86_64 and aarch64.");
        }
    }

    QuicReachability reachability() {
        return reachability;
    }

    /**
     * Creates the handler of one UDP channel, which frees its memory when the channel is closed.
     *
     * @param host for the Server Name Indication, not sent for IP addresses
     */
    ChannelHandler newHandler(String host, int port, long idleMillis) {
        QuicClientCodecBuilder builder = Http3.newQuicClientCodecBuilder();
        return builder.sslEngineProvider(channel -> tls.newEngine(channel.alloc(), host, port))
                .maxIdleTimeout(idleMillis, TimeUnit.MILLISECONDS)
                .maxRecvUdpPayloadSize(MAX_DATAGRAM_BYTES)
                .initialMaxData(WINDOW_BYTES)
                .initialMaxStreamDataBidirectionalLocal(WINDOW_BYTES)
                .initialMaxStreamDataUnidirectional(CONTROL_WINDOW_BYTES)
                .initialMaxStreamsUnidirectional(CONTROL_STREAMS)
                .activeMigration(false)
                .build();
    }
}
