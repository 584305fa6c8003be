package dev.plumbline.cluster;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The owner of the permits of each key. A new owner grants nothing during its first second, because the permits of the
 * previous owner count for a second. Thread-safe.
 */
final class PermitOwnership {
    /**
     * The time in which a limit of permits per second applies: a second and a margin, because a connection is opened
     * some milliseconds after its permit was granted on another node.
     */
    static final Duration WINDOW = Duration.ofMillis(1_050);

    private static final long HOLD_NANOS = WINDOW.toNanos();

    /** The owners until the given time. */
    private record Past(Function<String, @Nullable String> owners, long endNanos) {}

    private record State(Function<String, @Nullable String> owners, List<Past> past) {}

    private final String self;
    private final LongSupplier nanoClock;
    private volatile State state = new State(key -> null, List.of());

    PermitOwnership(String self, LongSupplier nanoClock) {
        this.self = self;
        this.nanoClock = nanoClock;
    }

    /** @param owners finds the owner of a key; null if there is none */
    synchronized void change(Function<String, @Nullable String> owners) {
        long now = nanoClock.getAsLong();
        List<Past> past = new ArrayList<>(state.past());
        past.removeIf(ended -> now - ended.endNanos() >= HOLD_NANOS);
        past.add(new Past(state.owners(), now));
        state = new State(owners, List.copyOf(past));
    }

    /** The name of the owner. If no node owns the key, each node limits itself. */
    String owner(String key) {
        String owner = state.owners().apply(key);
        return owner == null ? self : owner;
    }

    boolean isOwn(String key) {
        return self.equals(owner(key));
    }

    /** How long this node must not grant permits of a key that it owns, in milliseconds; 0 if it can. */
    long holdMillis(String key) {
        List<Past> past = state.past();
        long hold = 0;
        for (int i = 0; i < past.size(); i++) {
            Past ended = past.get(i);
            long remaining = ended.endNanos() + HOLD_NANOS - nanoClock.getAsLong();
            if (remaining > hold && !self.equals(ended.owners().apply(key))) {
                hold = remaining;
            }
        }
        return (hold + 999_999) / 1_000_000;
    }
}
