package dev.plumbline.config;

import java.util.List;

/** The settings are wrong. The message names every fault, one a line. */
public final class ConfigException extends Exception {
    public ConfigException(List<String> faults) {
        super(String.join("\n", faults));
    }
}
