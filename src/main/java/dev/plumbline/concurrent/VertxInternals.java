package dev.plumbline.concurrent;

import io.netty.channel.Channel;
import io.netty.channel.EventLoop;
import io.netty.channel.socket.DatagramChannel;
import io.netty.channel.socket.InternetProtocolFamily;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.impl.buffer.VertxByteBufAllocator;
import io.vertx.core.internal.ContextInternal;
import io.vertx.core.internal.VertxInternal;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/** The parts of Vert.x without a public API: event loops of contexts, and channels of sockets. */
public final class VertxInternals {
    private VertxInternals() {}

    /**
     * Creates a context of its own, because undeploying a verticle cancels the timers of its context. Contexts are
     * assigned to the event loops round-robin.
     */
    public static Context createContext(Vertx vertx) {
        return ((VertxInternal) vertx).createEventLoopContext();
    }

    /** Creates a context on an event loop, as {@link #createContext(Vertx)}. */
    static Context createContext(Vertx vertx, EventLoop eventLoop) {
        return ((VertxInternal) vertx).contextBuilder().withEventLoop(eventLoop).build();
    }

    public static EventLoop eventLoop(Context context) {
        return ((ContextInternal) context).nettyEventLoop();
    }

    /** A promise whose future completes on the current context. */
    public static <T> Promise<T> contextPromise(Vertx vertx) {
        return ((ContextInternal) vertx.getOrCreateContext()).promise();
    }

    /** Runs the task on the context: at once if the caller is on its event loop. */
    public static void emit(Context context, Handler<Void> task) {
        ((ContextInternal) context).emit(task);
    }

    public static Channel channel(NetSocket socket) {
        return ((NetSocketInternal) socket).channelHandlerContext().channel();
    }

    /** Creates a channel for TCP with the transport of the event loops and the buffers of Vert.x sockets. */
    public static Channel tcpChannel(Vertx vertx) {
        Channel channel =
                ((VertxInternal) vertx).transport().channelFactory(false).newChannel();
        channel.config().setAllocator(VertxByteBufAllocator.POOLED_ALLOCATOR);
        return channel;
    }

    /** Creates a channel for UDP with the transport of the event loops. */
    @SuppressWarnings("deprecation") // the parameter of the transport
    public static DatagramChannel datagramChannel(Vertx vertx, boolean ipv6) {
        return ((VertxInternal) vertx)
                .transport()
                .datagramChannel(ipv6 ? InternetProtocolFamily.IPv6 : InternetProtocolFamily.IPv4);
    }
}
