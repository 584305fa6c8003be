package dev.plumbline.check;

import dev.plumbline.result.TargetLimit;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The check was not run because a concurrency or rate limit was reached. The caller can retry. */
public final class OverloadFailure extends Exception {
    private final transient Duration retryAfter;
    private final boolean ofNode;
    private final transient TargetLimit.@Nullable Type type;
    private final transient @Nullable TargetLimit limit;

    /**
     * The rate or concurrency limit of a target was reached.
     *
     * @param retryAfter the delay before a retry, at least one second
     */
    public OverloadFailure(String message, Duration retryAfter) {
        this(message, retryAfter, false, null, null);
    }

    /** As {@link #OverloadFailure(String, Duration)}, with the type of the limit; null if it is not known. */
    public OverloadFailure(String message, Duration retryAfter, TargetLimit.@Nullable Type type) {
        this(message, retryAfter, false, type, null);
    }

    private OverloadFailure(
            String message,
            Duration retryAfter,
            boolean ofNode,
            TargetLimit.@Nullable Type type,
            @Nullable TargetLimit limit) {
        super(message, null, false, false);
        this.retryAfter = retryAfter;
        this.ofNode = ofNode;
        this.type = type;
        this.limit = limit;
    }

    /** Returns this failure with the limit that was reached. */
    public OverloadFailure by(TargetLimit reached) {
        return new OverloadFailure(
                "The limit of " + reached + " would delay the check too long.", retryAfter, ofNode, type, reached);
    }

    /** A limit of this node was reached, whatever the target: memory, CPU time or the queue of a resolver. */
    public static OverloadFailure ofNode(String message, Duration retryAfter) {
        return new OverloadFailure(message, retryAfter, true, null, null);
    }

    public Duration retryAfter() {
        return retryAfter;
    }

    /** The type of the limit; null if it is not known. */
    public TargetLimit.@Nullable Type type() {
        return type;
    }

    /** The limit that was reached; null if it is not known or is a limit of this node. */
    public @Nullable TargetLimit limit() {
        return limit;
    }

    public boolean ofNode() {
        return ofNode;
    }
}
