package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.ValueFormat;
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

/**
 * How values are best shown that no description tells anything of: by their shape, and by what they
 * are called.
 */
final class UntypedValueView {
    private static final Pattern SNAKE = Pattern.compile("[a-z][a-z0-9]*(_[a-z0-9]+)*");
    private static final Pattern UNIT = Pattern.compile("_(seconds|ms|bytes|days|percent|bits)$");
    private static final Set<String> ACRONYMS =
            Set.of("as", "dns", "http", "https", "id", "ip", "tcp", "tls", "ttl", "udp", "uri", "url");
    // one row that is wider is better read downwards
    private static final int WIDEST_ROW = 5;

    private UntypedValueView() {}

    /**
     * @param key what the value is called; empty where it is not
     */
    static DisplayValue of(String key, @Nullable Object raw) {
        if (raw == null) {
            return new DisplayValue.Missing();
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
                ? ValueFormat.number(key, "", number)
                : FieldValueView.words(raw.toString());
    }

    static DisplayValue.Members members(JsonObject object) {
        return new DisplayValue.Members(
                object.stream().map(UntypedValueView::named).toList());
    }

    private static DisplayValue.Named named(Map.Entry<String, Object> entry) {
        String key = entry.getKey();
        Object raw = entry.getValue();
        return new DisplayValue.Named(label(key, raw instanceof Number), null, of(key, raw));
    }

    /** What a member is called, in words; a number is shown with its unit, which need not be said. */
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
        if (rows.stream().anyMatch(row -> row.stream().anyMatch(entry -> nests(entry.getValue())))) {
            return new DisplayValue.Branches(
                    rows.stream().map(UntypedValueView::branch).toList());
        }
        Map<String, Boolean> columns = columns(rows);
        return rows.size() == 1 && columns.size() > WIDEST_ROW ? members(rows.get(0)) : grid(columns, rows);
    }

    private static boolean nests(@Nullable Object value) {
        return value instanceof JsonObject
                || value instanceof JsonArray items && items.stream().anyMatch(UntypedValueView::nests);
    }

    /** What any of the rows has a value for, and whether that is a number. */
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

    private static DisplayValue grid(Map<String, Boolean> columns, List<JsonObject> rows) {
        List<DisplayText> titles = new ArrayList<>();
        columns.forEach((key, number) -> titles.add(label(key, number)));
        List<List<DisplayValue>> cells = new ArrayList<>();
        for (JsonObject row : rows) {
            cells.add(columns.keySet().stream()
                    .map(key -> of(key, row.getValue(key)))
                    .toList());
        }
        return new DisplayValue.Grid(titles, cells);
    }

    /** The first text names it, plain values stand beside that, and what holds more stands within. */
    private static DisplayValue.Branch branch(JsonObject row) {
        DisplayValue head = null;
        List<DisplayValue.Named> facts = new ArrayList<>();
        List<DisplayValue.Named> inner = new ArrayList<>();
        for (Map.Entry<String, Object> entry : row) {
            Object raw = entry.getValue();
            if (raw == null) {
                continue;
            }
            if (head == null && raw instanceof String) {
                head = of(entry.getKey(), raw);
            } else {
                (raw instanceof JsonObject || raw instanceof JsonArray ? inner : facts).add(named(entry));
            }
        }
        if (inner.size() == 1 && inner.get(0).value() instanceof DisplayValue.Members only) {
            inner = only.members();
        }
        return new DisplayValue.Branch(head, facts, inner);
    }
}
