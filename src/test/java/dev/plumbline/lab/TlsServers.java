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
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/** TCP and TLS servers, each on its own loopback port. {@link #close()} stops all of them. */
public final class TlsServers implements AutoCloseable {
    /** Ends a response after which a server starts the TLS handshake. */
    public static final String START_TLS = "\uffff";

    private static final byte HANDSHAKE_RECORD = 0x16;

    private final EventLoopGroup loops = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
    private final LabPorts ports;

    public TlsServers() {
        this(LabPorts.free());
    }

    TlsServers(LabPorts ports) {
        this.ports = ports;
    }

    /**
     * The TLS configuration of a server.
     *
     * @param protocols empty for TLS 1.2 and 1.3
     * @param staple supplies the stapled OCSP response of each handshake; null: no stapling
     * @param jdk whether the server uses the TLS engine of the JDK, which supports Ed25519
     */
    public record ServerOptions(
            List<String> protocols, @Nullable Supplier<byte[]> staple, boolean clientCertificate, boolean jdk) {
        public static final ServerOptions DEFAULT = new ServerOptions(List.of(), null, false, false);

        public ServerOptions protocols(String... versions) {
            return new ServerOptions(List.of(versions), staple, clientCertificate, jdk);
        }

        public ServerOptions withStapledResponse(Supplier<byte[]> response) {
            return new ServerOptions(protocols, response, clientCertificate, jdk);
        }

        public ServerOptions requiringClientCertificate() {
            return new ServerOptions(protocols, staple, true, jdk);
        }

        public ServerOptions withJdkProvider() {
            return new ServerOptions(protocols, staple, clientCertificate, true);
        }
    }

    /** Starts a server with one identity and returns its port. */
    public int serve(TestCa.Identity identity, ServerOptions options) {
        return serve(identity, options, onLoopback());
    }

    /** Starts a server with one identity on this address and returns its port. */
    public int serve(TestCa.Identity identity, ServerOptions options, InetSocketAddress at) {
        SslContext context = context(identity, options);
        return listen(at, channel -> {
            SslHandler handler = context.newHandler(channel.alloc());
            Supplier<byte[]> staple = options.staple();
            if (staple != null) {
                ((ReferenceCountedOpenSslEngine) handler.engine()).setOcspResponse(staple.get());
            }
            channel.pipeline().addLast(handler, new Hello());
        });
    }

    /** Starts a server that selects the identity by the server name (SNI) and returns its port. */
    public int serveByName(TestCa.Identity otherwise, Map<String, TestCa.Identity> byName) {
        DomainWildcardMappingBuilder<SslContext> mapping =
                new DomainWildcardMappingBuilder<>(context(otherwise, ServerOptions.DEFAULT));
        byName.forEach((name, identity) -> mapping.add(name, context(identity, ServerOptions.DEFAULT)));
        var names = mapping.build();
        return listen(channel -> channel.pipeline().addLast(new SniHandler(names), new Hello()));
    }

    private static SslContext context(TestCa.Identity identity, ServerOptions options) {
        try {
            SslContextBuilder builder = SslContextBuilder.forServer(new FixedKeyManager(identity))
                    .sslProvider(options.jdk() ? SslProvider.JDK : SslProvider.OPENSSL)
                    .trustManager(InsecureTrustManagerFactory.INSTANCE)
                    .clientAuth(options.clientCertificate() ? ClientAuth.REQUIRE : ClientAuth.NONE);
            if (!options.jdk()) {
                builder.ciphers(OpenSsl.availableOpenSslCipherSuites()).enableOcsp(options.staple() != null);
            }
            if (!options.protocols().isEmpty()) {
                builder.protocols(options.protocols());
            }
            return builder.build();
        } catch (SSLException unusable) {
            throw new IllegalStateException(unusable);
        }
    }

    /** A server that sends these bytes after a client connects, and keeps the connection open. */
    public int sendOnConnect(byte[] bytes) {
        return listen(
                channel -> channel.pipeline().addLast(onActive(c -> c.writeAndFlush(Unpooled.copiedBuffer(bytes)))));
    }

    /** A server that responds to the first bytes with these bytes and closes the connection. */
    public int respond(byte[] bytes) {
        return listen(
                channel -> channel.pipeline().addLast(onFirstBytes(c -> c.writeAndFlush(Unpooled.copiedBuffer(bytes))
                        .addListener(ChannelFutureListener.CLOSE))));
    }

    /** A server that reads and does not respond. */
    public int silent() {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> {})));
    }

    /** A server that resets the connection after the first bytes. */
    public int resetting() {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> {
            c.config().setOption(ChannelOption.SO_LINGER, 0);
            c.close();
        })));
    }

    /** A server that closes the connection after the first bytes. */
    public int closing() {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(Channel::close)));
    }

    /** A server that sends these bytes endlessly, with a pause in between. */
    public int repeating(byte[] bytes, Duration pause) {
        return listen(channel -> channel.pipeline().addLast(onFirstBytes(c -> repeat(c, bytes, pause))));
    }

    /** A server that responds to the first bytes with single bytes, with a pause after each. */
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

    /**
     * A server that starts TLS within a plaintext dialog.
     *
     * @param greeting sent after a client connects
     * @param pairs texts and responses, in order: when the received data contains the first text, the server sends the
     *     first response, and so on. After a response that ends with {@link #START_TLS}, which is not sent, the server
     *     starts the TLS handshake. All other characters are bytes.
     */
    public int startTls(TestCa.Identity identity, String greeting, List<String> pairs) {
        SslContext context = context(identity, ServerOptions.DEFAULT);
        return listen(channel -> channel.pipeline().addLast(new Dialog(context, greeting, pairs)));
    }

    private static final class Dialog extends SimpleChannelInboundHandler<ByteBuf> {
        private final SslContext context;
        private final String greeting;
        private final Deque<String> remaining;

        Dialog(SslContext context, String greeting, List<String> pairs) {
            this.context = context;
            this.greeting = greeting;
            this.remaining = new ArrayDeque<>(pairs);
        }

        @Override
        public void channelActive(ChannelHandlerContext client) {
            client.writeAndFlush(Unpooled.copiedBuffer(greeting, StandardCharsets.ISO_8859_1));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext client, ByteBuf bytes) {
            if (!remaining.isEmpty()
                    && bytes.toString(StandardCharsets.ISO_8859_1).contains(remaining.element())) {
                remaining.remove();
                String response = remaining.remove();
                boolean tls = response.endsWith(START_TLS);
                client.writeAndFlush(
                        Unpooled.copiedBuffer(response.replace(START_TLS, ""), StandardCharsets.ISO_8859_1));
                if (tls) {
                    client.pipeline().addFirst(context.newHandler(client.alloc()));
                    // a request without a response can arrive together with the handshake
                    int record = bytes.indexOf(bytes.readerIndex(), bytes.writerIndex(), HANDSHAKE_RECORD);
                    if (response.length() == 1 && record >= 0) {
                        client.pipeline()
                                .fireChannelRead(bytes.slice(record, bytes.writerIndex() - record)
                                        .retain());
                    }
                }
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext client, Throwable cause) {
            client.close();
        }
    }

    private interface Setup {
        void on(Channel channel);
    }

    private int listen(Setup setup) {
        return listen(onLoopback(), setup);
    }

    private InetSocketAddress onLoopback() {
        return new InetSocketAddress("127.0.0.1", ports.next());
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
            private boolean received;

            @Override
            protected void channelRead0(ChannelHandlerContext context, ByteBuf bytes) {
                if (!received) {
                    received = true;
                    then.on(context.channel());
                }
            }

            @Override
            public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
                context.close();
            }
        };
    }

    /** Responds to every request with a small page. */
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
