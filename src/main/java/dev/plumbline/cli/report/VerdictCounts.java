package dev.plumbline.cli.report;

import dev.plumbline.result.Verdict;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** The number of results by verdict. Not thread-safe. */
public final class VerdictCounts {
    private final Map<Verdict, Long> counts = new EnumMap<>(Verdict.class);
    private long refused;

    public VerdictCounts() {
        for (Verdict verdict : Verdict.values()) {
            counts.put(verdict, 0L);
        }
    }

    /** Creates the counts that a service has reported. */
    public static VerdictCounts of(ToLongFunction<Verdict> reported) {
        VerdictCounts counts = new VerdictCounts();
        counts.counts.replaceAll((verdict, zero) -> reported.applyAsLong(verdict));
        return counts;
    }

    public void add(CheckedLine line) {
        counts.merge(line.result().verdict(), 1L, Long::sum);
        refused += line.refused() ? 1 : 0;
    }

    public long of(Verdict verdict) {
        return counts.getOrDefault(verdict, 0L);
    }

    public long total() {
        return counts.values().stream().mapToLong(Long::longValue).sum();
    }

    /** The number of targets that were not checked, because they are not valid or not allowed. */
    public long refused() {
        return refused;
    }

    /** The most severe verdict; {@code pass} without results. */
    public Verdict worst() {
        Verdict worst = Verdict.PASS;
        for (Map.Entry<Verdict, Long> count : counts.entrySet()) {
            worst = count.getValue() > 0 ? count.getKey() : worst;
        }
        return worst;
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
