package dev.plumbline.postgres.embedded;

import dev.plumbline.postgres.PostgresException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;

/** A file in the data directory whose lock is held by one process at a time, until it ends or closes the file. */
public record LockFile(Path dir, FileChannel channel) implements AutoCloseable {
    /**
     * Opens the file; creates it and its directory if they are missing.
     *
     * @throws PostgresException if the directory is not writable
     */
    public static LockFile open(Path dir, String name) {
        try {
            DataDirectory.createDirectory(dir);
            return new LockFile(dir, DataDirectory.openFile(dir.resolve(name)));
        } catch (IOException e) {
            throw DataDirectory.unwritable(dir, e);
        }
    }

    /** Acquires the lock. Returns false if it is held by another process or by this one. */
    public boolean tryLock() {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException heldByThisProcess) {
            return false;
        } catch (IOException e) {
            throw DataDirectory.unwritable(dir, e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException ignored) {
            // the lock ends with the process
        }
    }
}
