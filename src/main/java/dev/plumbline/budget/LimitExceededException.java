package dev.plumbline.budget;

/** A check exceeded its own limit of memory or CPU time. The cause is the response of its target. */
public final class LimitExceededException extends Exception {
    /** @param message names the limit and its cause, as a sentence */
    public LimitExceededException(String message) {
        super(message, null, false, false);
    }
}
