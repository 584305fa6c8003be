package dev.plumbline.cli.report;

import dev.plumbline.policy.PolicySummary;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.ResultJson;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.UnicodeName;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Formats a result for a terminal: verdict, headline, findings, fields. */
final class TextReport {
    private static final String INDENT = "  ";
    private static final String EMPTY = "(none)";

    private TextReport() {}

    static String of(ModuleDescription module, CheckedLine line) {
        CheckResult result = line.result();
        StringBuilder out = new StringBuilder();
        out.append(result.verdict().id().toUpperCase(Locale.ROOT))
                .append(INDENT)
                .append(module.title())
                .append(" for ")
                .append(TerminalText.sanitize(UnicodeName.of(line.target()).toString()))
                .append('\n');
        String headline = module.headline().of(result);
        if (headline != null) {
            out.append(INDENT).append(TerminalText.sanitize(headline)).append('\n');
        }
        if (result.error() != null) {
            out.append(INDENT)
                    .append(result.error().code().id())
                    .append(": ")
                    .append(TerminalText.sanitize(result.error().message()))
                    .append('\n');
        }
        if (CompositeTextReport.applies(module, result.fields())) {
            // the others are shown as problems of the parts
            findings(out, result, finding -> module.finding(finding.code()) == null);
            return out.append(CompositeTextReport.of(module, result.fields()))
                    .append(checked(line))
                    .toString();
        }
        findings(out, result, finding -> true);
        out.append('\n');
        int width = module.fields().stream()
                .mapToInt(field -> field.name().length())
                .max()
                .orElse(0);
        for (FieldDescription field : module.fields()) {
            Object value = result.fields().get(field.name());
            if (value == null && result.error() != null) {
                continue; // not observed
            }
            out.append(INDENT)
                    .append(field.name())
                    .append(" ".repeat(width - field.name().length() + 2))
                    .append(text(value, width + 4))
                    .append('\n');
        }
        return out.append(checked(line)).toString();
    }

    private static void findings(StringBuilder out, CheckResult result, Predicate<Finding> included) {
        List<Finding> findings = result.findings().stream()
                .filter(included)
                .sorted(Comparator.comparing(Finding::level, Level.MOST_SEVERE_FIRST))
                .toList();
        for (Finding finding : findings) {
            out.append('\n')
                    .append(finding.level().id().toUpperCase(Locale.ROOT))
                    .append(INDENT)
                    .append(TerminalText.sanitize(finding.message()));
            if (!finding.action().isEmpty()) {
                out.append('\n').append("      ").append(TerminalText.sanitize(finding.action()));
            }
        }
        if (!findings.isEmpty()) {
            out.append('\n');
        }
    }

    private static String policy(@Nullable PolicySummary policy) {
        if (policy == null) {
            return "";
        }
        return "\n" + INDENT
                + (policy.name() == null
                        ? policy.text() + " expectations met"
                        : "policy " + policy.name() + " " + policy.version() + ": " + policy.text() + " rules met");
    }

    private static String checked(CheckedLine line) {
        CheckResult result = line.result();
        LimitWait wait = line.limitWait();
        return "\n" + INDENT + "checked " + ResultJson.time(result.checkedAt()) + " in " + result.durationMs() + " ms"
                + (result.rules() == null ? "" : ", rules " + result.rules())
                + (wait.limit() == null
                        ? ""
                        : ", waited " + wait.millis() + " ms because of the limit of "
                                + TerminalText.sanitize(wait.limit().toString()))
                + policy(line.policy());
    }

    private static String text(@Nullable Object value, int indent) {
        if (value == null) {
            return "(no value)"; // "-" and "none" can be values
        }
        if (value instanceof Instant instant) {
            return ResultJson.time(instant);
        }
        if (value instanceof List<?> list) {
            if (list.isEmpty()) {
                return EMPTY;
            }
            String separator = list.get(0) instanceof Map ? "\n" + " ".repeat(indent) : ", ";
            return String.join(
                    separator, list.stream().map(item -> text(item, indent)).toList());
        }
        if (value instanceof Map<?, ?> map) {
            return map.isEmpty() ? EMPTY : hasListsOfText(map) ? lines(map, indent) : text(map, indent);
        }
        String text = value.toString();
        return text.isEmpty() ? "(empty)" : TerminalText.sanitize(text);
    }

    private static boolean hasListsOfText(Map<?, ?> map) {
        return map.values().stream().allMatch(value -> value instanceof List<?> && !isNested(value));
    }

    /** One line for each value of each list, for example of the headers of a response. */
    private static String lines(Map<?, ?> map, int indent) {
        return map.entrySet().stream()
                .flatMap(entry -> ((List<?>) entry.getValue())
                        .stream().map(value -> TerminalText.sanitize(entry.getKey() + "=") + text(value, indent)))
                .collect(Collectors.joining("\n" + " ".repeat(indent)));
    }

    /** Simple members in one line, followed by nested members in indented lines. */
    private static String text(Map<?, ?> map, int indent) {
        List<String> parts = new ArrayList<>();
        parts.add(map.entrySet().stream()
                .filter(entry -> !isNested(entry.getValue()))
                .map(entry -> TerminalText.sanitize(entry.getKey() + "=") + text(entry.getValue(), indent))
                .collect(Collectors.joining(", ")));
        int deeper = indent + INDENT.length();
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            if (isNested(entry.getValue())) {
                parts.add(TerminalText.sanitize(entry.getKey().toString()));
                parts.add(INDENT + text(entry.getValue(), deeper));
            }
        }
        parts.removeIf(String::isEmpty);
        return String.join("\n" + " ".repeat(indent), parts);
    }

    private static boolean isNested(@Nullable Object value) {
        return value instanceof Map || value instanceof List<?> list && !list.isEmpty() && list.get(0) instanceof Map;
    }
}
