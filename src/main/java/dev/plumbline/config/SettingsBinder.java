package dev.plumbline.config;

import com.google.common.collect.Sets;
import java.lang.reflect.RecordComponent;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Binds settings to the records of {@link Config} and collects every error. Libraries stop at the first error or accept
 * {@code 1.5} as an integer. The component {@code maxConnections} of the section {@code http} is the setting
 * {@code http.max_connections}; a record inside a section adds its name as a prefix
 * ({@code targets.per_ip_concurrent}).
 */
final class SettingsBinder {
    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");

    private final Map<String, Object> values;
    private final List<String> faults;
    private final Set<String> secrets = new HashSet<>();

    /**
     * @param values a text or a list of texts by name of the setting
     * @param faults receives one message for each invalid value
     */
    SettingsBinder(Map<String, Object> values, List<String> faults) {
        this.values = values;
        this.faults = faults;
    }

    /** Returns null if there is an error. */
    <T extends Record> @Nullable T bind(Class<T> type, String prefix) {
        RecordComponent[] components = type.getRecordComponents();
        Class<?>[] types = new Class<?>[components.length];
        @Nullable Object[] arguments = new @Nullable Object[components.length];
        for (int i = 0; i < components.length; i++) {
            RecordComponent component = components[i];
            String key = prefix + snakeCase(component.getName());
            types[i] = component.getType();
            arguments[i] = types[i].isRecord()
                    ? bind(types[i].asSubclass(Record.class), key + (prefix.isEmpty() ? "." : "_"))
                    : value(component, key);
        }
        try {
            return faults.isEmpty() ? type.getDeclaredConstructor(types).newInstance(arguments) : null;
        } catch (ReflectiveOperationException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** The names of the bound settings whose values are secret. */
    Set<String> secrets() {
        return secrets;
    }

    private static String snakeCase(String name) {
        return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
    }

    private @Nullable Object value(RecordComponent component, String name) {
        Setting setting = Objects.requireNonNull(component.getAnnotation(Setting.class), name);
        String key = setting.key().isEmpty() ? name : setting.key();
        Object value = Objects.requireNonNull(values.get(key), key);
        if (setting.value().isSecret()) {
            secrets.add(key);
        }
        Class<?> type = component.getType();
        if (type == List.class || type == Map.class || type == Set.class) {
            List<String> items = list(key, value, setting.value());
            return type == List.class ? items : type == Map.class ? byName(items) : roles(items);
        }
        if (!(value instanceof String single)) {
            fault(key, "is a list", "a single value");
            return null;
        }
        String text = single.strip();
        if (text.isEmpty() && component.getAnnotatedType().isAnnotationPresent(Nullable.class)) {
            return null;
        }
        if (type == int.class || type == Duration.class) {
            return number(key, text, setting, type == int.class);
        }
        if (!setting.value().matches(text)) {
            String problem = setting.value().isSecret() ? "is not valid" : "is " + quote(text);
            fault(key, problem, setting.value().expected);
            return null;
        }
        if (type == boolean.class) {
            return text.equals("true");
        }
        return type == Path.class ? Path.of(text) : text;
    }

    /** The items of a list or of a text with commas, without empty ones. */
    static Stream<String> items(Object value) {
        Stream<?> items = value instanceof List<?> list ? list.stream() : Stream.of(((String) value).split(",", -1));
        return items.map(item -> ((String) item).strip()).filter(item -> !item.isEmpty());
    }

    private List<String> list(String key, Object value, SettingFormat format) {
        List<String> texts = items(value).toList();
        texts.stream()
                .filter(item -> !format.matches(item))
                .forEach(item ->
                        fault(key, format.isSecret() ? "is not valid" : "contains " + quote(item), format.expected));
        return texts;
    }

    /** Returns null if a role does not exist; that error is reported by {@link #list}. */
    private @Nullable Set<NodeRole> roles(List<String> items) {
        return faults.isEmpty()
                ? Sets.immutableEnumSet(items.stream().map(NodeRole::of).toList())
                : null;
    }

    /** Groups {@code name=value}, in order. */
    private static Map<String, List<String>> byName(List<String> items) {
        Map<String, List<String>> groups = new LinkedHashMap<>();
        for (String item : items) {
            int end = item.indexOf('=');
            groups.computeIfAbsent(item.substring(0, Math.max(0, end)), name -> new ArrayList<>())
                    .add(item.substring(end + 1));
        }
        return groups;
    }

    private @Nullable Object number(String key, String text, Setting setting, boolean integer) {
        Long value = integer ? integer(text) : millis(text);
        Long min = integer ? integer(setting.min()) : millis(setting.min());
        Long max = integer ? integer(setting.max()) : millis(setting.max());
        if (min == null || max == null) {
            throw new IllegalStateException(key + " has no range");
        }
        if (value == null || value < min || value > max) {
            boolean zero = !setting.zero().isEmpty();
            fault(
                    key,
                    "is " + quote(text),
                    (integer ? setting.unit() : "a duration")
                            + (" from " + (zero ? "1" : setting.min()) + " to " + setting.max())
                            + (zero ? " (0 = " + setting.zero() + ")" : ""));
            return null;
        }
        return integer ? (Object) value.intValue() : Duration.ofMillis(value);
    }

    private static @Nullable Long integer(String text) {
        return text.matches("[+-]?\\d{1,10}") ? Long.valueOf(text) : null;
    }

    private static @Nullable Long millis(String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            return null;
        }
        return Long.parseLong(matcher.group(1))
                * switch (matcher.group(2)) {
                    case "ms" -> 1;
                    case "s" -> 1_000;
                    case "m" -> 60_000;
                    case "h" -> 3_600_000;
                    default -> 86_400_000;
                };
    }

    private void fault(String key, String problem, String expected) {
        faults.add(key + " " + problem + ". Set " + expected + ".");
    }

    private static String quote(String text) {
        if (text.isEmpty()) {
            return "empty";
        }
        return integer(text) == null ? '"' + text.replaceAll("\\p{Cntrl}", "?") + '"' : text;
    }
}
