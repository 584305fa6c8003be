package dev.plumbline.support;

import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.OptionDescription;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Descriptions of fields and options. */
public final class Descriptions {
    private Descriptions() {}

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
        return new FieldDescription(
                name, FieldType.ARRAY, title, description, false, List.of(), items, List.of(), null, null);
    }

    /** A list of objects with these members. */
    public static FieldDescription table(String name, String title, String description, FieldDescription... members) {
        return new FieldDescription(
                name,
                FieldType.ARRAY,
                title,
                description,
                false,
                List.of(),
                FieldType.OBJECT,
                List.of(members),
                null,
                null);
    }

    /** An object with these members, or with any members if none are given. */
    public static FieldDescription object(String name, String title, String description, FieldDescription... members) {
        return new FieldDescription(
                name,
                FieldType.OBJECT,
                title,
                description,
                false,
                List.of(),
                FieldType.STRING,
                List.of(members),
                null,
                null);
    }

    private static FieldDescription of(String name, FieldType type, String title, String description) {
        return new FieldDescription(
                name, type, title, description, false, List.of(), FieldType.STRING, List.of(), null, null);
    }

    /** A string without default. */
    public static OptionDescription textOption(
            String name, String title, String description, Pattern pattern, int maxLength) {
        return new OptionDescription(
                name,
                OptionDescription.Type.STRING,
                title,
                description,
                null,
                List.of(),
                0,
                0,
                pattern,
                maxLength,
                0,
                Map.of());
    }

    /** A string with a default. */
    public static OptionDescription textOption(
            String name, String title, String description, String defaultValue, Pattern pattern, int maxLength) {
        return new OptionDescription(
                name,
                OptionDescription.Type.STRING,
                title,
                description,
                defaultValue,
                List.of(),
                0,
                0,
                pattern,
                maxLength,
                0,
                Map.of());
    }

    /**
     * An enumeration that determines the default port of targets. The first value is the default.
     *
     * @param ports by value
     */
    public static OptionDescription choiceWithPorts(String name, Map<String, Integer> ports, String... values) {
        return new OptionDescription(
                name,
                OptionDescription.Type.STRING,
                "Protocol",
                "Protocol.",
                values[0],
                List.of(values),
                0,
                0,
                null,
                64,
                0,
                ports);
    }

    /** A list of strings. */
    public static OptionDescription listOption(
            String name,
            String title,
            String description,
            List<String> defaultValue,
            Pattern pattern,
            int maxLength,
            int maxItems) {
        return new OptionDescription(
                name,
                OptionDescription.Type.ARRAY,
                title,
                description,
                List.copyOf(defaultValue),
                List.of(),
                0,
                0,
                pattern,
                maxLength,
                maxItems,
                Map.of());
    }

    /** The field as nullable. Null means {@code Not used}. */
    public static FieldDescription orNull(FieldDescription field) {
        return new FieldDescription(
                field.name(),
                field.type(),
                field.title(),
                field.description(),
                true,
                field.values(),
                field.items(),
                field.members(),
                "Not used",
                field.group());
    }

    /** The field restricted to these values. */
    public static FieldDescription oneOf(FieldDescription field, String... values) {
        return new FieldDescription(
                field.name(),
                field.type(),
                field.title(),
                field.description(),
                field.nullable(),
                List.of(values),
                field.items(),
                field.members(),
                field.nullText(),
                field.group());
    }

    /** The field as volatile. */
    public static FieldDescription isVolatile(FieldDescription field) {
        return with(field, true, true, List.of());
    }

    /** The array without a meaning of the order of its items. */
    public static FieldDescription unordered(FieldDescription field) {
        return with(field, false, false, List.of());
    }

    /** The object with these volatile members, at any depth. */
    public static FieldDescription volatileMembers(FieldDescription field, String... names) {
        return with(field, false, true, List.of(names));
    }

    private static FieldDescription with(
            FieldDescription field, boolean isVolatile, boolean ordered, List<String> volatileMembers) {
        return new FieldDescription(
                field.name(),
                field.type(),
                field.title(),
                field.description(),
                field.nullable(),
                field.values(),
                field.items(),
                field.members(),
                field.nullText(),
                field.group(),
                isVolatile,
                ordered,
                volatileMembers);
    }
}
