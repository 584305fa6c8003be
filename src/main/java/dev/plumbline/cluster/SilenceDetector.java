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

    /** The time of the last message of each run node; the first time at which it was seen counts as well. */
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
        Long before = heard.put(name, now);
        return before != null && now - before > SILENCE_NANOS;
    }

    /**
     * Returns the silent nodes among the run nodes, or none if all are silent. To be called every few seconds, because
     * a pause of this process is not a silence of others.
     */
    List<String> silent(List<String> running) {
        long now = nanoClock.getAsLong();
        if (now - checkedNanos > SILENCE_NANOS / 2) {
            heard.replaceAll((name, time) -> now);
        }
        checkedNanos = now;
        heard.keySet().retainAll(running);
        List<String> silent = running.stream()
                .filter(name -> now - heard.computeIfAbsent(name, first -> now) > SILENCE_NANOS && !name.equals(self))
                .toList();
        return silent.size() == running.size() ? List.of() : silent;
    }
}
