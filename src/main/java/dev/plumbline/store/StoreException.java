package dev.plumbline.store;

import org.jspecify.annotations.Nullable;

/** The database cannot be prepared. The message is one sentence for the operator. */
public final class StoreException extends RuntimeException {
    public StoreException(String message) {
        this(message, null);
    }

    public StoreException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
