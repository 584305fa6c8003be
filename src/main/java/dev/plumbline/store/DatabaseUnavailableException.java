package dev.plumbline.store;

/**
 * The database is away, too slow or overrun: nothing is known about what was asked. It carries no
 * stack trace, since an outage causes thousands of them.
 */
public final class DatabaseUnavailableException extends RuntimeException {
    public DatabaseUnavailableException(String message) {
        super(message, null, false, false);
    }
}
