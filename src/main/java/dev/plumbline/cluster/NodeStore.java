package dev.plumbline.cluster;

import dev.plumbline.config.NodeRole;
import dev.plumbline.postgres.Database;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The nodes of a deployment in PostgreSQL. Times are by the clock of the database. */
public final class NodeStore {
    /** The channel that is notified when a node registers or leaves. */
    public static final String CHANNEL = "nodes_changed";

    private static final Logger LOG = LoggerFactory.getLogger(NodeStore.class);

    private static final String REGISTER = "select register_node(make_interval(secs => $1), $2, $3, $4, $5, $6) as id";

    private static final String NODES =
            """
      (select coalesce(
          jsonb_agg(jsonb_build_object(
            'name', name, 'roles', roles, 'version', version, 'generation', generation, 'endpoints', endpoints,
            'leaving', leaving,
            'age_ms', (extract(epoch from clock_timestamp() - registered_at) * 1000)::bigint) order by id),
          '[]')
        from node where lease_expires_at > clock_timestamp() and name is not null) as nodes""";

    private static final String READ = "select " + NODES;

    // one statement, because an idle node executes little else
    private static final String RENEW =
            """
            with renewed as (
              update node set lease_expires_at = clock_timestamp() + make_interval(secs => $2)
              where id = $1 and in_flight_at_crash is null returning id)
            select exists (select 1 from renewed) as renewed,
              exists (select 1 from node o where o.lease_expires_at < clock_timestamp() and o.id <> $1) as others_expired,
            """
                    + NODES;

    /** The maximum number of chunks that one statement releases. */
    private static final int RELEASE_SLICE = 200;

    private final Database database;
    private final Database maintenance;

    /**
     * The outcome of a renewal.
     *
     * @param renewed false if the lease expired and the chunks were released
     * @param othersExpired whether the lease of another node has expired
     * @param nodes all nodes of the cluster with a valid lease
     */
    public record Renewal(boolean renewed, boolean othersExpired, List<RegisteredNode> nodes) {}

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
                                node.roles().stream().map(NodeRole::id).toArray(String[]::new),
                                node.version(),
                                node.generation(),
                                endpoints))
                .map(rows -> rows.iterator().next().getLong("id"));
    }

    public Future<Renewal> renew(long id, Duration lease) {
        return database.query(RENEW, Tuple.of(id, seconds(lease))).map(rows -> {
            Row row = rows.iterator().next();
            return new Renewal(row.getBoolean("renewed"), row.getBoolean("others_expired"), nodes(row));
        });
    }

    /** All nodes of the cluster with a valid lease. */
    public Future<List<RegisteredNode>> read() {
        return database.query(READ, Tuple.tuple())
                .map(rows -> nodes(rows.iterator().next()));
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

    private static List<RegisteredNode> nodes(Row row) {
        List<RegisteredNode> nodes = new ArrayList<>();
        for (Object node : row.getJsonArray("nodes")) {
            try {
                nodes.add(node((JsonObject) node));
            } catch (ClassCastException | NullPointerException malformed) {
                // one row must not prevent the use of the others
                LOG.atWarn().addKeyValue("node", node).setCause(malformed).log("malformed node ignored");
            }
        }
        return List.copyOf(nodes);
    }

    private static RegisteredNode node(JsonObject row) {
        // a role of a later version is ignored
        Set<Object> ids = row.getJsonArray("roles").stream().collect(Collectors.toSet());
        Set<NodeRole> roles = EnumSet.allOf(NodeRole.class);
        roles.removeIf(role -> !ids.contains(role.id()));
        List<NodeRecord.Endpoint> endpoints = row.getJsonArray("endpoints").stream()
                .map(JsonObject.class::cast)
                .map(endpoint -> new NodeRecord.Endpoint(endpoint.getString("address"), endpoint.getInteger("port")))
                .toList();
        return new RegisteredNode(
                new NodeRecord(
                        row.getString("name"),
                        roles,
                        row.getString("version"),
                        row.getInteger("generation"),
                        endpoints),
                row.getBoolean("leaving"),
                row.getLong("age_ms"));
    }

    private static double seconds(Duration duration) {
        return duration.toMillis() / 1_000.0;
    }
}
