package dev.plumbline.http.api.job;

import com.google.common.base.Utf8;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.input.JobName;
import dev.plumbline.policy.ExpressionCompiler;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.Host;
import dev.plumbline.target.TargetPolicy;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The values of one request and their validation errors. */
class JobRequestDraft {
    /** The maximum number of errors that are reported for a request. */
    static final int MAX_FAULTS = 100;

    private static final int MAX_SHOWN_LENGTH = 100;
    private static final String UNPAIRED_SURROGATE = "contains an unpaired surrogate, which is not valid Unicode";

    private final ModuleCatalogue modules;
    private final JobRequestSchema schema;
    private final TargetPolicy targets;
    final Set<String> members = new HashSet<>();
    final Map<String, @Nullable Object> options = new TreeMap<>();
    private @Nullable ModuleDescription module;
    private @Nullable String name;
    private final List<String> items = new ArrayList<>();
    private @Nullable String policy;
    private final List<String> expectations = new ArrayList<>();
    private final List<Problem.Fault> faults = new ArrayList<>();

    JobRequestDraft(ModuleCatalogue modules, JobRequestSchema schema, TargetPolicy targets) {
        this.modules = modules;
        this.schema = schema;
        this.targets = targets;
    }

    /** @param pointer a JSON pointer (RFC 6901) */
    void addFault(String pointer, String detail) {
        if (!isFull()) {
            faults.add(Problem.Fault.pointer(pointer, detail));
        }
    }

    boolean isFull() {
        return faults.size() >= MAX_FAULTS;
    }

    /** Returns the pointer of a member. Names are truncated to 100 characters. */
    static String pointer(String parent, String name) {
        return parent + '/' + shown(name).replace("~", "~0").replace("/", "~1");
    }

    /** Returns client input for use in a message: truncated, with unpaired surrogates replaced. */
    private static String shown(String text) {
        StringBuilder out = new StringBuilder();
        text.codePoints()
                .limit(MAX_SHOWN_LENGTH)
                .map(c -> c >= Character.MIN_SURROGATE && c <= Character.MAX_SURROGATE ? '\ufffd' : c)
                .forEach(out::appendCodePoint);
        return text.length() > out.length() ? out.append('…').toString() : out.toString();
    }

    /** Returns the length in UTF-8 bytes; -1 if the text contains an unpaired surrogate. */
    static int utf8Length(String text) {
        try {
            return Utf8.encodedLength(text);
        } catch (IllegalArgumentException unpairedSurrogate) {
            return -1;
        }
    }

    ProblemException invalid() {
        return new ProblemException(CreateJobOperation.invalid(faults));
    }

    void module(String name) {
        ModuleDefinition<?> known = modules.find(name);
        if (known == null) {
            String shown = shown(name);
            addFault("/module", "is not a known module: '" + shown + "'; /api/v1/tools lists all modules");
        } else {
            module = known.description();
        }
    }

    void name(String text) {
        String fault = utf8Length(text) < 0 ? UNPAIRED_SURROGATE : nameFault(text);
        if (fault == null) {
            name = text;
        } else {
            addFault("/name", fault);
        }
    }

    private @Nullable String nameFault(String text) {
        int characters = text.codePointCount(0, text.length());
        if (characters < schema.minNameCharacters()) {
            return characters == 0
                    ? "must not be empty"
                    : "must have at least " + schema.minNameCharacters() + " characters";
        }
        if (characters > schema.maxNameCharacters()) {
            return "must have at most " + schema.maxNameCharacters() + " characters";
        }
        String fault = JobName.fault(text);
        return fault != null || schema.namePattern().matcher(text).find()
                ? fault
                : "must match the pattern " + schema.namePattern();
    }

    void count(int count) {
        if (count < schema.minItems()) {
            addFault(
                    "/items",
                    (count == 0 ? "is empty" : "has " + count + " lines") + "; a job must have " + schema.minItems()
                            + " to " + schema.maxItems() + " lines");
        } else if (count > schema.maxItems()) {
            addFault("/items", schema.tooMany(count) + "; create several jobs");
        }
    }

    /** @param item null if it is too long */
    void item(int index, @Nullable String item) {
        int bytes = item == null ? Integer.MAX_VALUE : utf8Length(item);
        if (bytes < 0) {
            addFault("/items/" + index, UNPAIRED_SURROGATE);
        } else if (item == null || bytes > schema.maxItemBytes()) {
            addFault("/items/" + index, schema.tooLong());
        } else if (index < schema.maxItems()) {
            items.add(item);
        }
    }

    void policy(String name) {
        if (name.isEmpty()) {
            addFault("/policy", "must not be empty");
        }
        text("/policy", name);
        policy = name;
    }

    /** Expressions are compiled after the validation of the other members. */
    void expectation(int index, String text) {
        int characters = text.codePointCount(0, text.length());
        if (characters == 0 || characters > ExpressionCompiler.MAX_LENGTH) {
            addFault(
                    "/expect/" + index,
                    characters == 0
                            ? "must not be empty"
                            : "must have at most " + ExpressionCompiler.MAX_LENGTH + " characters");
        }
        text("/expect/" + index, text);
        if (index < PolicyEvaluation.MAX_EXPECTATIONS) {
            expectations.add(text);
        }
    }

    void expectationCount(int count) {
        if (count > PolicyEvaluation.MAX_EXPECTATIONS) {
            addFault("/expect", "has " + count + " expectations; the maximum is " + PolicyEvaluation.MAX_EXPECTATIONS);
        }
    }

    void defaultPolicy(JobMessage.DefaultPolicy defaultPolicy) {
        policy = defaultPolicy.policy();
        expectations.addAll(defaultPolicy.expect());
    }

    /** Rejects text that cannot be stored as UTF-8. */
    private void text(String pointer, @Nullable Object value) {
        if (value instanceof String text && utf8Length(text) < 0) {
            addFault(pointer, UNPAIRED_SURROGATE);
        } else if (value instanceof List<?> list) {
            for (int i = 0; i < list.size(); i++) {
                text(pointer + '/' + i, list.get(i));
            }
        }
    }

    JobRequestReader.JobRequest validate() {
        for (String required : schema.required()) {
            if (!members.contains(required)) {
                addFault('/' + required, "is missing");
            }
        }
        boolean freshGiven = options.containsKey(ModuleDescription.FRESH.name());
        Object fresh = options.remove(ModuleDescription.FRESH.name());
        if (freshGiven && !(fresh instanceof Boolean)) {
            addFault("/options/" + ModuleDescription.FRESH.name(), "must be true or false");
        }
        Options.Parsed parsed =
                module == null ? new Options.Parsed(null, List.of()) : Options.parseTyped(module, options);
        for (Options.Fault fault : parsed.faults()) {
            addFault(pointer("/options", fault.name()), fault.detail());
            options.remove(fault.name());
        }
        options.forEach((name, value) -> text(pointer("/options", name), value));
        Host connectTo = parsed.options() == null ? null : parsed.options().connectTo();
        String refusal = connectTo == null ? null : targets.refusal(connectTo);
        if (refusal != null) {
            addFault(pointer("/options", ModuleDescription.CONNECT_TO), "was rejected: " + refusal);
        }
        if (!faults.isEmpty() || module == null || parsed.options() == null) {
            throw invalid();
        }
        return new JobRequestReader.JobRequest(
                name == null ? JobName.ofItems(items, module) : name,
                module,
                List.copyOf(items),
                parsed.options().given(),
                Boolean.TRUE.equals(fresh),
                policy == null && expectations.isEmpty()
                        ? null
                        : new JobMessage.DefaultPolicy(policy, List.copyOf(expectations)));
    }
}
