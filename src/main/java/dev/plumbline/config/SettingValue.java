package dev.plumbline.config;

import java.util.List;
import java.util.stream.Collectors;

/**
 * The value of a setting as text.
 *
 * @param value items of a list are separated by commas
 * @param source {@code default}, the path of a file, or the name of an environment variable
 */
public record SettingValue(String name, String value, String source) {
    private static final String HIDDEN = "(hidden)";

    static SettingValue of(String name, Object value, String source) {
        String text = value instanceof List<?> items
                ? items.stream().map(Object::toString).collect(Collectors.joining(","))
                : value.toString();
        return new SettingValue(name, text, source);
    }

    /** This setting without its value, unless it is empty. */
    SettingValue hidden() {
        return value.isEmpty() ? this : new SettingValue(name, HIDDEN, source);
    }
}
