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
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of Vert.x without a public API: event loops and tracers of contexts, and channels of sockets. */
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

    /** The current context if its Vert.x instance has a tracer; otherwise null. */
    static @Nullable Context tracedContext() {
        ContextInternal current = ContextInternal.current();
        return current == null || current.tracer() == null ? null : current;
    }

    /** The tracer of a context that has one. */
    static @Nullable Object tracer(Context context) {
        return ((ContextInternal) context).tracer();
    }

    /** Whether the Vert.x instance has a tracer. */
    public static boolean isTraced(Vertx vertx) {
        return ((VertxInternal) vertx).tracer() != null;
    }

    /**
     * Calls an operation on a duplicate of the current context, which has its own local values. Without a current
     * context, only calls it.
     */
    static <T> T callOnDuplicate(Consumer<Context> prepare, Supplier<T> operation) {
        ContextInternal current = ContextInternal.current();
        if (current == null) {
            return operation.get();
        }
        ContextInternal duplicate = current.duplicate();
        prepare.accept(duplicate);
        ContextInternal previous = duplicate.beginDispatch();
        try {
            return operation.get();
        } finally {
            duplicate.endDispatch(previous);
        }
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
