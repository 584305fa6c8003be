package dev.plumbline.sheet;

import dev.plumbline.target.LowerCaseId;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One option of a module.
 *
 * @param defaultValue a Boolean, Long, String or List of String; null without a default
 * @param values the allowed values; empty for any value within the other bounds
 * @param min smallest allowed value of an integer option
 * @param max largest allowed value of an integer option
 * @param pattern the pattern that a string or each array item must match; null for any value
 * @param maxLength longest allowed string, in characters
 * @param maxItems most items of an array option, at most 20
 * @param ports the port of a {@code host_port} target without port, by value of the option; empty if the option does
 *     not determine it
 */
public record OptionDescription(
        String name,
        Type type,
        String title,
        String description,
        @Nullable Object defaultValue,
        List<String> values,
        long min,
        long max,
        @Nullable Pattern pattern,
        int maxLength,
        int maxItems,
        Map<String, Integer> ports) {

    private static final Pattern HOST = Pattern.compile("[0-9A-Za-z.:-]+");
    private static final int MAX_NAME_LENGTH = 253;

    /** The type of an option's value. */
    public enum Type implements LowerCaseId {
        INTEGER,
        BOOLEAN,
        STRING,
        ARRAY
    }

    public OptionDescription {
        values = List.copyOf(values);
        ports = Map.copyOf(ports);
    }

    public static OptionDescription bool(String name, String title, String description, boolean defaultValue) {
        return new OptionDescription(
                name, Type.BOOLEAN, title, description, defaultValue, List.of(), 0, 0, null, 0, 0, Map.of());
    }

    public static OptionDescription integer(
            String name, String title, String description, long defaultValue, long min, long max) {
        return new OptionDescription(
                name, Type.INTEGER, title, description, defaultValue, List.of(), min, max, null, 0, 0, Map.of());
    }

    /** An IP address or a hostname, without a default. */
    public static OptionDescription host(String name, String title, String description) {
        return new OptionDescription(
                name, Type.STRING, title, description, null, List.of(), 0, 0, HOST, MAX_NAME_LENGTH, 0, Map.of());
    }

    /** An enumeration; the first value is the default. */
    public static OptionDescription choice(String name, String title, String description, String... values) {
        return new OptionDescription(
                name, Type.STRING, title, description, values[0], List.of(values), 0, 0, null, 64, 0, Map.of());
    }
}
