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

/** A WHOIS server on loopback that answers what it is told to, well or badly. */
public final class WhoisLab {
    private static final int PIECE = 16 * 1024;

    private final Vertx vertx;
    private final NetServer server;
    private final Map<String, Consumer<NetSocket>> answers = new ConcurrentHashMap<>();
    private final List<String> questions = new CopyOnWriteArrayList<>();

    private WhoisLab(Vertx vertx, String address, int port) {
        this.vertx = vertx;
        this.server =
                Await.value(vertx.createNetServer().connectHandler(this::serve).listen(port, address));
    }

    public static WhoisLab start(Vertx vertx) {
        return start(vertx, "127.0.0.1", 0);
    }

    /**
     * Referrals lead to one port alone, so that servers need addresses of their own.
     *
     * @param address of loopback
     * @param port 0 for any
     */
    public static WhoisLab start(Vertx vertx, String address, int port) {
        return new WhoisLab(vertx, address, port);
    }

    public int port() {
        return server.actualPort();
    }

    /** What it was asked, in order. */
    public List<String> questions() {
        return questions;
    }

    /** Gives this answer to this question, and closes as WHOIS servers do. */
    public WhoisLab answer(String question, String text) {
        return answer(question, text.replace("\n", "\r\n").getBytes(StandardCharsets.UTF_8));
    }

    public WhoisLab answer(String question, byte[] bytes) {
        return behave(question, socket -> socket.end(Buffer.buffer(bytes)));
    }

    public WhoisLab behave(String question, Consumer<NetSocket> behaviour) {
        answers.put(question, behaviour);
        return this;
    }

    /** Sends this without end. */
    public WhoisLab endless(String question, Supplier<Buffer> piece) {
        return behave(question, socket -> pour(socket, piece));
    }

    /** Sends a byte now and then, and never ends. */
    public WhoisLab dripping(String question) {
        return behave(question, socket -> {
            long timer = vertx.setPeriodic(50, tick -> socket.write("x"));
            socket.closeHandler(closed -> vertx.cancelTimer(timer));
        });
    }

    private void pour(NetSocket socket, Supplier<Buffer> piece) {
        long timer = vertx.setPeriodic(1, tick -> {
            if (!socket.writeQueueFull()) {
                socket.write(piece.get());
            }
        });
        socket.exceptionHandler(broken -> vertx.cancelTimer(timer));
        socket.closeHandler(gone -> vertx.cancelTimer(timer));
    }

    /** A line that has no end. */
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
                String question = text.strip();
                questions.add(question);
                answers.getOrDefault(question, other -> other.end(Buffer.buffer("No match for " + question + "\r\n")))
                        .accept(socket);
            }
        });
    }
}
