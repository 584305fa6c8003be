package dev.plumbline.config;

import java.util.Locale;

/** A task of a node. Every node has at least one role. */
public enum NodeRole {
    /** Serves the API and the pages. */
    HTTP,

    /** Runs checks. */
    RUN,

    /** Claims the chunks of jobs and deletes expired rows. */
    COORDINATE;

    /** The name in {@code node.roles}, for example {@code http}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** @throws IllegalArgumentException if the role does not exist */
    public static NodeRole of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
