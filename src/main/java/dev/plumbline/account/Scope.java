package dev.plumbline.account;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A permission of an API key. */
public enum Scope {
    JOBS_READ("jobs:read"),
    JOBS_WRITE("jobs:write"),
    PROBE("probe");

    private final String id;

    Scope(String id) {
        this.id = id;
    }

    /** The name in the API, for example {@code jobs:read}. */
    public String id() {
        return id;
    }

    /** The scope with this name, or null. */
    public static @Nullable Scope of(String id) {
        return Arrays.stream(values())
                .filter(scope -> scope.id.equals(id))
                .findFirst()
                .orElse(null);
    }

    public static List<String> ids() {
        return Arrays.stream(values()).map(Scope::id).toList();
    }
}
