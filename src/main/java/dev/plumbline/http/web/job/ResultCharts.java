package dev.plumbline.http.web.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.FieldDescription;
import dev.plumbline.http.web.layout.ValueFormat;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;

/** Draws what a job has found: what its module's fields allow, by their types. */
final class ResultCharts {
    private static final int MOST_SHARES = 8;
    private static final int COLUMNS = 20;
    private static final double GAP = 0.6;
    private static final DateTimeFormatter DAY =
            DateTimeFormatter.ofPattern("d MMM yyyy", Locale.ENGLISH).withZone(ZoneOffset.UTC);

    private ResultCharts() {}

    /**
     * @param now when a time is past
     */
    static List<Chart> of(JobMessage.JobSnapshot job, ResultColumns columns, List<ResultRow> rows, Instant now) {
        List<Chart> plots = new ArrayList<>();
        plots.add(verdicts(job));
        List<ResultRow> done = rows.stream().filter(ResultRow::done).toList();
        for (FieldDescription field : columns.counted()) {
            add(plots, counts(field, done));
        }
        FieldDescription measured = columns.measured();
        add(
                plots,
                spread(
                        measured == null ? "How long a check took" : measured.title(),
                        values(done, measured),
                        ValueFormat::milliseconds,
                        Double.NEGATIVE_INFINITY));
        FieldDescription dated = columns.dated();
        if (dated != null) {
            double[] moments = done.stream()
                    .map(row -> row.fields().get(dated.name()))
                    .map(ResultCharts::moment)
                    .filter(Objects::nonNull)
                    .mapToDouble(Long::doubleValue)
                    .toArray();
            add(
                    plots,
                    spread(
                            dated.title(),
                            moments,
                            second -> DAY.format(Instant.ofEpochSecond((long) second)),
                            now.getEpochSecond()));
        }
        return plots;
    }

    private static void add(List<Chart> plots, @Nullable Chart plot) {
        if (plot != null) {
            plots.add(plot);
        }
    }

    private static Chart verdicts(JobMessage.JobSnapshot job) {
        int[] counts = {job.pass(), job.warn(), job.fail(), job.error()};
        String[] ids = {"pass", "warn", "fail", "error"};
        int most = Math.max(1, Arrays.stream(counts).max().orElse(1));
        List<Chart.Share> bars = new ArrayList<>();
        for (int i = 0; i < ids.length; i++) {
            bars.add(new Chart.Share(
                    ResultTable.word(ids[i]),
                    counts[i],
                    ids[i],
                    100.0 * counts[i] / most,
                    JobPage.path(job.token()) + "?verdict=" + ids[i] + "#lines"));
        }
        return new Chart.Shares("Verdicts", bars);
    }

    private static @Nullable Chart counts(FieldDescription field, List<ResultRow> done) {
        Map<String, Integer> counts = new TreeMap<>();
        for (ResultRow row : done) {
            Object value = row.fields().get(field.name());
            if (value instanceof Long
                    || (value instanceof String word && field.values().contains(word))) {
                counts.merge(value.toString(), 1, Integer::sum);
            }
        }
        boolean words = !field.values().isEmpty();
        // that all are the same is worth knowing of a status alone
        if (counts.size() < (words ? 2 : 1)) {
            return null;
        }
        List<Map.Entry<String, Integer>> often = counts.entrySet().stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder()))
                .toList();
        int most = often.get(0).getValue();
        List<Chart.Share> bars = new ArrayList<>();
        int others = 0;
        for (int i = 0; i < often.size(); i++) {
            if (i < MOST_SHARES - 1 || often.size() == MOST_SHARES) {
                int count = often.get(i).getValue();
                String label = often.get(i).getKey();
                bars.add(new Chart.Share(
                        words ? label.replace('_', ' ') : label,
                        count,
                        words ? "" : tone(label),
                        100.0 * count / most,
                        null));
            } else {
                others += often.get(i).getValue();
            }
        }
        if (others > 0) {
            bars.add(new Chart.Share("others", others, "", Math.min(100, 100.0 * others / most), null));
        }
        return new Chart.Shares(field.title(), bars);
    }

    /** Status codes of HTTP are good or bad by their first digit. */
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
                .map(row -> field == null ? row.tookMs() : row.fields().get(field.name()))
                .filter(Number.class::isInstance)
                .mapToDouble(value -> ((Number) value).doubleValue())
                .toArray();
    }

    private static @Nullable Long moment(@Nullable Object value) {
        try {
            return value == null ? null : Instant.parse(value.toString()).getEpochSecond();
        } catch (DateTimeParseException odd) {
            return null;
        }
    }

    /**
     * @param bad what lies before it is bad
     */
    private static @Nullable Chart spread(String title, double[] values, DoubleFunction<String> shown, double bad) {
        Arrays.sort(values);
        // values that are all the same are not spread
        if (values.length < 2 || values[0] == values[values.length - 1]) {
            return null;
        }
        double least = values[0];
        double most = values[values.length - 1];
        // one that lies far out would push all others into the first column
        double end = Math.max(values[(int) ((values.length - 1) * 0.98)], least);
        if (bad == Double.NEGATIVE_INFINITY && end > least && end < most / 3) {
            most = end;
        }
        double step = Math.max((most - least) / COLUMNS, Double.MIN_NORMAL);
        int[] counts = new int[COLUMNS];
        for (double value : values) {
            counts[(int) Math.min(COLUMNS - 1, Math.max(0, (value - least) / step))]++;
        }
        int highest = Arrays.stream(counts).max().orElse(1);
        double width = 100.0 / COLUMNS;
        List<Chart.Column> columns = new ArrayList<>();
        for (int i = 0; i < COLUMNS; i++) {
            if (counts[i] > 0) {
                double from = least + i * step;
                boolean last = i == COLUMNS - 1;
                columns.add(new Chart.Column(
                        shown.apply(from)
                                + (last && most < values[values.length - 1]
                                        ? " and more: "
                                        : " to " + shown.apply(from + step) + ": ")
                                + counts[i],
                        from + step <= bad ? "fail" : "",
                        i * width + GAP / 2,
                        width - GAP,
                        Math.max(2, 100.0 * counts[i] / highest)));
            }
        }
        double middle = values[values.length / 2];
        String sums = "Half are up to "
                + shown.apply(middle)
                + "; the largest is "
                + shown.apply(values[values.length - 1])
                + '.';
        if (bad != Double.NEGATIVE_INFINITY) {
            long over = Arrays.stream(values).filter(value -> value < bad).count();
            sums = "The first is on "
                    + shown.apply(least)
                    + (over == 0 ? "; none is past." : "; " + over + (over == 1 ? " is" : " are") + " past.");
        }
        return new Chart.Spread(
                title,
                columns,
                List.of(
                        shown.apply(least),
                        shown.apply(least + (most - least) / 2),
                        shown.apply(most) + (most < values[values.length - 1] ? " and more" : "")),
                sums);
    }
}
