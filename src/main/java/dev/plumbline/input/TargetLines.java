package dev.plumbline.input;

import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Targets in input order, without empty ones.
 *
 * @param lines the first lines, stripped
 * @param total the number of all lines
 * @param empty the number of records whose selected cell is empty or missing
 */
public record TargetLines(List<Line> lines, int total, int empty) {

    /** @param number the line number in the source, from 1 */
    public record Line(int number, String text) {}

    static final class Builder {
        private final int max;
        private final List<Line> lines = new ArrayList<>();
        private int total;
        private int empty;

        Builder(int max) {
            this.max = max;
        }

        void add(Line line) {
            if (line.text.isEmpty()) {
                empty++;
                return;
            }
            total++;
            if (lines.size() < max) {
                lines.add(line);
            }
        }

        TargetLines build() {
            return new TargetLines(List.copyOf(lines), total, empty);
        }
    }

    public List<String> texts() {
        return lines.stream().map(Line::text).toList();
    }

    /**
     * The lines by what a job does with them.
     *
     * @param valid lines with a target that differs from all earlier ones
     * @param invalid lines that end with {@code invalid_target}
     * @param duplicates valid lines with the target of an earlier line; they share its result
     * @param firstInvalid the first invalid lines
     */
    public record Counts(int valid, int invalid, int duplicates, List<InvalidLine> firstInvalid) {
        /** For example "301 valid, 1 invalid, 3 duplicates". */
        public String summary() {
            return String.format(
                    Locale.ROOT,
                    "%,d valid, %,d invalid, %,d %s",
                    valid,
                    invalid,
                    duplicates,
                    duplicates == 1 ? "duplicate" : "duplicates");
        }
    }

    /** @param reason why the line is not a valid target, as a sentence */
    public record InvalidLine(Line line, String reason) {}

    /**
     * Counts the returned lines.
     *
     * @param maxInvalid the maximum number of invalid lines that are returned
     */
    public Counts counts(ModuleDescription module, int maxInvalid) {
        TargetCounter counter = new TargetCounter(module, maxInvalid);
        lines.forEach(counter::add);
        return counter.counts();
    }
}
