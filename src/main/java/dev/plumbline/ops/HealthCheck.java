package dev.plumbline.ops;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Readiness of this node: the state of its components, which depend on its roles. */
public final class HealthCheck {
    private static final String UP = "up";
    private static final String DOWN = "down";

    /** Of the response of one component, in milliseconds. */
    static final long TIMEOUT_MS = 900;

    private final Map<String, Supplier<Future<State>>> components = new LinkedHashMap<>();
    private volatile boolean draining;

    /**
     * The state of a component.
     *
     * @param text for example {@code up}
     * @param ready whether the node accepts work in this state
     */
    public record State(String text, boolean ready) {
        static State of(boolean up) {
            return new State(up ? UP : DOWN, up);
        }
    }

    /**
     * The state of each component.
     *
     * @param ready whether the node accepts work
     */
    public record Report(boolean ready, JsonObject components) {}

    /**
     * Adds a component; call before the first {@link #check}.
     *
     * @param state reads the state within {@value #TIMEOUT_MS} ms; must not fail
     */
    public HealthCheck add(String name, Supplier<Future<State>> state) {
        components.put(name, state);
        return this;
    }

    /** Adds the HTTP server, which must send responses. */
    public HealthCheck addHttp(HttpSelfProbe http) {
        return add("http", () -> http.responds().map(State::of));
    }

    /** Adds the database, which must be reachable and have disk space. */
    public HealthCheck addDatabase(Database database) {
        return add("database", () -> database.ping()
                .map(true)
                .otherwise(false)
                .map(up -> up && !database.hasDiskSpace() ? new State("full", false) : State.of(up)));
    }

    /** Adds the check runners, which must respond. */
    public HealthCheck addRunners(MessageBus bus) {
        return add("runners", () -> bus.request(new Message.Ping(), Message.Done.class, TIMEOUT_MS)
                .map(true)
                .otherwise(false)
                .map(State::of));
    }

    /** Reports the node as not ready from now on. */
    public void drain() {
        draining = true;
    }

    public Future<Report> check() {
        List<Future<State>> states = new ArrayList<>();
        components.values().forEach(component -> states.add(component.get()));
        return Future.all(states).map(done -> {
            boolean ready = !draining
                    && states.stream().allMatch(state -> state.result().ready());
            JsonObject report = new JsonObject().put("status", ready ? UP : DOWN);
            int index = 0;
            for (String name : components.keySet()) {
                report.put(name, states.get(index++).result().text());
            }
            return new Report(ready, report.put("draining", draining));
        });
    }
}
