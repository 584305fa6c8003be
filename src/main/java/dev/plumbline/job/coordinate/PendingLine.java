package dev.plumbline.job.coordinate;

import dev.plumbline.bus.Message;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.target.Target;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A line to check. Confined to an event loop. */
final class PendingLine {
    private static final long MAX_WAIT_NANOS = TimeUnit.MINUTES.toNanos(15);
    private static final long MAX_DELAY_MS = 5_000;

    /** Maximum number of attempts that may have contacted the target. */
    private static final int MAX_ATTEMPTS = 3;

    /** Maximum number of repetitions because a node had no memory. */
    private static final int MAX_MEMORY_REFUSALS = 3;

    /** Maximum number of repetitions because a node had no CPU time. */
    private static final int MAX_CPU_REFUSALS = 1;

    private final Chunk chunk;
    private final int index;
    private final Target target;
    private final ResultKey key;
    private @Nullable Long firstRejectionNanos;
    private @Nullable NodeQueue node;
    private @Nullable TargetLimit limit;
    private int rejections;
    private final Map<Message.Refused.Reason, Integer> refusals = new EnumMap<>(Message.Refused.Reason.class);

    PendingLine(Chunk chunk, int index, Target target, ResultKey key) {
        this.chunk = chunk;
        this.index = index;
        this.target = target;
        this.key = key;
    }

    Chunk chunk() {
        return chunk;
    }

    int index() {
        return index;
    }

    Target target() {
        return target;
    }

    ResultKey key() {
        return key;
    }

    void startOn(NodeQueue queue) {
        node = queue;
    }

    /** The queue of the node that runs the line. */
    NodeQueue node() {
        return Objects.requireNonNull(node, "the line was not started");
    }

    /** Sets the limit of a target that rejected the line; null if another reason did. */
    void rejectBy(@Nullable TargetLimit reached) {
        limit = reached;
    }

    /** The limit of a target that rejected the line; null if none did. */
    @Nullable
    TargetLimit limit() {
        return limit;
    }

    /** The host of the target, the key of the limit per host. */
    String host() {
        return target instanceof Target.Email ? target.text() : target.host().name();
    }

    /**
     * The delay before a retry in milliseconds, with exponential backoff. Random, because the lines of several hosts on
     * one address are rejected at the same time.
     *
     * @param retryAfterSeconds minimum delay
     */
    long retryDelayMs(int retryAfterSeconds) {
        rejections++;
        long minimum = Math.min(retryAfterSeconds * 1_000L, MAX_DELAY_MS);
        long backoff = Math.min(250L << Math.min(rejections, 6), MAX_DELAY_MS);
        return Math.max(minimum, ThreadLocalRandom.current().nextLong(backoff / 2, backoff + 1));
    }

    /** Counts a check that its node could not complete. Returns whether the line is checked again. */
    boolean countRefusal(Message.Refused.Reason reason) {
        int max = reason == Message.Refused.Reason.MEMORY ? MAX_MEMORY_REFUSALS : MAX_CPU_REFUSALS;
        return refusals.merge(reason, 1, Integer::sum) <= max;
    }

    /** Counts an attempt that may contact the target. */
    void startAttempt() {
        chunk.addAttempt(index);
    }

    /** Does not count the current attempt, because the target was not contacted or the service is overloaded. */
    void cancelAttempt() {
        chunk.removeAttempt(index);
    }

    /** Whether the current attempt is the first one in all claims. After a crash, this is unknown, so it is not. */
    boolean firstAttempt() {
        return !chunk.crashed() && chunk.attempts(index) == 1;
    }

    boolean attemptsExhausted() {
        return chunk.attempts(index) >= MAX_ATTEMPTS;
    }

    /** Whether the line runs alone. */
    boolean isSuspect() {
        return chunk.isSuspect(index);
    }

    /** Counts a rejection. Returns whether the first one was more than 15 minutes ago. */
    boolean expiresAtRejection() {
        long now = System.nanoTime();
        if (firstRejectionNanos == null) {
            firstRejectionNanos = now;
        }
        return now - firstRejectionNanos > MAX_WAIT_NANOS;
    }
}
