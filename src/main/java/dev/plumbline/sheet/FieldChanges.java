package dev.plumbline.sheet;

import com.google.common.collect.HashMultiset;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Compares the fields of two results of a module as its sheet declares: volatile values are ignored unless they are
 * requested, and the order of the items of an array only counts if it has a meaning.
 */
public final class FieldChanges {
    private final boolean withVolatile;

    private FieldChanges(boolean withVolatile) {
        this.withVolatile = withVolatile;
    }

    /**
     * Returns the fields whose values differ, in declared order, without volatile values. A missing value is equal to
     * null, and 1 is equal to 1.0.
     *
     * @param fields the declared fields; other values are ignored
     * @param before values of the types that JSON has, by field name
     */
    public static List<FieldDescription> between(
            List<FieldDescription> fields,
            Map<String, ? extends @Nullable Object> before,
            Map<String, ? extends @Nullable Object> after) {
        return new FieldChanges(false).find(fields, before, after);
    }

    /** As {@link #between}, but volatile values are compared like the others. */
    public static List<FieldDescription> withVolatileBetween(
            List<FieldDescription> fields,
            Map<String, ? extends @Nullable Object> before,
            Map<String, ? extends @Nullable Object> after) {
        return new FieldChanges(true).find(fields, before, after);
    }

    /** Returns a value without its volatile parts. Numbers are of the type {@link BigDecimal}. */
    public static @Nullable Object withoutVolatile(FieldDescription field, @Nullable Object value) {
        FieldChanges changes = new FieldChanges(false);
        return value instanceof List<?> list
                ? list.stream().map(item -> changes.item(field, item)).toList()
                : changes.item(field, value);
    }

    private List<FieldDescription> find(
            List<FieldDescription> fields,
            Map<String, ? extends @Nullable Object> before,
            Map<String, ? extends @Nullable Object> after) {
        return fields.stream()
                .filter(this::isCompared)
                .filter(field -> differ(field, before.get(field.name()), after.get(field.name())))
                .toList();
    }

    private boolean isCompared(FieldDescription field) {
        return withVolatile || !field.isVolatile();
    }

    private boolean differ(FieldDescription field, @Nullable Object before, @Nullable Object after) {
        return !Objects.equals(before, after) && !Objects.equals(comparable(field, before), comparable(field, after));
    }

    /** The value without its volatile parts, in a form with the equality of the comparison. */
    private @Nullable Object comparable(FieldDescription field, @Nullable Object value) {
        if (!(value instanceof List<?> list)) {
            return item(field, value);
        }
        Collection<@Nullable Object> items = field.ordered() ? new ArrayList<>() : HashMultiset.create();
        list.forEach(item -> items.add(item(field, item)));
        return items;
    }

    private @Nullable Object item(FieldDescription field, @Nullable Object value) {
        if (field.members().isEmpty() || !(value instanceof Map<?, ?> map)) {
            return untyped(value, withVolatile ? List.of() : field.volatileMembers());
        }
        Map<String, Object> members = new LinkedHashMap<>();
        for (FieldDescription member : field.members()) {
            Object kept = isCompared(member) ? comparable(member, map.get(member.name())) : null;
            if (kept != null) {
                members.put(member.name(), kept);
            }
        }
        return members;
    }

    /** A value without declared members, without the members with these names. */
    private static @Nullable Object untyped(@Nullable Object value, List<String> volatileMembers) {
        if (value instanceof Map<?, ?> map) {
            Map<Object, Object> members = new LinkedHashMap<>();
            map.forEach((name, member) -> {
                Object kept = volatileMembers.contains(name) ? null : untyped(member, volatileMembers);
                if (kept != null) {
                    members.put(name, kept);
                }
            });
            return members;
        }
        if (value instanceof List<?> list) {
            return list.stream().map(item -> untyped(item, volatileMembers)).toList();
        }
        // JSON of another program can contain a number that is too large for a double
        return value instanceof Number number && Double.isFinite(number.doubleValue())
                ? new BigDecimal(number.toString()).stripTrailingZeros()
                : value;
    }
}
