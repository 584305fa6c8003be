package dev.plumbline.support;

import io.vertx.core.Vertx;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** A target on all addresses of this machine that records its connections. Each response takes some time. */
public final class ConnectionRecorder {
    private final Vertx vertx;
    private final Duration hold;
    private final HttpServer server;
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicInteger mostOpen = new AtomicInteger();
    private final Queue<Long> opened = new ConcurrentLinkedQueue<>();

    /** @param hold the time until a response, which closes its connection */
    public ConnectionRecorder(Vertx vertx, Duration hold) {
        this.vertx = vertx;
        this.hold = hold;
        this.server = Await.value(vertx.createHttpServer()
                .connectionHandler(this::record)
                .requestHandler(this::respond)
                .listen(0, "0.0.0.0"));
    }

    public String url(String host, String path) {
        return "http://" + host + ":" + server.actualPort() + path;
    }

    private void record(HttpConnection connection) {
        opened.add(System.nanoTime());
        mostOpen.accumulateAndGet(open.incrementAndGet(), Math::max);
        connection.closeHandler(closed -> open.decrementAndGet());
    }

    private void respond(HttpServerRequest request) {
        vertx.setTimer(
                hold.toMillis(),
                later -> request.response().putHeader("Connection", "close").end("here\n"));
    }

    public int connections() {
        return opened.size();
    }

    /** The maximum number of concurrent connections. */
    public int mostOpen() {
        return mostOpen.get();
    }

    /** The maximum number of new connections in any period of this length. */
    public int mostWithin(Duration period) {
        long[] times = opened.stream().mapToLong(Long::longValue).toArray();
        Arrays.sort(times);
        int most = 0;
        int first = 0;
        for (int last = 0; last < times.length; last++) {
            while (times[last] - times[first] >= period.toNanos()) {
                first++;
            }
            most = Math.max(most, last - first + 1);
        }
        return most;
    }
}
