package dev.plumbline.support;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetServer;
import java.util.concurrent.atomic.AtomicInteger;

/** A listener to which no check may connect. */
public final class Canary {
    private final String host;
    private final NetServer server;
    private final AtomicInteger connections;

    private Canary(String host, NetServer server, AtomicInteger connections) {
        this.host = host;
        this.server = server;
        this.connections = connections;
    }

    /**
     * @param host an address of this machine, IPv6 without brackets
     * @param port 0: a free port
     */
    public static Future<Canary> listen(Vertx vertx, String host, int port) {
        AtomicInteger connections = new AtomicInteger();
        return vertx.createNetServer()
                .connectHandler(socket -> {
                    connections.incrementAndGet();
                    socket.write("HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\nsecret");
                    socket.close();
                })
                .listen(port, host)
                .map(server -> new Canary(host, server, connections));
    }

    public int port() {
        return server.actualPort();
    }

    /** Host and port in URL syntax. */
    public String authority() {
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + port();
    }

    /** The number of accepted connections. */
    public int connections() {
        return connections.get();
    }
}
