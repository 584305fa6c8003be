package dev.plumbline.sheet;

import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.Host;
import dev.plumbline.target.IpAddressText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The options of one check: the given or default value of every option that the module declares. Immutable. */
public final class Options {
    /** No options, for contexts without a module. */
    public static final Options NONE = new Options(Map.of(), Map.of());

    /** The maximum number of faults that are reported. */
    private static final int MAX_FAULTS = 100;

    private final Map<String, Object> given;
    private final Map<String, Object> all;

    private Options(Map<String, Object> given, Map<String, Object> all) {
        this.given = given;
        this.all = all;
    }

    /**
     * An error in the given options.
     *
     * @param name the option's name
     */
    public record Fault(String name, String detail) {}

    /** The options if they are valid, otherwise the errors. */
    public record Parsed(@Nullable Options options, List<Fault> faults) {}

    /** Returns the default options of a module. */
    public static Options defaults(ModuleDescription description) {
        Options options = parse(description, Map.of()).options();
        if (options == null) {
            throw new IllegalStateException("the default options of " + description.module() + " are not valid");
        }
        return options;
    }

    /**
     * Parses options of a query string (all values are strings) or of a JSON object (numbers, booleans, strings,
     * lists). A value equal to the default counts as not given, as does null for an option without a default.
     */
    public static Parsed parse(ModuleDescription description, Map<String, ?> raw) {
        return parse(description, raw, false);
    }

    /**
     * Parses options of a JSON object with the types of the module's {@code options_schema}. Null counts as not given
     * for an option without a default.
     */
    public static Parsed parseTyped(ModuleDescription description, Map<String, ? extends @Nullable Object> raw) {
        return parse(description, raw, true);
    }

    private static Parsed parse(
            ModuleDescription description, Map<String, ? extends @Nullable Object> raw, boolean typed) {
        List<Fault> faults = new ArrayList<>();
        Map<String, Object> given = new TreeMap<>();
        for (Map.Entry<String, ? extends @Nullable Object> entry : raw.entrySet()) {
            if (faults.size() == MAX_FAULTS) {
                break;
            }
            OptionDescription option = description.option(entry.getKey());
            if (option == null) {
                faults.add(new Fault(entry.getKey(), unknown(description, entry.getKey())));
                continue;
            }
            Object rawValue = entry.getValue();
            if (option.defaultValue() == null && rawValue == null) {
                continue;
            }
            try {
                Object value = typed ? OptionParser.readTyped(option, rawValue) : OptionParser.read(option, rawValue);
                if (!value.equals(option.defaultValue())) {
                    given.put(option.name(), value);
                }
            } catch (IllegalArgumentException wrong) {
                faults.add(new Fault(option.name(), ExceptionMessage.of(wrong)));
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
            return "is available for jobs only; instant checks use cached results until their expires_at";
        }
        return "is not an option of %s; options: %s"
                .formatted(
                        description.module(),
                        description.options().stream()
                                .map(OptionDescription::name)
                                .collect(Collectors.joining(", ")));
    }

    public boolean flag(String name) {
        return (Boolean) known(name);
    }

    public long integer(String name) {
        return (Long) known(name);
    }

    /** Returns an integer option; null if it is not given and has no default. */
    public @Nullable Long optionalInteger(String name) {
        return (Long) all.get(name);
    }

    /** Returns a string option that has a default. */
    public String text(String name) {
        return (String) known(name);
    }

    /** Returns a string option; null if it is not given and has no default. */
    public @Nullable String optionalText(String name) {
        return (String) all.get(name);
    }

    /** Returns the host to connect to instead of the host of the target; null if none was given. */
    public @Nullable Host connectTo() {
        String host = optionalText(ModuleDescription.CONNECT_TO);
        return host == null ? null : new Host(host, IpAddressText.parse(host));
    }

    @SuppressWarnings("unchecked")
    public List<String> list(String name) {
        return (List<String>) known(name);
    }

    /** Returns the options that differ from the defaults, sorted by name. */
    public Map<String, Object> given() {
        return Collections.unmodifiableMap(given);
    }

    /** Returns the options that differ from the defaults as query parameters. */
    public Map<String, String> queryParameters() {
        Map<String, String> parameters = new TreeMap<>();
        given.forEach((name, value) -> parameters.put(
                name,
                value instanceof List<?> items
                        ? items.stream().map(Object::toString).collect(Collectors.joining(","))
                        : value.toString()));
        return parameters;
    }

    /**
     * Returns a canonical string of the given options. Values are prefixed with their length, so different options have
     * different strings.
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
