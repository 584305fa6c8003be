package dev.plumbline.cli;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.config.ConfigLoader;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** {@code --conf FILE}, which every command has. */
public final class ConfigOption {
    @Option(names = "--conf", paramLabel = "FILE", description = "Settings that differ from the defaults (YAML).")
    private @Nullable Path file;

    /** The settings of the file and of the environment. */
    Config load() throws ConfigException {
        return ConfigLoader.load(file, System.getenv());
    }
}
