package dev.plumbline.ops;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;

/**
 * Whether this node can do its work: its database is reachable and has room, and its runners
 * answer.
 */
public final class HealthCheck {
    private static final String UP = "up";
    private static final String DOWN = "down";
    private static final long PATIENCE_MS = 900;

    private final Database database;
    private final MessageBus bus;
    private volatile boolean draining;

    public HealthCheck(Database database, MessageBus bus) {
        this.database = database;
        this.bus = bus;
    }

    /** From now on no new work is wanted. */
    public void drain() {
        draining = true;
    }

    /**
     * The state of each part.
     *
     * @param ready whether all is well
     */
    public record Report(boolean ready, JsonObject parts) {}

    public Future<Report> check() {
        Future<Boolean> databaseUp = database.ping().map(true).otherwise(false);
        Future<Boolean> runnersUp = bus.ask(
                        BusAddresses.CHECK_PING, new Message.Ping(), Message.Done.class, PATIENCE_MS)
                .map(true)
                .otherwise(false);
        return Future.all(databaseUp, runnersUp).map(both -> {
            String databaseIs = !databaseUp.result() ? DOWN : database.hasRoom() ? UP : "full";
            boolean ready = databaseIs.equals(UP) && runnersUp.result() && !draining;
            return new Report(
                    ready,
                    new JsonObject()
                            .put("status", ready ? UP : DOWN)
                            .put("database", databaseIs)
                            .put("runners", runnersUp.result() ? UP : DOWN)
                            .put("draining", draining));
        });
    }
}
