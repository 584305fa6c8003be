package dev.plumbline.sheet;

import java.util.Locale;

/** The type of a report field. */
public enum FieldType {
    STRING,
    INTEGER,
    NUMBER,
    BOOLEAN,
    TIME,
    ARRAY,
    OBJECT;

    /** The name used in the tools list, for example {@code time}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
