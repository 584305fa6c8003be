package dev.plumbline.cli.report;

import dev.plumbline.check.PartColumns;
import dev.plumbline.result.Consequence;
import dev.plumbline.sheet.ModuleDescription;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Formats the problems, areas and parts of a composite for a terminal. */
final class CompositeTextReport {
    private static final String CAUSES = "causes";
    private static final String FIRST = "fix_first";
    private static final String AREAS = "areas";

    private final StringBuilder out = new StringBuilder();

    private CompositeTextReport() {}

    static boolean applies(ModuleDescription module, Map<String, ?> fields) {
        return module.composite() && fields.get(CAUSES) instanceof List<?>;
    }

    static String of(ModuleDescription module, Map<String, ?> fields) {
        CompositeTextReport report = new CompositeTextReport();
        if (fields.get(AREAS) instanceof Map<?, ?> areas) {
            report.areas(module, areas);
        }
        List<Map<?, ?>> causes = objects(fields.get(CAUSES));
        int first = Math.min(objects(fields.get(FIRST)).size(), causes.size());
        report.problems("FIX FIRST", causes.subList(0, first));
        report.problems(first == 0 ? "NOT DETERMINED" : "OTHER PROBLEMS", causes.subList(first, causes.size()));
        report.parts(parts(fields.get(PartColumns.FIELD)));
        return report.out.toString();
    }

    private void areas(ModuleDescription module, Map<?, ?> areas) {
        out.append('\n');
        module.areas().forEach((id, title) -> {
            if (areas.get(id) instanceof Map<?, ?> area) {
                out.append("  %-14s %-2s %s%n"
                        .formatted(
                                title,
                                area.get("grade") == null ? "?" : area.get("grade"),
                                area.get("score") == null ? "not determined" : area.get("score") + " of 100"));
            }
        });
    }

    private void problems(String title, List<Map<?, ?>> causes) {
        if (causes.isEmpty()) {
            return;
        }
        out.append('\n').append(title).append('\n');
        for (Map<?, ?> cause : causes) {
            out.append("  ").append(label(cause)).append(": ").append(text(cause, "message"));
            out.append("\n      ").append(text(cause, "action"));
            List<?> parts = cause.get("parts") instanceof List<?> list ? list : List.of();
            out.append("\n      Affects: ")
                    .append(TerminalText.sanitize(String.join(
                            ", ", parts.stream().map(Object::toString).toList())))
                    .append('\n');
        }
    }

    private static String label(Map<?, ?> cause) {
        return "info".equals(cause.get("level"))
                ? "Not determined"
                : Consequence.of(text(cause, "consequence")).title();
    }

    private void parts(List<Map<?, ?>> parts) {
        int width = parts.stream()
                .mapToInt(part -> text(part, "module").length())
                .max()
                .orElse(0);
        out.append("\nCHECKS\n");
        for (Map<?, ?> part : parts) {
            String fact = text(part, "headline");
            if (fact.isEmpty()) {
                Map<?, ?> from = part.get("error") instanceof Map<?, ?> error
                        ? error
                        : part.get("top_finding") instanceof Map<?, ?> finding ? finding : part;
                fact = text(from, "message").isEmpty() ? text(from, "error_message") : text(from, "message");
            }
            String mark = Boolean.TRUE.equals(part.get("unverified")) ? " (unverified)" : "";
            out.append(("  %-5s  %-" + Math.max(1, width) + "s  %s%s")
                            .formatted(text(part, "verdict"), text(part, "module"), fact, mark)
                            .stripTrailing())
                    .append('\n');
        }
    }

    /** A list of parts, or an object with the parts by module. */
    private static List<Map<?, ?>> parts(@Nullable Object value) {
        if (!(value instanceof Map<?, ?> byModule)) {
            return objects(value);
        }
        List<Map<?, ?>> parts = new ArrayList<>();
        byModule.forEach((module, part) -> {
            if (part instanceof Map<?, ?> members) {
                Map<Object, @Nullable Object> named = new LinkedHashMap<>(members);
                named.putIfAbsent("module", module);
                parts.add(named);
            }
        });
        return parts;
    }

    private static List<Map<?, ?>> objects(@Nullable Object value) {
        List<Map<?, ?>> objects = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object item : list) {
                if (item instanceof Map<?, ?> members) {
                    objects.add(members);
                }
            }
        }
        return objects;
    }

    private static String text(Map<?, ?> members, String name) {
        return members.get(name) instanceof String text ? TerminalText.sanitize(text) : "";
    }
}
