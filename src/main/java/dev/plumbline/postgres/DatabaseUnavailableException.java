package dev.plumbline.postgres;

/**
 * The database is unavailable or, see {@link DatabaseOverloadedException}, overloaded; the outcome of the operation is
 * unknown. No stack trace, because an outage causes thousands of them.
 */
public class DatabaseUnavailableException extends RuntimeException {
    public DatabaseUnavailableException(String message) {
        super(message, null, false, false);
    }
}
