package dev.plumbline.http.web.report;

import dev.plumbline.http.web.layout.DisplayFormat;
import dev.plumbline.http.web.layout.DisplayText;
import dev.plumbline.http.web.layout.DisplayValue;
import dev.plumbline.http.web.layout.Labels;
import dev.plumbline.http.web.tool.CheckForm;
import dev.plumbline.http.web.tool.CheckTabs;
import dev.plumbline.result.QuantityText;
import dev.plumbline.target.UnicodeName;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A report.
 *
 * @param verdict pass, warn, fail or error
 * @param rules the module and the version of its rules; null for a result of an earlier version of the program
 * @param headline the key value, or null
 * @param policy the applied policy and expectations, or null
 * @param summary the most important finding, or the error
 * @param errorAction what to do about the error; empty without an error
 * @param composite the parts of a composite module; null for other modules
 * @param findings the most severe first
 * @param truncated the titles of the truncated fields
 * @param path of the report
 * @param apiPath of the same check in the API
 * @param recheck null for a result of a job
 */
public record ReportView(
        UnicodeName target,
        @Nullable String rules,
        String verdict,
        @Nullable String headline,
        @Nullable PolicyView policy,
        DisplayText summary,
        String errorAction,
        @Nullable CompositeView composite,
        List<FindingView> findings,
        ReportFields fields,
        List<String> truncated,
        Age age,
        String path,
        String apiPath,
        String curl,
        CheckForm form,
        CheckTabs tabs,
        @Nullable Recheck recheck) {

    /**
     * How many rules of a policy, and expectations, the result meets.
     *
     * @param name null with expectations only
     * @param version null with expectations only
     * @param expectations the number of expectations among the rules
     */
    public record PolicyView(@Nullable String name, @Nullable String version, int met, int rules, int expectations) {
        /** For example {@code 41 of 43 rules}. */
        public String text() {
            String plural = rules == 1 ? "" : "s";
            String noun = name == null
                    ? "expectation" + plural
                    : expectations == 0 ? "rule" + plural : "rules and expectations";
            return met + " of " + rules + " " + noun;
        }
    }

    /**
     * @param title of the code; the code itself if the module does not declare it, for example in an old result
     * @param field the name of the field to which the finding refers, or null
     * @param reference the title of the standard, or null
     * @param referenceUrl its address, or null
     */
    public record FindingView(
            String level,
            String code,
            String title,
            String message,
            String action,
            @Nullable String field,
            @Nullable String fieldTitle,
            @Nullable String reference,
            @Nullable String referenceUrl) {

        public String levelLabel() {
            return Labels.level(level);
        }
    }

    /**
     * A validity period with the time of the check.
     *
     * @param now position in percent of the period, limited to it
     * @param warning position of the start of the expiry warning in percent; null if it is disabled
     * @param text the same in words
     */
    public record Validity(
            DisplayValue.Timestamp from,
            DisplayValue.Timestamp until,
            DisplayValue.@Nullable Timestamp warningFrom,
            double now,
            @Nullable Double warning,
            String text) {
        /** The fields that the bar shows. */
        static final Set<String> FIELDS = Set.of("not_before", "not_after", "days_remaining", "expiry_warning_at");

        /** @return null if the result does not have the fields {@code not_before} and {@code not_after} */
        static @Nullable Validity of(JsonObject fields, Instant checkedAt) {
            if (!(fields.getValue("not_before") instanceof String from)
                    || !(fields.getValue("not_after") instanceof String until)) {
                return null;
            }
            String warning = fields.getValue("expiry_warning_at") instanceof String time ? time : null;
            try {
                Instant start = Instant.parse(from);
                Instant end = Instant.parse(until);
                return new Validity(
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

    /**
     * Fields that a report shows together.
     *
     * @param title null if the module does not have groups
     * @param details fields with a single value
     * @param sections fields with lists, tables or objects
     */
    public record Group(@Nullable String title, List<FieldView> details, List<FieldView> sections) {}

    /** @param level of the most severe finding that refers to the field, or null */
    public record FieldView(
            String name, String title, String description, DisplayValue value, @Nullable String level) {}

    /**
     * How the same check can run before its cached result expires.
     *
     * @param job whether the user can create a job of one line that does not use the cached result
     * @param command of the command line; null if it contains characters that are not displayed
     */
    public record Recheck(boolean job, @Nullable String command) {}

    /**
     * The age of a result.
     *
     * @param expiresAt the time from which a fresh check is possible; null for a result of a job
     * @param availableAt the first whole minute from which a fresh check is possible; null for a result of a job
     * @param text the age, for example "2 minutes ago"
     * @param remaining the time until the result expires, rounded up; null if it has expired or belongs to a job
     * @param fresh whether the check ran for this request or job
     * @param quota the sentence about the quota; empty if it is unknown or does not exist
     * @param duration of the check
     * @param limitWait the sentence about its wait for limits of targets; empty if it did not wait noticeably
     */
    public record Age(
            DisplayValue.Timestamp checkedAt,
            DisplayValue.@Nullable Timestamp expiresAt,
            DisplayValue.@Nullable Timestamp availableAt,
            String text,
            @Nullable String remaining,
            boolean fresh,
            String quota,
            String duration,
            String limitWait) {}

    public String verdictLabel() {
        return Labels.verdict(verdict);
    }

    /** The description for link previews. */
    public String description() {
        return verdictLabel() + ": " + (headline == null ? "" : headline + ". ") + summary.line();
    }
}
