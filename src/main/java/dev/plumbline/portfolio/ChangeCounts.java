package dev.plumbline.portfolio;

import dev.plumbline.portfolio.LineChange.Kind;
import java.util.LinkedHashMap;
import java.util.Map;

/** The number of changes of each kind. Not thread-safe. */
public final class ChangeCounts {
    private final EnumCounts<Kind> counts = new EnumCounts<>(Kind.class);
    private long incomparable;

    public void add(LineChange change) {
        counts.add(change.kind(), 1);
        incomparable += change.comparable() ? 0 : 1;
    }

    public long of(Kind kind) {
        return counts.of(kind);
    }

    /** The number of targets that could not be compared. */
    public long incomparable() {
        return incomparable;
    }

    /** The counts by the IDs of the kinds, in order. */
    public Map<String, Long> toMap() {
        Map<String, Long> byId = new LinkedHashMap<>();
        counts.all().forEach((kind, count) -> byId.put(kind.id(), count));
        return byId;
    }

    /** For example {@code 0 new, 0 gone, 2 worse, 1 better, 3 changed, 494 unchanged}. */
    @Override
    public String toString() {
        return counts.toString();
    }
}
