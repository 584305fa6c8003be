package dev.plumbline.lab;

import io.netty.channel.Channel;
import io.netty.channel.ChannelOption;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request to the lab and its connection, for valid and invalid responses. */
final class LabExchange {
    private static final int WRITES_PER_ITERATION = 16;

    private final Vertx vertx;
    private final NetSocket socket;
    private final @Nullable HttpLab lab;
    private final String method;
    private final String path;
    private final String requestHead;
    private final AtomicBoolean closed = new AtomicBoolean();

    /** @param requestHead the request line and the headers */
    LabExchange(Vertx vertx, NetSocket socket, @Nullable HttpLab lab, String requestHead) {
        String[] words = requestHead.split("[ \r\n]", 3);
        this.vertx = vertx;
        this.socket = socket;
        this.lab = lab;
        this.method = words[0];
        this.path = words.length > 1 ? words[1] : "";
        this.requestHead = requestHead;
        socket.closeHandler(gone -> closed.set(true));
        socket.exceptionHandler(broken -> closed.set(true));
    }

    /** A connection without an HTTP/1 request. */
    static LabExchange over(Vertx vertx, NetSocket socket) {
        return new LabExchange(vertx, socket, null, "");
    }

    HttpLab lab() {
        return Objects.requireNonNull(lab);
    }

    boolean head() {
        return method.equals("HEAD");
    }

    String method() {
        return method;
    }

    /** The value of a header of the request; empty if it is missing. */
    String header(String name) {
        return requestHead
                .lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst()
                .orElse("");
    }

    /** The last segment of the path. */
    String lastSegment() {
        String plain = path.contains("?") ? path.substring(0, path.indexOf('?')) : path;
        return plain.substring(plain.lastIndexOf('/') + 1);
    }

    /** Sends a complete, valid response. */
    void respond(int status, String headers, String body) {
        respond(status, headers, Buffer.buffer(body));
    }

    void respond(int status, String headers, Buffer body) {
        Buffer response = bytes("HTTP/1.1 %d Lab\r\nserver: lab\r\nconnection: close\r\n%scontent-length: %d\r\n\r\n"
                .formatted(status, headers, body.length()));
        end(head() || status == 204 || status == 304 ? response : response.appendBuffer(body));
    }

    void redirect(int status, String location) {
        respond(status, "location: " + location + "\r\n", "redirect");
    }

    /** Sends bytes and leaves the connection open. */
    void send(String text) {
        socket.write(bytes(text));
    }

    void send(Buffer bytes) {
        socket.write(bytes);
    }

    /** Sends bytes and closes the connection. */
    void end(String text) {
        end(bytes(text));
    }

    void end(Buffer bytes) {
        socket.end(bytes);
    }

    void close() {
        socket.close();
    }

    /**
     * Resets the TCP connection 50 ms after the call, so that earlier writes arrive.
     *
     * @return completes when either side has closed the connection
     */
    Future<Void> reset() {
        Promise<Void> ended = Promise.promise();
        Channel channel = ((NetSocketInternal) socket).channelHandlerContext().channel();
        Runnable end = () -> {
            if (channel.isOpen()) {
                channel.config().setOption(ChannelOption.SO_LINGER, 0);
            }
            socket.close().onComplete(ended);
        };
        channel.eventLoop().schedule(end, 50, TimeUnit.MILLISECONDS).addListener(ran -> {
            if (!ran.isSuccess()) {
                ended.tryFail(ran.cause());
            }
        });
        return ended.future();
    }

    void later(long millis, Runnable then) {
        vertx.setTimer(millis, timer -> then.run());
    }

    /** Sends one byte of the text per second. */
    void drip(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.ISO_8859_1);
        int[] at = {0};
        vertx.setPeriodic(1, 1_000, timer -> {
            if (closed.get() || at[0] == bytes.length) {
                vertx.cancelTimer(timer);
            } else {
                socket.write(Buffer.buffer(new byte[] {bytes[at[0]++]}));
            }
        });
    }

    /** Sends pieces endlessly, as fast as the client reads. */
    void endless(Supplier<Buffer> pieces) {
        for (int i = 0; i < WRITES_PER_ITERATION; i++) {
            if (closed.get()) {
                return;
            }
            if (socket.writeQueueFull()) {
                socket.drainHandler(drained -> endless(pieces));
                return;
            }
            socket.write(pieces.get());
        }
        vertx.runOnContext(ignored -> endless(pieces));
    }

    static Buffer bytes(String text) {
        return Buffer.buffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
