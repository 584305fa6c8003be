package dev.plumbline.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/**
 * Detects run nodes that are members, but whose messages do not arrive: their process is stopped, or only the event bus
 * cannot be reached. Confined to a context.
 */
final class SilenceDetector {
    /** Run nodes send a message every two seconds. */
    private static final long SILENCE_NANOS = TimeUnit.SECONDS.toNanos(7);

    private final String self;
    private final LongSupplier nanoClock;

    /** The time of the last message of each node. A node that has not sent one yet has not deployed its runners. */
    private final Map<String, Long> heard = new HashMap<>();

    private long checkedNanos;

    /**
     * @param self the name of this node, which is never silent
     * @param nanoClock as {@link System#nanoTime}
     */
    SilenceDetector(String self, LongSupplier nanoClock) {
        this.self = self;
        this.nanoClock = nanoClock;
        this.checkedNanos = nanoClock.getAsLong();
    }

    /** Uses a message of a node; returns whether the node was silent. */
    boolean hear(String name) {
        long now = nanoClock.getAsLong();
        boolean silent = isSilent(name, now);
        heard.put(name, now);
        return silent;
    }

    private boolean isSilent(String name, long now) {
        Long last = heard.get(name);
        return last == null || now - last > SILENCE_NANOS;
    }

    /**
     * Returns the silent nodes among the run nodes. To be called every few seconds, because a pause of this process is
     * not a silence of others.
     */
    List<String> silent(List<String> running) {
        long now = nanoClock.getAsLong();
        if (now - checkedNanos > SILENCE_NANOS / 2) {
            heard.replaceAll((name, time) -> now);
        }
        checkedNanos = now;
        heard.values().removeIf(last -> now - last > SILENCE_NANOS);
        return running.stream()
                .filter(name -> !name.equals(self) && isSilent(name, now))
                .toList();
    }
}
