package dev.plumbline.target;

import java.util.Locale;

/** A constant of an enum with an ID for settings, sheets, requests and responses. */
public interface LowerCaseId {
    String name();

    /** The name in lower case, for example {@code host_port}. */
    default String id() {
        return name().toLowerCase(Locale.ROOT);
    }
}
