package dev.plumbline.http.web.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FieldDescription;
import java.time.Instant;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** The charts of a job: verdicts, frequent values, durations and dates. */
final class ResultCharts {
    private static final int MAX_BARS = 8;
    private static final int COLUMNS = 20;
    private static final double GAP_PERCENT = 0.6;

    private ResultCharts() {}

    /**
     * @param summary with the verdicts of the rows
     * @param query of the page with the lines
     * @param now dates before it are marked
     */
    static List<Chart> of(
            JobSummary summary, LineQuery query, ResultColumns columns, List<ResultRow> rows, Instant now) {
        List<Chart> charts = new ArrayList<>();
        charts.add(verdicts(summary, query));
        List<ResultRow> done = rows.stream().filter(ResultRow::done).toList();
        for (FieldDescription field : columns.counted()) {
            add(charts, counts(field, done));
        }
        FieldDescription measured = columns.measured();
        add(
                charts,
                histogram(
                        measured == null ? "Duration" : measured.title(),
                        values(done, measured),
                        QuantityText::milliseconds,
                        Double.NEGATIVE_INFINITY));
        FieldDescription dated = columns.dated();
        if (dated != null) {
            double[] times = done.stream()
                    .map(row -> row.field(dated.name()))
                    .map(ResultCharts::epochSecond)
                    .filter(Objects::nonNull)
                    .mapToDouble(Long::doubleValue)
                    .toArray();
            add(
                    charts,
                    histogram(
                            dated.title(),
                            times,
                            second -> QuantityText.date(LocalDate.ofEpochDay(Math.floorDiv((long) second, 86_400))),
                            (double) now.getEpochSecond()));
        }
        return charts;
    }

    private static void add(List<Chart> charts, @Nullable Chart chart) {
        if (chart != null) {
            charts.add(chart);
        }
    }

    private static Chart verdicts(JobSummary summary, LineQuery query) {
        JobMessage.JobSnapshot job = summary.job();
        int[] counts = {job.pass(), job.warn(), job.fail(), job.error()};
        String[] ids = {"pass", "warn", "fail", "error"};
        int max = Math.max(1, Arrays.stream(counts).max().orElse(1));
        List<Chart.Bar> bars = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            bars.add(new Chart.Bar(
                    Labels.verdict(ids[i]),
                    counts[i],
                    ids[i],
                    100.0 * counts[i] / max,
                    summary.path() + query.ofVerdict(ids[i]).link() + JobPage.LINES));
        }
        return new Chart.BarChart("Verdicts", bars);
    }

    private static @Nullable Chart counts(FieldDescription field, List<ResultRow> done) {
        Map<String, Integer> counts = new TreeMap<>();
        for (ResultRow row : done) {
            Object value = row.field(field.name());
            if (value instanceof Long
                    || (value instanceof String word && field.values().contains(word))) {
                counts.merge(value.toString(), 1, Integer::sum);
            }
        }
        boolean enumerated = !field.values().isEmpty();
        // a single value is displayed only for status codes
        if (counts.size() < (enumerated ? 2 : 1)) {
            return null;
        }
        List<Map.Entry<String, Integer>> frequent = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .toList();
        int max = frequent.get(0).getValue();
        List<Chart.Bar> bars = new ArrayList<>();
        int shown = frequent.size() > MAX_BARS ? MAX_BARS - 1 : frequent.size();
        frequent.subList(0, shown)
                .forEach(entry -> bars.add(new Chart.Bar(
                        enumerated ? entry.getKey().replace('_', ' ') : entry.getKey(),
                        entry.getValue(),
                        enumerated ? "" : tone(entry.getKey()),
                        100.0 * entry.getValue() / max,
                        null)));
        int other = frequent.stream().skip(shown).mapToInt(Map.Entry::getValue).sum();
        if (other > 0) {
            bars.add(new Chart.Bar("Other", other, "", Math.min(100, 100.0 * other / max), null));
        }
        return new Chart.BarChart(field.title(), bars);
    }

    /** The color of an HTTP status code. */
    private static String tone(String code) {
        if (code.length() != 3) {
            return "";
        }
        return switch (code.charAt(0)) {
            case '2' -> "pass";
            case '4', '5' -> "fail";
            default -> "";
        };
    }

    private static double[] values(List<ResultRow> done, @Nullable FieldDescription field) {
        return done.stream()
                .map(row -> field == null ? row.durationMs() : row.field(field.name()))
                .filter(Number.class::isInstance)
                .mapToDouble(value -> ((Number) value).doubleValue())
                .toArray();
    }

    private static @Nullable Long epochSecond(@Nullable Object value) {
        try {
            return value == null ? null : Instant.parse(value.toString()).getEpochSecond();
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    /** @param failBelow values below are marked; negative infinity for none */
    private static @Nullable Chart histogram(
            String title, double[] values, DoubleFunction<String> format, double failBelow) {
        Arrays.sort(values);
        // a single distinct value has no distribution
        if (values.length < 2 || values[0] == values[values.length - 1]) {
            return null;
        }
        double min = values[0];
        double max = values[values.length - 1];
        // outliers are counted in the last column, as they would move all other values to the first
        double end = Math.max(values[(int) ((values.length - 1) * 0.98)], min);
        if (failBelow == Double.NEGATIVE_INFINITY && end > min && end < max / 3) {
            max = end;
        }
        double step = Math.max((max - min) / COLUMNS, Double.MIN_NORMAL);
        int[] counts = new int[COLUMNS];
        for (double value : values) {
            counts[(int) Math.min(COLUMNS - 1, Math.max(0, (value - min) / step))]++;
        }
        int highest = Arrays.stream(counts).max().orElse(1);
        double width = 100.0 / COLUMNS;
        List<Chart.Column> columns = new ArrayList<>();
        for (int i = 0; i < COLUMNS; i++) {
            if (counts[i] > 0) {
                double from = min + i * step;
                boolean last = i == COLUMNS - 1;
                columns.add(new Chart.Column(
                        format.apply(from)
                                + (last && max < values[values.length - 1]
                                        ? " or more: "
                                        : " to " + format.apply(from + step) + ": ")
                                + counts[i],
                        from + step <= failBelow ? "fail" : "",
                        i * width + GAP_PERCENT / 2,
                        width - GAP_PERCENT,
                        Math.max(2, 100.0 * counts[i] / highest)));
            }
        }
        double median = values[values.length / 2];
        String summary =
                "Median " + format.apply(median) + ", maximum " + format.apply(values[values.length - 1]) + '.';
        if (failBelow != Double.NEGATIVE_INFINITY) {
            long past = Arrays.stream(values).filter(value -> value < failBelow).count();
            summary = "Earliest " + format.apply(min) + ", " + past + " in the past.";
        }
        return new Chart.Histogram(
                title,
                columns,
                List.of(
                        format.apply(min),
                        format.apply(min + (max - min) / 2),
                        format.apply(max) + (max < values[values.length - 1] ? " or more" : "")),
                summary);
    }
}
