package dev.plumbline.check;

import java.util.List;

/**
 * One field of a module's report.
 *
 * @param name snake_case; durations end in {@code _ms} or {@code _seconds}, counts in {@code
 *     _count}
 * @param nullable whether the value can be null in a result without an error
 * @param values the allowed values of a string field; empty for any value
 * @param items the type of the array items; {@code STRING} for other types
 * @param members the members of the object or of each object in the array; empty for any members
 */
public record FieldDescription(
        String name,
        FieldType type,
        String title,
        String description,
        boolean nullable,
        List<String> values,
        FieldType items,
        List<FieldDescription> members) {

    public FieldDescription {
        values = List.copyOf(values);
        members = List.copyOf(members);
    }

    public static FieldDescription string(String name, String title, String description) {
        return of(name, FieldType.STRING, title, description);
    }

    public static FieldDescription integer(String name, String title, String description) {
        return of(name, FieldType.INTEGER, title, description);
    }

    public static FieldDescription number(String name, String title, String description) {
        return of(name, FieldType.NUMBER, title, description);
    }

    public static FieldDescription bool(String name, String title, String description) {
        return of(name, FieldType.BOOLEAN, title, description);
    }

    public static FieldDescription time(String name, String title, String description) {
        return of(name, FieldType.TIME, title, description);
    }

    /** A list of scalar values. */
    public static FieldDescription array(String name, String title, String description, FieldType items) {
        return new FieldDescription(name, FieldType.ARRAY, title, description, false, List.of(), items, List.of());
    }

    /** A list of objects with these members. */
    public static FieldDescription table(String name, String title, String description, FieldDescription... members) {
        return new FieldDescription(
                name, FieldType.ARRAY, title, description, false, List.of(), FieldType.OBJECT, List.of(members));
    }

    /** An object with these members, or with any members if none are given. */
    public static FieldDescription object(String name, String title, String description, FieldDescription... members) {
        return new FieldDescription(
                name, FieldType.OBJECT, title, description, false, List.of(), FieldType.STRING, List.of(members));
    }

    /** Returns this field as nullable. */
    public FieldDescription orNull() {
        return new FieldDescription(name, type, title, description, true, values, items, members);
    }

    /** Returns this field restricted to these values. */
    public FieldDescription oneOf(String... allowed) {
        return new FieldDescription(name, type, title, description, nullable, List.of(allowed), items, members);
    }

    /** The same field with these members. */
    FieldDescription with(List<FieldDescription> members) {
        return new FieldDescription(name, type, title, description, nullable, values, items, members);
    }

    private static FieldDescription of(String name, FieldType type, String title, String description) {
        return new FieldDescription(name, type, title, description, false, List.of(), FieldType.STRING, List.of());
    }
}
