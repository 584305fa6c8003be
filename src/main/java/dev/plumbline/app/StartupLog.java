package dev.plumbline.app;

import dev.plumbline.config.Config;
import dev.plumbline.config.NodeRole;
import dev.plumbline.postgres.DatabaseOptions;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs version, addresses, database and limits once the service accepts requests. Never logs secrets. */
final class StartupLog {
    private static final Logger LOG = LoggerFactory.getLogger(Service.class);

    private StartupLog() {}

    static void log(Config config, String address, String databaseUrl) {
        LOG.atInfo()
                .addKeyValue("version", Version.text())
                .addKeyValue("java", Runtime.version())
                .addKeyValue("address", address)
                .addKeyValue("public_url", config.http().publicUrl())
                .addKeyValue(
                        "management",
                        config.management().host() + ":" + config.management().port())
                .addKeyValue(
                        "roles",
                        config.node().roles().stream().map(NodeRole::id).collect(Collectors.joining(",")))
                .log("started");
        LOG.atInfo()
                .addKeyValue("kind", config.database().url() == null ? "embedded" : "external")
                .addKeyValue("database", DatabaseOptions.describe(databaseUrl))
                .addKeyValue("pool_size", config.database().poolSize())
                .addKeyValue("data_dir", config.data().dir().toAbsolutePath())
                .log("database connected");
        LOG.atInfo()
                .addKeyValue("checks_concurrent", config.checks().concurrent())
                .addKeyValue("checks_queue_size", config.checks().queueSize())
                .addKeyValue("fresh_per_hour", config.limits().freshPerHour())
                .addKeyValue("jobs_per_hour", config.limits().jobsPerHour())
                .addKeyValue("jobs_per_hour_account", config.limits().jobsPerHourAccount())
                .addKeyValue("max_concurrent_requests", config.http().maxConcurrentRequests())
                .addKeyValue("max_connections", config.http().maxConnections())
                .addKeyValue("heap_mib", Runtime.getRuntime().maxMemory() >> 20)
                .log("limits configured");
    }
}
