package dev.plumbline.config;

import dev.plumbline.target.LowerCaseId;
import java.util.Locale;

/** A task of a node. Every node has at least one role. */
public enum NodeRole implements LowerCaseId {
    /** Serves the API and the pages. */
    HTTP,

    /** Runs checks. */
    RUN,

    /** Claims the chunks of jobs and deletes expired rows. */
    COORDINATE;

    /** @throws IllegalArgumentException if the role does not exist */
    public static NodeRole of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }
}
