package dev.plumbline.http.web.job;

import com.google.common.collect.Interner;
import com.google.common.collect.Interners;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.job.LineState;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.portfolio.PortfolioLine.LineFinding;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.target.PrintableText;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A line of a job with the part of its result that tables and charts display.
 *
 * @param line its fields are those that are displayed, without nulls: numbers, texts, booleans and lists of these. Its
 *     findings do not have messages
 * @param codes those of the complete line
 * @param message the error message, or the message of the most severe finding above info, or null
 * @param durationMs null without a result
 * @param policy how many rules and expectations the result meets; null without an evaluation
 */
record ResultRow(
        PortfolioLine line,
        Set<String> codes,
        @Nullable String message,
        @Nullable Long durationMs,
        @Nullable RuleCount policy) {
    /** The number of rules and expectations that a result meets, and of those that apply to it. */
    record RuleCount(int met, int rules) {
        static @Nullable RuleCount of(@Nullable JsonObject policy) {
            return policy == null
                    ? null
                    : new RuleCount(policy.getInteger("met_count"), policy.getInteger("rule_count"));
        }

        double share() {
            return rules == 0 ? 1 : (double) met / rules;
        }

        /** For example {@code 41 of 43}. */
        String text() {
            return met + " of " + rules;
        }
    }

    private static final int OBJECT_BYTES = 100;
    private static final int REFERENCE_BYTES = 8;
    private static final int MAX_TEXT_LENGTH = 300;

    /** A little more than a cell displays of a list. */
    private static final int MAX_LIST_LENGTH = 64;

    /**
     * Returns an equal finding, code or set of codes that an earlier row contains. Rows often have the same ones, so
     * each is in memory once. Not thread-safe.
     */
    static final class SharedValues {
        private final Interner<LineFinding> findings = Interners.newStrongInterner();
        private final Interner<String> codes = Interners.newStrongInterner();
        private final Interner<Set<String>> codesOfRows = Interners.newStrongInterner();

        private LineFinding finding(LineFinding finding) {
            return findings.intern(finding);
        }

        private Set<String> codes(Set<String> ofRow) {
            return codesOfRows.intern(ofRow.stream().map(codes::intern).collect(Collectors.toUnmodifiableSet()));
        }
    }

    /**
     * Reads a row from the stored or evaluated result of a line.
     *
     * @param names the fields to read, or paths of their members
     * @param shared what other rows contain, too
     */
    static ResultRow of(
            JobMessage.JobSnapshot job, JobMessage.ResultLine line, Set<String> names, SharedValues shared) {
        String state = LineState.of(job, line).id();
        if (line.result() == null) {
            return new ResultRow(
                    new PortfolioLine(
                            line.index(), line.input(), null, state, null, Map.of(), List.of(), null, null, null),
                    Set.of(),
                    null,
                    null,
                    null);
        }
        JsonObject result = new JsonObject(Buffer.buffer(line.result())).put("input", line.input());
        PortfolioLine complete = PortfolioLine.of(result.getMap());
        JsonObject error = result.getJsonObject("error");
        return new ResultRow(
                new PortfolioLine(
                        line.index(),
                        line.input(),
                        complete.target(),
                        state,
                        complete.verdict(),
                        fields(complete.fields(), names),
                        complete.findings().stream()
                                .map(finding -> shared.finding(
                                        new LineFinding(finding.part(), finding.code(), finding.level(), "", "")))
                                .toList(),
                        complete.errorCode(),
                        complete.rules(),
                        null),
                shared.codes(complete.codes()),
                error == null ? finding(complete) : truncate(error.getString("message", "")),
                result.getLong("duration_ms"),
                RuleCount.of(result.getJsonObject("policy")));
    }

    private static Map<String, Object> fields(Map<String, ? extends @Nullable Object> fields, Set<String> names) {
        Map<String, Object> kept = new HashMap<>();
        for (String name : names) {
            Object value = compact(value(fields, name));
            if (value != null) {
                kept.put(name, value);
            }
        }
        return kept;
    }

    /** @param path of a member; its names are separated by dots */
    private static @Nullable Object value(Map<String, ? extends @Nullable Object> fields, String path) {
        Object value = fields;
        for (String name : path.split("\\.", -1)) {
            value = value instanceof Map<?, ?> object ? object.get(name) : null;
        }
        return value;
    }

    /** The part of a value that a cell displays; of objects, only their number. */
    private static @Nullable Object compact(@Nullable Object value) {
        if (value instanceof List<?> items) {
            return items.stream().anyMatch(item -> item instanceof Map || item instanceof List)
                    ? count(items.size(), "entry", "entries")
                    : list(items);
        }
        return value instanceof Map<?, ?> members
                ? count(members.size(), "member", "members")
                : scalar(value, MAX_TEXT_LENGTH);
    }

    private static String count(int number, String one, String many) {
        return number + " " + (number == 1 ? one : many);
    }

    private static List<Object> list(List<?> items) {
        List<Object> kept = new ArrayList<>();
        int length = 0;
        for (Object item : items) {
            Object plain = scalar(item, MAX_LIST_LENGTH);
            if (plain != null && length <= MAX_LIST_LENGTH) {
                kept.add(plain);
                length += plain.toString().length();
            }
        }
        return List.copyOf(kept);
    }

    private static @Nullable Object scalar(@Nullable Object value, int maxLength) {
        if (value instanceof String text) {
            return PrintableText.shorten(text, maxLength);
        }
        if (value instanceof Integer number) {
            return number.longValue();
        }
        return value;
    }

    /** The message of the most severe finding above info; null if there is none. */
    private static @Nullable String finding(PortfolioLine line) {
        return line.findings().stream()
                .filter(finding -> finding.level() != Level.INFO)
                .min(Comparator.comparing(LineFinding::level, Level.MOST_SEVERE_FIRST))
                .map(finding -> truncate(finding.message()))
                .orElse(null);
    }

    private static String truncate(String text) {
        return PrintableText.shorten(text, MAX_TEXT_LENGTH);
    }

    /** From 0. */
    int index() {
        return (int) line.index();
    }

    /** The ID of the verdict; null without a result. */
    @Nullable
    String verdict() {
        Verdict verdict = line.verdict();
        return verdict == null ? null : verdict.id();
    }

    /** The value of a field; null if the result does not have one. */
    @Nullable
    Object field(String name) {
        return line.fields().get(name);
    }

    boolean done() {
        return line.hasResult();
    }

    /** Whether the line has an error that a fresh check can avoid: not a rejected target. */
    boolean retryable() {
        return line.errorCode() != null && !ErrorCode.rejectsTarget(line.errorCode());
    }

    boolean matches(LineFilter filter) {
        return filter.matches(line, this::codes);
    }

    /** The approximate memory in bytes. */
    int weight() {
        String target = line.target();
        int characters = line.input().length()
                + (target == null ? 0 : target.length())
                + (message == null ? 0 : message.length());
        for (Object value : line.fields().values()) {
            characters += String.valueOf(value).length();
        }
        return OBJECT_BYTES * (1 + line.fields().size())
                + REFERENCE_BYTES * (line.findings().size() + 2 * codes.size())
                + characters;
    }
}
