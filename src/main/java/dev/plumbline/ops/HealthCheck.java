package dev.plumbline.ops;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Readiness of this node: the HTTP server sends responses, the database is reachable and has disk space, and the runners
 * respond.
 */
public final class HealthCheck {
    private static final String UP = "up";
    private static final String DOWN = "down";

    /** Of the response of one component, in milliseconds. */
    static final long TIMEOUT_MS = 900;

    private final HttpSelfProbe http;
    private final Database database;
    private final MessageBus bus;
    private volatile boolean draining;

    public HealthCheck(HttpSelfProbe http, Database database, MessageBus bus) {
        this.http = http;
        this.database = database;
        this.bus = bus;
    }

    /** Reports the node as not ready from now on. */
    public void drain() {
        draining = true;
    }

    /**
     * The state of each component.
     *
     * @param ready whether the node accepts work
     */
    public record Report(boolean ready, JsonObject components) {}

    public Future<Report> check() {
        Future<Boolean> httpUp = http.responds();
        Future<Boolean> databaseUp = database.ping().map(true).otherwise(false);
        Future<Boolean> runnersUp = bus.request(
                        BusAddresses.CHECK_PING, new Message.Ping(), Message.Done.class, TIMEOUT_MS)
                .map(true)
                .otherwise(false);
        return Future.all(httpUp, databaseUp, runnersUp).map(done -> {
            String databaseState = !databaseUp.result() ? DOWN : database.hasDiskSpace() ? UP : "full";
            boolean ready = httpUp.result() && databaseState.equals(UP) && runnersUp.result() && !draining;
            return new Report(
                    ready,
                    new JsonObject()
                            .put("status", ready ? UP : DOWN)
                            .put("http", httpUp.result() ? UP : DOWN)
                            .put("database", databaseState)
                            .put("runners", runnersUp.result() ? UP : DOWN)
                            .put("draining", draining));
        });
    }
}
