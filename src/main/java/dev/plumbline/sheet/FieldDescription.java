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
 * @param isVolatile whether the value can differ between two checks of an unchanged target, for example a duration, the
 *     remaining days, or the address that was chosen from several
 * @param ordered whether the order of the array items has a meaning; true for other types
 * @param volatileMembers the names of volatile members, at any depth, of an object without declared members
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
        @Nullable String group,
        boolean isVolatile,
        boolean ordered,
        List<String> volatileMembers) {

    /** The meaning of null if the sheet does not declare another one, and of every null in a result with an error. */
    public static final String NOT_DETERMINED = "Not determined";

    public FieldDescription {
        values = List.copyOf(values);
        members = List.copyOf(members);
        volatileMembers = List.copyOf(volatileMembers);
    }

    /** A field that is not volatile. The order of its items has a meaning. */
    public FieldDescription(
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
        this(name, type, title, description, nullable, values, items, members, nullText, group, false, true, List.of());
    }

    /** The same field in a result with an error, in which null does not mean that a value is absent. */
    public FieldDescription inResultWithError() {
        return with(
                members.stream().map(FieldDescription::inResultWithError).toList(),
                NOT_DETERMINED,
                group,
                volatileMembers);
    }

    /** The same field with these members. */
    FieldDescription with(List<FieldDescription> members, List<String> volatileMembers) {
        return with(members, nullText, group, volatileMembers);
    }

    /** The same field in this group. */
    FieldDescription in(@Nullable String group) {
        return with(members, nullText, group, volatileMembers);
    }

    private FieldDescription with(
            List<FieldDescription> members,
            @Nullable String nullText,
            @Nullable String group,
            List<String> volatileMembers) {
        return new FieldDescription(
                name,
                type,
                title,
                description,
                nullable,
                values,
                items,
                members,
                nullText,
                group,
                isVolatile,
                ordered,
                volatileMembers);
    }
}
