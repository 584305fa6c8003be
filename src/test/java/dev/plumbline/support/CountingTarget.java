package dev.plumbline.support;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;

/**
 * A target that counts requests. {@code /ok} returns 200, {@code /slow} 200 after a third of a second, {@code /missing}
 * 404. At {@code /held} the first request waits until the test releases it and gets 404; later requests get 200. At
 * {@code /gate} all requests wait until the test opens the gate. {@code /kill} runs an action of the test and does not
 * respond.
 */
public final class CountingTarget {
    private static final long SLOW_MS = 300;

    private final Vertx vertx;
    private final HttpServer server;
    private final UnaryOperator<String> hosts;
    private volatile String location = "";
    private final AtomicLong requests = new AtomicLong();
    private final AtomicLong responses = new AtomicLong();
    private final Map<String, Integer> requestsByPath = new ConcurrentHashMap<>();
    private final Promise<Void> held = Promise.promise();
    private final Promise<Void> gate = Promise.promise();
    private volatile Runnable onKill = () -> {};

    public CountingTarget(Vertx vertx) {
        this(vertx, "127.0.0.1", path -> "127.0.0.1");
    }

    private CountingTarget(Vertx vertx, String listensOn, UnaryOperator<String> hosts) {
        this.vertx = vertx;
        this.hosts = hosts;
        this.server = Await.value(
                vertx.createHttpServer().requestHandler(this::handle).listen(0, listensOn));
    }

    /**
     * A target at many addresses, so that its paths have different owners in a cluster.
     *
     * @param network the first three octets of its addresses, for example {@code 127.1.1}
     */
    public static CountingTarget atAddresses(Vertx vertx, String network) {
        return new CountingTarget(vertx, "0.0.0.0", path -> network + "." + (1 + Math.floorMod(path.hashCode(), 250)));
    }

    /** A target at all addresses of this machine. {@code /redirect/NAME} redirects to a URL followed by the name. */
    public static CountingTarget redirecting(Vertx vertx, String url) {
        CountingTarget target = new CountingTarget(vertx, "0.0.0.0", path -> "127.0.0.1");
        target.location = url;
        return target;
    }

    /** The URL of a path under another name or address of this machine. */
    public String url(String host, String path) {
        return "http://" + host + ":" + server.actualPort() + path;
    }

    public String url(String path) {
        return url(hosts.apply(path), path);
    }

    /** The number of received requests. */
    public long requests() {
        return requests.get();
    }

    /** The number of sent responses. */
    public long responses() {
        return responses.get();
    }

    /** The number of requests for a path. */
    public int requests(String path) {
        return requestsByPath.getOrDefault(path, 0);
    }

    /** The number of requested paths with a prefix. */
    public long requestedPaths(String prefix) {
        return requestsByPath.keySet().stream()
                .filter(path -> path.startsWith(prefix))
                .count();
    }

    public void releaseHeld() {
        held.tryComplete();
    }

    public void openGate() {
        gate.tryComplete();
    }

    /** Sets the action of {@code /kill}. */
    public void onKill(Runnable action) {
        onKill = action;
    }

    private void handle(HttpServerRequest request) {
        requests.incrementAndGet();
        String path = request.path();
        int count = requestsByPath.merge(path, 1, Integer::sum);
        if (path.startsWith("/slow/")) {
            vertx.setTimer(SLOW_MS, fired -> respond(request, 200));
        } else if (path.startsWith("/held/") && count == 1) {
            held.future().onSuccess(released -> respond(request, 404));
        } else if (path.startsWith("/redirect/")) {
            request.response().putHeader("Location", location + path.substring("/redirect/".length()));
            respond(request, 302);
        } else if (path.startsWith("/kill/")) {
            onKill.run();
        } else if (path.startsWith("/gate/")) {
            gate.future().onSuccess(open -> respond(request, 200));
        } else {
            respond(request, path.startsWith("/missing/") ? 404 : 200);
        }
    }

    private void respond(HttpServerRequest request, int status) {
        request.response()
                .setStatusCode(status)
                .putHeader("Connection", "close")
                .end("here\n")
                .onComplete(sent -> responses.incrementAndGet());
    }
}
