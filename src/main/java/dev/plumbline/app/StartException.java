package dev.plumbline.app;

import org.jspecify.annotations.Nullable;

/** The service cannot start. The message is one line for the operator. */
public final class StartException extends Exception {
    StartException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
