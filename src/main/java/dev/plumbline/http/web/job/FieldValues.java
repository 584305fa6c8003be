package dev.plumbline.http.web.job;

import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.report.FieldValueView;
import dev.plumbline.portfolio.PortfolioSummary.FieldSummary;
import dev.plumbline.portfolio.PortfolioSummary.FrequentValue;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The values of a field in the results of a job.
 *
 * @param statistics of numbers, unless there are only a few different ones; empty for other fields
 * @param values the most frequent values; of many, only those that occur more than once; empty if there are statistics
 * @param note the number of different values and of lines without a value; empty if there is nothing to state
 */
public record FieldValues(String title, List<Statistic> statistics, List<ValueCount> values, String note) {
    private static final int MAX_EXPANDED = 5;

    /** @param label for example {@code Median} */
    public record Statistic(String label, DisplayValue value) {}

    /** A value, and the number of lines that have it. */
    public record ValueCount(DisplayValue value, long count) {}

    /** Returns null for a field without values that can be summarized. */
    static @Nullable FieldValues of(FieldDescription field, FieldSummary summary) {
        List<Statistic> statistics = statistics(field, summary);
        // numbers with many values rarely repeat
        List<ValueCount> values = statistics.isEmpty() ? values(field, summary) : List.of();
        boolean summarized = !statistics.isEmpty()
                || !values.isEmpty()
                || Objects.requireNonNullElse(summary.distinctCount(), 0) > 0;
        return summarized ? new FieldValues(field.title(), statistics, values, note(summary)) : null;
    }

    private static List<Statistic> statistics(FieldDescription field, FieldSummary summary) {
        List<Statistic> statistics = new ArrayList<>();
        Integer distinct = summary.distinctCount();
        // a few different numbers, for example status codes, are listed
        if (summary.min() != null && distinct != null && distinct > MAX_EXPANDED) {
            add(statistics, "Minimum", field, summary.min());
            add(statistics, "Median", field, summary.median());
            add(statistics, "90th percentile", field, summary.p90());
            add(statistics, "Maximum", field, summary.max());
        }
        return statistics;
    }

    private static void add(List<Statistic> statistics, String label, FieldDescription field, @Nullable Double value) {
        if (value != null) {
            double rounded = Math.round(value * 100) / 100.0;
            statistics.add(new Statistic(label, DisplayFormat.number(field.name(), field.description(), rounded)));
        }
    }

    private static List<ValueCount> values(FieldDescription field, FieldSummary summary) {
        List<ValueCount> values = new ArrayList<>();
        if (summary.trueCount() != null && summary.falseCount() != null) {
            values.add(new ValueCount(new DisplayValue.Flag(true), summary.trueCount()));
            values.add(new ValueCount(new DisplayValue.Flag(false), summary.falseCount()));
            values.removeIf(value -> value.count == 0);
            return values;
        }
        List<FrequentValue> frequent = Objects.requireNonNullElse(summary.values(), List.of());
        for (FrequentValue value : frequent) {
            // values that occur once are listed only if there are few
            if (frequent.size() <= MAX_EXPANDED || value.count() > 1) {
                values.add(new ValueCount(display(field, value.value()), value.count()));
            }
        }
        return values;
    }

    private static DisplayValue display(FieldDescription field, String value) {
        if (value.isEmpty()) {
            return new DisplayValue.PlainText(DisplayText.of(""), false);
        }
        boolean number = field.type() == FieldType.INTEGER || field.type() == FieldType.NUMBER;
        return number
                ? DisplayFormat.number(field.name(), field.description(), Double.valueOf(value))
                : FieldValueView.of(field, value);
    }

    private static String note(FieldSummary summary) {
        List<String> notes = new ArrayList<>();
        Integer distinct = summary.distinctCount();
        if (distinct != null && distinct > MAX_EXPANDED) {
            notes.add(
                    String.format(Locale.ROOT, "%s%,d different values", summary.exact() ? "" : "at least ", distinct));
        }
        if (summary.nullCount() > 0) {
            notes.add(String.format(
                    Locale.ROOT,
                    "no value in %,d %s",
                    summary.nullCount(),
                    summary.nullCount() == 1 ? "line" : "lines"));
        }
        return String.join(", ", notes);
    }

    /** The values that are always visible. */
    public List<ValueCount> expanded() {
        return values.subList(0, Math.min(values.size(), MAX_EXPANDED));
    }

    /** The values that are visible on request. */
    public List<ValueCount> collapsed() {
        return values.subList(Math.min(values.size(), MAX_EXPANDED), values.size());
    }
}
