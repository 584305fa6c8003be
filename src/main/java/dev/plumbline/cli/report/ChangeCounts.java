package dev.plumbline.cli.report;

import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineChange.Kind;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** The number of changes of each kind. Not thread-safe. */
public final class ChangeCounts {
    private final Map<Kind, Long> counts = new EnumMap<>(Kind.class);
    private long incomparable;

    public ChangeCounts() {
        for (Kind kind : Kind.values()) {
            counts.put(kind, 0L);
        }
    }

    public void add(LineChange change) {
        counts.merge(change.kind(), 1L, Long::sum);
        incomparable += change.comparable() ? 0 : 1;
    }

    public long of(Kind kind) {
        return counts.getOrDefault(kind, 0L);
    }

    /** The number of targets that could not be compared. */
    public long incomparable() {
        return incomparable;
    }

    Map<String, Long> toMap() {
        Map<String, Long> byId = new LinkedHashMap<>();
        counts.forEach((kind, count) -> byId.put(kind.id(), count));
        return byId;
    }

    /** For example {@code 0 new, 0 gone, 2 worse, 1 better, 3 changed, 494 unchanged}. */
    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(count -> String.format(
                        Locale.ROOT, "%,d %s", count.getValue(), count.getKey().id()))
                .collect(Collectors.joining(", "));
    }
}
