package dev.plumbline.postgres.backup;

import dev.plumbline.postgres.PostgresException;
import dev.plumbline.postgres.embedded.DataDirectory;
import dev.plumbline.postgres.embedded.EmbeddedPostgres;
import dev.plumbline.postgres.embedded.LockFile;
import dev.plumbline.postgres.embedded.PostgresCluster;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The embedded database for a command: that of the running service, or one that is started for the command. It is used
 * directly, because a management socket would have to be protected as well. A file lock serializes commands, except
 * during the use of the database of a running service. All methods block.
 */
public final class CommandDatabase implements AutoCloseable {
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 100;

    private final Path dir;
    private final LockFile lock;
    private final String url;
    private final @Nullable EmbeddedPostgres started;

    private CommandDatabase(Path dir, LockFile lock, String url, @Nullable EmbeddedPostgres started) {
        this.dir = dir;
        this.lock = lock;
        this.url = url;
        this.started = started;
    }

    /**
     * @param create whether a database is created if there is none
     * @throws PostgresException if no database is available
     */
    public static CommandDatabase of(Path dataDir, boolean create) {
        Path dir = dataDir.toAbsolutePath().normalize();
        if (!create && !PostgresCluster.existsIn(dir)) {
            throw new PostgresException("The directory " + dir
                    + " does not contain a database. Start the service once, or set the data directory with --conf or"
                    + " PLUMBLINE_DATA_DIR.");
        }
        LockFile lock = LockFile.open(dir, "command-lock");
        try {
            poll(
                    () -> lock.tryLock() ? Optional.of(lock) : Optional.empty(),
                    "Another command has used " + dir + " for more than " + TIMEOUT.toSeconds() + " seconds.");
            CommandDatabase database = connect(dir, lock);
            if (database.started == null) {
                // no other command holds the lock, so the database belongs to a service and does not stop with a
                // command
                lock.close();
            }
            return database;
        } catch (RuntimeException failure) {
            lock.close();
            throw failure;
        }
    }

    private static CommandDatabase connect(Path dir, LockFile lock) {
        // the service may be starting or stopping
        return poll(
                () -> {
                    DataDirectory directory = DataDirectory.tryLock(dir);
                    if (directory != null) {
                        EmbeddedPostgres started = EmbeddedPostgres.start(directory);
                        return Optional.of(new CommandDatabase(dir, lock, started.url(), started));
                    }
                    return PostgresCluster.urlOfRunning(dir).map(url -> new CommandDatabase(dir, lock, url, null));
                },
                "The data directory " + dir + " is in use, but its database does not accept connections.");
    }

    private static <T> T poll(Supplier<Optional<T>> attempt, String message) {
        long deadline = System.nanoTime() + TIMEOUT.toNanos();
        while (true) {
            Optional<T> result = attempt.get();
            if (result.isPresent()) {
                return result.get();
            }
            if (System.nanoTime() - deadline > 0) {
                throw new PostgresException(message);
            }
            try {
                Thread.sleep(POLL_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new PostgresException(message, e);
            }
        }
    }

    /** The connection URL with password. */
    public String url() {
        return url;
    }

    /**
     * The connection URL of the superuser, with password.
     *
     * @throws PostgresException if the database does not accept connections
     */
    String superuserUrl() {
        return PostgresCluster.superuserUrlOfRunning(dir)
                .orElseThrow(() -> new PostgresException("The database in " + dir + " does not accept connections."));
    }

    /** Stops the database if this command started it. */
    @Override
    public void close() {
        if (started != null) {
            started.stop();
        }
        lock.close();
    }
}
