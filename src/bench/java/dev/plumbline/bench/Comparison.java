package dev.plumbline.bench;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Measures two sides alternately (A B A B), after a warm-up of each. */
final class Comparison {
    private final List<Wrk.Load> ours = new ArrayList<>();
    private final List<Wrk.Load> theirs = new ArrayList<>();

    private Comparison() {}

    /** Generates load on a server. */
    interface Work {
        Wrk.Load load(Duration duration) throws IOException, InterruptedException;
    }

    /** A server and its load. */
    record Side(ChildProcess process, Work work) {
        private Wrk.Load load(Duration duration) throws IOException, InterruptedException {
            return work.load(duration);
        }

        private void warmUp(BenchOptions options) throws IOException, InterruptedException {
            Warmup warmup = new Warmup(process, options);
            do {
                load(options.round());
            } while (!warmup.isOver());
        }
    }

    static Comparison measure(String what, BenchOptions options, Side ours, Side theirs)
            throws IOException, InterruptedException {
        Comparison pair = new Comparison();
        ours.warmUp(options);
        theirs.warmUp(options);
        for (int round = 1; round <= options.rounds(); round++) {
            Wrk.Load a = ours.load(options.round());
            Wrk.Load b = theirs.load(options.round());
            pair.ours.add(a);
            pair.theirs.add(b);
            System.out.printf(
                    Locale.ROOT,
                    "  %s, round %d: %,.0f/s and %,.0f/s, ratio %.2f; errors %d and %d%n",
                    what,
                    round,
                    a.rate(),
                    b.rate(),
                    a.rate() / b.rate(),
                    a.errors(),
                    b.errors());
        }
        return pair;
    }

    /** The line of the table. */
    BulkLine line(String what, double goal, String note) {
        List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ours.size(); i++) {
            ratios.add(ours.get(i).rate() / theirs.get(i).rate());
        }
        Distribution ratio = Distribution.of(ratios);
        return new BulkLine(
                what,
                ratio.text(2),
                side(ours),
                side(theirs),
                BulkLine.atLeast(goal, ratio.median()),
                errors("Plumbline", ours) + "; " + errors("reference", theirs) + (note.isEmpty() ? "" : "; " + note));
    }

    private static String side(List<Wrk.Load> loads) {
        return String.format(
                Locale.ROOT,
                "%s/s, p99 %.1f ms, %.0f µs CPU",
                spread(loads, Wrk.Load::rate).text(0),
                spread(loads, Wrk.Load::p99Millis).median(),
                spread(loads, Wrk.Load::cpuMicros).median());
    }

    private static Distribution spread(List<Wrk.Load> loads, ToDoubleFunction<Wrk.Load> figure) {
        return Distribution.of(loads.stream().mapToDouble(figure).boxed().toList());
    }

    private static String errors(String whose, List<Wrk.Load> loads) {
        long errors = loads.stream().mapToLong(Wrk.Load::errors).sum();
        long requests = loads.stream().mapToLong(Wrk.Load::requests).sum();
        String example = loads.stream()
                .map(Wrk.Load::example)
                .filter(text -> !text.isEmpty())
                .findFirst()
                .orElse("");
        return String.format(Locale.ROOT, "%s %,d errors of %,d", whose, errors, requests)
                + (example.isEmpty() ? "" : " (the first: " + example + ")");
    }
}
