package dev.plumbline.support;

import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** A server that counts its connections and forwards them to a server on loopback. It ends with the Vert.x instance. */
abstract class LoopbackProxy {
    /** Held, because Vert.x closes a client, and with it a connection that it is opening, when it is not reachable. */
    private final NetClient client;

    private final int behind;
    private final AtomicInteger connections = new AtomicInteger();
    private final NetServer server;

    /** As the other constructor, on a free port. */
    LoopbackProxy(Vertx vertx, int behind, IntPredicate lets) {
        this(vertx, 0, behind, lets);
    }

    /**
     * @param port 0: a free port
     * @param behind the port of the server behind it
     * @param lets which connections are accepted, by number, from 1
     */
    LoopbackProxy(Vertx vertx, int port, int behind, IntPredicate lets) {
        this.client = vertx.createNetClient();
        this.behind = behind;
        this.server = Await.value(vertx.createNetServer()
                .connectHandler(front -> {
                    front.exceptionHandler(broken -> {});
                    if (lets.test(connections.incrementAndGet())) {
                        accept(front);
                    } else {
                        reject(front);
                    }
                })
                .listen(port, "127.0.0.1"));
    }

    abstract void accept(NetSocket front);

    abstract void reject(NetSocket front);

    public final int port() {
        return server.actualPort();
    }

    public final int connections() {
        return connections.get();
    }

    /** Connects a client to the server behind. */
    final void forward(NetSocket front, Runnable connected) {
        forward(front, front::write, connected);
    }

    /** @param received receives the data of the server behind */
    final void forward(NetSocket front, Handler<Buffer> received, Runnable connected) {
        client.connect(behind, "127.0.0.1").onFailure(refused -> front.close()).onSuccess(back -> {
            back.exceptionHandler(broken -> {});
            back.handler(received);
            back.closeHandler(closed -> front.close());
            front.handler(back::write);
            front.closeHandler(closed -> back.close());
            connected.run();
        });
    }
}
