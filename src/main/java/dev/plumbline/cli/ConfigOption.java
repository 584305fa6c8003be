package dev.plumbline.cli;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.config.SettingValue;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --conf FILE}, an option of every command. */
public final class ConfigOption {
    @Option(names = "--conf", paramLabel = "FILE", description = "YAML file with settings that override the defaults.")
    private @Nullable Path file;

    /** Loads the settings of the file and of the environment. */
    Config load() throws ConfigException {
        return load(Map.of());
    }

    List<SettingValue> describe() throws ConfigException {
        return ConfigLoader.describe(file, System.getenv());
    }

    /**
     * Loads the settings with overrides.
     *
     * @param overrides values by setting
     */
    Config load(Map<String, String> overrides) throws ConfigException {
        Map<String, String> environment = new HashMap<>(System.getenv());
        overrides.forEach((key, value) -> environment.put(ConfigLoader.variable(key), value));
        return ConfigLoader.load(file, environment);
    }
}
