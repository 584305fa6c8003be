package dev.plumbline.app;

import org.jspecify.annotations.Nullable;

/** The program cannot start. The message is one line for the person who started it. */
public final class StartException extends Exception {
    StartException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
