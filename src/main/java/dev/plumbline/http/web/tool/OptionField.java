package dev.plumbline.http.web.tool;

import dev.plumbline.result.QuantityUnit;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.OptionDescription;
import dev.plumbline.sheet.Options;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * An option of a tool as a form field.
 *
 * @param value the content of the field
 * @param unit the unit of a number, or null
 * @param error the error of the value, or null
 */
public record OptionField(OptionDescription option, String value, @Nullable String unit, @Nullable String error) {

    /**
     * The fields of a tool.
     *
     * @param given the option values of the request, by name
     */
    public static List<OptionField> of(ModuleDescription module, Map<String, String> given) {
        Map<String, String> faults = Options.parse(module, given).faults().stream()
                .collect(Collectors.toMap(Options.Fault::name, Options.Fault::detail, (a, b) -> a));
        return module.options().stream()
                .map(option -> new OptionField(
                        option,
                        given.getOrDefault(option.name(), text(option.defaultValue())),
                        option.type() == OptionDescription.Type.INTEGER
                                ? QuantityUnit.of(option.name(), option.description())
                                : null,
                        faults.get(option.name())))
                .toList();
    }

    /**
     * The submitted options that differ from their defaults, by name.
     *
     * @param sent all values of each parameter; the last one counts, as a hidden "false" precedes each checkbox
     */
    public static Map<String, String> changed(ModuleDescription module, Function<String, List<String>> sent) {
        Map<String, String> changed = new LinkedHashMap<>();
        for (OptionDescription option : module.options()) {
            List<String> values = sent.apply(option.name());
            String value = values.isEmpty() ? "" : values.get(values.size() - 1).strip();
            if (option.type() == OptionDescription.Type.ARRAY) {
                value = value.replaceAll("\\s*,\\s*", ",");
            }
            if (!value.isEmpty() && !value.equals(text(option.defaultValue()))) {
                changed.put(option.name(), value);
            }
        }
        return changed;
    }

    /** The value of an option as a query parameter; empty for null. */
    public static String text(@Nullable Object value) {
        if (value instanceof List<?> list) {
            return list.stream().map(Object::toString).collect(Collectors.joining(","));
        }
        return value == null ? "" : value.toString();
    }

    public String id() {
        return "option-" + option.name();
    }

    /** The default value with its unit; empty without a default. */
    public String defaultText() {
        Object value = option.defaultValue();
        if (value instanceof Boolean yes) {
            return yes ? "yes" : "no";
        }
        String text = text(value);
        return unit == null || text.isEmpty() ? text : text + ' ' + unit;
    }

    public boolean checked() {
        return value.equals("true");
    }

    /** Whether the value differs from the default or is invalid. */
    public boolean notable() {
        return error != null || !value.equals(text(option.defaultValue()));
    }
}
