package dev.plumbline.portfolio;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.target.LowerCaseId;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A line of a job, or of the NDJSON output of the command line.
 *
 * @param index position in its job or file, from 0
 * @param input the target as given
 * @param target the normalized target; null if the input is not a valid target, or if the line does not have a result
 * @param state {@code done}, or another state of a line of a job
 * @param verdict null without a result
 * @param fields the values by name, of the types String, Boolean, Integer, Long, BigInteger, Double, List, Map or null;
 *     empty without a result
 * @param findings for a composite, the problems of its parts instead of {@code part_fail}, {@code part_warn} and
 *     {@code part_error}
 * @param errorCode null if the check completed
 * @param rules the module and the version of its rules, for example {@code hsts/3}; null if the result does not have it
 * @param module null if the line does not have it, as those of jobs
 */
public record PortfolioLine(
        long index,
        String input,
        @Nullable String target,
        String state,
        @Nullable Verdict verdict,
        Map<String, @Nullable Object> fields,
        List<LineFinding> findings,
        @Nullable String errorCode,
        @Nullable String rules,
        @Nullable String module) {

    private static final String NOT_AN_OBJECT = "not a JSON object";

    /** The field of a composite with the problems of its parts. */
    private static final String CAUSES = "causes";

    private static final ObjectReader JSON =
            new JsonMapper().readerFor(Map.class).with(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

    /** The field with the results of the parts of a composite: a list, or an object by module. */
    private static final String PARTS = "parts";

    /** The findings with which a composite reports the problems of its parts. */
    private static final Set<String> OF_PARTS = Set.of(
            LineFinding.compositeCode(Level.FAIL),
            LineFinding.compositeCode(Level.WARN),
            LineFinding.compositeCode(Level.INFO));

    /** The errors that are not about the target: of this service, of its resolver, or of a registry. */
    private static final Set<String> NOT_OF_TARGET = Arrays.stream(ErrorCode.values())
            .filter(code -> code.retryable() && !code.targetFault())
            .map(ErrorCode::id)
            .collect(Collectors.toUnmodifiableSet());

    /**
     * A finding of a line, or a problem of a part of a composite.
     *
     * @param part the module of the part that reports it; null if it is not a finding of a part
     * @param code of the finding, or of the error of a part
     */
    public record LineFinding(@Nullable String part, String code, Level level, String message, String action) {
        /** For example {@code status_client_error}, or {@code hsts/hsts_short} for a finding of a part. */
        public String path() {
            return part == null ? code : path(part, code);
        }

        private static String path(String part, String code) {
            return part + '/' + code;
        }

        /** The code of the finding with which a composite reports a problem of this level. */
        static String compositeCode(Level level) {
            return level == Level.INFO ? "part_error" : "part_" + level.id();
        }

        /** Whether a part was not determined for a reason that is not an error of the target. */
        boolean isPartError() {
            return level == Level.INFO && (part != null || code.equals(compositeCode(Level.INFO)));
        }
    }

    /**
     * Reads a line. Members that are not listed here are ignored. Without {@code index}, it is 0; without
     * {@code input}, it is the target; without {@code state}, it is {@code done}.
     *
     * @throws IllegalArgumentException if it is not a line with a target or an input; the message names the problem
     */
    public static PortfolioLine parse(byte[] json) {
        return parse(json, 0);
    }

    /**
     * As {@link #parse(byte[])}.
     *
     * @param position the index of a line without {@code index}
     */
    public static PortfolioLine parse(byte[] json, long position) {
        Map<?, ?> line;
        try {
            line = JSON.readValue(json);
        } catch (IOException invalid) {
            throw new IllegalArgumentException(NOT_AN_OBJECT, invalid);
        }
        if (line == null) {
            throw new IllegalArgumentException(NOT_AN_OBJECT);
        }
        return of(line, position);
    }

    /**
     * As {@link #parse(byte[])}, for a line that has been parsed.
     *
     * @param line the members of the line
     */
    public static PortfolioLine of(Map<?, ?> line) {
        return of(line, 0);
    }

    private static PortfolioLine of(Map<?, ?> line, long position) {
        if (!line.containsKey("verdict")) {
            throw new IllegalArgumentException("not a result: 'verdict' is missing");
        }
        String target = text(line, "target");
        String input = text(line, "input");
        if (input == null) {
            if (target == null) {
                throw new IllegalArgumentException("not a result: 'input' and 'target' are missing");
            }
            input = target;
        }
        String verdict = text(line, "verdict");
        String state = text(line, "state");
        Map<String, @Nullable Object> fields = fields(line);
        Object error = line.get("error");
        if (error != null && !(error instanceof Map)) {
            throw new IllegalArgumentException("'error' is not an object");
        }
        return new PortfolioLine(
                index(line, position),
                input,
                target,
                state == null ? "done" : state,
                verdict == null ? null : verdict(verdict),
                fields,
                findings(line, fields),
                error instanceof Map<?, ?> members ? required(members, "code", "error.") : null,
                text(line, "rules"),
                text(line, "module"));
    }

    /** Whether the line has a result. */
    public boolean hasResult() {
        return verdict != null;
    }

    /** Whether the line contains the problems of the parts of a composite. */
    boolean hasCauses() {
        return fields.containsKey(CAUSES);
    }

    /** Whether the check did not complete for a reason that is not an error of the target. */
    boolean hasErrorOfService() {
        return errorCode != null && NOT_OF_TARGET.contains(errorCode);
    }

    /** The parts of a composite that were not determined for a reason that is not an error of the target. */
    Set<String> undeterminedParts() {
        Set<String> parts = new HashSet<>();
        for (Map<?, ?> cause : objects(fields.get(CAUSES))) {
            if (isUndetermined(cause)) {
                addText(parts, cause.get("module"));
                if (cause.get(PARTS) instanceof List<?> affected) {
                    affected.forEach(part -> addText(parts, part));
                }
            }
        }
        return parts;
    }

    private static boolean isUndetermined(@Nullable Object cause) {
        return cause instanceof Map<?, ?> members && Level.INFO.id().equals(members.get("level"));
    }

    private static void addText(Set<String> texts, @Nullable Object value) {
        if (value instanceof String text) {
            texts.add(text);
        }
    }

    /**
     * The fields of a composite without the results of some parts.
     *
     * @param excluded {@link #undeterminedParts}
     */
    Map<String, @Nullable Object> fieldsWithout(Set<String> excluded) {
        if (excluded.isEmpty()) {
            return fields;
        }
        Map<String, @Nullable Object> others = new LinkedHashMap<>(fields);
        if (others.get(CAUSES) instanceof List<?> causes) {
            others.put(
                    CAUSES,
                    causes.stream().filter(cause -> !isUndetermined(cause)).toList());
        }
        Object parts = others.get(PARTS);
        if (parts instanceof List<?> list) {
            others.put(
                    PARTS,
                    list.stream()
                            .filter(part ->
                                    !(part instanceof Map<?, ?> members && excluded.contains(members.get("module"))))
                            .toList());
        } else if (parts instanceof Map<?, ?> byModule) {
            Map<Object, @Nullable Object> kept = new LinkedHashMap<>(byModule);
            kept.keySet().removeAll(excluded);
            others.put(PARTS, kept);
        }
        return others;
    }

    /** The findings, with the code with which a composite reports a problem of a part instead of that of the part. */
    List<LineFinding> findingsOfComposite() {
        return findings.stream()
                .map(finding -> finding.part() == null
                        ? finding
                        : new LineFinding(
                                null,
                                LineFinding.compositeCode(finding.level()),
                                finding.level(),
                                finding.message(),
                                finding.action()))
                .toList();
    }

    /**
     * The codes of the findings and the error, and for a composite those of each part, also as {@code PART/CODE}: of
     * its problems, its error and its worst finding. Results do not contain other findings of parts.
     */
    public Set<String> codes() {
        Set<String> codes = new HashSet<>();
        if (errorCode != null) {
            codes.add(errorCode);
        }
        for (LineFinding finding : findings) {
            codes.add(finding.code());
            if (finding.part() != null) {
                codes.add(finding.path());
                codes.add(LineFinding.compositeCode(finding.level()));
            }
        }
        for (Map<?, ?> cause : objects(fields.get(CAUSES))) {
            if (cause.get(PARTS) instanceof List<?> affected) {
                affected.forEach(part -> addCode(codes, part, cause.get("code")));
            }
        }
        Object parts = fields.get(PARTS);
        objects(parts).forEach(part -> addCodes(codes, part.get("module"), part));
        if (parts instanceof Map<?, ?> byModule) {
            byModule.forEach((module, part) -> addCodes(codes, module, part));
        }
        return codes;
    }

    /** The members of a part are objects with a code, or codes. */
    private static void addCodes(Set<String> codes, @Nullable Object module, @Nullable Object part) {
        if (part instanceof Map<?, ?> members) {
            for (String name : List.of("top_finding", "code", "error")) {
                Object value = members.get(name);
                addCode(codes, module, value instanceof Map<?, ?> object ? object.get("code") : value);
            }
        }
    }

    private static void addCode(Set<String> codes, @Nullable Object module, @Nullable Object code) {
        if (module instanceof String part && code instanceof String text) {
            codes.add(text);
            codes.add(LineFinding.path(part, text));
        }
    }

    /** The items of a list that are objects. */
    private static List<Map<?, ?>> objects(@Nullable Object value) {
        List<Map<?, ?>> objects = new ArrayList<>();
        if (value instanceof List<?> list) {
            for (Object item : list) {
                if (item instanceof Map<?, ?> object) {
                    objects.add(object);
                }
            }
        }
        return objects;
    }

    /** The recorded rules by module: of the line, then of the parts of a composite. */
    Map<String, String> rulesByModule() {
        Map<String, String> all = new LinkedHashMap<>();
        putRules(all, rules);
        Object parts = fields.get(PARTS);
        Collection<?> results =
                parts instanceof Map<?, ?> map ? map.values() : parts instanceof List<?> list ? list : List.of();
        for (Object part : results) {
            if (part instanceof Map<?, ?> members) {
                putRules(all, members.get("rules"));
            }
        }
        return all;
    }

    private static void putRules(Map<String, String> all, @Nullable Object rules) {
        if (rules instanceof String text) {
            all.put(text.replaceFirst("/.*", ""), text);
        }
    }

    /** The same line at another position. */
    public PortfolioLine at(long position) {
        return new PortfolioLine(position, input, target, state, verdict, fields, findings, errorCode, rules, module);
    }

    /** The same line without the values of its fields. */
    public PortfolioLine withoutFields() {
        return new PortfolioLine(index, input, target, state, verdict, Map.of(), findings, errorCode, rules, module);
    }

    private static long index(Map<?, ?> line, long position) {
        Object index = line.get("index");
        if (index == null) {
            return position;
        }
        boolean valid = (index instanceof Integer || index instanceof Long) && ((Number) index).longValue() >= 0;
        if (!valid) {
            throw new IllegalArgumentException("'index' is not an integer of at least 0");
        }
        return ((Number) index).longValue();
    }

    private static Verdict verdict(String id) {
        Verdict verdict = LowerCaseId.find(Verdict.values(), id);
        if (verdict == null) {
            throw new IllegalArgumentException("'verdict' is '" + id + "', not pass, warn, fail or error");
        }
        return verdict;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, @Nullable Object> fields(Map<?, ?> line) {
        Object fields = line.get("fields");
        if (fields == null) {
            return Map.of();
        }
        if (!(fields instanceof Map)) {
            throw new IllegalArgumentException("'fields' is not an object");
        }
        requireFinite(fields);
        return (Map<String, @Nullable Object>) fields;
    }

    /** Results contain only numbers that a double can represent; others could not be compared. */
    private static void requireFinite(@Nullable Object value) {
        if (value instanceof Number number && !Double.isFinite(number.doubleValue())) {
            throw new IllegalArgumentException("'fields' contains a number over 1.8e308");
        }
        if (value instanceof Map<?, ?> members) {
            members.values().forEach(PortfolioLine::requireFinite);
        } else if (value instanceof List<?> items) {
            items.forEach(PortfolioLine::requireFinite);
        }
    }

    private static List<LineFinding> findings(Map<?, ?> line, Map<String, @Nullable Object> fields) {
        List<LineFinding> problems = problems(fields.get(CAUSES));
        List<LineFinding> findings = new ArrayList<>();
        Object own = line.get("findings");
        if (own != null) {
            if (!(own instanceof List<?> list)) {
                throw new IllegalArgumentException("'findings' is not an array");
            }
            for (Object finding : list) {
                if (!(finding instanceof Map<?, ?> members)) {
                    throw new IllegalArgumentException("'findings' contains a value that is not an object");
                }
                LineFinding read = finding(null, members);
                if (problems.isEmpty() || !OF_PARTS.contains(read.code())) {
                    findings.add(read);
                }
            }
        }
        findings.addAll(problems);
        return List.copyOf(findings);
    }

    /** The problems that a composite lists, with the module that reports each. */
    private static List<LineFinding> problems(@Nullable Object causes) {
        List<LineFinding> problems = new ArrayList<>();
        for (Map<?, ?> cause : objects(causes)) {
            if (cause.get("module") instanceof String module) {
                problems.add(finding(module, cause));
            }
        }
        return problems;
    }

    private static LineFinding finding(@Nullable String part, Map<?, ?> members) {
        String level = required(members, "level", "finding.");
        String message = text(members, "message");
        String action = text(members, "action");
        return new LineFinding(
                part,
                required(members, "code", "finding."),
                level(level),
                Objects.requireNonNullElse(message, ""),
                Objects.requireNonNullElse(action, ""));
    }

    private static Level level(String id) {
        Level level = LowerCaseId.find(Level.values(), id);
        if (level == null) {
            throw new IllegalArgumentException("'finding.level' is '%s', not info, warn or fail".formatted(id));
        }
        return level;
    }

    private static String required(Map<?, ?> members, String name, String path) {
        if (members.get(name) instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("'%s%s' is not a string".formatted(path, name));
    }

    private static @Nullable String text(Map<?, ?> members, String name) {
        Object value = members.get(name);
        if (value == null || value instanceof String) {
            return (String) value;
        }
        throw new IllegalArgumentException("'" + name + "' is not a string");
    }
}
