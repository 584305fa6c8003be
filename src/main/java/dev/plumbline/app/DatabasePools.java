package dev.plumbline.app;

import dev.plumbline.config.Config;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DiskSpaceMonitor;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;

/**
 * The connection pools of a node. They are separate, so that slow statements of one kind do not take the connections of
 * the others.
 *
 * @param instant for instant checks, quotas, API keys, sessions and accounts: half of {@code database.pool_size}
 * @param jobs for jobs: the other half
 * @param maintenance for retention and crash recovery: {@value #MAINTENANCE_CONNECTIONS} connections with a timeout of
 *     {@value #MAINTENANCE_SECONDS} seconds
 */
public record DatabasePools(Database instant, Database jobs, Database maintenance) {
    static final int MAINTENANCE_CONNECTIONS = 2;
    static final int MAINTENANCE_SECONDS = 30;

    /** Opens the pools of the configured database or the embedded one. */
    public static DatabasePools open(Vertx vertx, Config.DatabaseSettings config, String embeddedUrl) {
        String configured = config.url();
        String url = configured == null ? embeddedUrl : configured;
        int size = configured == null ? Math.min(config.poolSize(), EmbeddedPostgres.CONNECTIONS) : config.poolSize();
        int reserved = Math.max(1, size / 2);
        Duration maintenanceTimeout = Duration.ofSeconds(MAINTENANCE_SECONDS);
        DiskSpaceMonitor disk = new DiskSpaceMonitor(vertx);
        return new DatabasePools(
                new Database(vertx, url, new Database.PoolSettings("instant", reserved, config.timeout()), disk),
                new Database(
                        vertx,
                        url,
                        new Database.PoolSettings("jobs", Math.max(1, size - reserved), config.timeout()),
                        disk),
                new Database(
                        vertx,
                        url,
                        new Database.PoolSettings("maintenance", MAINTENANCE_CONNECTIONS, maintenanceTimeout),
                        disk));
    }

    /** Completes running operations and closes the connections. */
    public Future<Void> close() {
        return Future.join(instant.close(), jobs.close(), maintenance.close()).mapEmpty();
    }
}
