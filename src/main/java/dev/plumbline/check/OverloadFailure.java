package dev.plumbline.check;

import java.time.Duration;

/** The check was not run because a concurrency or rate limit was reached. The caller can retry. */
public final class OverloadFailure extends Exception {
    private final transient Duration retryAfter;
    private final boolean ofNode;

    /**
     * The rate or concurrency limit of a target was reached.
     *
     * @param retryAfter the delay before a retry, at least one second
     */
    public OverloadFailure(String message, Duration retryAfter) {
        this(message, retryAfter, false);
    }

    private OverloadFailure(String message, Duration retryAfter, boolean ofNode) {
        super(message, null, false, false);
        this.retryAfter = retryAfter;
        this.ofNode = ofNode;
    }

    /** A limit of this node was reached, whatever the target: memory, CPU time or the queue of a resolver. */
    public static OverloadFailure ofNode(String message, Duration retryAfter) {
        return new OverloadFailure(message, retryAfter, true);
    }

    public Duration retryAfter() {
        return retryAfter;
    }

    public boolean ofNode() {
        return ofNode;
    }
}
