package dev.plumbline.check;

/** The text is no target of the wanted type. The message says why, in a sentence for a person. */
public final class InvalidTargetException extends Exception {
    public InvalidTargetException(String message) {
        super(message, null, false, false);
    }
}
