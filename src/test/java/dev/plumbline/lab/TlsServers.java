package dev.plumbline.lab;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SniHandler;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslProvider;
import io.netty.handler.ssl.util.InsecureTrustManagerFactory;
import io.netty.util.DomainWildcardMappingBuilder;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** TCP and TLS servers on loopback ports of their own; all end when this is closed. */
public final class TlsServers implements AutoCloseable {
    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());

    /**
     * How a server speaks TLS.
     *
     * @param protocols empty for TLS 1.2 and 1.3
     * @param staple the OCSP response that it sends along, made anew for each handshake; null for
     *     none
     * @param jdk whether the JDK's engine serves, which knows Ed25519
     */
    public record Manner(
            List<String> protocols, @Nullable Supplier<byte[]> staple, boolean clientCertificate, boolean jdk) {
        public static final Manner PLAIN = new Manner(List.of(), null, false, false);

        public Manner protocols(String... versions) {
            return new Manner(List.of(versions), staple, clientCertificate, jdk);
        }

        public Manner stapling(Supplier<byte[]> response) {
            return new Manner(protocols, response, clientCertificate, jdk);
        }

        public Manner askingForCertificates() {
            return new Manner(protocols, staple, true, jdk);
        }

        public Manner ofTheJdk() {
            return new Manner(protocols, staple, clientCertificate, true);
        }
    }

    /** A server that shows one identity; returns its port. */
    public int serve(TestCa.Identity identity, Manner manner) {
        return serve(identity, manner, new InetSocketAddress("127.0.0.1", 0));
    }

    /** A server that shows one identity at that address; returns its port. */
    public int serve(TestCa.Identity identity, Manner manner, InetSocketAddress at) {
        SslContext context = context(identity, manner);
        return listen(at, channel -> {
            SslHandler handler = context.newHandler(channel.alloc());
            Supplier<byte[]> staple = manner.staple();
            if (staple != null) {
                ((ReferenceCountedOpenSslEngine) handler.engine()).setOcspResponse(staple.get());
            }
            channel.pipeline().addLast(handler, new Hello());
        });
    }

    /** A server that chooses the identity by the server name; returns its port. */
    public int serveByName(TestCa.Identity otherwise, Map<String, TestCa.Identity> byName) {
        DomainWildcardMappingBuilder<SslContext> mapping =
                new DomainWildcardMappingBuilder<>(context(otherwise, Manner.PLAIN));
        byName.forEach((name, identity) -> mapping.add(name, context(identity, Manner.PLAIN)));
        var names = mapping.build();
        return listen(channel -> channel.pipeline().addLast(new SniHandler(names), new Hello()));
    }

    private static SslContext context(TestCa.Identity identity, Manner manner) {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(new FixedKeyManager(identity))
                    .sslProvider(manner.jdk() ? SslProvider.JDK : SslProvider.OPENSSL)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .clientAuth(manner.clientCertificate() ? ClientAuth.REQUIRE : ClientAuth.NONE);
            if (!manner.jdk()) {
                builder.ciphers(OpenSsl.availableOpenSslCipherSuites()).enableOcsp(manner.staple() != null);
            }
            if (!manner.protocols().isEmpty()) {
                builder.protocols(manner.protocols());
            }
            return builder.build();
        } catch (SSLException unusable) {
            throw new IllegalStateException(unusable);
        }
    }

    /** A server that sends these bytes to whoever connects, and then keeps the connection open. */
    public int greet(byte[] bytes) {
        return listen(
                channel -> channel.pipeline().addLast(onActive(c -> c.writeAndFlush(Unpooled.copiedBuffer(bytes)))));
    }

    /** A server that answers the first bytes with these, and then closes the connection. */
    public int answer(byte[] bytes) {
        return listen(
                channel -> channel.pipeline().addLast(onFirstBytes(c -> c.writeAndFlush(Unpooled.copiedBuffer(bytes))
                        .addListener(ChannelFutureListener.CLOSE))));
    }

    /** A server that reads and never answers. */
    public int silent() {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> {})));
    }

    /** A server that resets the connection as soon as it has been spoken to. */
    public int resetting() {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> {
            c.config().setOption(ChannelOption.SO_LINGER, 0);
            c.close();
        })));
    }

    /** A server that closes the connection as soon as it has been spoken to. */
    public int closing() {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(Channel::close)));
    }

    /** A server that repeats these bytes, with a pause between, for ever. */
    public int repeating(byte[] bytes, Duration pause) {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> repeat(c, bytes, pause))));
    }

    /** Sends single bytes, with a pause after each, to whoever has sent something. */
    public int dripping(byte[] bytes, Duration pause) {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> drip(c, bytes, 0, pause))));
    }

    private static void drip(Channel channel, byte[] bytes, int from, Duration pause) {
        if (from == bytes.length || !channel.isActive()) {
            return;
        }
        channel.writeAndFlush(Unpooled.copiedBuffer(bytes, from, 1));
        channel.eventLoop()
                .schedule(() -> drip(channel, bytes, from + 1, pause), pause.toNanos(), TimeUnit.NANOSECONDS);
    }

    private static void repeat(Channel channel, byte[] bytes, Duration pause) {
        channel.writeAndFlush(Unpooled.copiedBuffer(bytes)).addListener(sent -> {
            if (sent.isSuccess()) {
                channel.eventLoop()
                        .schedule(() -> repeat(channel, bytes, pause), pause.toNanos(), TimeUnit.NANOSECONDS);
            }
        });
    }

    private interface Setup {
        void on(Channel channel);
    }

    private int listen(Setup setup) {
        return listen(new InetSocketAddress("127.0.0.1", 0), setup);
    }

    private int listen(InetSocketAddress at, Setup setup) {
        Channel channel = new ServerBootstrap()
                .group(loops)
                .channel(NioServerSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel accepted) {
                        setup.on(accepted);
                    }
                })
                .bind(at)
                .syncUninterruptibly()
                .channel();
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    private static ChannelHandler onActive(Setup then) {
        return new io.netty.channel.ChannelInboundHandlerAdapter() {
            @Override
            public void channelActive(ChannelHandlerContext context) {
                then.on(context.channel());
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        };
    }

    private static ChannelHandler onFirstBytes(Setup then) {
        return new SimpleChannelInboundHandler<ByteBuf>() {
            private boolean spoken;

            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                if (!spoken) {
                    spoken = true;
                    then.on(context.channel());
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        };
    }

    /** Answers whatever is asked with a small page. */
    private static final class Hello extends SimpleChannelInboundHandler<ByteBuf> {
        private static final byte[] PAGE = ("HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 6\r\n"
                        + "Connection: close\r\n\r\nhello\n")
                .getBytes(StandardCharsets.US_ASCII);

        @Override
        protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
            context.writeAndFlush(Unpooled.wrappedBuffer(PAGE)).addListener(ChannelFutureListener.CLOSE);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            context.close();
        }
    }

    @Override
    public void close() {
        loops.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
