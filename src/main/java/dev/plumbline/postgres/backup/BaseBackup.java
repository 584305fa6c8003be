package dev.plumbline.postgres.backup;

import dev.plumbline.postgres.DatabaseOptions;
import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.embedded.DataDirectory;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.pgclient.PgConnection;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A hot backup of the embedded database and the secrets of a data directory, by the low-level API of PostgreSQL
 * (manual, 25.3.4): {@code pg_backup_start}, a copy of the data files, {@code pg_backup_stop}, and the WAL in between.
 * A temporary replication slot keeps the WAL. The bundled programs contain neither {@code pg_basebackup} nor
 * {@code pg_dump}. All methods block.
 */
public final class BaseBackup {
    private static final String CLUSTER = "postgres/cluster";
    private static final String CONTROL_FILE = "global/pg_control";
    private static final int CONTROL_FILE_ATTEMPTS = 100;

    /** A checkpoint of a loaded database can take minutes. */
    private static final long STATEMENT_SECONDS = 600;

    /** Their content is not valid in a copy of a running cluster (manual, 25.3.4.2). */
    private static final Set<String> SKIPPED_DIRECTORIES = Set.of(
            "pg_wal",
            "pg_replslot",
            "pg_dynshmem",
            "pg_notify",
            "pg_serial",
            "pg_snapshots",
            "pg_stat_tmp",
            "pg_subtrans");

    private static final Set<String> SKIPPED_FILES =
            Set.of("postmaster.pid", "postmaster.opts", "backup_label", "tablespace_map", "backup_manifest");

    private static final Set<String> LOCK_FILES = Set.of("lock", "command-lock");

    private final Path dataDir;
    private final Path cluster;
    private final BackupFiles files;
    private final SqlConnection connection;

    private BaseBackup(Path dataDir, Path target, SqlConnection connection) {
        this.dataDir = dataDir;
        this.cluster = dataDir.resolve(CLUSTER);
        this.files = new BackupFiles(target);
        this.connection = connection;
    }

    /**
     * A complete backup.
     *
     * @param files number of files
     * @param bytes their total size
     */
    public record Summary(int files, long bytes) {}

    /**
     * Creates a backup while the service runs or while it is stopped.
     *
     * @param target a directory that does not exist or is empty
     * @param version the version of the program, for the list of checksums
     * @throws PostgresException if it cannot be created; the target contains no files then
     */
    public static Summary create(Path dataDir, Path target, String version) {
        Path data = dataDir.toAbsolutePath().normalize();
        Path directory = target.toAbsolutePath().normalize();
        try {
            if (isInside(directory, data)) {
                throw new PostgresException("The backup directory " + directory + " is inside the data directory.");
            }
            if (!BackupFiles.list(directory).isEmpty()) {
                throw new PostgresException("The backup directory " + directory + " is not empty.");
            }
            DataDirectory.createDirectory(directory);
        } catch (IOException e) {
            throw failure(directory, e);
        }
        Vertx vertx = Vertx.vertx();
        try (CommandDatabase database = CommandDatabase.of(data, false)) {
            return run(vertx, database.superuserUrl(), data, directory, version);
        } catch (PostgresException failed) {
            clear(directory);
            throw failed;
        } finally {
            await(vertx.close());
        }
    }

    /** Follows symbolic links, because a backup inside the cluster would contain itself. */
    private static boolean isInside(Path directory, Path data) throws IOException {
        if (Files.notExists(data)) {
            return directory.startsWith(data);
        }
        Path existing = directory;
        while (existing.getParent() != null && Files.notExists(existing)) {
            existing = existing.getParent();
        }
        return existing.toRealPath().startsWith(data.toRealPath());
    }

    private static Summary run(Vertx vertx, String url, Path dataDir, Path target, String version) {
        PgConnection connection = await(PgConnection.connect(vertx, DatabaseOptions.of(url)));
        // a lost connection also fails the statement; the default handler prints a stack trace
        connection.exceptionHandler(lost -> {});
        try {
            return new BaseBackup(dataDir, target, connection).run(version);
        } catch (IOException e) {
            throw failure(target, e);
        } finally {
            // a backup that was not stopped ends with its session
            await(connection.close().otherwiseEmpty());
        }
    }

    private Summary run(String version) throws IOException {
        String server = text("show server_version");
        long segmentSize = Long.parseLong(text("select setting from pg_settings where name = 'wal_segment_size'"));
        text("select slot_name::text from pg_create_physical_replication_slot("
                + "'plumbline_backup_' || pg_backend_pid(), true, true)");
        long start = WalRange.position(text("select pg_backup_start('plumbline backup', true)::text"));
        copyTree(cluster, CLUSTER);
        files.write(controlFile(), CLUSTER + "/" + CONTROL_FILE);
        Row stop = row("select lsn::text, labelfile, spcmapfile,"
                + " (select timeline_id from pg_control_checkpoint()) from pg_backup_stop(false)");
        files.write(stop.getString(1).getBytes(StandardCharsets.UTF_8), CLUSTER + "/backup_label");
        if (!stop.getString(2).isBlank()) {
            throw new PostgresException("The database uses tablespaces, which a backup does not contain.");
        }
        copyWal(new WalRange(stop.getInteger(3), segmentSize, start, WalRange.position(stop.getString(0))));
        copySecrets();
        files.complete("plumbline " + version + ", PostgreSQL " + server + ", "
                + Instant.now().truncatedTo(ChronoUnit.SECONDS));
        return new Summary(files.count(), files.bytes());
    }

    /** The server can write the file during a read, so it is read until its content is the same twice. */
    private byte[] controlFile() throws IOException {
        Path file = cluster.resolve(CONTROL_FILE);
        byte[] content = Files.readAllBytes(file);
        for (int attempt = 0; attempt < CONTROL_FILE_ATTEMPTS; attempt++) {
            byte[] again = Files.readAllBytes(file);
            if (Arrays.equals(content, again)) {
                return content;
            }
            content = again;
        }
        throw new PostgresException("The file " + file + " changes continuously.");
    }

    private void copyTree(Path directory, String name) throws IOException {
        for (Path entry : BackupFiles.list(directory)) {
            String file = entry.getFileName().toString();
            String path = name + "/" + file;
            if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
                if (!directory.equals(cluster) || !SKIPPED_DIRECTORIES.contains(file)) {
                    copyTree(entry, path);
                }
            } else if (!isSkipped(directory, file)) {
                files.copy(entry, path);
            }
        }
    }

    private boolean isSkipped(Path directory, String file) {
        return directory.equals(cluster) && SKIPPED_FILES.contains(file)
                || file.startsWith("pgsql_tmp")
                || file.startsWith("pg_internal.init")
                || directory.resolve(file).equals(cluster.resolve(CONTROL_FILE));
    }

    private void copyWal(WalRange range) throws IOException {
        for (String segment : range.segments()) {
            Path from = cluster.resolve("pg_wal").resolve(segment);
            String name = CLUSTER + "/pg_wal/" + segment;
            long before = files.bytes();
            if (!files.copy(from, name) || files.bytes() - before != range.segmentSize()) {
                throw new PostgresException("The WAL segment " + from + " is missing or incomplete.");
            }
        }
    }

    private void copySecrets() throws IOException {
        for (Path entry : BackupFiles.list(dataDir)) {
            String name = entry.getFileName().toString();
            if (Files.isRegularFile(entry, LinkOption.NOFOLLOW_LINKS) && !LOCK_FILES.contains(name)) {
                files.copy(entry, name);
            }
        }
    }

    private String text(String sql) {
        return row(sql).getString(0);
    }

    private Row row(String sql) {
        return await(connection.preparedQuery(sql).execute(Tuple.tuple()))
                .iterator()
                .next();
    }

    static <T> T await(Future<T> operation) {
        try {
            return operation.toCompletionStage().toCompletableFuture().get(STATEMENT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new PostgresException("The database cannot be backed up: " + cause.getMessage(), cause);
        } catch (TimeoutException e) {
            throw new PostgresException("The database did not respond within " + STATEMENT_SECONDS + " s.", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new PostgresException("The backup was interrupted.", e);
        }
    }

    /** Deletes what an incomplete backup or restore has written. */
    static void clear(Path directory) {
        try {
            for (Path entry : BackupFiles.list(directory)) {
                if (!LOCK_FILES.contains(entry.getFileName().toString())) {
                    DataDirectory.deleteTree(entry);
                }
            }
        } catch (IOException remaining) {
            // the files remain; without the list of checksums they are not a backup
        }
    }

    /** Whether a data directory contains nothing, except locks. */
    static boolean isEmpty(Path dataDir) throws IOException {
        return BackupFiles.list(dataDir).stream()
                .allMatch(entry -> LOCK_FILES.contains(entry.getFileName().toString()));
    }

    private static PostgresException failure(Path directory, IOException e) {
        return new PostgresException("The backup in " + directory + " cannot be written: " + e, e);
    }
}
