package dev.plumbline.support;

import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A target that counts: below {@code /ok} all is well, below {@code /slow} after a third of a
 * second, below {@code /missing} there is nothing. Below {@code /held} who comes first waits until
 * the test lets go, and then there is nothing; for who comes later all is well. Below {@code /gate}
 * everybody waits until the test opens it.
 */
public final class CountingTarget {
    private static final long SLOW_MS = 300;

    private final Vertx vertx;
    private final HttpServer server;
    private final AtomicLong asked = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final Map<String, Integer> comers = new ConcurrentHashMap<>();
    private final Promise<Void> letGo = Promise.promise();
    private final Promise<Void> gate = Promise.promise();

    public CountingTarget(Vertx vertx) {
        this.vertx = vertx;
        this.server = Await.value(
                vertx.createHttpServer().requestHandler(this::handle).listen(0, "127.0.0.1"));
    }

    public String url(String path) {
        return "http://127.0.0.1:" + server.actualPort() + path;
    }

    /** How many requests have come. */
    public long asked() {
        return asked.get();
    }

    /** How many of them were answered. */
    public long answered() {
        return answered.get();
    }

    /** How often a path was asked for. */
    public int comers(String path) {
        return comers.getOrDefault(path, 0);
    }

    /** How many paths with that beginning were asked for. */
    public long pathsBelow(String beginning) {
        return comers.keySet().stream()
                .filter(path -> path.startsWith(beginning))
                .count();
    }

    public void letGo() {
        letGo.tryComplete();
    }

    public void openGate() {
        gate.tryComplete();
    }

    private void handle(HttpServerRequest request) {
        asked.incrementAndGet();
        String path = request.path();
        int comer = comers.merge(path, 1, Integer::sum);
        if (path.startsWith("/slow/")) {
            vertx.setTimer(SLOW_MS, later -> answer(request, 200));
        } else if (path.startsWith("/held/") && comer == 1) {
            letGo.future().onSuccess(gone -> answer(request, 404));
        } else if (path.startsWith("/gate/")) {
            gate.future().onSuccess(open -> answer(request, 200));
        } else {
            answer(request, path.startsWith("/missing/") ? 404 : 200);
        }
    }

    private void answer(HttpServerRequest request, int status) {
        request.response()
                .setStatusCode(status)
                .putHeader("Connection", "close")
                .end("here\n")
                .onComplete(sent -> answered.incrementAndGet());
    }
}
