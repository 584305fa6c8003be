package dev.plumbline.module;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.probe.FieldMetric;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Generates {@code src/docs/modules.md}, the pages to which it links, and {@code src/docs/probe-metrics.md} from the
 * descriptions of the modules.
 */
final class ModulesDocument {
    /** The page with the metrics of all modules. */
    static final String METRICS = "probe-metrics.md";

    private static final List<String> CATEGORIES = List.of("web", "tls", "dns", "mail", "registry", "network");

    private static final String GENERATED = "Generated from the sheets of the modules by `ModulesDocumentTest`.";

    private final StringBuilder out = new StringBuilder();

    private ModulesDocument() {}

    /** The pages by path: an index, and one page for each module. */
    static Map<String, String> pages(ModuleCatalogue modules) {
        Map<String, String> pages = new LinkedHashMap<>();
        ModulesDocument index = new ModulesDocument();
        index.line("# Modules");
        index.line("");
        index.line(GENERATED);
        index.line("");
        index.line("[The glossary](glossary.md#checks) defines volatile fields and unordered arrays.");
        index.line("");
        index.line("| module | category | title |");
        index.line("|---|---|---|");
        for (String category : CATEGORIES) {
            for (ModuleDescription module : modules.descriptions()) {
                if (module.category().equals(category)) {
                    String file = "modules/" + module.module() + ".md";
                    index.row("[`" + module.module() + "`](" + file + ")", category, module.title());
                    ModulesDocument page = new ModulesDocument();
                    page.module(module);
                    pages.put(file, page.out.toString());
                }
            }
        }
        pages.put("modules.md", index.out.toString());
        pages.put(METRICS, metrics(modules));
        return pages;
    }

    private static String metrics(ModuleCatalogue modules) {
        ModulesDocument page = new ModulesDocument();
        page.line("# Probe metrics");
        page.line("");
        page.line(
                "The metrics of the fields of each module, in the response to [`/probe`](prometheus.md). All are gauges. Booleans are"
                        + " 0 or 1, and times are seconds since 1970. A metric is absent if the field is null. "
                        + GENERATED);
        page.line("");
        page.line("| module | metric | field | title |");
        page.line("|---|---|---|---|");
        for (ModuleDescription module : modules.descriptions()) {
            FieldMetric.of(module)
                    .forEach(metric -> page.row(
                            "[`" + module.module() + "`](modules/" + module.module() + ".md)",
                            "`" + metric.name() + "`",
                            "`" + metric.field().name() + "`",
                            metric.help()));
        }
        return page.out.toString();
    }

    private void module(ModuleDescription module) {
        line("# " + module.module() + ": " + module.title());
        line("");
        line(module.summary() + " " + GENERATED);
        line("");
        line("Target: %s, for example `%s`. Version of the rules: %d."
                .formatted(module.input().id().replace('_', ' '), module.example(), module.version()));
        line("");
        line("| option | type | default | description |");
        line("|---|---|---|---|");
        for (OptionDescription option : module.options()) {
            row("`" + option.name() + "`", type(option), standard(option), option.description());
        }
        line("");
        line("| field | type | description |");
        line("|---|---|---|");
        module.fields().forEach(field -> field("", field));
        line("");
        line("| finding | title | level | consequence | message | action | reference |");
        line("|---|---|---|---|---|---|---|");
        for (FindingCode finding : module.findings()) {
            String reference = finding.reference();
            row(
                    "`" + finding.code() + "`",
                    finding.title(),
                    finding.level().id(),
                    finding.consequence().id(),
                    finding.message(),
                    finding.action(),
                    reference == null
                            ? ""
                            : finding.referenceUrl() == null
                                    ? reference
                                    : "[" + reference + "](" + finding.referenceUrl() + ")");
        }
    }

    private void field(String path, FieldDescription field) {
        boolean list = field.type() == FieldType.ARRAY;
        String name = path + field.name();
        String type = list ? "array of " + field.items().id() : field.type().id();
        String values = field.values().isEmpty() ? "" : " One of " + String.join(", ", field.values()) + ".";
        String members = field.volatileMembers().isEmpty()
                ? ""
                : " Volatile members: " + String.join(", ", field.volatileMembers()) + ".";
        row(
                "`" + name + "`",
                (field.isVolatile() ? "volatile " : field.ordered() ? "" : "unordered ")
                        + type
                        + (field.nullable() ? ", or null" : ""),
                field.description() + values + members);
        for (FieldDescription member : field.members()) {
            field(name + (list ? "[]." : "."), member);
        }
    }

    private static String type(OptionDescription option) {
        return switch (option.type()) {
            case INTEGER -> "integer from " + option.min() + " to " + option.max();
            case BOOLEAN -> "boolean";
            case STRING ->
                option.values().isEmpty()
                        ? "string, at most " + option.maxLength() + " characters"
                        : option.values().stream().collect(Collectors.joining(", "));
            case ARRAY -> "list of at most " + option.maxItems() + " strings";
        };
    }

    private static String standard(OptionDescription option) {
        Object value = option.defaultValue();
        if (value instanceof List<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(", "));
        }
        return value == null ? "" : value.toString().toLowerCase(Locale.ROOT);
    }

    private void row(String... cells) {
        StringBuilder row = new StringBuilder("|");
        for (String cell : cells) {
            row.append(' ').append(cell.replace("|", "\\|").replace('\n', ' ')).append(" |");
        }
        line(row.toString());
    }

    private void line(String text) {
        out.append(text).append('\n');
    }
}
