package dev.plumbline.support;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener on an internal address that counts connections; none is allowed. */
public final class Canary {
    private final String host;
    private final NetServer server;
    private final AtomicInteger touches;

    private Canary(String host, NetServer server, AtomicInteger touches) {
        this.host = host;
        this.server = server;
        this.touches = touches;
    }

    /**
     * @param host an address of this machine, IPv6 without brackets
     * @param port 0 for any
     */
    public static Future<Canary> listen(Vertx vertx, String host, int port) {
        AtomicInteger touches = new AtomicInteger();
        return vertx.createNetServer()
                .connectHandler(socket -> {
                    touches.incrementAndGet();
                    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret");
                    socket.close();
                })
                .listen(port, host)
                .map(server -> new Canary(host, server, touches));
    }

    public int port() {
        return server.actualPort();
    }

    /** The host and port in URL syntax. */
    public String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }

    /** The number of accepted connections. */
    public int touches() {
        return touches.get();
    }
}
