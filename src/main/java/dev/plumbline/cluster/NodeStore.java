package dev.plumbline.cluster;

import dev.plumbline.model.NodeRole;
import dev.plumbline.store.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The nodes of a deployment in PostgreSQL. Times are by the clock of the database. */
public final class NodeStore {
    /** The channel that is notified when a node registers or leaves. */
    public static final String CHANNEL = "nodes_changed";

    private static final String REGISTER = "select register_node(make_interval(secs => $1), $2, $3, $4, $5, $6) as id";

    private static final String RENEW =
            """
      update node set lease_expires_at = clock_timestamp() + make_interval(secs => $2)
      where id = $1 and in_flight_at_crash is null
      returning exists (select 1 from node o where o.lease_expires_at < clock_timestamp() and o.id <> $1)""";

    private static final String READ =
            """
      select name, roles, version, generation, endpoints, leaving,
        (extract(epoch from clock_timestamp() - registered_at) * 1000)::bigint as age_ms
      from node where lease_expires_at > clock_timestamp() and name is not null order by id""";

    /** The maximum number of chunks that one statement releases. */
    private static final int RELEASE_SLICE = 200;

    private final Database database;
    private final Database maintenance;

    /**
     * The outcome of a renewal.
     *
     * @param renewed false if the lease expired and the chunks were released
     * @param othersExpired whether the lease of another node has expired
     */
    public record Renewal(boolean renewed, boolean othersExpired) {}

    /**
     * A node with a valid lease.
     *
     * @param leaving whether it accepts no more checks from other nodes
     * @param ageMs time since its registration
     */
    public record RegisteredNode(NodeRecord node, boolean leaving, long ageMs) {}

    /** @param maintenance a pool with a timeout for slow statements */
    public NodeStore(Database database, Database maintenance) {
        this.database = database;
        this.maintenance = maintenance;
    }

    /**
     * Registers a node and returns its unique ID. The lease of an earlier process with the same name expires, because
     * two processes cannot listen on one address.
     */
    public Future<Long> register(NodeRecord node, Duration lease) {
        JsonArray endpoints = new JsonArray();
        node.endpoints()
                .forEach(endpoint -> endpoints.add(
                        new JsonObject().put("address", endpoint.address()).put("port", endpoint.port())));
        return database.query(
                        REGISTER,
                        Tuple.of(
                                seconds(lease),
                                node.name(),
                                node.roles().stream().map(NodeStore::text).toArray(String[]::new),
                                node.version(),
                                node.generation(),
                                endpoints))
                .map(rows -> rows.iterator().next().getLong("id"));
    }

    /** Renews a lease. */
    public Future<Renewal> renew(long id, Duration lease) {
        return database.query(RENEW, Tuple.of(id, seconds(lease)))
                .map(rows -> rows.size() == 0
                        ? new Renewal(false, false)
                        : new Renewal(true, rows.iterator().next().getBoolean(0)));
    }

    /** All nodes of the cluster with a valid lease. */
    public Future<List<RegisteredNode>> read() {
        return database.query(READ, Tuple.tuple()).map(rows -> {
            List<RegisteredNode> nodes = new ArrayList<>();
            rows.forEach(row -> nodes.add(node(row)));
            return nodes;
        });
    }

    /** Announces that the node stops: other nodes send it no more checks. */
    public Future<Void> leave(long id) {
        return database.query("select leave_cluster($1)", Tuple.of(id)).mapEmpty();
    }

    /** Releases all chunks of a node and deletes its lease. */
    public Future<Void> deregister(long id) {
        return maintenance
                .query("select deregister_node($1, $2)", Tuple.of(id, RELEASE_SLICE))
                .compose(rows -> rows.iterator().next().getInteger(0) < RELEASE_SLICE
                        ? Future.succeededFuture()
                        : deregister(id));
    }

    private static RegisteredNode node(Row row) {
        Set<NodeRole> roles = EnumSet.noneOf(NodeRole.class);
        Set<String> names = Set.copyOf(Arrays.asList(row.getArrayOfStrings("roles")));
        for (NodeRole role : NodeRole.values()) {
            if (names.contains(text(role))) {
                roles.add(role);
            }
        }
        List<NodeRecord.Endpoint> endpoints = new ArrayList<>();
        row.getJsonArray("endpoints").stream()
                .map(JsonObject.class::cast)
                .forEach(endpoint -> endpoints.add(
                        new NodeRecord.Endpoint(endpoint.getString("address"), endpoint.getInteger("port"))));
        return new RegisteredNode(
                new NodeRecord(
                        row.getString("name"),
                        roles,
                        row.getString("version"),
                        row.getInteger("generation"),
                        List.copyOf(endpoints)),
                row.getBoolean("leaving"),
                row.getLong("age_ms"));
    }

    private static String text(NodeRole role) {
        return role.name().toLowerCase(Locale.ROOT);
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }
}
