package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.sheet.FieldDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Converts values without a description for display, by their JSON type and key. */
final class UntypedValueView {
    private static final Pattern SNAKE = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    private static final Pattern UNIT = Pattern.compile("_(seconds|ms|bytes|days|percent|bits)$");
    private static final Set<String> ACRONYMS =
            Set.of("as", "dns", "http", "https", "id", "ip", "tcp", "tls", "ttl", "udp", "uri", "url");
    /** A table with one row and more columns is displayed as a list of members. */
    private static final int MAX_COLUMNS_OF_SINGLE_ROW = 5;

    private UntypedValueView() {}

    /** @param key the key of the value in its object; empty without one */
    static DisplayValue of(String key, @Nullable Object raw) {
        if (raw == null) {
            return new DisplayValue.Missing(FieldDescription.NOT_DETERMINED);
        }
        if (raw instanceof JsonObject object) {
            return members(object);
        }
        if (raw instanceof JsonArray items) {
            return array(key, items);
        }
        if (raw instanceof Boolean yes) {
            return new DisplayValue.Flag(yes);
        }
        return raw instanceof Number number
                ? DisplayFormat.number(key, "", number)
                : FieldValueView.text(raw.toString());
    }

    static DisplayValue.ObjectMembers members(JsonObject object) {
        boolean protocolNames = object.fieldNames().stream().anyMatch(key -> key.indexOf('-') >= 0);
        return new DisplayValue.ObjectMembers(
                object.stream().map(entry -> member(entry, protocolNames)).toList());
    }

    /** @param protocolName whether the key is a name of a protocol, such as a header, and is displayed unchanged */
    private static DisplayValue.Member member(Map.Entry<String, Object> entry, boolean protocolName) {
        String key = entry.getKey();
        Object raw = entry.getValue();
        DisplayText name = protocolName ? DisplayText.of(key) : label(key, raw instanceof Number);
        return new DisplayValue.Member(name, null, of(key, raw));
    }

    /** The label of a key: {@code max_age_seconds} is "Max age". Numbers include their unit, so it is omitted. */
    private static DisplayText label(String key, boolean number) {
        if (!SNAKE.matcher(key).matches()) {
            return DisplayText.of(key);
        }
        StringBuilder words = new StringBuilder();
        for (String word : (number ? UNIT.matcher(key).replaceFirst("") : key).split("_")) {
            words.append(words.isEmpty() ? "" : " ");
            words.append(ACRONYMS.contains(word) ? word.toUpperCase(Locale.ROOT) : word);
        }
        words.setCharAt(0, Character.toUpperCase(words.charAt(0)));
        return DisplayText.of(words.toString());
    }

    private static DisplayValue array(String key, JsonArray items) {
        if (items.isEmpty() || !items.stream().allMatch(JsonObject.class::isInstance)) {
            return new DisplayValue.Items(
                    items.stream().map(item -> of(key, item)).toList());
        }
        List<JsonObject> rows = items.stream().map(JsonObject.class::cast).toList();
        if (rows.stream().anyMatch(row -> row.stream().anyMatch(entry -> isNested(entry.getValue())))) {
            return new DisplayValue.Tree(
                    rows.stream().map(UntypedValueView::treeNode).toList());
        }
        Map<String, Boolean> columns = columns(rows);
        return rows.size() == 1 && columns.size() > MAX_COLUMNS_OF_SINGLE_ROW
                ? members(rows.get(0))
                : table(columns, rows);
    }

    private static boolean isNested(@Nullable Object value) {
        return value instanceof JsonObject
                || value instanceof JsonArray items && items.stream().anyMatch(UntypedValueView::isNested);
    }

    /** The keys with a value in any row, and whether it is a number. */
    private static Map<String, Boolean> columns(List<JsonObject> rows) {
        Map<String, Boolean> columns = new LinkedHashMap<>();
        for (JsonObject row : rows) {
            for (Map.Entry<String, Object> entry : row) {
                if (entry.getValue() != null) {
                    columns.merge(entry.getKey(), entry.getValue() instanceof Number, (a, b) -> a || b);
                }
            }
        }
        return columns;
    }

    private static DisplayValue table(Map<String, Boolean> columns, List<JsonObject> rows) {
        List<DisplayText> titles = new ArrayList<>();
        columns.forEach((key, number) -> titles.add(label(key, number)));
        return new DisplayValue.Table(
                titles,
                rows.stream()
                        .map(row -> columns.keySet().stream()
                                .map(key -> of(key, row.getValue(key)))
                                .toList())
                        .toList());
    }

    /** The first string is the head, other plain values are facts, and objects and arrays are children. */
    private static DisplayValue.TreeNode treeNode(JsonObject row) {
        DisplayValue head = null;
        List<DisplayValue.Member> facts = new ArrayList<>();
        List<DisplayValue.Member> children = new ArrayList<>();
        for (Map.Entry<String, Object> entry : row) {
            Object raw = entry.getValue();
            if (raw == null) {
                continue;
            }
            if (head == null && raw instanceof String) {
                head = of(entry.getKey(), raw);
            } else {
                (raw instanceof JsonObject || raw instanceof JsonArray ? children : facts).add(member(entry, false));
            }
        }
        if (children.size() == 1 && children.get(0).value() instanceof DisplayValue.ObjectMembers only) {
            children = only.members();
        }
        return new DisplayValue.TreeNode(head, facts, children);
    }
}
