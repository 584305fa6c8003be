package dev.plumbline.lab;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** A WHOIS server on loopback with configurable responses. */
public final class WhoisLab {
    private static final int PIECE = 16 * 1024;

    private final Vertx vertx;
    private final NetServer server;
    private final Map<String, Consumer<NetSocket>> responses = new ConcurrentHashMap<>();
    private final List<String> queries = new CopyOnWriteArrayList<>();

    private WhoisLab(Vertx vertx, String address, int port) {
        this.vertx = vertx;
        this.server =
                Await.value(vertx.createNetServer().connectHandler(this::serve).listen(port, address));
    }

    public static WhoisLab start(Vertx vertx) {
        return start(vertx, "127.0.0.1", 0);
    }

    /**
     * Starts a server. Referrals are followed to one port only, so each server needs its own address.
     *
     * @param address loopback address
     * @param port 0: a free port
     */
    public static WhoisLab start(Vertx vertx, String address, int port) {
        return new WhoisLab(vertx, address, port);
    }

    public int port() {
        return server.actualPort();
    }

    /** The received queries, in order. */
    public List<String> queries() {
        return queries;
    }

    /** Sets the response to a query. The server closes the connection after the response. */
    public WhoisLab respond(String query, String text) {
        return respond(query, text.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    public WhoisLab respond(String query, byte[] bytes) {
        return behave(query, socket -> socket.end(Buffer.buffer(bytes)));
    }

    public WhoisLab behave(String query, Consumer<NetSocket> behavior) {
        responses.put(query, behavior);
        return this;
    }

    /** Sends pieces endlessly. */
    public WhoisLab endless(String query, Supplier<Buffer> piece) {
        return behave(query, socket -> sendRepeatedly(socket, piece));
    }

    /** Sends a byte every 50 ms and never closes the connection. */
    public WhoisLab dripping(String query) {
        return behave(query, socket -> {
            long timer = vertx.setPeriodic(50, tick -> socket.write("x"));
            socket.closeHandler(closed -> vertx.cancelTimer(timer));
        });
    }

    private void sendRepeatedly(NetSocket socket, Supplier<Buffer> piece) {
        long timer = vertx.setPeriodic(1, tick -> {
            if (!socket.writeQueueFull()) {
                socket.write(piece.get());
            }
        });
        socket.exceptionHandler(broken -> vertx.cancelTimer(timer));
        socket.closeHandler(gone -> vertx.cancelTimer(timer));
    }

    /** Part of an endless line. */
    public static Buffer hugeLine() {
        return Buffer.buffer("x".repeat(PIECE));
    }

    private void serve(NetSocket socket) {
        Buffer received = Buffer.buffer();
        socket.exceptionHandler(broken -> {});
        socket.handler(bytes -> {
            received.appendBuffer(bytes);
            String text = received.toString(StandardCharsets.ISO_8859_1);
            if (text.endsWith("\r\n")) {
                String query = text.strip();
                queries.add(query);
                responses
                        .getOrDefault(query, other -> other.end(Buffer.buffer("No match for " + query + "\r\n")))
                        .accept(socket);
            }
        });
    }
}
