package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.function.IntPredicate;

/** A TCP proxy to a TLS server on loopback that damages encrypted messages, as if the keys of the client were wrong. */
public final class DamagingProxy extends LoopbackProxy {
    private static final int APPLICATION_DATA = 23;
    private static final int HEADER_BYTES = 5;

    private final IntPredicate damages;

    private DamagingProxy(Vertx vertx, int behind, IntPredicate damages) {
        super(vertx, behind, nth -> true);
        this.damages = damages;
    }

    /**
     * Starts a proxy to this port. It ends with the Vert.x instance.
     *
     * @param damages the connections whose first encrypted message is damaged, by number, from 1
     */
    public static DamagingProxy before(Vertx vertx, int port, IntPredicate damages) {
        return new DamagingProxy(vertx, port, damages);
    }

    @Override
    void accept(NetSocket front) {
        front.pause();
        Records records = new Records(damages.test(connections()));
        forward(front, bytes -> front.write(records.forward(bytes)), front::resume);
    }

    @Override
    void reject(NetSocket front) {
        front.close();
    }

    /** The TLS records of one server. */
    private static final class Records {
        private Buffer incomplete = Buffer.buffer();
        private boolean damage;

        Records(boolean damage) {
            this.damage = damage;
        }

        Buffer forward(Buffer bytes) {
            incomplete.appendBuffer(bytes);
            int at = 0;
            while (incomplete.length() - at >= HEADER_BYTES
                    && incomplete.length() - at >= HEADER_BYTES + incomplete.getUnsignedShort(at + 3)) {
                int end = at + HEADER_BYTES + incomplete.getUnsignedShort(at + 3);
                if (damage && incomplete.getByte(at) == APPLICATION_DATA) {
                    damage = false;
                    incomplete.setByte(end - 1, (byte) ~incomplete.getByte(end - 1));
                }
                at = end;
            }
            Buffer complete = incomplete.getBuffer(0, at);
            incomplete = incomplete.getBuffer(at, incomplete.length());
            return complete;
        }
    }
}
