package dev.plumbline.result;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.google.common.primitives.Bytes;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serializes results as JSON. */
public final class ResultJson {
    private static final JsonFactory FACTORY = new JsonFactory();
    private static final ObjectMapper MAPPER = new ObjectMapper(FACTORY);
    private static final byte[] RULES = "\"rules\":".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] NO_RULES = "\"rules\":null,".getBytes(StandardCharsets.US_ASCII);
    private static final long SECONDS_PER_DAY = 86_400;

    private ResultJson() {}

    /**
     * Formats a time as RFC 3339 in UTC with milliseconds. Does not use a JDK formatter, which took 3% of the CPU time
     * of a check.
     */
    public static String time(Instant instant) {
        long seconds = instant.getEpochSecond();
        LocalDate day = LocalDate.ofEpochDay(Math.floorDiv(seconds, SECONDS_PER_DAY));
        int second = (int) Math.floorMod(seconds, SECONDS_PER_DAY);
        if (day.getYear() < 0 || day.getYear() > 9999) {
            return instant.toString();
        }
        StringBuilder out = new StringBuilder(24);
        digits(out, day.getYear(), 1000).append('-');
        digits(out, day.getMonthValue(), 10).append('-');
        digits(out, day.getDayOfMonth(), 10).append('T');
        digits(out, second / 3600, 10).append(':');
        digits(out, second / 60 % 60, 10).append(':');
        digits(out, second % 60, 10).append('.');
        return digits(out, instant.getNano() / 1_000_000, 100).append('Z').toString();
    }

    private static StringBuilder digits(StringBuilder out, int value, int highest) {
        for (int place = highest; place > 0; place /= 10) {
            out.append((char) ('0' + value / place % 10));
        }
        return out;
    }

    /** Returns the result as a JSON object in UTF-8. */
    public static byte[] write(CheckResult result) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(1024);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            json.writeStartObject();
            json.writeStringField("module", result.module());
            json.writeStringField("rules", result.rules());
            json.writeStringField("target", result.target());
            json.writeStringField("verdict", result.verdict().id());
            json.writeFieldName("fields");
            writeValue(json, result.fields());
            json.writeFieldName("findings");
            writeFindings(json, result.findings());
            json.writeFieldName("truncated");
            writeValue(json, result.truncated());
            json.writeFieldName("error");
            writeError(json, result.error());
            json.writeStringField("checked_at", time(result.checkedAt()));
            json.writeNumberField("duration_ms", result.durationMs());
            json.writeEndObject();
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    /**
     * Returns a serialized result with the member {@code rules}: null if an earlier version of the program, which did
     * not record it, created the result.
     *
     * @param result the output of {@link #write} of this or an earlier version, possibly with further members
     */
    public static byte[] withRules(byte[] result) {
        // the name of a module does not contain a comma
        int start = Bytes.indexOf(result, (byte) ',') + 1;
        if (start == 0
                || Arrays.equals(
                        result, start, Math.min(start + RULES.length, result.length), RULES, 0, RULES.length)) {
            return result;
        }
        return Bytes.concat(Arrays.copyOf(result, start), NO_RULES, Arrays.copyOfRange(result, start, result.length));
    }

    /**
     * Returns the verdict of a serialized result. Stops parsing at the verdict.
     *
     * @param result the output of {@link #write}
     */
    public static String verdict(byte[] result) {
        try (JsonParser json = FACTORY.createParser(result)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                boolean found = json.currentName().equals("verdict");
                json.nextToken();
                if (found) {
                    return json.getText();
                }
                json.skipChildren();
            }
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
        throw new IllegalArgumentException("a result without a verdict");
    }

    /**
     * Reads a serialized result. The values of its fields are String, Boolean, Integer, Long, Double, List, Map or
     * null: times are strings.
     *
     * @param result the output of {@link #write}, possibly with further members
     * @throws IllegalArgumentException if it is not a result of this version
     */
    @SuppressWarnings("unchecked")
    public static CheckResult read(byte[] result) {
        try {
            return read(MAPPER.readValue(result, Map.class));
        } catch (IOException | ClassCastException | DateTimeException unexpected) {
            throw new IllegalArgumentException("not a result", unexpected);
        }
    }

    /**
     * The new findings of a result.
     *
     * @param result with the verdict, the findings and the truncated members
     * @param added additional members
     */
    public record Change(CheckResult result, Map<String, @Nullable Object> added) {}

    /** A result already has an additional member of a change, so an earlier change cannot be undone. */
    public static final class MemberExistsException extends IllegalArgumentException {
        private static final long serialVersionUID = 1;

        MemberExistsException(String name) {
            super("the result already has the member '" + name + "'");
        }
    }

    /**
     * Changes the findings of a serialized result, which is parsed once. The additional members are before
     * {@code checked_at}; all other bytes are copied.
     *
     * @param result the output of {@link #write}, possibly with further members
     * @param module of the result, which does not contain it if it is a line of a job
     * @param fields the names of the fields that {@code change} reads. The others are not parsed
     * @param change computes the change from the result
     * @throws MemberExistsException if the result has one of the additional members
     * @throws IllegalArgumentException if it is not a result
     */
    public static byte[] change(
            byte[] result, String module, Set<String> fields, Function<CheckResult, Change> change) {
        Map<String, Object> members = new HashMap<>(Map.of("module", module));
        Map<String, Span> spans = new LinkedHashMap<>();
        try (JsonParser json = MAPPER.createParser(result)) {
            json.nextToken();
            while (json.nextToken() == JsonToken.FIELD_NAME) {
                String name = json.currentName();
                int member = (int) json.currentTokenLocation().getByteOffset();
                boolean selects = json.nextToken() == JsonToken.START_OBJECT && name.equals("fields");
                int value = (int) json.currentTokenLocation().getByteOffset();
                members.put(name, selects ? readFields(json, fields) : json.readValueAs(Object.class));
                json.finishToken();
                spans.put(name, new Span(member, value, (int)
                        json.currentLocation().getByteOffset()));
            }
            CheckResult before = read(members);
            Change changed = change.apply(before);
            for (String name : changed.added().keySet()) {
                if (spans.containsKey(name)) {
                    throw new MemberExistsException(name);
                }
            }
            return change(result, spans, before, changed);
        } catch (IOException | ClassCastException | DateTimeException unexpected) {
            throw new IllegalArgumentException("not a result", unexpected);
        }
    }

    /** The offsets of a member: of its name, of its value, and after its value. */
    private record Span(int member, int value, int end) {}

    private static byte[] change(byte[] result, Map<String, Span> spans, CheckResult before, Change change) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(result.length + 512);
        int copied = 0;
        for (Map.Entry<String, Span> entry : spans.entrySet()) {
            Span span = entry.getValue();
            byte[] replacement = replacement(entry.getKey(), before, change.result());
            if (replacement != null) {
                out.write(result, copied, span.value - copied);
                out.writeBytes(replacement);
                copied = span.end;
            } else if (entry.getKey().equals("checked_at")) {
                out.write(result, copied, span.member - copied);
                byte[] members = bytes(generator -> writeValue(generator, change.added()));
                out.write(members, 1, members.length - 2);
                out.write(',');
                copied = span.member;
            }
        }
        out.write(result, copied, result.length - copied);
        return out.toByteArray();
    }

    /** @param json at the start of the fields */
    private static Map<String, @Nullable Object> readFields(JsonParser json, Set<String> names) throws IOException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        while (json.nextToken() == JsonToken.FIELD_NAME) {
            String name = json.currentName();
            json.nextToken();
            if (names.contains(name)) {
                fields.put(name, json.readValueAs(Object.class));
            } else {
                json.skipChildren();
            }
        }
        return fields;
    }

    @SuppressWarnings("unchecked")
    private static CheckResult read(Map<String, Object> members) {
        Map<String, Object> error = (Map<String, Object>) members.get("error");
        return new CheckResult(
                text(members, "module"),
                (String) members.get("rules"),
                (String) members.get("target"),
                Verdict.valueOf(text(members, "verdict").toUpperCase(Locale.ROOT)),
                (Map<String, @Nullable Object>) required(members, "fields"),
                ((List<Map<String, Object>>) required(members, "findings"))
                        .stream().map(ResultJson::finding).toList(),
                (List<String>) required(members, "truncated"),
                error == null ? null : new CheckError(ErrorCode.of(text(error, "code")), text(error, "message")),
                Instant.parse(text(members, "checked_at")),
                ((Number) required(members, "duration_ms")).longValue());
    }

    /** The new value of a member; null if it does not change. */
    private static byte @Nullable [] replacement(String name, CheckResult before, CheckResult after) {
        return switch (name) {
            case "verdict" ->
                before.verdict() == after.verdict()
                        ? null
                        : bytes(json -> json.writeString(after.verdict().id()));
            case "findings" ->
                before.findings().equals(after.findings())
                        ? null
                        : bytes(json -> writeFindings(json, after.findings()));
            case "truncated" ->
                before.truncated().equals(after.truncated())
                        ? null
                        : bytes(json -> writeValue(json, after.truncated()));
            default -> null;
        };
    }

    private interface JsonWriter {
        void write(JsonGenerator json) throws IOException;
    }

    private static byte[] bytes(JsonWriter writer) {
        ByteArrayOutputStream out = new ByteArrayOutputStream(256);
        try (JsonGenerator json = FACTORY.createGenerator(out)) {
            writer.write(json);
        } catch (IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
        return out.toByteArray();
    }

    /** Returns a result as {@link #read} returns it from the output of {@link #write}. */
    @SuppressWarnings("unchecked")
    public static CheckResult normalize(CheckResult result) {
        return new CheckResult(
                result.module(),
                result.rules(),
                result.target(),
                result.verdict(),
                (Map<String, @Nullable Object>) Objects.requireNonNull(normalizeValue(result.fields())),
                result.findings(),
                result.truncated(),
                result.error(),
                result.checkedAt().truncatedTo(ChronoUnit.MILLIS),
                result.durationMs());
    }

    private static @Nullable Object normalizeValue(@Nullable Object value) {
        if (value instanceof Long number) {
            int small = number.intValue();
            return small == number ? (Object) small : number;
        }
        if (value instanceof Double number) {
            return Double.isFinite(number) ? number : number.toString();
        }
        if (value instanceof Instant instant) {
            return time(instant);
        }
        if (value instanceof List<?> list) {
            List<@Nullable Object> items = new ArrayList<>(list.size());
            list.forEach(item -> items.add(normalizeValue(item)));
            return items;
        }
        if (value instanceof Map<?, ?> map) {
            Map<String, @Nullable Object> members = new LinkedHashMap<>();
            map.forEach((name, member) -> members.put((String) name, normalizeValue(member)));
            return members;
        }
        if (value == null || value instanceof String || value instanceof Boolean || value instanceof Integer) {
            return value;
        }
        throw unsupported(value);
    }

    private static IllegalArgumentException unsupported(Object value) {
        return new IllegalArgumentException(
                "unsupported field type: " + value.getClass().getName());
    }

    private static Finding finding(Map<String, Object> members) {
        return new Finding(
                Level.of(text(members, "level")),
                text(members, "code"),
                (String) members.get("field"),
                text(members, "message"),
                text(members, "action"),
                (String) members.get("reference"));
    }

    private static String text(Map<String, Object> members, String name) {
        return (String) required(members, name);
    }

    private static Object required(Map<String, Object> members, String name) {
        Object value = members.get(name);
        if (value == null) {
            throw new IllegalArgumentException("a result without " + name);
        }
        return value;
    }

    private static void writeFindings(JsonGenerator json, List<Finding> findings) throws IOException {
        json.writeStartArray();
        for (Finding finding : findings) {
            writeFinding(json, finding);
        }
        json.writeEndArray();
    }

    private static void writeFinding(JsonGenerator json, Finding finding) throws IOException {
        json.writeStartObject();
        json.writeStringField("level", finding.level().id());
        json.writeStringField("code", finding.code());
        json.writeStringField("field", finding.field());
        json.writeStringField("message", finding.message());
        json.writeStringField("action", finding.action());
        json.writeStringField("reference", finding.reference());
        json.writeEndObject();
    }

    private static void writeError(JsonGenerator json, @Nullable CheckError error) throws IOException {
        if (error == null) {
            json.writeNull();
            return;
        }
        json.writeStartObject();
        json.writeStringField("code", error.code().id());
        json.writeStringField("message", error.message());
        json.writeBooleanField("retryable", error.retryable());
        json.writeEndObject();
    }

    private static void writeValue(JsonGenerator json, @Nullable Object value) throws IOException {
        if (value == null) {
            json.writeNull();
        } else if (value instanceof String text) {
            json.writeString(text);
        } else if (value instanceof Boolean flag) {
            json.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            json.writeNumber(number);
        } else if (value instanceof Instant instant) {
            json.writeString(time(instant));
        } else if (value instanceof List<?> list) {
            json.writeStartArray();
            for (Object item : list) {
                writeValue(json, item);
            }
            json.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            json.writeStartObject();
            for (Map.Entry<?, ?> entry : map.entrySet()) {
                json.writeFieldName((String) entry.getKey());
                writeValue(json, entry.getValue());
            }
            json.writeEndObject();
        } else {
            throw unsupported(value);
        }
    }
}
