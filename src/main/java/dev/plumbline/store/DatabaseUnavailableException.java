package dev.plumbline.store;

/**
 * The database is unavailable, too slow or overloaded; the outcome of the operation is unknown. No stack trace, because
 * an outage causes thousands of them.
 */
public final class DatabaseUnavailableException extends RuntimeException {
    public DatabaseUnavailableException(String message) {
        super(message, null, false, false);
    }
}
