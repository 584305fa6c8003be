package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Links;
import dev.plumbline.result.QuantityText;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Converts field values for display, by the declared type and the names of the members. */
public final class FieldValueView {
    private static final Pattern MONOSPACED = Pattern.compile("[0-9A-Fa-f:]{16,}|[^\\p{L}\\p{N}\\s]+");

    private FieldValueView() {}

    public static DisplayValue of(FieldDescription field, @Nullable Object raw) {
        if (raw == null) {
            return new DisplayValue.Missing(field.nullText());
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
        if (raw instanceof Number number) {
            return DisplayFormat.number(field.name(), field.description(), number);
        }
        if (raw instanceof String text && type == FieldType.TIME) {
            return time(text);
        }
        return raw instanceof String text && field.values().contains(text)
                ? new DisplayValue.EnumValue(text)
                : UntypedValueView.of(field.name(), raw);
    }

    private static DisplayValue time(String text) {
        try {
            return DisplayFormat.timestamp(text);
        } catch (DateTimeParseException e) {
            return text(text);
        }
    }

    /** Untrusted text; a link if it is a URL. */
    static DisplayValue text(String raw) {
        String href = Links.external(raw);
        return href == null
                ? new DisplayValue.PlainText(
                        DisplayText.of(raw), MONOSPACED.matcher(raw).matches())
                : new DisplayValue.Link(DisplayText.of(raw), href);
    }

    private static DisplayValue.ObjectMembers members(List<FieldDescription> fields, JsonObject object) {
        return new DisplayValue.ObjectMembers(
                fields.stream().map(field -> member(field, object)).toList());
    }

    private static DisplayValue.Member member(FieldDescription field, JsonObject object) {
        return new DisplayValue.Member(
                DisplayText.of(field.title()),
                DisplayText.markdown(field.description()).line(),
                of(field, object.getValue(field.name())));
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
            if (names.containsAll(Set.of("url", "status", "time_ms"))) {
                return redirectPath(field, rows);
            }
            return table(field, rows);
        }
        return new DisplayValue.Items(items.stream()
                .map(item -> item == null
                        ? new DisplayValue.Missing(FieldDescription.NOT_DETERMINED)
                        : scalar(field, field.items(), item))
                .toList());
    }

    private static DisplayValue table(FieldDescription field, List<JsonObject> rows) {
        List<FieldDescription> columns = field.members();
        return new DisplayValue.Table(
                columns.stream().map(column -> DisplayText.of(column.title())).toList(),
                rows.stream()
                        .map(row -> columns.stream()
                                .map(column -> of(column, row.getValue(column.name())))
                                .toList())
                        .toList());
    }

    private static DisplayValue chain(FieldDescription field, List<JsonObject> rows) {
        return new DisplayValue.CertificateChain(rows.stream()
                .map(row -> new DisplayValue.Certificate(
                        DisplayText.of(string(row, "subject")),
                        DisplayText.of(string(row, "issuer")),
                        details(field, row, Set.of("subject", "issuer"))))
                .toList());
    }

    private static DisplayValue redirectPath(FieldDescription field, List<JsonObject> rows) {
        double total = rows.stream().mapToDouble(FieldValueView::time).sum();
        double start = 0;
        List<DisplayValue.Hop> hops = new ArrayList<>();
        for (JsonObject row : rows) {
            double time = time(row);
            DisplayValue.TimeBar bar = total <= 0 || !row.containsKey("time_ms")
                    ? null
                    : new DisplayValue.TimeBar(
                            "Time", null, QuantityText.milliseconds(time), 100 * start / total, 100 * time / total);
            start += time;
            hops.add(new DisplayValue.Hop(
                    text(string(row, "url")),
                    string(row, "status"),
                    details(field, row, Set.of("url", "status", "time_ms")),
                    bar));
        }
        return new DisplayValue.RedirectPath(hops);
    }

    /**
     * A redirect path with the final response appended, if the fields {@code final_url} and {@code status} or
     * {@code final_status} exist. Other values are returned unchanged.
     *
     * @param fields the fields of the result
     */
    static DisplayValue withFinalHop(DisplayValue value, JsonObject fields) {
        Object status = fields.getValue(fields.containsKey("status") ? "status" : "final_status");
        if (!(value instanceof DisplayValue.RedirectPath path)
                || !(fields.getValue("final_url") instanceof String url)
                || status == null) {
            return value;
        }
        List<DisplayValue.Hop> hops = new ArrayList<>(path.hops());
        hops.add(new DisplayValue.Hop(text(url), status.toString(), List.of(), null));
        return new DisplayValue.RedirectPath(hops);
    }

    private static double time(JsonObject row) {
        return row.getValue("time_ms") instanceof Number ms ? Math.max(0, ms.doubleValue()) : 0;
    }

    private static List<DisplayValue.Member> details(FieldDescription field, JsonObject row, Set<String> except) {
        return field.members().stream()
                .filter(member -> !except.contains(member.name()))
                .map(member -> member(member, row))
                .toList();
    }

    private static String string(JsonObject row, String name) {
        Object value = row.getValue(name);
        return value == null ? "" : value.toString();
    }

    /**
     * Durations as bars. Bars are consecutive if the longest duration is the sum of the others. Otherwise all start at
     * 0.
     *
     * @param durations by field, in order
     */
    static DisplayValue.Waterfall waterfall(Map<FieldDescription, Double> durations) {
        double longest = durations.values().stream().mapToDouble(ms -> ms).max().orElse(0);
        double scale = longest <= 0 ? 1 : longest;
        double sum = durations.values().stream().mapToDouble(ms -> ms).sum() - longest;
        boolean consecutive = durations.size() > 2 && sum <= longest * 1.02;
        double start = 0;
        List<DisplayValue.TimeBar> bars = new ArrayList<>();
        for (Map.Entry<FieldDescription, Double> duration : durations.entrySet()) {
            double ms = duration.getValue();
            boolean total = ms == longest;
            bars.add(new DisplayValue.TimeBar(
                    duration.getKey().title(),
                    DisplayText.markdown(duration.getKey().description()).line(),
                    QuantityText.milliseconds(ms),
                    consecutive && !total ? 100 * start / scale : 0,
                    100 * ms / scale));
            start += total ? 0 : ms;
        }
        return new DisplayValue.Waterfall(bars);
    }
}
