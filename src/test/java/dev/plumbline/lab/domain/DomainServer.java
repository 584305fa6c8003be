package dev.plumbline.lab.domain;

import dev.plumbline.support.Await;
import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/** Servers on ports of the lab that do not respond correctly. */
final class DomainServer {
    private static final byte[] HANDSHAKE_FAILURE = {0x15, 3, 3, 0, 2, 2, 40};

    private DomainServer() {}

    /** Starts a server for any state except {@link PortState#OPEN}. */
    static void listen(Vertx vertx, PortState state, String address, int port) {
        if (state != PortState.REFUSED) {
            Await.value(vertx.createNetServer()
                    .connectHandler(socket -> behave(state, socket))
                    .listen(port, address));
        }
    }

    private static void behave(PortState state, NetSocket socket) {
        socket.exceptionHandler(broken -> {});
        switch (state) {
            case RESETTING -> socket.handler(bytes -> reset(socket));
            case HANDSHAKE_FAILING -> socket.handler(bytes -> socket.end(Buffer.buffer(HANDSHAKE_FAILURE)));
            default -> socket.handler(bytes -> {});
        }
    }

    private static void reset(NetSocket socket) {
        Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
        channel.config().setOption(ChannelOption.SO_LINGER, 0);
        socket.close();
    }
}
