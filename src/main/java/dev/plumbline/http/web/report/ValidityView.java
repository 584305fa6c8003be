package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.result.QuantityText;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The validity period of a certificate as a bar. */
final class ValidityView {
    /** The fields that the bar shows. */
    static final Set<String> FIELDS = Set.of("not_before", "not_after", "days_remaining", "expiry_warning_at");

    private ValidityView() {}

    /** @return null if the result does not have the fields {@code not_before} and {@code not_after} */
    static ReportView.@Nullable Validity of(JsonObject fields, Instant checkedAt) {
        if (!(fields.getValue("not_before") instanceof String from)
                || !(fields.getValue("not_after") instanceof String until)) {
            return null;
        }
        String warning = fields.getValue("expiry_warning_at") instanceof String time ? time : null;
        try {
            Instant start = Instant.parse(from);
            Instant end = Instant.parse(until);
            return new ReportView.Validity(
                    DisplayFormat.timestamp(from),
                    DisplayFormat.timestamp(until),
                    warning == null ? null : DisplayFormat.timestamp(warning),
                    percent(start, end, checkedAt),
                    warning == null ? null : percent(start, end, Instant.parse(warning)),
                    text(start, end, checkedAt));
        } catch (DateTimeParseException e) {
            return null;
        }
    }

    private static double percent(Instant start, Instant end, Instant time) {
        double lifetime = Duration.between(start, end).toSeconds();
        double elapsed = Duration.between(start, time).toSeconds();
        return lifetime <= 0 ? 100 : Math.max(0, Math.min(100, 100 * elapsed / lifetime));
    }

    private static String text(Instant start, Instant end, Instant checkedAt) {
        if (checkedAt.isBefore(start)) {
            return "Valid " + QuantityText.relativeTime(checkedAt, start);
        }
        return checkedAt.isAfter(end)
                ? "Expired " + QuantityText.relativeTime(checkedAt, end)
                : "Expires " + QuantityText.relativeTime(checkedAt, end);
    }
}
