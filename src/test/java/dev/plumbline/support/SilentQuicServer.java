package dev.plumbline.support;

import dev.plumbline.lab.TestCa;
import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.handler.codec.quic.InsecureQuicTokenHandler;
import io.netty.handler.codec.quic.QuicServerCodecBuilder;
import io.netty.handler.codec.quic.QuicSslContext;
import io.netty.handler.codec.quic.QuicSslContextBuilder;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** A QUIC server that completes the handshake for HTTP/3 and does not respond to requests. */
public final class SilentQuicServer implements AutoCloseable {
    private static final int WINDOW_BYTES = 64 * 1024;
    private static final int MAX_STREAMS = 10;

    private final EventLoopGroup loops;
    private final Channel channel;

    private SilentQuicServer(EventLoopGroup loops, Channel channel) {
        this.loops = loops;
        this.channel = channel;
    }

    /** @param idleTimeout sent to clients */
    public static SilentQuicServer start(TestCa.Identity identity, Duration idleTimeout) throws InterruptedException {
        QuicSslContext tls = QuicSslContextBuilder.forServer(identity.key(), null, identity.certificate())
                .applicationProtocols("h3")
                .build();
        ChannelHandler codec = new QuicServerCodecBuilder()
                .sslContext(tls)
                .maxIdleTimeout(idleTimeout.toMillis(), TimeUnit.MILLISECONDS)
                .initialMaxData(WINDOW_BYTES)
                .initialMaxStreamDataBidirectionalRemote(WINDOW_BYTES)
                .initialMaxStreamDataUnidirectional(WINDOW_BYTES)
                .initialMaxStreamsBidirectional(MAX_STREAMS)
                .initialMaxStreamsUnidirectional(MAX_STREAMS)
                .tokenHandler(InsecureQuicTokenHandler.INSTANCE)
                .handler(ignoring())
                .streamHandler(ignoring())
                .build();
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        Channel channel = new Bootstrap()
                .group(loops)
                .channel(NioDatagramChannel.class)
                .handler(codec)
                .bind(new InetSocketAddress("127.0.0.1", 0))
                .sync()
                .channel();
        return new SilentQuicServer(loops, channel);
    }

    /** Adds no handlers, so that the channel discards what it receives. */
    private static ChannelHandler ignoring() {
        return new ChannelInitializer<Channel>() {
            @Override
            protected void initChannel(Channel ignored) {}
        };
    }

    public int port() {
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    @Override
    public void close() {
        channel.close().syncUninterruptibly();
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS);
    }
}
