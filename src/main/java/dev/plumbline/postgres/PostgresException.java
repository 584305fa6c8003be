package dev.plumbline.postgres;

import org.jspecify.annotations.Nullable;

/** The database cannot be prepared. The message is one sentence for the operator. */
public final class PostgresException extends RuntimeException {
    public PostgresException(String message) {
        this(message, null);
    }

    public PostgresException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
