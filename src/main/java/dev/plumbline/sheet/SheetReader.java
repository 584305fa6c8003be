package dev.plumbline.sheet;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.plumbline.result.Consequence;
import dev.plumbline.result.Level;
import dev.plumbline.target.InputType;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads a module's sheet. {@code src/docs/writing-a-module.md} describes the format. An unknown, a duplicate or a
 * missing member is an error that names it.
 */
public final class SheetReader {
    private static final YAMLMapper MAPPER = YAMLMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
            .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
            .enable(JsonParser.Feature.STRICT_DUPLICATE_DETECTION)
            .build();

    /**
     * {@code TYPE | TITLE | DESCRIPTION}; TYPE is for example string, integer[], string(a, b), with the meaning of null
     * {@code string? Not sent}, or {@code volatile integer} or {@code unordered string[]}.
     */
    private static final Pattern FIELD = Pattern.compile(
            "(?:(volatile|unordered) )?([a-z]+)(\\[])?(?:\\(([^)]*)\\))?(\\?(?: ([^|]+))?)? \\| ([^|]+) \\| (.+)",
            Pattern.DOTALL);

    /** The declaration of a volatile member of an object without other declared members. */
    private static final String VOLATILE = "volatile";

    private static final Pattern FINDING_TITLE = Pattern.compile("\\p{Lu}[^{}`]{1,58}[^{}`.]");

    private SheetReader() {}

    private record Sheet(
            @Nullable String title,
            @Nullable String summary,
            @Nullable String category,
            int version,
            @Nullable InputType input,
            int defaultPort,
            @Nullable List<String> schemes,
            @Nullable String example,
            @Nullable String placeholder,
            boolean reachability,
            @Nullable List<InputType> defaultFor,
            @Nullable Map<String, String> areas,
            @Nullable Map<String, String> partOf,
            @Nullable List<String> partFields,
            boolean connects,
            boolean connectTo,
            boolean resolver,
            @Nullable String include,
            @Nullable Map<String, OptionSheet> options,
            @Nullable Map<String, String> fields,
            @Nullable Map<String, List<String>> groups,
            @Nullable Map<String, FindingSheet> findings,
            @Nullable Map<String, String> headline) {}

    private record OptionSheet(
            OptionDescription.@Nullable Type type,
            @Nullable String title,
            @Nullable String description,
            @JsonProperty("default") @Nullable Object initial,
            @Nullable List<String> values,
            long min,
            long max,
            @Nullable String pattern,
            int maxLength,
            int maxItems,
            @Nullable Map<String, Integer> ports) {

        OptionDescription option(String name) {
            Object value = initial instanceof Integer number ? Long.valueOf(number) : initial;
            List<String> choices = values == null ? List.of() : values;
            if (ports != null && !choices.containsAll(ports.keySet())) {
                throw new IllegalArgumentException("option " + name + ": ports has a value that is not in values");
            }
            return new OptionDescription(
                    name,
                    required(type, name, "type"),
                    required(title, name, "title"),
                    required(description, name, "description"),
                    value == null && !choices.isEmpty() ? choices.get(0) : value,
                    choices,
                    min,
                    max,
                    pattern == null ? null : Pattern.compile(pattern),
                    choices.isEmpty() ? maxLength : 64,
                    maxItems,
                    ports == null ? Map.of() : ports);
        }
    }

    /** @param levelReason why the level differs from that of the same finding in other sheets */
    private record FindingSheet(
            @Nullable String title,
            @Nullable String info,
            @Nullable String warn,
            @Nullable String fail,
            @Nullable String levelReason,
            @Nullable String field,
            @Nullable String action,
            @Nullable String reference,
            int cost,
            @Nullable Consequence consequence,
            @Nullable List<String> explains) {

        /** This finding of an included sheet with the consequence and the effects that the including sheet declares. */
        FindingSheet in(@Nullable FindingSheet including, String name) {
            if (including == null) {
                return this;
            }
            if (!including.equals(new FindingSheet(
                    null, null, null, null, null, null, null, null, 0, including.consequence, including.explains))) {
                throw new IllegalArgumentException("finding " + name
                        + ": the included sheet declares it. Only consequence and explains can be added");
            }
            return new FindingSheet(
                    title,
                    info,
                    warn,
                    fail,
                    levelReason,
                    field,
                    action,
                    reference,
                    cost,
                    including.consequence == null ? consequence : including.consequence,
                    including.explains == null ? explains : including.explains);
        }

        /**
         * @param shared the title in findings.yaml; null if only this sheet declares the finding
         * @param composite whether the findings are about parts, which have the consequences
         */
        FindingCode code(String name, @Nullable String shared, boolean composite) {
            if (title != null && shared != null) {
                throw new IllegalArgumentException(
                        "finding " + name + ": findings.yaml declares the title. Remove it from this sheet.");
            }
            String heading = required(shared == null ? title : shared, "finding " + name, "title");
            if (!FINDING_TITLE.matcher(heading).matches()) {
                throw new IllegalArgumentException("finding " + name
                        + ": the title must start with a capital letter and have at most 60 characters, without"
                        + " placeholders, backticks or a final period");
            }
            List<String> messages =
                    Stream.of(info, warn, fail).flatMap(Stream::ofNullable).toList();
            if (messages.size() != 1) {
                throw new IllegalArgumentException("finding " + name + ": one of info, warn, fail is required");
            }
            Level level = fail != null ? Level.FAIL : warn != null ? Level.WARN : Level.INFO;
            if (level == Level.INFO && consequence != null) {
                throw new IllegalArgumentException("finding " + name + ": info does not have a consequence");
            }
            Consequence effect = level == Level.INFO || composite
                    ? Consequence.RECOMMENDED
                    : required(consequence, "finding " + name, "consequence");
            return new FindingCode(
                    name,
                    heading,
                    level,
                    field,
                    messages.get(0),
                    required(action, name, "action"),
                    reference,
                    cost,
                    effect,
                    explains == null ? List.of() : explains);
        }
    }

    /** A field whose members are being collected. */
    private record Node(FieldDescription field, Map<String, Node> members, List<String> volatileMembers) {
        FieldDescription complete(String path) {
            if (!volatileMembers.isEmpty() && (field.type() != FieldType.OBJECT || !members.isEmpty())) {
                throw new IllegalArgumentException("field " + path + ": volatile members without a type require an"
                        + " object without declared members");
            }
            return field.with(
                    members.values().stream()
                            .map(member ->
                                    member.complete(path + "." + member.field().name()))
                            .toList(),
                    volatileMembers);
        }
    }

    /**
     * The titles of the findings that several sheets declare, by code, from {@code findings.yaml}.
     *
     * @throws IllegalStateException if the file does not exist or is not valid
     */
    public static Map<String, String> titles(Function<String, @Nullable String> files) {
        try {
            Map<String, String> titles = new HashMap<>();
            entries(
                    parse("findings", files).findings(),
                    (code, finding) -> titles.put(code, required(finding.title, "finding " + code, "title")));
            return titles;
        } catch (IllegalArgumentException | JsonProcessingException e) {
            throw new IllegalStateException("findings.yaml: " + e.getMessage(), e);
        }
    }

    /**
     * @param name the module's identifier
     * @param resolvers the values of the resolver option besides the default one
     * @param titles as {@link #titles}
     * @param files the content of a file next to the module's class, null if it does not exist
     * @throws IllegalStateException if the sheet does not exist or is not valid
     */
    public static ModuleDescription read(
            String name,
            Collection<String> resolvers,
            Map<String, String> titles,
            Function<String, @Nullable String> files) {
        try {
            Sheet sheet = parse(name, files);
            Sheet shared = sheet.include() == null ? null : parse(sheet.include(), files);
            List<OptionDescription> options = new ArrayList<>();
            List<FieldDescription> fields = new ArrayList<>();
            List<FindingCode> findings = new ArrayList<>();
            Map<String, String> groups = new LinkedHashMap<>();
            Map<String, String> headline = new LinkedHashMap<>();
            for (Sheet part : shared == null ? List.of(sheet) : List.of(shared, sheet)) {
                entries(part.options(), (key, option) -> options.add(option.option(key)));
                fields.addAll(fields(part.fields()));
                entries(part.groups(), (title, names) -> names.forEach(field -> group(groups, field, title)));
                entries(part.headline(), headline::put);
            }
            declaredFindings(shared, sheet)
                    .forEach((key, finding) -> findings.add(finding.code(key, titles.get(key), sheet.areas() != null)));
            options.addAll(ModuleDescription.commonOptions(
                    sheet.resolver() ? resolvers : null, sheet.connectTo(), sheet.connects(), sheet.areas() != null));
            InputType input = required(sheet.input(), name, "input");
            List<String> schemes = input == InputType.URL ? List.of("https", "http") : List.of();
            String example = required(sheet.example(), name, "example");
            return new ModuleDescription(
                    name,
                    required(sheet.title(), name, "title"),
                    required(sheet.summary(), name, "summary"),
                    required(sheet.category(), name, "category"),
                    version(sheet, name),
                    input,
                    sheet.defaultPort(),
                    sheet.schemes() == null ? schemes : List.copyOf(sheet.schemes()),
                    example,
                    sheet.placeholder() == null ? example : sheet.placeholder(),
                    List.copyOf(options),
                    grouped(fields, groups),
                    List.copyOf(findings),
                    Headline.parse(headline, fields, findings),
                    sheet.reachability(),
                    defaultFor(sheet),
                    ordered(sheet.areas()),
                    ordered(sheet.partOf()),
                    partFields(sheet, fields));
        } catch (IllegalArgumentException | JsonProcessingException e) {
            throw new IllegalStateException(name + ".yaml: " + e.getMessage(), e);
        }
    }

    /**
     * The findings of the included sheet, as the including one declares them, and then those of the including sheet.
     */
    private static Map<String, FindingSheet> declaredFindings(@Nullable Sheet included, Sheet sheet) {
        Map<String, FindingSheet> own = sheet.findings() == null ? Map.of() : sheet.findings();
        Map<String, FindingSheet> findings = new LinkedHashMap<>();
        if (included != null) {
            entries(included.findings(), (key, finding) -> findings.put(key, finding.in(own.get(key), key)));
        }
        own.forEach(findings::putIfAbsent);
        return findings;
    }

    private static List<String> partFields(Sheet sheet, List<FieldDescription> fields) {
        List<String> names = sheet.partFields() == null ? List.of() : List.copyOf(sheet.partFields());
        if (!names.isEmpty() && sheet.partOf() == null) {
            throw new IllegalArgumentException("part_fields requires part_of");
        }
        Set<String> declared = fields.stream().map(FieldDescription::name).collect(Collectors.toSet());
        for (String name : names) {
            if (!declared.contains(name)) {
                throw new IllegalArgumentException("part_fields: unknown field " + name);
            }
        }
        return names;
    }

    private static int version(Sheet sheet, String name) {
        if (sheet.version() < 1) {
            throw new IllegalArgumentException(name + ": version is required, from 1");
        }
        return sheet.version();
    }

    private static List<InputType> defaultFor(Sheet sheet) {
        List<InputType> types = sheet.defaultFor() == null ? List.of() : List.copyOf(sheet.defaultFor());
        if (types.contains(InputType.HOST)) {
            throw new IllegalArgumentException("default_for: use domain or ip instead of host");
        }
        return types;
    }

    private static Map<String, String> ordered(@Nullable Map<String, String> map) {
        return map == null ? Map.of() : Collections.unmodifiableMap(new LinkedHashMap<>(map));
    }

    private static Sheet parse(String name, Function<String, @Nullable String> files) throws JsonProcessingException {
        String text = files.apply(name + ".yaml");
        if (text == null) {
            throw new IllegalArgumentException("the file does not exist");
        }
        return MAPPER.readValue(text, Sheet.class);
    }

    private static <T> void entries(@Nullable Map<String, T> map, BiConsumer<String, T> action) {
        if (map != null) {
            map.forEach(action);
        }
    }

    private static List<FieldDescription> fields(@Nullable Map<String, String> declared) {
        Map<String, Node> roots = new LinkedHashMap<>();
        entries(declared, (path, text) -> {
            Map<String, Node> siblings = roots;
            String name = path;
            for (int dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.')) {
                Node parent = siblings.get(name.substring(0, dot));
                if (parent == null) {
                    throw new IllegalArgumentException(
                            "field " + path + ": declare " + name.substring(0, dot) + " before it");
                }
                name = name.substring(dot + 1);
                if (VOLATILE.equals(text) && name.indexOf('.') < 0) {
                    parent.volatileMembers().add(name);
                    return;
                }
                siblings = parent.members();
            }
            siblings.put(name, new Node(field(path, name, text), new LinkedHashMap<>(), new ArrayList<>()));
        });
        return roots.values().stream()
                .map(root -> root.complete(root.field().name()))
                .toList();
    }

    private static void group(Map<String, String> groups, String field, String title) {
        String other = groups.putIfAbsent(field, title);
        if (other != null) {
            throw new IllegalArgumentException("field " + field + ": in the groups " + other + " and " + title);
        }
    }

    /** The fields with their groups. If there are groups, each field is in one. */
    private static List<FieldDescription> grouped(List<FieldDescription> fields, Map<String, String> groups) {
        List<FieldDescription> grouped = new ArrayList<>();
        Map<String, String> remaining = new LinkedHashMap<>(groups);
        for (FieldDescription field : fields) {
            String group = remaining.remove(field.name());
            if (group == null && !groups.isEmpty()) {
                throw new IllegalArgumentException("field " + field.name() + ": add it to a group");
            }
            grouped.add(field.in(group));
        }
        remaining.forEach((name, title) -> {
            throw new IllegalArgumentException("group " + title + ": field " + name + " is not declared");
        });
        return List.copyOf(grouped);
    }

    private static FieldDescription field(String path, String name, @Nullable String text) {
        Matcher matcher = FIELD.matcher(text == null ? "" : text.strip());
        if (!matcher.matches()) {
            throw new IllegalArgumentException("field " + path + ": expected TYPE | TITLE | DESCRIPTION");
        }
        String modifier = matcher.group(1);
        FieldType type = FieldType.valueOf(matcher.group(2).toUpperCase(Locale.ROOT));
        boolean list = matcher.group(3) != null;
        boolean nullable = matcher.group(5) != null;
        String nullText = matcher.group(6) == null
                ? FieldDescription.NOT_DETERMINED
                : matcher.group(6).strip();
        List<String> values =
                matcher.group(4) == null ? List.of() : List.of(matcher.group(4).split("\\s*,\\s*"));
        boolean unordered = "unordered".equals(modifier);
        if (unordered && !list) {
            throw new IllegalArgumentException("field " + path + ": unordered requires an array");
        }
        return new FieldDescription(
                name,
                list ? FieldType.ARRAY : type,
                matcher.group(7).strip(),
                matcher.group(8).strip(),
                nullable,
                values,
                list ? type : FieldType.STRING,
                List.of(),
                nullable ? nullText : null,
                null,
                VOLATILE.equals(modifier),
                !unordered,
                List.of());
    }

    private static <T> T required(@Nullable T value, String owner, String member) {
        if (value == null) {
            throw new IllegalArgumentException(owner + ": " + member + " is required");
        }
        return value;
    }
}
