package dev.plumbline.cli.report;

import com.google.common.base.Strings;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.portfolio.PortfolioSummary.AreaSummary;
import dev.plumbline.portfolio.PortfolioSummary.FieldSummary;
import dev.plumbline.portfolio.PortfolioSummary.FrequentValue;
import dev.plumbline.portfolio.PortfolioSummary.Occurrence;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats a summary for a terminal. */
public final class SummaryText {
    private static final int MAX_VALUES = 5;
    private static final int MAX_VALUE_LENGTH = 40;
    private static final int LEVEL_WIDTH = 6;
    private static final int AREA_WIDTH = 15;

    private final StringBuilder out = new StringBuilder();

    private SummaryText() {}

    public static String of(ModuleDescription module, PortfolioSummary summary) {
        SummaryText text = new SummaryText();
        text.line("%s, %s: %s".formatted(module.title(), count(summary.total(), "line", "lines"), verdicts(summary)));
        if (summary.matched() == 0) {
            text.line("No line matches.");
            return text.out.toString();
        }
        if (summary.matched() < summary.total()) {
            text.line("Summary of the " + count(summary.matched(), "line that matches", "lines that match") + ":");
        }
        text.occurrences("FINDINGS", summary.findings());
        text.occurrences("ERRORS", summary.errors());
        text.areas(module, summary.areas());
        text.fields(summary.fields());
        return text.out.toString();
    }

    private static String verdicts(PortfolioSummary summary) {
        String verdicts = VerdictCounts.of(summary::count).toString();
        long without = summary.counts().entrySet().stream()
                .filter(count -> List.of("pending", "running", "cancelled").contains(count.getKey()))
                .mapToLong(count -> count.getValue())
                .sum();
        return without == 0 ? verdicts : String.format(Locale.ROOT, "%s, %,d without a result", verdicts, without);
    }

    private static String count(long count, String one, String many) {
        return String.format(Locale.ROOT, "%,d %s", count, count == 1 ? one : many);
    }

    private void occurrences(String title, List<Occurrence> occurrences) {
        if (occurrences.isEmpty()) {
            return;
        }
        line("");
        line(title);
        int width = width(occurrences.stream().map(SummaryText::path).toList());
        for (Occurrence found : occurrences) {
            String level =
                    found.level() == null ? "" : Strings.padEnd(found.level().id(), LEVEL_WIDTH, ' ');
            String name = found.title() == null ? "" : TerminalText.sanitize(found.title());
            line(String.format(Locale.ROOT, "  %,8d  ", found.count())
                    + level
                    + Strings.padEnd(path(found), width, ' ')
                    + "  "
                    + name);
        }
    }

    private static String path(Occurrence found) {
        return TerminalText.sanitize(found.part() == null ? found.code() : found.part() + "/" + found.code());
    }

    private void areas(ModuleDescription module, List<AreaSummary> areas) {
        if (areas.isEmpty()) {
            return;
        }
        line("");
        line("AREAS");
        for (AreaSummary area : areas) {
            String grades = area.grades().stream()
                    .map(count -> (count.grade() == null ? "not determined" : TerminalText.sanitize(count.grade()))
                            + " "
                            + count.count())
                    .collect(Collectors.joining(", "));
            String title = module.areas().getOrDefault(area.area(), area.area());
            String mean = area.meanScore() == null ? "" : ", mean score " + number(area.meanScore());
            line("  " + Strings.padEnd(title, AREA_WIDTH, ' ') + (grades.isEmpty() ? "not checked" : grades) + mean);
        }
    }

    private void fields(List<FieldSummary> fields) {
        line("");
        line("FIELDS");
        int width = width(fields.stream().map(FieldSummary::name).toList());
        for (FieldSummary field : fields) {
            line("  " + Strings.padEnd(field.name(), width, ' ') + "  " + values(field));
        }
    }

    private static String values(FieldSummary field) {
        List<String> texts = new ArrayList<>();
        if (field.trueCount() != null) {
            texts.add(String.format(Locale.ROOT, "true %,d, false %,d", field.trueCount(), field.falseCount()));
        }
        if (field.median() != null) {
            texts.add("min %s, median %s, p90 %s, max %s"
                    .formatted(number(field.min()), number(field.median()), number(field.p90()), number(field.max())));
        }
        List<FrequentValue> values = Objects.requireNonNullElse(field.values(), List.of());
        boolean frequent = values.size() <= MAX_VALUES || values.get(0).count() > 1;
        if (!values.isEmpty() && frequent) {
            texts.add(values.stream()
                    .limit(MAX_VALUES)
                    .map(value -> String.format(
                            Locale.ROOT,
                            "%s (%,d)",
                            TerminalText.sanitize(PrintableText.shorten(value.value(), MAX_VALUE_LENGTH)),
                            value.count()))
                    .collect(Collectors.joining(", ")));
        }
        if (field.distinctCount() != null && field.distinctCount() > MAX_VALUES) {
            texts.add(String.format(
                    Locale.ROOT, "%s%,d different", field.exact() ? "" : "at least ", field.distinctCount()));
        }
        if (field.nullCount() > 0) {
            texts.add(String.format(Locale.ROOT, "null %,d", field.nullCount()));
        }
        return String.join("; ", texts);
    }

    private static String number(@Nullable Double value) {
        if (value == null || !Double.isFinite(value)) {
            return "-";
        }
        return new BigDecimal(value)
                .setScale(2, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    private static int width(List<String> texts) {
        return texts.stream().mapToInt(String::length).max().orElse(1);
    }

    private void line(String text) {
        out.append(text.stripTrailing()).append('\n');
    }
}
