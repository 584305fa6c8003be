package dev.plumbline.http.web.report;

import dev.plumbline.check.FieldDescription;
import dev.plumbline.check.FieldType;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.http.web.layout.ValueFormat;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How the value of a field is best shown, by its description alone: its type, and what its members
 * are called.
 */
public final class FieldValueView {
    private static final Pattern CODE = Pattern.compile("[0-9A-Fa-f:]{16,}|[^\\p{L}\\p{N}\\s]+");

    private FieldValueView() {}

    public static DisplayValue of(FieldDescription field, @Nullable Object raw) {
        if (raw == null) {
            return new DisplayValue.Missing();
        }
        if (field.type() == FieldType.ARRAY && raw instanceof JsonArray items) {
            return array(field, items);
        }
        if (field.type() == FieldType.OBJECT && raw instanceof JsonObject object) {
            return field.members().isEmpty() ? UntypedValueView.members(object) : members(field.members(), object);
        }
        return scalar(field, field.type(), raw);
    }

    private static DisplayValue scalar(FieldDescription field, FieldType type, Object raw) {
        if (raw instanceof Boolean yes) {
            return new DisplayValue.Flag(yes);
        }
        if (raw instanceof Number number) {
            return ValueFormat.number(field.name(), field.description(), number);
        }
        if (raw instanceof String text) {
            if (type == FieldType.TIME) {
                return time(text);
            }
            return field.values().contains(text) ? new DisplayValue.Code(text) : words(text);
        }
        return UntypedValueView.of(field.name(), raw);
    }

    private static DisplayValue time(String text) {
        try {
            Instant.parse(text);
            return ValueFormat.moment(text);
        } catch (DateTimeParseException odd) {
            return words(text);
        }
    }

    /** Text from elsewhere, as a link where it is the address of something. */
    static DisplayValue words(String raw) {
        String href = Links.outside(raw);
        return href == null
                ? new DisplayValue.PlainText(
                        DisplayText.of(raw), CODE.matcher(raw).matches())
                : new DisplayValue.Link(DisplayText.of(raw), href);
    }

    private static DisplayValue.Members members(List<FieldDescription> fields, JsonObject object) {
        return new DisplayValue.Members(
                fields.stream().map(field -> named(field, object)).toList());
    }

    private static DisplayValue.Named named(FieldDescription field, JsonObject object) {
        return new DisplayValue.Named(
                DisplayText.of(field.title()), field.description(), of(field, object.getValue(field.name())));
    }

    private static DisplayValue array(FieldDescription field, JsonArray items) {
        if (field.items() == FieldType.OBJECT && !field.members().isEmpty()) {
            List<JsonObject> rows = items.stream()
                    .filter(JsonObject.class::isInstance)
                    .map(JsonObject.class::cast)
                    .toList();
            Set<String> names =
                    field.members().stream().map(FieldDescription::name).collect(Collectors.toSet());
            if (rows.isEmpty()) {
                return new DisplayValue.Items(List.of());
            }
            if (names.containsAll(Set.of("subject", "issuer"))) {
                return chain(field, rows);
            }
            if (names.containsAll(Set.of("url", "status"))) {
                return path(field, rows);
            }
            return grid(field, rows);
        }
        return new DisplayValue.Items(items.stream()
                .map(item -> item == null ? new DisplayValue.Missing() : scalar(field, field.items(), item))
                .toList());
    }

    private static DisplayValue grid(FieldDescription field, List<JsonObject> rows) {
        List<List<DisplayValue>> cells = new ArrayList<>();
        for (JsonObject row : rows) {
            cells.add(field.members().stream()
                    .map(member -> of(member, row.getValue(member.name())))
                    .toList());
        }
        return new DisplayValue.Grid(
                field.members().stream()
                        .map(member -> DisplayText.of(member.title()))
                        .toList(),
                cells);
    }

    private static DisplayValue chain(FieldDescription field, List<JsonObject> rows) {
        List<DisplayValue.Certificate> links = new ArrayList<>();
        for (JsonObject row : rows) {
            links.add(new DisplayValue.Certificate(
                    DisplayText.of(text(row, "subject")),
                    DisplayText.of(text(row, "issuer")),
                    rest(field, row, Set.of("subject", "issuer"))));
        }
        return new DisplayValue.Chain(links);
    }

    private static DisplayValue path(FieldDescription field, List<JsonObject> rows) {
        double whole = rows.stream().mapToDouble(FieldValueView::time).sum();
        double before = 0;
        List<DisplayValue.Hop> hops = new ArrayList<>();
        for (JsonObject row : rows) {
            double time = time(row);
            DisplayValue.Bar bar = whole <= 0 || !row.containsKey("time_ms")
                    ? null
                    : new DisplayValue.Bar(
                            "Time", null, ValueFormat.milliseconds(time), 100 * before / whole, 100 * time / whole);
            before += time;
            hops.add(new DisplayValue.Hop(
                    words(text(row, "url")),
                    text(row, "status"),
                    rest(field, row, Set.of("url", "status", "time_ms")),
                    bar));
        }
        return new DisplayValue.Path(hops);
    }

    /**
     * A path with the step that it ends in, where a field of its own tells that.
     *
     * @param fields of the whole result
     */
    static DisplayValue ended(DisplayValue value, JsonObject fields) {
        Object status = fields.getValue(fields.containsKey("status") ? "status" : "final_status");
        if (!(value instanceof DisplayValue.Path path)
                || !(fields.getValue("final_url") instanceof String url)
                || status == null) {
            return value;
        }
        List<DisplayValue.Hop> hops = new ArrayList<>(path.hops());
        hops.add(new DisplayValue.Hop(words(url), status.toString(), List.of(), null));
        return new DisplayValue.Path(hops);
    }

    private static double time(JsonObject row) {
        return row.getValue("time_ms") instanceof Number ms ? Math.max(0, ms.doubleValue()) : 0;
    }

    private static List<DisplayValue.Named> rest(FieldDescription field, JsonObject row, Set<String> shown) {
        return field.members().stream()
                .filter(member -> !shown.contains(member.name()))
                .map(member -> named(member, row))
                .toList();
    }

    private static String text(JsonObject row, String name) {
        Object value = row.getValue(name);
        return value == null ? "" : value.toString();
    }

    /**
     * Lengths of time as bars. They stand one after the other when the last of them is their sum, and
     * all begin at once otherwise.
     *
     * @param times by field, in order
     */
    static DisplayValue.Waterfall waterfall(Map<FieldDescription, Double> times) {
        double longest = times.values().stream().mapToDouble(ms -> ms).max().orElse(0);
        double scale = longest <= 0 ? 1 : longest;
        double sum = times.values().stream().mapToDouble(ms -> ms).sum() - longest;
        boolean inTurn = times.size() > 2 && sum <= longest * 1.02;
        double before = 0;
        List<DisplayValue.Bar> bars = new ArrayList<>();
        for (Map.Entry<FieldDescription, Double> time : times.entrySet()) {
            double ms = time.getValue();
            boolean whole = ms == longest;
            bars.add(new DisplayValue.Bar(
                    time.getKey().title(),
                    time.getKey().description(),
                    ValueFormat.milliseconds(ms),
                    inTurn && !whole ? 100 * before / scale : 0,
                    100 * ms / scale));
            before += whole ? 0 : ms;
        }
        return new DisplayValue.Waterfall(bars);
    }
}
