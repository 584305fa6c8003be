package dev.plumbline.config;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import com.google.common.io.Resources;
import dev.plumbline.target.ClosestName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Loads the settings from {@code plumbline.yaml} in the jar, a file and the environment. A later source overrides an
 * earlier one. The file in the jar lists every setting that exists.
 */
public final class ConfigLoader {
    private static final String PREFIX = "PLUMBLINE_";
    /** Variables of the commands and of the start script, which are not settings. */
    private static final Set<String> COMMAND_VARIABLES =
            Set.of("PLUMBLINE_KEY", "PLUMBLINE_SERVER", "PLUMBLINE_AOT_CACHE");

    private static final Pattern KUBERNETES_PORT = Pattern.compile(".*_PORT_\\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?");

    private ConfigLoader() {}

    /**
     * @param file a YAML file, or null
     * @throws ConfigException with every error in all sources
     */
    public static Config load(@Nullable Path file, Map<String, String> environment) throws ConfigException {
        return load(file, environment, new TreeMap<>());
    }

    /**
     * The value and the source of every setting, sorted by name. Secrets are hidden.
     *
     * @param file a YAML file, or null
     * @throws ConfigException with every error in all sources
     */
    public static List<SettingValue> describe(@Nullable Path file, Map<String, String> environment)
            throws ConfigException {
        Map<String, SettingValue> described = new TreeMap<>();
        load(file, environment, described);
        return List.copyOf(described.values());
    }

    private static Config load(
            @Nullable Path file, Map<String, String> environment, Map<String, SettingValue> described)
            throws ConfigException {
        Map<String, Object> values = defaults();
        List<String> faults = new ArrayList<>();
        values.forEach((key, value) -> described.put(key, SettingValue.of(key, value, "default")));
        if (file != null) {
            applyFile(file, values, faults, described);
        }
        applyEnvironment(environment, values, faults, described);
        new SettingRules(values, faults).check();
        SettingsBinder binder = new SettingsBinder(values, faults);
        Config config = binder.bind(Config.class, "");
        if (config == null) {
            throw new ConfigException(faults);
        }
        binder.secrets().forEach(key -> described.computeIfPresent(key, (name, value) -> value.hidden()));
        return config;
    }

    public static String variable(String key) {
        return PREFIX + key.replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** The default of every setting, by name: a text or a list of texts. */
    static Map<String, Object> defaults() {
        try {
            Map<String, Object> flat = new TreeMap<>();
            flatten("", new YAMLMapper().readTree(Resources.getResource(ConfigLoader.class, "/plumbline.yaml")), flat);
            return flat;
        } catch (IOException invalid) {
            throw new UncheckedIOException(invalid);
        }
    }

    private static void applyFile(
            Path file, Map<String, Object> values, List<String> faults, Map<String, SettingValue> described) {
        Map<String, Object> given = new TreeMap<>();
        try {
            JsonNode tree = new YAMLMapper()
                    .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
                    .readTree(Files.readString(file));
            if (!tree.isObject() && !tree.isMissingNode() && !tree.isNull()) {
                faults.add(file + " is not a YAML mapping. Write settings such as http: {port: 8080}.");
            }
            flatten("", tree, given);
        } catch (JsonProcessingException invalid) {
            String line = invalid.getLocation() == null
                    ? ""
                    : " in line " + invalid.getLocation().getLineNr();
            String cause = invalid.getOriginalMessage().lines().findFirst().orElse("");
            faults.add(file + " is not valid YAML" + line + ": " + cause);
        } catch (IOException unreadable) {
            faults.add(file + " cannot be read. Set --conf to a readable UTF-8 file.");
        }
        given.forEach((key, value) -> {
            if (values.replace(key, value) == null) {
                faults.add(
                        file + ": " + key + " is not a setting." + suggestion(key, values, UnaryOperator.identity()));
            } else {
                described.put(key, SettingValue.of(key, value, file.toString()));
            }
        });
    }

    private static void applyEnvironment(
            Map<String, String> environment,
            Map<String, Object> values,
            List<String> faults,
            Map<String, SettingValue> described) {
        Map<String, String> keys = new TreeMap<>();
        values.keySet().forEach(key -> keys.put(variable(key), key));
        new TreeMap<>(environment).forEach((name, value) -> {
            String key = keys.get(name);
            if (!name.startsWith(PREFIX) || COMMAND_VARIABLES.contains(name) || isServiceLink(name, value)) {
                return;
            }
            if (key != null) {
                values.put(key, value);
                described.put(key, SettingValue.of(key, value, name));
            } else if (!name.contains("_SERVICE_")
                    && !KUBERNETES_PORT.matcher(name).matches()) {
                String wanted = name.substring(PREFIX.length()).toLowerCase(Locale.ROOT);
                faults.add(name + " is not a setting." + suggestion(wanted, values, ConfigLoader::variable));
            }
        });
    }

    /** Kubernetes sets {@code <SERVICE>_PORT} to a URL in every pod, for each service. */
    private static boolean isServiceLink(String name, String value) {
        return name.endsWith("_PORT") && value.startsWith("tcp://");
    }

    /**
     * Suggests a setting with the same ending or with at most two different characters.
     *
     * @param display the name of a setting in its source
     */
    private static String suggestion(String key, Map<String, Object> values, UnaryOperator<String> display) {
        String wanted = key.replaceAll("[._-]", "");
        String closest = ClosestName.of(
                wanted, values.keySet().stream().map(ConfigLoader::plain).toList());
        return values.keySet().stream()
                .filter(known -> {
                    String plain = plain(known);
                    return plain.endsWith(wanted) || wanted.endsWith(plain);
                })
                .findFirst()
                .or(() -> values.keySet().stream()
                        .filter(known -> plain(known).equals(closest))
                        .findFirst())
                .map(known -> " Did you mean " + display.apply(known) + "?")
                .orElse(" See conf/plumbline.yaml for all settings.");
    }

    private static String plain(String key) {
        return key.replaceAll("[._]", "");
    }

    private static void flatten(String prefix, JsonNode node, Map<String, Object> into) {
        node.properties().forEach(entry -> {
            String key = prefix + entry.getKey();
            JsonNode value = entry.getValue();
            if (value.isObject()) {
                flatten(key + ".", value, into);
            } else if (value.isArray()) {
                List<String> items = new ArrayList<>();
                value.forEach(item -> items.add(text(item)));
                into.put(key, items);
            } else {
                into.put(key, text(value));
            }
        });
    }

    private static String text(JsonNode value) {
        return value.isNull() ? "" : value.isValueNode() ? value.asText() : value.toString();
    }
}
