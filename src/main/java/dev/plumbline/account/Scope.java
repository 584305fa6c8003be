package dev.plumbline.account;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a key may be used for. */
public enum Scope {
    JOBS_READ("jobs:read"),
    JOBS_WRITE("jobs:write");

    private final String id;

    Scope(String id) {
        this.id = id;
    }

    /** How it is written, for example {@code jobs:read}. */
    public String id() {
        return id;
    }

    /** The scope that is written so; null if there is none. */
    public static @Nullable Scope of(String id) {
        return Arrays.stream(values())
                .filter(scope -> scope.id.equals(id))
                .findFirst()
                .orElse(null);
    }

    /** How each scope is written. */
    public static List<String> ids() {
        return Arrays.stream(values()).map(Scope::id).toList();
    }
}
