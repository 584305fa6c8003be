package dev.plumbline.target;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** A constant of an enum with an ID for settings, sheets, requests and responses. */
public interface LowerCaseId {
    String name();

    /** The name in lower case, for example {@code host_port}. */
    default String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Returns the constant with this ID, which is case-sensitive; null if there is none. */
    static <E extends LowerCaseId> @Nullable E find(E[] values, String id) {
        for (E value : values) {
            if (value.id().equals(id)) {
                return value;
            }
        }
        return null;
    }
}
