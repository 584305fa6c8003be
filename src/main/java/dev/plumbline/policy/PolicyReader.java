package dev.plumbline.policy;

import dev.plumbline.policy.Policy.Example;
import dev.plumbline.policy.Policy.Exemption;
import dev.plumbline.policy.Policy.ModulePolicy;
import dev.plumbline.policy.Policy.Rule;
import dev.plumbline.policy.Policy.Source;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.FieldDescription;
import dev.plumbline.sheet.FindingCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.ClosestName;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.LowerCaseId;
import dev.plumbline.target.TargetParser;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads policies. {@code src/docs/policies.md} describes the format. An unknown, a duplicate, a missing or an invalid
 * member is an error with its line.
 */
public final class PolicyReader {
    /** The maximum size of a file in characters. */
    public static final int MAX_SIZE = 256 * 1024;

    private static final int MAX_RULES = 500;
    private static final int MAX_EXCEPTIONS = 1_000;
    private static final int MAX_EXAMPLES = 200;
    private static final int MAX_TITLE = 100;
    private static final int MAX_TEXT = 500;

    /** The form of the name of a policy. */
    public static final Pattern NAME = Pattern.compile("[a-z][a-z0-9]{0,39}(-[a-z0-9]{1,40}){0,9}");

    private static final Pattern VERSION = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,19}");
    private static final Pattern CODE = Pattern.compile("[a-z][a-z0-9_]{0,63}");
    private static final Pattern URL = Pattern.compile("https://[!-~]{1,300}");
    private static final Pattern HOST = Pattern.compile("\\*|(\\*\\.)?[a-z0-9:_][a-z0-9.:_-]{0,252}");

    private final Function<String, @Nullable ModuleDescription> modules;
    private final ExpressionPrograms programs;

    /**
     * @param modules finds a module by its name
     * @param programs the cache of compiled expressions
     */
    public PolicyReader(Function<String, @Nullable ModuleDescription> modules, ExpressionPrograms programs) {
        this.modules = modules;
        this.programs = programs;
    }

    /** Returns the text of a file, of which it reads no more than is needed to reject one that is too large. */
    public static String content(Path file) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            // a character has at most four bytes
            return new String(in.readNBytes(4 * MAX_SIZE + 1), StandardCharsets.UTF_8);
        }
    }

    /**
     * Reads a policy.
     *
     * @param file the name of the file for errors
     * @throws InvalidPolicyException if it is not a valid policy
     */
    public Policy read(String file, String yaml) throws InvalidPolicyException {
        if (yaml.length() > MAX_SIZE) {
            throw new InvalidPolicyException(file, 1, "The file is larger than " + MAX_SIZE / 1024 + " KiB.");
        }
        PolicyNode root = PolicyNode.parse(file, yaml);
        Members policy =
                new Members(root, "policy", "name", "title", "version", "source", "modules", "exceptions", "examples");
        String name = policy.get("name").text("name", NAME, "a name in lower case, for example my-policy");
        String title = policy.get("title").text("title", MAX_TITLE);
        String version = policy.get("version").text("version", VERSION, "a version, for example 1.0");
        Source source = source(policy.get("source"));
        Map<String, ModulePolicy> byModule = new LinkedHashMap<>();
        for (Map.Entry<String, PolicyNode> entry :
                policy.get("modules").members("modules", Set.of()).entrySet()) {
            ModuleDescription module = module(entry.getKey(), entry.getValue());
            byModule.put(entry.getKey(), modulePolicy(module, entry.getValue()));
        }
        int ruleCount = byModule.values().stream()
                .mapToInt(module -> module.rules().size())
                .sum();
        if (byModule.isEmpty() || ruleCount > MAX_RULES) {
            throw policy.get("modules")
                    .invalid(
                            byModule.isEmpty()
                                    ? "The policy does not have modules."
                                    : "The policy has " + ruleCount + " rules; at most " + MAX_RULES + " are allowed.");
        }
        List<Exemption> exceptions = new ArrayList<>();
        for (PolicyNode node : policy.items("exceptions", MAX_EXCEPTIONS)) {
            exceptions.add(exception(node, byModule));
        }
        List<Example> examples = new ArrayList<>();
        for (PolicyNode node : policy.items("examples", MAX_EXAMPLES)) {
            examples.add(example(node, byModule));
        }
        return new Policy(name, title, version, source, byModule, List.copyOf(exceptions), List.copyOf(examples));
    }

    /** The members of an object, of which some are required. */
    private static final class Members {
        private final PolicyNode node;
        private final String name;
        private final Map<String, PolicyNode> members;

        Members(PolicyNode node, String name, String... allowed) throws InvalidPolicyException {
            this.node = node;
            this.name = name;
            members = node.members(name, Set.of(allowed));
        }

        PolicyNode get(String member) throws InvalidPolicyException {
            PolicyNode found = members.get(member);
            if (found == null) {
                throw node.invalid("'" + name + "' does not have the member '" + member + "'.");
            }
            return found;
        }

        @Nullable
        PolicyNode find(String member) {
            return members.get(member);
        }

        List<PolicyNode> items(String member, int max) throws InvalidPolicyException {
            PolicyNode found = members.get(member);
            if (found == null) {
                return List.of();
            }
            List<PolicyNode> items = found.items(member);
            if (items.size() > max) {
                throw found.invalid(
                        "'" + member + "' has " + items.size() + " items; at most " + max + " are allowed.");
            }
            return items;
        }
    }

    private ModuleDescription module(String name, PolicyNode node) throws InvalidPolicyException {
        ModuleDescription module = modules.apply(name);
        if (module == null) {
            throw node.invalid("The module '" + name + "' does not exist.");
        }
        return module;
    }

    private static Source source(PolicyNode node) throws InvalidPolicyException {
        Members source = new Members(node, "source", "title", "url", "date");
        PolicyNode url = source.find("url");
        return new Source(
                source.get("title").text("title", MAX_TITLE),
                url == null ? null : url.text("url", URL, "an address that starts with https://"),
                date("date", source.get("date")));
    }

    private static LocalDate date(String name, PolicyNode node) throws InvalidPolicyException {
        String text = node.text(name, MAX_TITLE);
        try {
            return LocalDate.parse(text);
        } catch (DateTimeParseException invalid) {
            throw node.invalid("'" + name + "' is '" + text + "', not a date, for example 2026-12-31.");
        }
    }

    private ModulePolicy modulePolicy(ModuleDescription module, PolicyNode node) throws InvalidPolicyException {
        Members members = new Members(node, module.module(), "rules", "levels");
        List<Rule> rules = new ArrayList<>();
        Set<String> ids = new HashSet<>();
        for (PolicyNode rule : members.items("rules", MAX_RULES)) {
            Rule read = rule(module, rule);
            if (!ids.add(read.id())) {
                throw rule.invalid("The rule '" + read.id() + "' is declared twice.");
            }
            rules.add(read);
        }
        Map<String, Level> levels = new LinkedHashMap<>();
        PolicyNode changes = members.find("levels");
        if (changes != null) {
            for (Map.Entry<String, PolicyNode> change :
                    changes.members("levels", Set.of()).entrySet()) {
                requireFinding(module, change.getKey(), change.getValue());
                levels.put(change.getKey(), choice("level", Level.values(), change.getValue()));
            }
        }
        return new ModulePolicy(List.copyOf(rules), Map.copyOf(levels));
    }

    private static List<String> codes(ModuleDescription module) {
        return module.findings().stream().map(FindingCode::code).toList();
    }

    private static void requireFinding(ModuleDescription module, String code, PolicyNode node)
            throws InvalidPolicyException {
        if (module.finding(code) == null) {
            throw node.invalid(module.module() + " does not have a finding '" + code + "'."
                    + ClosestName.suggestion(code, codes(module)));
        }
    }

    private Rule rule(ModuleDescription module, PolicyNode node) throws InvalidPolicyException {
        Members rule = new Members(node, "rule", "id", "title", "clause", "expect", "level", "message", "action");
        PolicyNode idNode = rule.get("id");
        String id = idNode.text("id", CODE, "an ID in lower case with underscores, for example tls_versions");
        if (module.finding(id) != null || id.equals(ExpectationFindings.EXPECTATION_FAILED)) {
            throw idNode.invalid("The ID '" + id + "' is the code of a finding. Use another one.");
        }
        PolicyNode expect = rule.get("expect");
        String expression = expect.text("expect", 4 * ExpressionCompiler.MAX_LENGTH);
        Expectation expectation;
        try {
            expectation = programs.get(module, expression);
        } catch (InvalidExpressionException invalid) {
            throw expect.invalid("The expression of the rule '" + id + "' is not valid. " + invalid.getMessage());
        }
        return new Rule(
                id,
                rule.get("title").text("title", MAX_TITLE),
                rule.get("clause").text("clause", MAX_TITLE),
                expectation,
                choice("level", Level.values(), rule.get("level")),
                rule.get("message").text("message", MAX_TEXT),
                rule.get("action").text("action", MAX_TEXT));
    }

    private static <E extends Enum<E> & LowerCaseId> E choice(String name, E[] values, PolicyNode node)
            throws InvalidPolicyException {
        String text = node.text(name, MAX_TITLE);
        E found = LowerCaseId.find(values, text);
        if (found == null) {
            List<String> ids = new ArrayList<>();
            for (E value : values) {
                ids.add(value.id());
            }
            throw node.invalid("'" + name + "' is '" + text + "', not one of " + String.join(", ", ids) + ".");
        }
        return found;
    }

    private Exemption exception(PolicyNode node, Map<String, ModulePolicy> byModule) throws InvalidPolicyException {
        Members exception = new Members(node, "exception", "target", "module", "finding", "reason", "expires");
        PolicyNode moduleNode = exception.find("module");
        String module = moduleNode == null ? null : moduleName(moduleNode, byModule);
        PolicyNode findingNode = exception.get("finding");
        String finding = findingNode.text("finding", CODE, "the code of a finding or the ID of a rule");
        requireKnown(finding, module == null ? byModule.keySet() : Set.of(module), byModule, findingNode);
        return new Exemption(
                exception
                        .get("target")
                        .text("target", HOST, "a hostname in lower case, *.NAME for the names below a name, or *"),
                module,
                finding,
                exception.get("reason").text("reason", MAX_TEXT),
                date("expires", exception.get("expires")));
    }

    private static String moduleName(PolicyNode node, Map<String, ModulePolicy> byModule)
            throws InvalidPolicyException {
        String module = node.text("module", MAX_TITLE);
        if (!byModule.containsKey(module)) {
            throw node.invalid("The policy does not have the module '" + module + "'."
                    + ClosestName.suggestion(module, byModule.keySet()));
        }
        return module;
    }

    /** Requires a finding of one of these modules, or one of their rules. */
    private void requireKnown(String code, Set<String> of, Map<String, ModulePolicy> byModule, PolicyNode node)
            throws InvalidPolicyException {
        List<String> known = new ArrayList<>();
        for (String name : of) {
            known.addAll(codes(module(name, node)));
            Objects.requireNonNull(byModule.get(name)).rules().forEach(rule -> known.add(rule.id()));
        }
        if (!known.contains(code)) {
            throw node.invalid("'" + code + "' is not a finding or a rule of " + String.join(", ", of) + "."
                    + ClosestName.suggestion(code, known));
        }
    }

    private Example example(PolicyNode node, Map<String, ModulePolicy> byModule) throws InvalidPolicyException {
        Members example = new Members(
                node, "example", "title", "module", "target", "date", "fields", "findings", "error", "expected");
        ModuleDescription module = module(moduleName(example.get("module"), byModule), node);
        PolicyNode target = example.find("target");
        PolicyNode date = example.find("date");
        PolicyNode error = example.find("error");
        List<String> findings = new ArrayList<>();
        for (PolicyNode item : example.items("findings", MAX_RULES)) {
            String code = item.text("findings", CODE, "the code of a finding");
            requireFinding(module, code, item);
            findings.add(code);
        }
        Members expected = new Members(example.get("expected"), "expected", "verdict", "findings");
        List<String> expectedFindings = new ArrayList<>();
        for (PolicyNode item : expected.items("findings", MAX_RULES)) {
            String code = item.text("findings", CODE, "the code of a finding or the ID of a rule");
            requireKnown(code, Set.of(module.module()), byModule, item);
            expectedFindings.add(code);
        }
        return new Example(
                node.line(),
                example.get("title").text("title", MAX_TITLE),
                module.module(),
                target == null ? module.example() : target(module, target),
                fields(module, example.find("fields")),
                List.copyOf(findings),
                error == null ? null : choice("error", ErrorCode.values(), error),
                date == null ? LocalDate.EPOCH : date("date", date),
                choice("verdict", Verdict.values(), expected.get("verdict")),
                List.copyOf(expectedFindings));
    }

    private static String target(ModuleDescription module, PolicyNode node) throws InvalidPolicyException {
        String text = node.text("target", MAX_TEXT);
        try {
            return TargetParser.parse(module, text).text();
        } catch (InvalidTargetException invalid) {
            throw node.invalid("'target' is '" + text + "', which is not valid for " + module.module() + ".");
        }
    }

    private static Map<String, @Nullable Object> fields(ModuleDescription module, @Nullable PolicyNode node)
            throws InvalidPolicyException {
        Map<String, @Nullable Object> fields = new LinkedHashMap<>();
        module.fields().forEach(field -> fields.put(field.name(), null));
        if (node == null) {
            return fields;
        }
        for (Map.Entry<String, PolicyNode> member :
                node.members("fields", Set.of()).entrySet()) {
            FieldDescription field = module.fields().stream()
                    .filter(declared -> declared.name().equals(member.getKey()))
                    .findFirst()
                    .orElse(null);
            if (field == null) {
                throw member.getValue()
                        .invalid("'" + member.getKey() + "' is not a field of " + module.module() + "."
                                + ClosestName.suggestion(member.getKey(), fields.keySet()));
            }
            Object value = member.getValue().plain();
            if (value != null && !hasType(field, value)) {
                throw member.getValue()
                        .invalid("'" + field.name() + "' is not of the type "
                                + field.type().id() + ".");
            }
            fields.put(field.name(), value);
        }
        return fields;
    }

    private static boolean hasType(FieldDescription field, Object value) {
        return switch (field.type()) {
            case STRING, TIME -> value instanceof String;
            case INTEGER -> value instanceof Integer || value instanceof Long;
            case NUMBER -> value instanceof Number;
            case BOOLEAN -> value instanceof Boolean;
            case ARRAY -> value instanceof List;
            case OBJECT -> value instanceof Map;
        };
    }
}
