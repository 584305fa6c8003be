package dev.plumbline.target;

import java.util.Locale;

/** The type of target that a module accepts. */
public enum InputType {
    DOMAIN,
    URL,
    IP,
    HOST,
    EMAIL,
    HOST_PORT;

    /** The name used in the tools list, for example {@code host_port}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
