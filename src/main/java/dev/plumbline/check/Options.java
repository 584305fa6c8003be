package dev.plumbline.check;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The options of one check: every option that its module declares, with the given value or the
 * default. Immutable.
 */
public final class Options {
    private final Map<String, Object> given;
    private final Map<String, Object> all;

    private Options(Map<String, Object> given, Map<String, Object> all) {
        this.given = given;
        this.all = all;
    }

    /**
     * One thing wrong with the options that somebody sent.
     *
     * @param name the option's name
     */
    public record Fault(String name, String detail) {}

    /** The options, or everything that is wrong with them; exactly one of the two is there. */
    public record Parsed(@Nullable Options options, List<Fault> faults) {}

    /** The defaults of a module. */
    public static Options defaults(ModuleDescription description) {
        Options options = parse(description, Map.of()).options();
        if (options == null) {
            throw new IllegalStateException("the defaults of " + description.module() + " are no options");
        }
        return options;
    }

    /**
     * Reads options as they come from a query string (all values strings) or from a JSON object
     * (numbers, booleans, strings, lists). Order does not matter; a value equal to the default counts
     * as not given.
     */
    public static Parsed parse(ModuleDescription description, Map<String, ?> raw) {
        return parse(description, raw, false);
    }

    /**
     * Reads options as they come from a JSON object, as the tool's {@code options_schema} says: what
     * is a number there must be a number, and so on.
     */
    public static Parsed parseTyped(ModuleDescription description, Map<String, ? extends @Nullable Object> raw) {
        return parse(description, raw, true);
    }

    private static Parsed parse(
            ModuleDescription description, Map<String, ? extends @Nullable Object> raw, boolean typed) {
        List<Fault> faults = new ArrayList<>();
        Map<String, Object> given = new TreeMap<>();
        for (Map.Entry<String, ? extends @Nullable Object> entry : raw.entrySet()) {
            OptionDescription option = description.option(entry.getKey());
            if (option == null) {
                faults.add(new Fault(entry.getKey(), unknown(description, entry.getKey())));
                continue;
            }
            try {
                Object value = typed
                        ? OptionParser.readTyped(option, entry.getValue())
                        : OptionParser.read(option, entry.getValue());
                if (!value.equals(option.defaultValue())) {
                    given.put(option.name(), value);
                }
            } catch (IllegalArgumentException wrong) {
                faults.add(new Fault(option.name(), String.valueOf(wrong.getMessage())));
            }
        }
        if (!faults.isEmpty()) {
            return new Parsed(null, List.copyOf(faults));
        }
        Map<String, Object> all = new LinkedHashMap<>();
        for (OptionDescription option : description.options()) {
            Object value = given.getOrDefault(option.name(), option.defaultValue());
            if (value != null) {
                all.put(option.name(), value);
            }
        }
        return new Parsed(new Options(given, all), List.of());
    }

    private static String unknown(ModuleDescription description, String name) {
        if (name.equals(ModuleDescription.FRESH.name())) {
            return "is for jobs only; an instant result is given again until its expires_at, then checked" + " anew";
        }
        return description.module()
                + " has no such option; it has "
                + String.join(
                        ", ",
                        description.options().stream()
                                .map(OptionDescription::name)
                                .toList());
    }

    public boolean flag(String name) {
        return (Boolean) known(name);
    }

    public long integer(String name) {
        return (Long) known(name);
    }

    /** A string option, null when it was not given and has no default. */
    public @Nullable String text(String name) {
        return (String) all.get(name);
    }

    @SuppressWarnings("unchecked")
    public List<String> list(String name) {
        return (List<String>) known(name);
    }

    /** Only what differs from the defaults, sorted by name: equal options have equal maps. */
    public Map<String, Object> given() {
        return java.util.Collections.unmodifiableMap(given);
    }

    /**
     * What is given, as one text that equal options share and different ones never do: each value
     * says how long it is, so that no value can look like two.
     */
    public String key() {
        StringBuilder key = new StringBuilder();
        given.forEach((name, value) -> {
            key.append(name).append('=');
            if (value instanceof List<?> list) {
                key.append(list.size()).append('[');
                list.forEach(item -> append(key, item));
                key.append(']');
            } else {
                append(key, value);
            }
        });
        return key.toString();
    }

    private static void append(StringBuilder key, Object value) {
        String text = value.toString();
        key.append(text.length()).append(':').append(text).append(';');
    }

    private Object known(String name) {
        Object value = all.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no option " + name);
        }
        return value;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Options that && that.given.equals(given) && that.all.equals(all);
    }

    @Override
    public int hashCode() {
        return given.hashCode();
    }

    @Override
    public String toString() {
        return given.toString();
    }
}
