package dev.plumbline.portfolio;

import dev.plumbline.target.LowerCaseId;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** A number for each constant of an enum, from 0. Not thread-safe. */
public final class EnumCounts<E extends Enum<E> & LowerCaseId> {
    private final Map<E, Long> counts;

    public EnumCounts(Class<E> type) {
        counts = new EnumMap<>(type);
        for (E constant : type.getEnumConstants()) {
            counts.put(constant, 0L);
        }
    }

    public void add(E constant, long number) {
        counts.merge(constant, number, Long::sum);
    }

    public long of(E constant) {
        return counts.getOrDefault(constant, 0L);
    }

    /** The numbers in the order of the constants; changes with this. */
    public Map<E, Long> all() {
        return counts;
    }

    /** For example {@code 9 pass, 0 warn, 1 fail, 0 error}. */
    @Override
    public String toString() {
        return counts.entrySet().stream()
                .map(count -> String.format(
                        Locale.ROOT, "%,d %s", count.getValue(), count.getKey().id()))
                .collect(Collectors.joining(", "));
    }
}
