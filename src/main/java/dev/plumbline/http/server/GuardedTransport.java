package dev.plumbline.http.server;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFactory;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.IoHandlerFactory;
import io.netty.channel.ServerChannel;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.datagram.DatagramSocketOptions;
import io.vertx.core.net.ClientOptionsBase;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.spi.transport.Transport;
import java.net.SocketAddress;
import java.util.concurrent.ThreadFactory;

/**
 * The transport that Vert.x would take, with a {@link ConnectionLimitHandler} on what is accepted. An HTTP
 * server of Vert.x tells of a connection only after its first request has come; whoever drips bytes
 * without end is never heard of.
 */
public final class GuardedTransport implements io.vertx.core.transport.Transport {
    private final io.vertx.core.transport.Transport chosen;
    private final ConnectionLimitHandler guard;

    private GuardedTransport(io.vertx.core.transport.Transport chosen, ConnectionLimitHandler guard) {
        this.chosen = chosen;
        this.guard = guard;
    }

    /** The native transport where there is one, else that of the JDK. */
    public static GuardedTransport of(ConnectionLimitHandler guard) {
        io.vertx.core.transport.Transport best = io.vertx.core.transport.Transport.nativeTransport();
        return new GuardedTransport(
                best != null && best.available() ? best : io.vertx.core.transport.Transport.NIO, guard);
    }

    @Override
    public String name() {
        return chosen.name();
    }

    @Override
    public boolean available() {
        return chosen.available();
    }

    @Override
    public Throwable unavailabilityCause() {
        return chosen.unavailabilityCause();
    }

    @Override
    public Transport implementation() {
        return new Guarded(chosen.implementation(), guard);
    }

    private record Guarded(Transport chosen, ConnectionLimitHandler guard) implements Transport {
        @Override
        public void configure(NetServerOptions options, boolean domainSocket, ServerBootstrap bootstrap) {
            chosen.configure(options, domainSocket, bootstrap);
            if (guard.watches(options.getPort())) {
                bootstrap.handler(guard);
            }
        }

        @Override
        public void configure(
                ClientOptionsBase options, int connectTimeout, boolean domainSocket, Bootstrap bootstrap) {
            chosen.configure(options, connectTimeout, domainSocket, bootstrap);
        }

        @Override
        public void configure(DatagramChannel channel, DatagramSocketOptions options) {
            chosen.configure(channel, options);
        }

        @Override
        public boolean supportsDomainSockets() {
            return chosen.supportsDomainSockets();
        }

        @Override
        public boolean supportFileRegion() {
            return chosen.supportFileRegion();
        }

        @Override
        public boolean isAvailable() {
            return chosen.isAvailable();
        }

        @Override
        public Throwable unavailabilityCause() {
            return chosen.unavailabilityCause();
        }

        @Override
        public SocketAddress convert(io.vertx.core.net.SocketAddress address) {
            return chosen.convert(address);
        }

        @Override
        public io.vertx.core.net.SocketAddress convert(SocketAddress address) {
            return chosen.convert(address);
        }

        @Override
        public IoHandlerFactory ioHandlerFactory() {
            return chosen.ioHandlerFactory();
        }

        @Override
        public EventLoopGroup eventLoopGroup(int type, int threads, ThreadFactory threadFactory, int ioRatio) {
            return chosen.eventLoopGroup(type, threads, threadFactory, ioRatio);
        }

        @Override
        public DatagramChannel datagramChannel() {
            return chosen.datagramChannel();
        }

        @Override
        public DatagramChannel datagramChannel(InternetProtocolFamily family) {
            return chosen.datagramChannel(family);
        }

        @Override
        public ChannelFactory<? extends Channel> channelFactory(boolean domainSocket) {
            return chosen.channelFactory(domainSocket);
        }

        @Override
        public ChannelFactory<? extends ServerChannel> serverChannelFactory(boolean domainSocket) {
            return chosen.serverChannelFactory(domainSocket);
        }
    }
}
