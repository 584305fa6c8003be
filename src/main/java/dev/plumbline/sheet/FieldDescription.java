package dev.plumbline.sheet;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One field of a module's report.
 *
 * @param name snake_case; durations end in {@code _ms} or {@code _seconds}, counts in {@code _count}
 * @param nullable whether the value can be null in a result without an error
 * @param values the allowed values of a string field; empty for any value
 * @param items the type of the array items; {@code STRING} for other types
 * @param members the members of the object or of each object in the array; empty for any members
 * @param nullText what null means in a result without an error, for example {@code Not sent}; null if not nullable
 * @param group the title of the group in which reports show the field; null if the module does not have groups
 */
public record FieldDescription(
        String name,
        FieldType type,
        String title,
        String description,
        boolean nullable,
        List<String> values,
        FieldType items,
        List<FieldDescription> members,
        @Nullable String nullText,
        @Nullable String group) {

    /** The meaning of null if the sheet does not declare another one, and of every null in a result with an error. */
    public static final String NOT_DETERMINED = "Not determined";

    public FieldDescription {
        values = List.copyOf(values);
        members = List.copyOf(members);
    }

    /** The same field in a result with an error, in which null does not mean that a value is absent. */
    public FieldDescription inResultWithError() {
        return with(members.stream().map(FieldDescription::inResultWithError).toList(), NOT_DETERMINED, group);
    }

    /** The same field with these members and in this group. */
    FieldDescription with(List<FieldDescription> members, @Nullable String group) {
        return with(members, nullText, group);
    }

    private FieldDescription with(List<FieldDescription> members, @Nullable String nullText, @Nullable String group) {
        return new FieldDescription(name, type, title, description, nullable, values, items, members, nullText, group);
    }
}
