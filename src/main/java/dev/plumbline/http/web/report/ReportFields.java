package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FieldType;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The fields of a result for display.
 *
 * @param timings null if there are less than two durations
 * @param validity null if the result does not have a validity period
 * @param groups the other fields with a value that states something
 * @param minor fields without a finding whose value does not state anything (null, no, empty), or is shown elsewhere
 * @param undetermined the fields that are null because of an error; empty if the result has neither values nor findings
 */
public record ReportFields(
        DisplayValue.@Nullable Waterfall timings,
        ReportView.@Nullable Validity validity,
        List<ReportView.Group> groups,
        List<ReportView.FieldView> minor,
        List<FieldDescription> undetermined) {
    /** A sentence about null, which only readers of the JSON need. */
    private static final Pattern NULL_SENTENCE = Pattern.compile("\\s*\\bNull\\b[^.]*\\.(?=\\s|$)");

    /** Values that mean the same as null. */
    private static final Set<Object> EMPTY_VALUES = Set.of("", "none");

    /** Fields whose values the headline contains. */
    private static final Set<String> HEADLINE_FIELDS = Set.of("score", "grade");

    private static final JsonObject NO_FIELDS = new JsonObject();

    /** @param levels of the most severe finding by field */
    static ReportFields of(ModuleDescription module, JsonObject result, Map<String, String> levels) {
        JsonObject fields = result.getJsonObject("fields", NO_FIELDS);
        boolean completed = result.getValue("error") == null;
        Instant checkedAt = Instant.parse(result.getString("checked_at"));
        Map<FieldDescription, Double> durations = durations(module, fields);
        List<FieldDescription> undetermined = new ArrayList<>();
        ReportView.Validity validity = ReportView.Validity.of(fields, checkedAt);
        Set<String> shown = validity == null ? HEADLINE_FIELDS : ReportView.Validity.FIELDS;
        List<ReportView.FieldView> minor = new ArrayList<>();
        Map<@Nullable String, ReportView.Group> groups = new LinkedHashMap<>();
        for (FieldDescription declared : module.fields()) {
            Object raw = fields.getValue(declared.name());
            if (module.composite() && CompositeViewBuilder.FIELDS.contains(declared.name()) && raw != null) {
                continue;
            }
            if (raw == null && !completed) {
                undetermined.add(declared);
            } else if (durations.size() < 2 || !durations.containsKey(declared)) {
                FieldDescription field = completed ? declared : declared.inResultWithError();
                ReportView.FieldView view = new ReportView.FieldView(
                        field.name(),
                        field.title(),
                        NULL_SENTENCE.matcher(field.description()).replaceAll(""),
                        value(field, raw, fields, checkedAt),
                        levels.get(field.name()));
                if (view.level() == null && (isMinor(raw) || shown.contains(field.name()))) {
                    minor.add(view);
                    continue;
                }
                ReportView.Group group = groups.computeIfAbsent(
                        declared.group(), title -> new ReportView.Group(title, new ArrayList<>(), new ArrayList<>()));
                (isCollection(raw) ? group.sections() : group.details()).add(view);
            }
        }
        return new ReportFields(
                durations.size() < 2 ? null : FieldValueView.waterfall(durations),
                validity,
                List.copyOf(groups.values()),
                minor,
                groups.isEmpty() && levels.isEmpty() ? List.of() : undetermined);
    }

    /** Whether a value does not state anything without knowledge of the field. */
    private static boolean isMinor(@Nullable Object raw) {
        return raw == null
                || Boolean.FALSE.equals(raw)
                || EMPTY_VALUES.contains(raw)
                || raw instanceof JsonArray items && items.isEmpty()
                || raw instanceof JsonObject object && object.isEmpty();
    }

    private static Map<FieldDescription, Double> durations(ModuleDescription module, JsonObject fields) {
        Map<FieldDescription, Double> durations = new LinkedHashMap<>();
        for (FieldDescription field : module.fields()) {
            if (field.name().endsWith("_ms") && fields.getValue(field.name()) instanceof Number ms) {
                durations.put(field, ms.doubleValue());
            }
        }
        return durations;
    }

    private static DisplayValue value(
            FieldDescription field, @Nullable Object raw, JsonObject fields, Instant checkedAt) {
        if (field.type() == FieldType.TIME && raw instanceof String time) {
            try {
                return DisplayFormat.timestamp(time, checkedAt);
            } catch (DateTimeParseException e) {
                return new DisplayValue.PlainText(DisplayText.of(time), false);
            }
        }
        return FieldValueView.withFinalHop(FieldValueView.of(field, raw), fields);
    }

    private static boolean isCollection(@Nullable Object value) {
        return value instanceof JsonArray items
                ? !items.isEmpty()
                : value instanceof JsonObject object && !object.isEmpty();
    }
}
