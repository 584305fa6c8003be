package dev.plumbline.check;

import java.util.List;

/**
 * One field of a module's report.
 *
 * @param name snake_case; durations end in {@code _ms} or {@code _seconds}, counts in {@code _count}
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

    /** The same field with these members. */
    FieldDescription with(List<FieldDescription> members) {
        return new FieldDescription(name, type, title, description, nullable, values, items, members);
    }
}
