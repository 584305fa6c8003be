package dev.plumbline.postgres.embedded;

import java.nio.file.Path;

/** The configuration files of the embedded server. */
final class PostgresSettings {
    // migrations, superuser sessions, and connections reserved by PostgreSQL
    private static final int RESERVED_CONNECTIONS = 10;

    private static final String CONF =
            """
      # Overwritten at each start.
      listen_addresses = '127.0.0.1'
      port = %d
      unix_socket_directories = ''
      max_connections = %d
      password_encryption = scram-sha-256

      fsync = on
      full_page_writes = on
      synchronous_commit = on
      # The minimum for a hot backup.
      wal_level = replica
      max_wal_senders = 0
      min_wal_size = 64MB
      max_wal_size = 512MB
      checkpoint_timeout = 15min

      shared_buffers = 64MB
      huge_pages = off
      work_mem = 4MB
      maintenance_work_mem = 32MB
      max_parallel_workers_per_gather = 0
      max_parallel_maintenance_workers = 0
      jit = off

      lc_messages = 'C'
      timezone = 'UTC'
      log_timezone = 'UTC'
      log_checkpoints = off
      log_min_messages = warning
      # Statements and their parameters can contain private data.
      log_min_error_statement = panic
      log_parameter_max_length_on_error = 0
      """;

    private static final String HBA =
            """
      # Overwritten at each start.
      host all all 127.0.0.1/32 scram-sha-256
      """;

    private PostgresSettings() {}

    static void write(Path cluster, int port) {
        DataDirectory.write(
                cluster.resolve("postgresql.conf"),
                CONF.formatted(port, EmbeddedPostgres.CONNECTIONS + RESERVED_CONNECTIONS));
        DataDirectory.write(cluster.resolve("pg_hba.conf"), HBA);
    }
}
