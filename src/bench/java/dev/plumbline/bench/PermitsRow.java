package dev.plumbline.bench;

import dev.plumbline.cluster.PermitBench;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Permits of rate limits that another node owns, compared with those of the own node. */
final class PermitsRow implements Row {
    private static final int[] CALLERS = {1, 16, 256};

    @Override
    public String id() {
        return "permits";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws InterruptedException {
        List<BulkLine> lines = new ArrayList<>();
        try (PermitBench bench = new PermitBench()) {
            for (int callers : CALLERS) {
                bench.measure(false, callers, stage.options().warmup());
                bench.measure(true, callers, stage.options().round());
                lines.add(measure(stage, bench, callers));
            }
        }
        return lines;
    }

    private static BulkLine measure(BenchStage stage, PermitBench bench, int callers) throws InterruptedException {
        List<Double> ratios = new ArrayList<>();
        List<PermitBench.Measurement> others = new ArrayList<>();
        List<PermitBench.Measurement> own = new ArrayList<>();
        for (int round = 1; round <= stage.options().rounds(); round++) {
            PermitBench.Measurement remote =
                    bench.measure(false, callers, stage.options().round());
            PermitBench.Measurement local =
                    bench.measure(true, callers, stage.options().round());
            others.add(remote);
            own.add(local);
            ratios.add(remote.perSecond() / local.perSecond());
            System.out.printf(
                    Locale.ROOT,
                    "  permits, %d callers, round %d: %,.0f/s and %,.0f/s%n",
                    callers,
                    round,
                    remote.perSecond(),
                    local.perSecond());
        }
        return new BulkLine(
                "Permits of another node ÷ own permits, %d callers".formatted(callers),
                Distribution.of(ratios).text(3),
                text(others),
                text(own),
                "",
                "two nodes in one process; CPU time of both; %d failures"
                        .formatted(others.stream()
                                .mapToLong(PermitBench.Measurement::failures)
                                .sum()));
    }

    private static String text(List<PermitBench.Measurement> rounds) {
        return "%s/s, %s µs CPU"
                .formatted(
                        Distribution.of(rounds.stream()
                                        .map(PermitBench.Measurement::perSecond)
                                        .toList())
                                .text(0),
                        Distribution.of(rounds.stream()
                                        .map(PermitBench.Measurement::cpuMicros)
                                        .toList())
                                .text(1));
    }
}
