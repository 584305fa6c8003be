package dev.plumbline.http.web.tool;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.OptionDescription;
import dev.plumbline.check.Options;
import dev.plumbline.http.web.layout.ValueFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An option of a tool as a field of its form.
 *
 * @param value what stands in it
 * @param unit of a number, or null
 * @param wrong what is wrong with the value, or null
 */
public record OptionField(OptionDescription option, String value, @Nullable String unit, @Nullable String wrong) {

    /**
     * The fields of a tool's form.
     *
     * @param given what was asked for, by name
     */
    public static List<OptionField> of(ModuleDescription module, Map<String, String> given) {
        Map<String, String> faults = Options.parse(module, given).faults().stream()
                .collect(Collectors.toMap(Options.Fault::name, Options.Fault::detail, (a, b) -> a));
        return module.options().stream()
                .map(option -> new OptionField(
                        option,
                        given.getOrDefault(option.name(), text(option.defaultValue())),
                        option.type() == OptionDescription.Type.INTEGER
                                ? ValueFormat.unit(option.name(), option.description())
                                : null,
                        faults.get(option.name())))
                .toList();
    }

    /**
     * What a form was sent with, without what need not be said: blanks and defaults.
     *
     * @param sent all values of a parameter; the last one counts, because a hidden "false" stands
     *     before each box that can be ticked
     */
    public static Map<String, String> asked(ModuleDescription module, Map<String, List<String>> sent) {
        Map<String, String> asked = new LinkedHashMap<>();
        for (OptionDescription option : module.options()) {
            List<String> values = sent.getOrDefault(option.name(), List.of());
            String value = values.isEmpty() ? "" : values.get(values.size() - 1).strip();
            if (option.type() == OptionDescription.Type.ARRAY) {
                value = value.replaceAll("\\s*,\\s*", ",");
            }
            if (!value.isEmpty() && !value.equals(text(option.defaultValue()))) {
                asked.put(option.name(), value);
            }
        }
        return asked;
    }

    private static String text(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(String::valueOf).collect(Collectors.joining(","));
        }
        return value == null ? "" : value.toString();
    }

    public String id() {
        return "option-" + option.name();
    }

    /** What holds when nothing is given, in words; empty for nothing. */
    public String standard() {
        Object value = option.defaultValue();
        if (value instanceof Boolean yes) {
            return yes ? "yes" : "no";
        }
        String text = text(value);
        return unit == null || text.isEmpty() ? text : text + ' ' + unit;
    }

    public boolean ticked() {
        return value.equals("true");
    }

    public boolean changed() {
        return !value.equals(text(option.defaultValue()));
    }
}
