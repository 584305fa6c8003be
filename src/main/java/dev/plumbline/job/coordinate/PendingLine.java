package dev.plumbline.job.coordinate;

import dev.plumbline.check.Target;
import dev.plumbline.result.ResultKey;
import java.util.concurrent.TimeUnit;

/** A line that has to be checked. Used on one event loop. */
final class PendingLine {
    private static final long MOST_WAIT_NANOS = TimeUnit.MINUTES.toNanos(15);
    private static final long LONGEST_PAUSE_MS = 10_000;

    private final Chunk chunk;
    private final int index;
    private final Target target;
    private final ResultKey key;
    private final long sinceNanos = System.nanoTime();
    private int refusals;

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

    /** Lines with the same host share the pace at which it is contacted. */
    String host() {
        if (target instanceof Target.Url url) {
            return url.host().name();
        }
        if (target instanceof Target.AnyHost any) {
            return any.host().name();
        }
        if (target instanceof Target.HostPort pair) {
            return pair.host().name();
        }
        return target.text();
    }

    /**
     * There was no room for it: how long until it is worth another try, in milliseconds. Grows, so
     * that a crowd at one address does not spend its time asking.
     *
     * @param askedSeconds what the refusal said
     */
    long pauseMs(int askedSeconds) {
        refusals++;
        long pause = Math.max(askedSeconds * 1_000L, 250L << Math.min(refusals, 6));
        return Math.min(pause, LONGEST_PAUSE_MS);
    }

    /** Whether it has been put off for so long that it had better say so. */
    boolean waitedTooLong() {
        return System.nanoTime() - sinceNanos > MOST_WAIT_NANOS;
    }
}
