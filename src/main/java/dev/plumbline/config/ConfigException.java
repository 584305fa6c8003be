package dev.plumbline.config;

import java.util.List;

/** The settings are not valid. The message contains every error, one per line. */
public final class ConfigException extends Exception {
    public ConfigException(List<String> faults) {
        super(String.join("\n", faults));
    }

    /**
     * A setting whose file is not valid.
     *
     * @param setting its name
     * @param value its value, a path
     * @param problem a clause such as "the file contains no certificate"
     * @param expected a noun phrase that completes "Set …"
     */
    public static ConfigException ofFile(String setting, Object value, String problem, String expected) {
        return new ConfigException(
                List.of("%s is \"%s\", but %s. Set %s.".formatted(setting, value, problem, expected)));
    }
}
