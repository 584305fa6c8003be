package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.net.NetSocket;
import java.util.function.IntPredicate;

/** A TCP proxy that counts the connections to a server on loopback. */
public final class CountingProxy extends LoopbackProxy {
    private CountingProxy(Vertx vertx, int behind, IntPredicate lets) {
        super(vertx, behind, lets);
    }

    /** Starts a proxy to this port. It ends with the Vert.x instance. */
    public static CountingProxy before(Vertx vertx, int port) {
        return new CountingProxy(vertx, port, nth -> true);
    }

    /** As the other method, but closes connections whose number, from 1, does not match. */
    public static CountingProxy before(Vertx vertx, int port, IntPredicate lets) {
        return new CountingProxy(vertx, port, lets);
    }

    @Override
    void accept(NetSocket front) {
        front.pause();
        forward(front, front::resume);
    }

    @Override
    void reject(NetSocket front) {
        front.close();
    }
}
