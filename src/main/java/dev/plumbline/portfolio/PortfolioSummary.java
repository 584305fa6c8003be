package dev.plumbline.portfolio;

import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Adds up the results of many lines: verdicts, findings, errors, values of fields and grades. Its memory does not
 * depend on the number of lines. Not thread-safe.
 */
public final class PortfolioSummary {
    private static final int MAX_INDEXES = 10;
    private static final int MAX_TOP_VALUES = 20;
    /** More than all modules together declare. */
    private static final int MAX_CODES = 10_000;

    /** The memory of the count of a finding, in bytes. */
    private static final int OCCURRENCE_BYTES = 512;

    private static final String DONE = "done";

    /**
     * A finding or an error with the number of lines that have it.
     *
     * @param part null for a finding that is not about a part of a composite
     * @param level the worst level of the finding; null for an error
     * @param title null if no sheet declares it
     * @param indexes of the first lines, at most 10
     */
    public record Occurrence(
            @Nullable String part,
            String code,
            @Nullable Level level,
            @Nullable String title,
            long count,
            List<Long> indexes) {}

    /** A value of a field, and the number of lines that have it. */
    public record FrequentValue(String value, long count) {}

    /**
     * The values of a field. What does not apply to its type is null.
     *
     * @param nullCount the number of lines without a value
     * @param distinctCount the number of different values, or a lower bound
     * @param values the most frequent values, at most 20; of a list, its items; of numbers, only if there are at most
     *     20 different ones
     * @param exact whether {@code distinctCount}, the counts of {@code values} (otherwise lower bounds), the median and
     *     the 90th percentile (otherwise with a deviation of at most 1%) are exact
     */
    public record FieldSummary(
            String name,
            FieldType type,
            long nullCount,
            @Nullable Long trueCount,
            @Nullable Long falseCount,
            @Nullable Double min,
            @Nullable Double median,
            @Nullable Double p90,
            @Nullable Double max,
            @Nullable Integer distinctCount,
            @Nullable List<FrequentValue> values,
            boolean exact) {}

    /** @param grade null if it was not determined */
    public record GradeCount(@Nullable String grade, long count) {}

    /** @param meanScore null if no score was determined */
    public record AreaSummary(String area, List<GradeCount> grades, @Nullable Double meanScore) {}

    private static final class OccurrenceCount {
        private @Nullable Level level;
        private long lines;
        private final List<Long> indexes = new ArrayList<>(2);

        void add(PortfolioLine line, @Nullable Level found) {
            lines++;
            if (level == null || (found != null && found.compareTo(level) > 0)) {
                level = found;
            }
            if (indexes.size() < MAX_INDEXES) {
                indexes.add(line.index());
            }
        }
    }

    private record Code(@Nullable String part, String code) {}

    private static final class FieldCount {
        private final FieldDescription field;
        private final ValueCounts texts = new ValueCounts();
        private final NumberDistribution numbers = new NumberDistribution();
        private long nulls;
        private long trues;
        private long falses;

        FieldCount(FieldDescription field) {
            this.field = field;
        }

        void add(@Nullable Object value) {
            if (value == null) {
                nulls++;
            } else if (value instanceof Boolean flag) {
                trues += flag ? 1 : 0;
                falses += flag ? 0 : 1;
            } else if (value instanceof Number number) {
                numbers.add(number.doubleValue());
                texts.add(number.toString());
            } else if (value instanceof String text) {
                texts.add(text);
            } else if (value instanceof Collection<?> items && field.items() != FieldType.OBJECT) {
                items.stream()
                        .filter(item -> item instanceof String || item instanceof Number || item instanceof Boolean)
                        .map(Object::toString)
                        .distinct()
                        .forEach(texts::add);
            }
        }

        long bytes() {
            return texts.bytes() + numbers.bytes();
        }

        FieldSummary summary() {
            boolean bool = field.type() == FieldType.BOOLEAN;
            boolean number = field.type() == FieldType.INTEGER || field.type() == FieldType.NUMBER;
            boolean text = field.type() == FieldType.STRING
                    || field.type() == FieldType.TIME
                    || (field.type() == FieldType.ARRAY && field.items() != FieldType.OBJECT);
            int distinct = number ? numbers.distinct() : texts.distinct();
            boolean listed = text || (number && distinct <= MAX_TOP_VALUES);
            return new FieldSummary(
                    field.name(),
                    field.type(),
                    nulls,
                    bool ? trues : null,
                    bool ? falses : null,
                    number ? numbers.min() : null,
                    number ? numbers.median() : null,
                    number ? numbers.p90() : null,
                    number ? numbers.max() : null,
                    text || number ? distinct : null,
                    listed ? texts.top(MAX_TOP_VALUES) : null,
                    number ? numbers.isExact() : texts.isExact());
        }
    }

    private static final class AreaCount {
        private final Map<String, Long> grades = new TreeMap<>();
        private long ungraded;
        private double scores;
        private long scored;

        void add(Map<?, ?> area) {
            if (area.get("grade") instanceof String grade) {
                grades.merge(grade, 1L, Long::sum);
            } else {
                ungraded++;
            }
            if (area.get("score") instanceof Number score) {
                scores += score.doubleValue();
                scored++;
            }
        }

        AreaSummary summary(String area) {
            List<GradeCount> counts = new ArrayList<>();
            grades.forEach((grade, count) -> counts.add(new GradeCount(grade, count)));
            // A+ is before A
            counts.sort(Comparator.comparing(count -> count.grade() + "~"));
            if (ungraded > 0) {
                counts.add(new GradeCount(null, ungraded));
            }
            return new AreaSummary(area, List.copyOf(counts), scored == 0 ? null : rounded(scores / scored));
        }

        private static double rounded(double mean) {
            return Math.round(mean * 10) / 10.0;
        }
    }

    private final @Nullable ModuleDescription module;
    private final Map<String, ModuleDescription> parts = new HashMap<>();
    private final LineFilter filter;
    private final Map<Verdict, Long> verdicts = new EnumMap<>(Verdict.class);
    private final Map<String, Long> states = new HashMap<>();
    private final Map<Code, OccurrenceCount> findings = new HashMap<>();
    private final Map<String, OccurrenceCount> errors = new HashMap<>();
    private final List<FieldCount> fields = new ArrayList<>();
    private final Map<String, AreaCount> areas = new LinkedHashMap<>();
    private long total;
    private long matched;

    /**
     * @param module null if it no longer exists: its fields and areas are not summarized, and findings have no titles
     * @param parts the modules of the parts of a composite, which declare the titles of their findings
     * @param filter selects the lines of everything but {@link #counts}
     */
    public PortfolioSummary(
            @Nullable ModuleDescription module, Collection<ModuleDescription> parts, LineFilter filter) {
        this.module = module;
        this.filter = filter;
        parts.forEach(part -> this.parts.put(part.module(), part));
        if (module != null) {
            module.fields().forEach(field -> fields.add(new FieldCount(field)));
            module.areas().keySet().forEach(area -> areas.put(area, new AreaCount()));
        }
    }

    /**
     * Adds a line. Only its verdict and state count if the filter does not match.
     *
     * @throws IllegalArgumentException if the lines have more different codes than all modules together
     */
    public void add(PortfolioLine line) {
        total++;
        states.merge(line.state(), 1L, Long::sum);
        if (line.verdict() != null) {
            verdicts.merge(line.verdict(), 1L, Long::sum);
        }
        if (!filter.matches(line)) {
            return;
        }
        matched++;
        if (line.hasResult()) {
            addFindings(line);
            fields.forEach(count -> count.add(line.fields().get(count.field.name())));
            addAreas(line);
        }
    }

    private void addFindings(PortfolioLine line) {
        Map<Code, Level> worst = new LinkedHashMap<>();
        for (LineFinding finding : line.findings()) {
            worst.merge(
                    new Code(finding.part(), finding.code()),
                    finding.level(),
                    (one, other) -> one.compareTo(other) >= 0 ? one : other);
        }
        worst.forEach((code, level) ->
                findings.computeIfAbsent(code, first -> new OccurrenceCount()).add(line, level));
        String error = line.errorCode();
        if (error != null) {
            errors.computeIfAbsent(error, first -> new OccurrenceCount()).add(line, null);
        }
        if (findings.size() + errors.size() > MAX_CODES) {
            throw new IllegalArgumentException("the results have more than " + MAX_CODES + " different finding codes");
        }
    }

    private void addAreas(PortfolioLine line) {
        Object ofLine = line.fields().get("areas");
        areas.forEach((area, count) -> {
            if (ofLine instanceof Map<?, ?> byArea) {
                if (byArea.get(area) instanceof Map<?, ?> members) {
                    count.add(members);
                }
            } else if (areas.size() == 1) {
                // the only area has the grade of the report
                count.add(line.fields());
            }
        });
    }

    /** The memory of the counts in bytes, approximately. */
    public long bytes() {
        return fields.stream().mapToLong(FieldCount::bytes).sum()
                + (long) OCCURRENCE_BYTES * (findings.size() + errors.size());
    }

    /** The number of lines. */
    public long total() {
        return total;
    }

    /** The number of lines that match the filter. */
    public long matched() {
        return matched;
    }

    /** The number of lines with a verdict. */
    public long count(Verdict verdict) {
        return verdicts.getOrDefault(verdict, 0L);
    }

    /** The findings, the most severe level first, then the most lines. */
    public List<Occurrence> findings() {
        List<Occurrence> all = new ArrayList<>();
        findings.forEach((code, count) -> all.add(new Occurrence(
                code.part(),
                code.code(),
                count.level,
                title(code.part(), code.code()),
                count.lines,
                List.copyOf(count.indexes))));
        all.sort(Comparator.comparing(Occurrence::level, Comparator.nullsLast(Level.MOST_SEVERE_FIRST))
                .thenComparing(Occurrence::count, Comparator.reverseOrder())
                .thenComparing(Occurrence::part, Comparator.nullsFirst(Comparator.naturalOrder()))
                .thenComparing(Occurrence::code));
        return List.copyOf(all);
    }

    /**
     * Returns the title of a finding; null if no sheet declares it.
     *
     * @param part null for a finding that is not about a part of a composite
     */
    public @Nullable String title(@Nullable String part, String code) {
        ModuleDescription declaring = part == null ? module : parts.get(part);
        FindingCode declared = declaring == null ? null : declaring.finding(code);
        return declared == null ? null : declared.title();
    }

    /** The errors of checks that could not be completed, the most lines first. */
    public List<Occurrence> errors() {
        List<Occurrence> all = new ArrayList<>();
        errors.forEach((code, count) ->
                all.add(new Occurrence(null, code, null, null, count.lines, List.copyOf(count.indexes))));
        all.sort(Comparator.comparing(Occurrence::count, Comparator.reverseOrder())
                .thenComparing(Occurrence::code));
        return List.copyOf(all);
    }

    /** The declared fields, in order. */
    public List<FieldSummary> fields() {
        return fields.stream().map(FieldCount::summary).toList();
    }

    /** The areas of a composite, in order; empty for other modules. */
    public List<AreaSummary> areas() {
        List<AreaSummary> all = new ArrayList<>();
        areas.forEach((area, count) -> all.add(count.summary(area)));
        return List.copyOf(all);
    }

    /** The counts as in a job. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new LinkedHashMap<>();
        counts.put("total", total);
        for (String state : List.of("pending", "running", DONE)) {
            counts.put(state, states.getOrDefault(state, 0L));
        }
        for (Verdict verdict : Verdict.values()) {
            counts.put(verdict.id(), count(verdict));
        }
        counts.put("cancelled", states.getOrDefault("cancelled", 0L));
        return counts;
    }

    /** The members of a summary of the API, from {@code matched}, in order. */
    public Map<String, @Nullable Object> toMap() {
        Map<String, @Nullable Object> summary = new LinkedHashMap<>();
        summary.put("matched", matched);
        summary.put(
                "findings",
                findings().stream().map(PortfolioSummary::findingMap).toList());
        summary.put("errors", errors().stream().map(PortfolioSummary::errorMap).toList());
        summary.put("fields", fields().stream().map(PortfolioSummary::map).toList());
        summary.put("areas", areas().stream().map(PortfolioSummary::map).toList());
        return summary;
    }

    private static Map<String, @Nullable Object> findingMap(Occurrence finding) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("part", finding.part());
        map.put("code", finding.code());
        map.put("level", finding.level() == null ? null : finding.level().id());
        map.put("title", finding.title());
        map.put("count", finding.count());
        map.put("indexes", finding.indexes());
        return map;
    }

    private static Map<String, @Nullable Object> errorMap(Occurrence error) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("code", error.code());
        map.put("count", error.count());
        map.put("indexes", error.indexes());
        return map;
    }

    private static Map<String, @Nullable Object> map(FieldSummary field) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("name", field.name());
        map.put("type", field.type().id());
        map.put("null_count", field.nullCount());
        map.put("true_count", field.trueCount());
        map.put("false_count", field.falseCount());
        map.put("min", number(field.min()));
        map.put("median", number(field.median()));
        map.put("p90", number(field.p90()));
        map.put("max", number(field.max()));
        map.put("distinct_count", field.distinctCount());
        List<FrequentValue> values = field.values();
        map.put(
                "values",
                values == null
                        ? null
                        : values.stream().map(PortfolioSummary::map).toList());
        map.put("exact", field.exact());
        return map;
    }

    private static Map<String, @Nullable Object> map(FrequentValue value) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("value", value.value());
        map.put("count", value.count());
        return map;
    }

    private static Map<String, @Nullable Object> map(AreaSummary area) {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        map.put("area", area.area());
        List<Map<String, @Nullable Object>> grades = new ArrayList<>();
        for (GradeCount count : area.grades()) {
            Map<String, @Nullable Object> grade = new LinkedHashMap<>();
            grade.put("grade", count.grade());
            grade.put("count", count.count());
            grades.add(grade);
        }
        map.put("grades", grades);
        map.put("mean_score", area.meanScore());
        return map;
    }

    /** An integer without a decimal point; null if JSON cannot represent it. */
    public static @Nullable Number number(@Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return null;
        }
        return value == Math.rint(value) && Math.abs(value) < 1e15 ? (Number) value.longValue() : value;
    }
}
