package dev.plumbline.budget;

/** The node has no memory or CPU time left for a check. The cause is not the target of the check. */
public final class NodeExhaustedException extends Exception {
    /** @param message names what is exhausted, as a sentence */
    public NodeExhaustedException(String message) {
        super(message, null, false, false);
    }
}
