package dev.plumbline.http.server.internal;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandler;
import io.vertx.core.net.NetServerOptions;
import io.vertx.core.transport.Transport;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;

/**
 * The transport that Vert.x selects, with a handler on the listening channel of one port. An HTTP server of Vert.x
 * reports a plaintext connection only after its first request head, too late for a header timeout and for a connection
 * limit.
 *
 * @param selected the native transport if available, else NIO
 * @param port the port of the listening channel
 * @param acceptHandler receives each accepted channel before Vert.x does
 */
record AcceptTransport(Transport selected, int port, ChannelHandler acceptHandler) implements Transport {

    static AcceptTransport of(int port, ChannelHandler acceptHandler) {
        Transport best = Transport.nativeTransport();
        return new AcceptTransport(best != null && best.available() ? best : Transport.NIO, port, acceptHandler);
    }

    @Override
    public String name() {
        return selected.name();
    }

    @Override
    public boolean available() {
        return selected.available();
    }

    @Override
    public Throwable unavailabilityCause() {
        return selected.unavailabilityCause();
    }

    @Override
    public io.vertx.core.spi.transport.Transport implementation() {
        io.vertx.core.spi.transport.Transport delegate = selected.implementation();
        return (io.vertx.core.spi.transport.Transport) Proxy.newProxyInstance(
                AcceptTransport.class.getClassLoader(),
                new Class<?>[] {io.vertx.core.spi.transport.Transport.class},
                (proxy, method, arguments) -> {
                    try {
                        Object result = method.invoke(delegate, arguments);
                        if (arguments != null
                                && arguments.length == 3
                                && arguments[0] instanceof NetServerOptions options
                                && arguments[2] instanceof ServerBootstrap bootstrap
                                && options.getPort() == port) {
                            bootstrap.handler(acceptHandler);
                        }
                        return result;
                    } catch (InvocationTargetException failed) {
                        throw failed.getCause();
                    }
                });
    }
}
