package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import io.vertx.core.Vertx;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetServer;
import io.vertx.core.net.NetSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A TCP proxy to a server on loopback that can drop data or refuse connections. */
public final class FaultInjectionProxy {
    private final Vertx vertx;
    private final String host;
    private final int target;
    private final NetClient client;
    private final Set<NetSocket> sockets = ConcurrentHashMap.newKeySet();
    private final int port;
    private volatile boolean dropping;
    private final AtomicInteger closesLeft = new AtomicInteger();
    private volatile boolean droppingResponses;
    private NetServer server;

    /** A proxy on loopback. */
    public FaultInjectionProxy(Vertx vertx, int target) {
        this(vertx, "127.0.0.1", target);
    }

    /** @param host the address on which the proxy listens */
    public FaultInjectionProxy(Vertx vertx, String host, int target) {
        this.vertx = vertx;
        this.host = host;
        this.target = target;
        this.client = vertx.createNetClient();
        this.port = listen(FreePorts.next());
    }

    public int port() {
        return port;
    }

    private int listen(int on) {
        server = vertx.createNetServer().connectHandler(this::accept);
        return TestDatabase.await(server.listen(on, host)).actualPort();
    }

    private void accept(NetSocket in) {
        sockets.add(in);
        in.exceptionHandler(e -> {});
        in.pause();
        client.connect(target, "127.0.0.1").onFailure(e -> in.close()).onSuccess(out -> {
            sockets.add(out);
            out.exceptionHandler(e -> {});
            forward(in, out, false);
            forward(out, in, true);
            in.resume();
        });
    }

    private void forward(NetSocket from, NetSocket to, boolean responses) {
        from.handler(bytes -> {
            if (closesLeft.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                from.close();
            } else if (!dropping && !(responses && droppingResponses)) {
                to.write(bytes);
            }
        });
        from.closeHandler(v -> to.close());
    }

    /** Drops all data from now on, without closing connections. */
    public void dropData() {
        dropping = true;
    }

    /** Closes the connections on which the next data arrives, instead of forwarding it. */
    public void closeOnData(int connections) {
        closesLeft.set(connections);
    }

    /** Drops the data of the server from now on. */
    public void dropResponses() {
        droppingResponses = true;
    }

    /** Forwards data again. Dropped data is lost. */
    public void forwardData() {
        dropping = false;
        droppingResponses = false;
    }

    /** Closes all connections and refuses new ones. */
    public void refuseConnections() {
        TestDatabase.await(server.close());
        sockets.forEach(NetSocket::close);
        sockets.clear();
    }

    /** Accepts connections again. */
    public void acceptConnections() {
        listen(port);
    }
}
