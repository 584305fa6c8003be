package dev.plumbline.config;

import java.util.List;

/** The settings are not valid. The message contains every fault, one per line. */
public final class ConfigException extends Exception {
    public ConfigException(List<String> faults) {
        super(String.join("\n", faults));
    }
}
