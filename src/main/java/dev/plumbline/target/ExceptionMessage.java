package dev.plumbline.target;

/** The messages of exceptions for users. */
public final class ExceptionMessage {
    private ExceptionMessage() {}

    /** The message; the name of the class if it does not have one. */
    public static String of(Throwable cause) {
        String message = cause.getMessage();
        return message == null ? cause.getClass().getSimpleName() : message;
    }
}
