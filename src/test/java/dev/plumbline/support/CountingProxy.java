package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;

/** A TCP proxy that counts the connections to a server on loopback. */
public final class CountingProxy {
    /** Held, because Vert.x closes a client, and with it a connection that it is opening, when it is not reachable. */
    private final NetClient client;

    private final int behind;
    private final IntPredicate lets;
    private final AtomicInteger connections = new AtomicInteger();
    private final NetServer server;

    private CountingProxy(Vertx vertx, int behind, IntPredicate lets) {
        this.client = vertx.createNetClient();
        this.behind = behind;
        this.lets = lets;
        this.server =
                Await.value(vertx.createNetServer().connectHandler(this::serve).listen(0, "127.0.0.1"));
    }

    /** Starts a proxy to this port. It ends with the Vert.x instance. */
    public static CountingProxy before(Vertx vertx, int port) {
        return new CountingProxy(vertx, port, nth -> true);
    }

    /** As the other method, but closes connections whose number, from 1, does not match. */
    public static CountingProxy before(Vertx vertx, int port, IntPredicate lets) {
        return new CountingProxy(vertx, port, lets);
    }

    public int port() {
        return server.actualPort();
    }

    public int connections() {
        return connections.get();
    }

    private void serve(NetSocket front) {
        if (!lets.test(connections.incrementAndGet())) {
            front.close();
            return;
        }
        front.exceptionHandler(broken -> {});
        front.pause();
        client.connect(behind, "127.0.0.1").onFailure(refused -> front.close()).onSuccess(back -> {
            back.exceptionHandler(broken -> {});
            back.handler(front::write);
            back.closeHandler(closed -> front.close());
            front.handler(back::write);
            front.closeHandler(closed -> back.close());
            front.resume();
        });
    }
}
