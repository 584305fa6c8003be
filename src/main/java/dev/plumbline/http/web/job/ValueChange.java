package dev.plumbline.http.web.job;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import com.google.common.collect.Sets;
import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FieldChanges;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.target.PrintableText;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A value that differs between two results: a field, a member of an object, or the items of a list that only one of the
 * results contains.
 *
 * @param title the titles of the field and its members
 * @param before null if the earlier result does not have a value, or another item of a list
 * @param after null if the later result does not have a value, or another item of a list
 */
public record ValueChange(String title, @Nullable DisplayText before, @Nullable DisplayText after) {
    private static final int MAX_TEXT_LENGTH = 200;
    private static final int MAX_ITEMS = 5;
    private static final String SEPARATOR = " \u203a ";

    /** Returns the differences between two values of a field. */
    static List<ValueChange> of(
            FieldDescription field, @Nullable Object before, @Nullable Object after, boolean withVolatile) {
        List<ValueChange> changes = new ArrayList<>();
        add(
                changes,
                field.title(),
                field,
                withVolatile ? before : FieldChanges.withoutVolatile(field, before),
                withVolatile ? after : FieldChanges.withoutVolatile(field, after));
        return changes;
    }

    private static void add(
            List<ValueChange> changes,
            String title,
            FieldDescription field,
            @Nullable Object before,
            @Nullable Object after) {
        if (Objects.equals(before, after)) {
            return;
        }
        if (before instanceof Map<?, ?> earlier && after instanceof Map<?, ?> later) {
            addMembers(changes, title, field, earlier, later);
        } else if (before instanceof Collection<?> earlier && after instanceof Collection<?> later) {
            addItems(changes, title, field, earlier, later);
        } else {
            changes.add(new ValueChange(title, display(field, before), display(field, after)));
        }
    }

    private static void addMembers(
            List<ValueChange> changes, String title, FieldDescription field, Map<?, ?> before, Map<?, ?> after) {
        for (Object name : Sets.union(before.keySet(), after.keySet())) {
            FieldDescription member = member(field, name.toString());
            add(
                    changes,
                    title + SEPARATOR + (member == null ? DisplayText.plain(name.toString()) : member.title()),
                    member == null ? field : member,
                    before.get(name),
                    after.get(name));
        }
    }

    private static @Nullable FieldDescription member(FieldDescription field, String name) {
        return field.members().stream()
                .filter(member -> member.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    private static void addItems(
            List<ValueChange> changes,
            String title,
            FieldDescription field,
            Collection<?> before,
            Collection<?> after) {
        Map<String, Object> earlier = byKey(field, before);
        Map<String, Object> later = byKey(field, after);
        if (earlier != null && later != null) {
            for (String key : Sets.union(earlier.keySet(), later.keySet())) {
                add(changes, title + SEPARATOR + DisplayText.plain(key), field, earlier.get(key), later.get(key));
            }
            return;
        }
        List<?> removed = difference(before, after);
        List<?> added = difference(after, before);
        changes.add(
                removed.isEmpty() && added.isEmpty()
                        ? new ValueChange(title + ", order", items(field, before), items(field, after))
                        : new ValueChange(title, items(field, removed), items(field, added)));
    }

    /** The objects of a list by the value of their first declared member; null if it does not identify them. */
    private static @Nullable Map<String, Object> byKey(FieldDescription field, Collection<?> items) {
        if (field.members().isEmpty()) {
            return null;
        }
        String name = field.members().get(0).name();
        Map<String, Object> byKey = new LinkedHashMap<>();
        for (Object item : items) {
            if (!(item instanceof Map<?, ?> members)
                    || !(members.get(name) instanceof String key)
                    || byKey.put(key, item) != null) {
                return null;
            }
        }
        return byKey;
    }

    private static List<?> difference(Collection<?> items, Collection<?> others) {
        Multiset<Object> left = HashMultiset.create(others);
        return items.stream().filter(item -> !left.remove(item)).toList();
    }

    private static @Nullable DisplayText items(FieldDescription field, Collection<?> items) {
        if (items.isEmpty()) {
            return null;
        }
        String text =
                items.stream().limit(MAX_ITEMS).map(item -> text(field, item)).collect(Collectors.joining(", "));
        int others = items.size() - MAX_ITEMS;
        return shortened(others > 0 ? text + " and " + others + " more" : text);
    }

    private static @Nullable DisplayText display(FieldDescription field, @Nullable Object value) {
        return value == null
                ? null
                : value instanceof Collection<?> items ? items(field, items) : shortened(text(field, value));
    }

    private static DisplayText shortened(String text) {
        return DisplayText.of(PrintableText.shorten(text, MAX_TEXT_LENGTH));
    }

    private static String text(FieldDescription field, @Nullable Object value) {
        if (value instanceof Boolean yes) {
            return yes ? "Yes" : "No";
        }
        if (value instanceof Number number) {
            return DisplayFormat.number(field.name(), field.description(), number)
                    .text();
        }
        if (value instanceof Map<?, ?> members) {
            return members.entrySet().stream()
                    .filter(member -> member.getValue() != null)
                    .map(member -> memberText(field, String.valueOf(member.getKey()), member.getValue()))
                    .collect(Collectors.joining(", "));
        }
        if (value instanceof Collection<?> items) {
            return items.stream().map(item -> text(field, item)).collect(Collectors.joining(", "));
        }
        return value instanceof String text && field.type() == FieldType.TIME ? time(text) : String.valueOf(value);
    }

    private static String memberText(FieldDescription field, String name, Object value) {
        FieldDescription member = member(field, name);
        return member == null ? name + ": " + text(field, value) : member.title() + ": " + text(member, value);
    }

    private static String time(String text) {
        try {
            return QuantityText.time(Instant.parse(text));
        } catch (DateTimeParseException invalid) {
            return text;
        }
    }
}
