package dev.plumbline.lab;

import dev.plumbline.check.PartColumns;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.ModuleDescription;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The recorded results of the targets of a laboratory, in {@code golden/MODULE/LABORATORY-NAME.json}, each with the
 * rules with which it was recorded. A result may only differ from the recorded one if the version in the sheet of the
 * module is higher. With {@code -Dgolden.write=true}, it is recorded if it is new or has a higher version, and if two
 * checks in succession return it.
 *
 * <p>They contain what comparisons of results compare: verdict, error, findings without their texts, and fields without
 * volatile values. Values that are different in each laboratory, such as ports, times and keys, are replaced by
 * placeholders. Findings about measured times are omitted.
 *
 * <p>Results are recorded instead of evidence, because evidence consists of about 40 types with parsed certificates,
 * DNS messages and responses, each of which would need a form for files. So a change of {@code collect} is found too.
 */
public final class GoldenResults {
    private static final Path FOLDER = Path.of("src/test/resources/golden");
    private static final String WRITE_COMMAND = "run the test with -Dgolden.write=true";
    private static final String RULES = "rules";
    private static final String PART_RULES = "part_rules";
    private static final String FIELDS = "fields";

    /** A measured time, in milliseconds. */
    private static final String MEASURED = "_ms";

    /** The values that differ between two laboratories, with their placeholders. */
    private static final Map<Pattern, String> PLACEHOLDERS = placeholders();

    private final String laboratory;
    private final Path folder;
    private final boolean write;
    private final Set<Path> compared = new HashSet<>();
    private final Map<Path, JsonObject> unconfirmed = new HashMap<>();

    /** @param laboratory the prefix of the names of its files */
    public GoldenResults(String laboratory) {
        this(laboratory, FOLDER, Boolean.getBoolean("golden.write"));
    }

    GoldenResults(String laboratory, Path folder, boolean write) {
        this.laboratory = laboratory;
        this.folder = folder;
        this.write = write;
    }

    private static Map<Pattern, String> placeholders() {
        Map<Pattern, String> placeholders = new LinkedHashMap<>();
        placeholders.put(Pattern.compile("\\d{4}-\\d\\d-\\d\\dT[0-9:.]+Z"), "<time>");
        placeholders.put(Pattern.compile("(?<=[\\w.\\]]:|_)\\d{4,5}(?!\\d)"), "<port>");
        placeholders.put(Pattern.compile("(?i)\\b(?:[0-9a-f]{16,}|[0-9a-f]{2}(?::[0-9a-f]{2}){7,})\\b"), "<hex>");
        placeholders.put(Pattern.compile("[A-Za-z0-9+/]{40,}={0,2}"), "<base64>");
        placeholders.put(Pattern.compile("\\b\\d{1,5}(?= (?:ECDSA|RSA|ED)\\w+ )"), "<key tag>");
        placeholders.put(Pattern.compile("JAXP\\d+:.*"), "<message of the JDK>");
        return placeholders;
    }

    /** The modules with recorded results. */
    static List<String> modules() throws IOException {
        return files(FOLDER).stream()
                .map(folder -> folder.getFileName().toString())
                .toList();
    }

    /** The recorded results of a module, of all laboratories. */
    static List<JsonObject> recorded(String module) throws IOException {
        List<JsonObject> recorded = new ArrayList<>();
        for (Path file : files(FOLDER.resolve(module))) {
            recorded.add(new JsonObject(Files.readString(file)));
        }
        return recorded;
    }

    /**
     * Compares a result with the recorded one, or records it.
     *
     * @param name of the target, unique for the module
     * @return one line, or none if they are equal
     */
    public List<String> differences(ModuleDescription module, String name, CheckResult result) {
        Path file = folder.resolve(module.module()).resolve(laboratory + "-" + name + ".json");
        JsonObject current = new JsonObject(of(module, result).encode());
        compared.add(file);
        try {
            if (!Files.exists(file)) {
                return write(file, current, file + " does not exist: " + WRITE_COMMAND);
            }
            JsonObject recorded = new JsonObject(Files.readString(file));
            int version = version(recorded);
            if (version > module.version()) {
                return List.of("the version of %s is %d, but %s was recorded with %s: increase `version` in its sheet"
                        .formatted(module.module(), module.version(), file, recorded.getString(RULES)));
            }
            if (version < module.version() || partsChanged(recorded, current)) {
                return write(
                        file,
                        current,
                        "%s was recorded with other rules than %s or those of a part: %s"
                                .formatted(file, module.rules(), WRITE_COMMAND));
            }
            return recorded.equals(current)
                    ? List.of()
                    : List.of(("the result of %s changed: increase `version` in its sheet and %s (if only the"
                                    + " laboratory changed, delete %s instead). %s")
                            .formatted(module.module(), WRITE_COMMAND, file, describe(recorded, current)));
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Whether the rules of a part of a composite changed, which can change the result of the composite. */
    private static boolean partsChanged(JsonObject recorded, JsonObject current) {
        JsonObject before = recorded.getJsonObject(PART_RULES, new JsonObject());
        return current.getJsonObject(PART_RULES, new JsonObject()).stream()
                .anyMatch(part -> before.containsKey(part.getKey())
                        && !before.getValue(part.getKey()).equals(part.getValue()));
    }

    /** The files of this laboratory whose target was not checked. */
    public List<String> unused() throws IOException {
        List<String> unused = new ArrayList<>();
        for (Path module : files(folder)) {
            for (Path file : files(module)) {
                if (file.getFileName().toString().startsWith(laboratory + "-") && !compared.contains(file)) {
                    unused.add(file + " does not belong to a target of the laboratory: delete it");
                }
            }
        }
        return unused;
    }

    private static List<Path> files(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    private static int version(JsonObject recorded) {
        return Integer.parseInt(recorded.getString(RULES).replaceFirst(".*/", ""));
    }

    private List<String> write(Path file, JsonObject current, String difference) throws IOException {
        if (!write) {
            return List.of(difference);
        }
        if (!current.equals(unconfirmed.put(file, current))) {
            return List.of(file + " is recorded if the next result is equal");
        }
        Files.createDirectories(file.getParent());
        Files.writeString(file, current.encodePrettily() + "\n");
        return List.of();
    }

    private static String describe(JsonObject recorded, JsonObject current) {
        List<String> differences = new ArrayList<>();
        describe("", withoutFields(recorded), withoutFields(current), differences);
        describe(FIELDS + ".", recorded.getJsonObject(FIELDS), current.getJsonObject(FIELDS), differences);
        return String.join("; ", differences);
    }

    private static JsonObject withoutFields(JsonObject result) {
        JsonObject members = result.copy();
        members.remove(FIELDS);
        return members;
    }

    private static void describe(String path, JsonObject recorded, JsonObject current, List<String> differences) {
        Set<String> names = new LinkedHashSet<>(recorded.fieldNames());
        names.addAll(current.fieldNames());
        for (String name : names) {
            JsonObject before = new JsonObject().put(name, recorded.getValue(name));
            JsonObject after = new JsonObject().put(name, current.getValue(name));
            if (!before.equals(after)) {
                differences.add(
                        "%s%s: %s, then %s".formatted(path, name, recorded.getValue(name), current.getValue(name)));
            }
        }
    }

    /** The result without the findings about measured times. */
    public static CheckResult withoutMeasuredTimes(ModuleDescription module, CheckResult result) {
        List<Finding> findings = result.findings().stream()
                .filter(finding -> finding.field() == null || !finding.field().endsWith(MEASURED))
                .toList();
        return result.withFindings(
                Verdict.of(findings, result.error(), module.reachability()), findings, result.truncated());
    }

    private static JsonObject of(ModuleDescription module, CheckResult measured) {
        CheckResult result = withoutMeasuredTimes(module, measured);
        JsonObject fields = new JsonObject();
        for (FieldDescription field : module.fields()) {
            if (!field.isVolatile()) {
                fields.put(field.name(), value(field, result.fields().get(field.name())));
            }
        }
        JsonObject recorded = new JsonObject().put(RULES, result.rules());
        if (module.composite()) {
            recorded.put(PART_RULES, partRules(result.fields().get(PartColumns.FIELD)));
        }
        return recorded.put("target", text(String.valueOf(result.target())))
                .put("verdict", result.verdict().id())
                .put(
                        "error",
                        result.error() == null ? null : result.error().code().id())
                .put(
                        "findings",
                        new JsonArray(result.findings().stream()
                                .map(finding -> finding.level().id() + " " + finding.code())
                                .sorted()
                                .toList()))
                .put(FIELDS, fields);
    }

    /** The rules of the parts by module. */
    private static JsonObject partRules(@Nullable Object parts) {
        JsonObject rules = new JsonObject();
        Collection<?> all =
                parts instanceof Map<?, ?> byModule ? byModule.values() : (List<?>) Objects.requireNonNull(parts);
        for (Object part : all) {
            String text = String.valueOf(((Map<?, ?>) part).get(RULES));
            rules.put(text.replaceFirst("/.*", ""), text);
        }
        return rules;
    }

    private static @Nullable Object value(FieldDescription field, @Nullable Object value) {
        if (!(value instanceof List<?> list)) {
            return item(field, value);
        }
        List<@Nullable Object> items = new ArrayList<>();
        list.forEach(item -> items.add(item(field, item)));
        if (!field.ordered()) {
            items.sort(Comparator.comparing(String::valueOf));
        }
        return new JsonArray(items);
    }

    private static @Nullable Object item(FieldDescription field, @Nullable Object value) {
        if (field.members().isEmpty() || !(value instanceof Map<?, ?> map)) {
            return untyped(value, field.volatileMembers());
        }
        JsonObject members = new JsonObject();
        for (FieldDescription member : field.members()) {
            if (!member.isVolatile()) {
                members.put(member.name(), value(member, map.get(member.name())));
            }
        }
        return members;
    }

    private static @Nullable Object untyped(@Nullable Object value, List<String> volatileMembers) {
        if (value instanceof Map<?, ?> map) {
            JsonObject members = new JsonObject();
            map.forEach((name, member) -> {
                if (!volatileMembers.contains(name)) {
                    members.put(text((String) name), untyped(member, volatileMembers));
                }
            });
            return members;
        }
        if (value instanceof List<?> list) {
            JsonArray items = new JsonArray();
            list.forEach(item -> items.add(untyped(item, volatileMembers)));
            return items;
        }
        return value instanceof String text ? text(text) : value;
    }

    private static String text(String text) {
        String replaced = text;
        for (Map.Entry<Pattern, String> placeholder : PLACEHOLDERS.entrySet()) {
            replaced = placeholder.getKey().matcher(replaced).replaceAll(placeholder.getValue());
        }
        return replaced;
    }
}
