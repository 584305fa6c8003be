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
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A request that the lab has received, and the means to answer it well or badly. */
final class LabExchange {
    private static final int WRITES_A_TURN = 16;

    private final Vertx vertx;
    private final NetSocket socket;
    private final @Nullable HttpLab lab;
    private final String method;
    private final String path;
    private final AtomicBoolean closed = new AtomicBoolean();

    LabExchange(Vertx vertx, NetSocket socket, @Nullable HttpLab lab, String method, String path) {
        this.vertx = vertx;
        this.socket = socket;
        this.lab = lab;
        this.method = method;
        this.path = path;
        socket.closeHandler(gone -> closed.set(true));
        socket.exceptionHandler(broken -> closed.set(true));
    }

    /** A conversation that has not begun with an HTTP/1 request. */
    static LabExchange over(Vertx vertx, NetSocket socket) {
        return new LabExchange(vertx, socket, null, "", "");
    }

    HttpLab lab() {
        return Objects.requireNonNull(lab);
    }

    boolean head() {
        return method.equals("HEAD");
    }

    /** The last segment of the path. */
    String lastSegment() {
        String plain = path.contains("?") ? path.substring(0, path.indexOf('?')) : path;
        return plain.substring(plain.lastIndexOf('/') + 1);
    }

    /** A whole and correct answer. */
    void answer(int status, String headers, String body) {
        answer(status, headers, Buffer.buffer(body));
    }

    void answer(int status, String headers, Buffer body) {
        Buffer answer = bytes("HTTP/1.1 %d Lab\r\nserver: lab\r\nconnection: close\r\n%scontent-length: %d\r\n\r\n"
                .formatted(status, headers, body.length()));
        end(head() || status == 204 || status == 304 ? answer : answer.appendBuffer(body));
    }

    void redirect(int status, String location) {
        answer(status, "location: " + location + "\r\n", "go on");
    }

    /** These very bytes, and the connection stays open. */
    void send(String text) {
        socket.write(bytes(text));
    }

    void send(Buffer bytes) {
        socket.write(bytes);
    }

    /** These very bytes, and the end. */
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
     * Ends the connection with a TCP reset, after what was written before has had its time.
     *
     * @return succeeds once it has ended, by us or by the peer
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

    /** One byte of the text every second. */
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

    /** Pieces without end, as fast as they are taken. */
    void endless(Supplier<Buffer> pieces) {
        for (int i = 0; i < WRITES_A_TURN; i++) {
            if (closed.get()) {
                return;
            }
            if (socket.writeQueueFull()) {
                socket.drainHandler(room -> endless(pieces));
                return;
            }
            socket.write(pieces.get());
        }
        vertx.runOnContext(turn -> endless(pieces));
    }

    static Buffer bytes(String text) {
        return Buffer.buffer(text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
