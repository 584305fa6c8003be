package dev.plumbline.check;

import java.util.List;

/**
 * One field of a module's report.
 *
 * @param name snake_case; lengths of time end in {@code _ms} or {@code _seconds}, counts in {@code
 *     _count}
 * @param nullable whether it may be null although the exchange completed
 * @param values the only values a string field can have; empty when it is free
 * @param items the type of an array's items; {@code STRING} for anything but an array
 * @param members what an object, or each object of an array, holds; empty when it is free
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

    /** A list of plain values. */
    public static FieldDescription array(String name, String title, String description, FieldType items) {
        return new FieldDescription(name, FieldType.ARRAY, title, description, false, List.of(), items, List.of());
    }

    /** A list of objects that each hold these members. */
    public static FieldDescription table(String name, String title, String description, FieldDescription... members) {
        return new FieldDescription(
                name, FieldType.ARRAY, title, description, false, List.of(), FieldType.OBJECT, List.of(members));
    }

    /** An object that holds these members, or anything when none are given. */
    public static FieldDescription object(String name, String title, String description, FieldDescription... members) {
        return new FieldDescription(
                name, FieldType.OBJECT, title, description, false, List.of(), FieldType.STRING, List.of(members));
    }

    /** The same field, which may be null although the exchange completed. */
    public FieldDescription orNull() {
        return new FieldDescription(name, type, title, description, true, values, items, members);
    }

    /** The same field, which has no other values than these. */
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
