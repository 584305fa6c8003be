package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;

/** A TCP proxy to a TLS 1.2 server on loopback that discards what a client sends after its first handshake. */
public final class RenegotiationFilter {
    private static final int CHANGE_CIPHER_SPEC = 20;
    private static final int HEADER_BYTES = 5;

    private final Vertx vertx;
    private final int behind;
    private final long delayMillis;
    private final NetServer server;

    private RenegotiationFilter(Vertx vertx, int behind, long delayMillis) {
        this.vertx = vertx;
        this.behind = behind;
        this.delayMillis = delayMillis;
        this.server =
                Await.value(vertx.createNetServer().connectHandler(this::serve).listen(0, "127.0.0.1"));
    }

    /**
     * Starts a proxy to this port. It ends with the Vert.x instance.
     *
     * @param delayMillis the delay of the first data of each client, at least 1
     */
    public static RenegotiationFilter before(Vertx vertx, int port, long delayMillis) {
        return new RenegotiationFilter(vertx, port, delayMillis);
    }

    public int port() {
        return server.actualPort();
    }

    private void serve(NetSocket front) {
        front.exceptionHandler(broken -> {});
        front.pause();
        vertx.createNetClient()
                .connect(behind, "127.0.0.1")
                .onFailure(refused -> front.close())
                .onSuccess(back -> {
                    back.exceptionHandler(broken -> {});
                    back.handler(front::write);
                    back.closeHandler(closed -> front.close());
                    front.handler(new FirstHandshake(back)::forward);
                    front.closeHandler(closed -> back.close());
                    vertx.setTimer(delayMillis, waited -> front.resume());
                });
    }

    /** Forwards the records of a client up to its Finished message, which follows its ChangeCipherSpec message. */
    private static final class FirstHandshake {
        private final NetSocket back;
        private Buffer pending = Buffer.buffer();
        private boolean encrypted;
        private boolean finished;

        FirstHandshake(NetSocket back) {
            this.back = back;
        }

        void forward(Buffer bytes) {
            pending.appendBuffer(bytes);
            while (!finished && pending.length() >= HEADER_BYTES) {
                int end = HEADER_BYTES + pending.getUnsignedShort(3);
                if (pending.length() < end) {
                    return;
                }
                back.write(pending.getBuffer(0, end));
                finished = encrypted;
                encrypted |= pending.getUnsignedByte(0) == CHANGE_CIPHER_SPEC;
                pending = pending.getBuffer(end, pending.length());
            }
        }
    }
}
