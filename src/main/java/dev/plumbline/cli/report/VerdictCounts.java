package dev.plumbline.cli.report;

import dev.plumbline.portfolio.EnumCounts;
import dev.plumbline.result.Verdict;
import java.util.Map;
import java.util.function.ToLongFunction;

/** The number of results by verdict. Not thread-safe. */
public final class VerdictCounts {
    private final EnumCounts<Verdict> counts = new EnumCounts<>(Verdict.class);
    private long refused;

    /** Creates the counts that a service has reported. */
    public static VerdictCounts of(ToLongFunction<Verdict> reported) {
        VerdictCounts counts = new VerdictCounts();
        for (Verdict verdict : Verdict.values()) {
            counts.counts.add(verdict, reported.applyAsLong(verdict));
        }
        return counts;
    }

    public void add(CheckedLine line) {
        counts.add(line.result().verdict(), 1);
        refused += line.refused() ? 1 : 0;
    }

    public long of(Verdict verdict) {
        return counts.of(verdict);
    }

    public long total() {
        return counts.all().values().stream().mapToLong(Long::longValue).sum();
    }

    /** The number of targets that were not checked, because they are not valid or not allowed. */
    public long refused() {
        return refused;
    }

    /** The most severe verdict; {@code pass} without results. */
    public Verdict worst() {
        Verdict worst = Verdict.PASS;
        for (Map.Entry<Verdict, Long> count : counts.all().entrySet()) {
            worst = count.getValue() > 0 ? count.getKey() : worst;
        }
        return worst;
    }

    /** For example {@code 9 pass, 0 warn, 1 fail, 0 error}. */
    @Override
    public String toString() {
        return counts.toString();
    }
}
