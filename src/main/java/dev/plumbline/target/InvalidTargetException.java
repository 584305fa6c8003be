package dev.plumbline.target;

/** The text is not a valid target. The message is a sentence for the user. */
public final class InvalidTargetException extends Exception {
    public InvalidTargetException(String message) {
        super(message, null, false, false);
    }
}
