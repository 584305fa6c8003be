package dev.plumbline.store;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The embedded database for a command: that of the service that is running, or else one that is
 * started for the moment. Commands come one after the other, so that none stops the database of
 * another. All methods block.
 */
public final class CommandDatabase implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final long LOOK_MILLIS = 100;

    private final FileChannel turn;
    private final String url;
    private final @Nullable EmbeddedPostgres own;

    private CommandDatabase(FileChannel turn, String url, @Nullable EmbeddedPostgres own) {
        this.turn = turn;
        this.url = url;
        this.own = own;
    }

    /**
     * @param mayMake whether a database may be made where there is none yet
     * @throws StoreException if there is none to be had, with a sentence that says why
     */
    public static CommandDatabase of(Path dataDir, boolean mayMake) {
        Path dir = dataDir.toAbsolutePath().normalize();
        if (!mayMake && !PostgresCluster.existsIn(dir)) {
            throw new StoreException("There is no database in "
                    + dir
                    + " yet: start the service once, or say with --conf or PLUMBLINE_DATA_DIR where it"
                    + " is.");
        }
        FileChannel turn = turn(dir);
        try {
            return lend(dir, turn);
        } catch (RuntimeException failed) {
            close(turn);
            throw failed;
        }
    }

    private static CommandDatabase lend(Path dir, FileChannel turn) {
        // a service that is just starting or stopping is worth a wait
        return waiting(
                () -> {
                    DataDirectory free = DataDirectory.takeIfFree(dir);
                    if (free != null) {
                        EmbeddedPostgres own = EmbeddedPostgres.start(free);
                        return Optional.of(new CommandDatabase(turn, own.url(), own));
                    }
                    return PostgresCluster.urlOfRunning(dir).map(url -> new CommandDatabase(turn, url, null));
                },
                "The data directory " + dir + " is in use, but its database takes no connections.");
    }

    private static FileChannel turn(Path dir) {
        FileChannel channel;
        try {
            DataDirectory.folder(dir);
            Path file = dir.resolve("command-lock");
            if (Files.notExists(file)) {
                DataDirectory.createFile(file);
            }
            channel = FileChannel.open(file, StandardOpenOption.WRITE);
        } catch (IOException e) {
            throw DataDirectory.unwritable(dir, e);
        }
        try {
            return waiting(
                    () -> isMine(channel) ? Optional.of(channel) : Optional.empty(),
                    "Another command has been at work in " + dir + " for too long.");
        } catch (StoreException never) {
            close(channel);
            throw never;
        }
    }

    private static boolean isMine(FileChannel channel) {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        } catch (IOException e) {
            throw new StoreException("The turn of a command could not be taken: " + e.getMessage(), e);
        }
    }

    private static <T> T waiting(Supplier<Optional<T>> attempt, String complaint) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            Optional<T> got = attempt.get();
            if (got.isPresent()) {
                return got.get();
            }
            if (System.nanoTime() - end > 0) {
                throw new StoreException(complaint);
            }
            try {
                Thread.sleep(LOOK_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new StoreException(complaint, e);
            }
        }
    }

    /** Where it is, password included. */
    public String url() {
        return url;
    }

    /** Stops what was started for the moment. */
    @Override
    public void close() {
        if (own != null) {
            own.stop();
        }
        close(turn);
    }

    private static void close(FileChannel turn) {
        try {
            turn.close();
        } catch (IOException ignored) {
            // the lock goes with the process at the latest
        }
    }
}
