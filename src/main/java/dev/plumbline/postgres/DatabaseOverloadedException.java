package dev.plumbline.postgres;

/** The database responds, but the operation timed out or waited too long for a connection or in a queue. */
public final class DatabaseOverloadedException extends DatabaseUnavailableException {
    public DatabaseOverloadedException(String message) {
        super(message);
    }

    /** A queue of requests to the database is full. */
    public static DatabaseOverloadedException queueFull() {
        return new DatabaseOverloadedException("The database queue is full.");
    }
}
