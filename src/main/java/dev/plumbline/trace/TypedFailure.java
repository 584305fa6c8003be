package dev.plumbline.trace;

/** A failure with a code that contains no target. */
public interface TypedFailure {
    /** A code such as {@code connect_timeout}. */
    String errorType();
}
