package dev.plumbline.policy;

import dev.plumbline.policy.Expectation.Outcome;
import dev.plumbline.policy.Expectation.State;
import dev.plumbline.policy.Policy.Exemption;
import dev.plumbline.policy.Policy.ModulePolicy;
import dev.plumbline.policy.Policy.Rule;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.ResultSizeLimit;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Applies a policy and expectations to the results of one module: a pure function from a result to the same result with
 * other levels, additional findings, and the verdict that follows. Rules read the result before these changes.
 * Immutable.
 *
 * <p>Rules of the modules of its parts apply to a composite if they only read fields that it keeps of its parts.
 * Changes of the levels of findings of these modules do not.
 */
public final class PolicyEvaluation {
    /** The maximum number of expectations in addition to the rules of the policy. */
    public static final int MAX_EXPECTATIONS = 20;

    private static final String EXCEPTION_EXPIRED = "exception_expired";

    private final ModuleDescription module;
    private final @Nullable Policy policy;
    private final ModulePolicy rules;
    private final PartRules partRules;
    private final List<Expectation> expectations;
    private final LocalDate today;

    /** The names of the fields that the rules and expectations read. */
    private final Set<String> fields;

    /** A result after the evaluation, and how many rules it meets. */
    public record Evaluated(CheckResult result, PolicySummary policy) {}

    /**
     * @param policy null for expectations only
     * @param today the date in UTC, which exceptions are compared with
     */
    public PolicyEvaluation(
            ModuleDescription module, @Nullable Policy policy, List<Expectation> expectations, LocalDate today) {
        this.module = module;
        this.policy = policy;
        this.expectations = List.copyOf(expectations);
        this.today = today;
        ModulePolicy found = policy == null ? null : policy.modules().get(module.module());
        rules = found == null ? new ModulePolicy(List.of(), Map.of()) : found;
        partRules = PartRules.of(policy, module);
        fields = Stream.concat(
                        Stream.concat(rules.rules().stream().map(Rule::expect), this.expectations.stream())
                                .flatMap(expectation -> expectation.fields().stream()),
                        partRules.isEmpty() ? Stream.of() : Stream.of(PartRules.FIELD))
                .collect(Collectors.toUnmodifiableSet());
    }

    /** The title of a finding that this evaluation adds; null for another one. */
    public @Nullable String title(String code) {
        return switch (code) {
            case ExpectationFindings.EXPECTATION_FAILED -> "Expectation not met";
            case EXCEPTION_EXPIRED -> "Exception expired";
            default ->
                Stream.concat(rules.rules().stream(), partRules.all().stream())
                        .filter(rule -> rule.id().equals(code))
                        .findFirst()
                        .map(Rule::title)
                        .orElse(null);
        };
    }

    /** As {@link #apply(byte[], StepBudget)}, without a budget. */
    public byte[] apply(byte[] result) {
        return apply(result, StepBudget.unlimited());
    }

    /**
     * As {@link #apply(CheckResult)}, for a serialized result. Returns it with the member {@code policy}.
     *
     * @param result the output of {@link ResultJson#write}, possibly with further members
     * @param budget of this evaluation and others
     * @throws StepBudget.ExceededException if the evaluation needs more steps than the budget has
     * @throws ResultJson.MemberExistsException if it has been evaluated: its findings can have other levels
     * @throws IllegalArgumentException if it is not a result
     */
    public byte[] apply(byte[] result, StepBudget budget) {
        return ResultJson.change(result, module.module(), fields, parsed -> {
            Evaluated evaluated = apply(parsed, budget);
            return new ResultJson.Change(
                    evaluated.result(), Map.of("policy", evaluated.policy().members()));
        });
    }

    /** Evaluates a result of the module. */
    public Evaluated apply(CheckResult result) {
        return apply(result, StepBudget.unlimited());
    }

    private Evaluated apply(CheckResult result, StepBudget budget) {
        Evaluator evaluator = new Evaluator(budget);
        List<PartRules.Part> parts = partRules.parts(result.fields());
        for (PartRules.Part part : parts) {
            String target = part.target() == null ? result.target() : part.target();
            evaluator.apply(partRules.of(part), part.module(), host(part.module(), target), part.variables());
        }
        if (parts.isEmpty() && result.error() != null) {
            evaluator.applicable += partRules.count();
        }
        ExpressionVariables variables = ExpressionVariables.of(result);
        String host = host(module, result.target());
        for (Finding finding : result.findings()) {
            Level level = rules.levels().getOrDefault(finding.code(), finding.level());
            Finding leveled = with(finding, level, finding.message());
            evaluator.add(leveled, module.module(), host);
        }
        evaluator.apply(rules.rules(), module, host, variables);
        List<Finding> findings = evaluator.findings;
        findings.addAll(evaluator.expired);
        for (Expectation expectation : expectations) {
            Outcome outcome = expectation.evaluate(variables, budget);
            Finding finding = ExpectationFindings.of(expectation, outcome, variables);
            if (finding == null) {
                evaluator.met++;
            } else {
                findings.add(finding);
            }
            evaluator.applicable++;
        }
        return new Evaluated(with(result, findings), summary(evaluator.met, evaluator.applicable));
    }

    /** Collects the findings about a result, and counts the rules. */
    private final class Evaluator {
        private final List<Finding> findings = new ArrayList<>();
        private final List<Finding> expired = new ArrayList<>();
        private final StepBudget budget;
        private int met;
        private int applicable;

        Evaluator(StepBudget budget) {
            this.budget = budget;
        }

        /** @param of the module of the rules, which is a part if it is not that of the evaluation */
        void apply(List<Rule> rules, ModuleDescription of, String host, ExpressionVariables variables) {
            for (Rule rule : rules) {
                Outcome outcome = rule.expect().evaluate(variables, budget);
                if (outcome.state() == State.MET) {
                    met++;
                    applicable++;
                } else if (!add(finding(rule, outcome, variables), of.module(), host)) {
                    applicable++;
                }
            }
        }

        /** Adds a finding. Returns whether an exception applies to it. */
        boolean add(Finding finding, String of, String host) {
            Exemption exemption = exemption(finding.code(), of, host, false);
            findings.add(exemption == null ? unaccepted(finding, of, host, expired) : accepted(finding, exemption));
            return exemption != null;
        }
    }

    private PolicySummary summary(int met, int applicable) {
        return policy == null
                ? new PolicySummary(null, null, met, applicable)
                : new PolicySummary(policy.name(), policy.version(), met, applicable);
    }

    private CheckResult with(CheckResult result, List<Finding> findings) {
        List<Finding> fitting = ResultSizeLimit.fitting(findings);
        List<String> truncated = new ArrayList<>(result.truncated());
        if (fitting.size() < findings.size() && !truncated.contains("findings")) {
            truncated.add("findings");
        }
        return result.withFindings(
                Verdict.of(findings, result.error(), module.reachability()), fitting, List.copyOf(truncated));
    }

    private Finding finding(Rule rule, Outcome outcome, ExpressionVariables variables) {
        String values = ExpectationFindings.values(rule.expect(), variables);
        // by name, because a policy can have been read with another instance of the catalogue
        boolean ofPart = !rule.expect().module().module().equals(module.module());
        String message = outcome.state() == State.NOT_MET
                ? rule.message() + values
                : "The rule \"" + rule.title() + "\" was not determined, because " + outcome.reason() + '.' + values;
        return new Finding(
                rule.level(),
                rule.id(),
                ofPart ? null : ExpectationFindings.onlyField(rule.expect()),
                ofPart ? rule.expect().module().module() + ": " + message : message,
                rule.action(),
                reference(rule));
    }

    private @Nullable String reference(Rule rule) {
        return policy == null ? null : policy.source().title() + ", " + rule.clause();
    }

    /** The finding with the level {@code info}. */
    private static Finding accepted(Finding finding, Exemption exemption) {
        return finding.level() == Level.INFO
                ? finding
                : with(
                        finding,
                        Level.INFO,
                        finding.message() + " Accepted until " + exemption.expires() + ": " + exemption.reason());
    }

    /** The finding. Adds another one if its exception has expired. */
    private Finding unaccepted(Finding finding, String of, String host, List<Finding> expired) {
        Exemption past = finding.level() == Level.INFO ? null : exemption(finding.code(), of, host, true);
        if (past != null) {
            expired.add(new Finding(
                    Level.INFO,
                    EXCEPTION_EXPIRED,
                    null,
                    "The exception for `" + finding.code() + "` expired on " + past.expires() + ". Its reason was: "
                            + past.reason(),
                    "Fix the problem, or extend the exception in the policy.",
                    null));
        }
        return finding;
    }

    /** The exception for a finding that is valid, or has expired; null if there is none. */
    private @Nullable Exemption exemption(String code, String of, String host, boolean expired) {
        return policy == null
                ? null
                : policy.exceptions().stream()
                        .filter(exception -> exception.matches(of, host, code)
                                && exception.expires().isBefore(today) == expired)
                        .findFirst()
                        .orElse(null);
    }

    private static Finding with(Finding finding, Level level, String message) {
        return new Finding(level, finding.code(), finding.field(), message, finding.action(), finding.reference());
    }

    /**
     * The host that exceptions are compared with; empty if there are none, because parsing a target takes time.
     *
     * @param target null for a line that is not a valid target; only exceptions for all targets apply to it
     */
    private String host(ModuleDescription module, @Nullable String target) {
        if (target == null || policy == null || policy.exceptions().isEmpty()) {
            return "";
        }
        try {
            return TargetParser.parse(module, target).host().name();
        } catch (InvalidTargetException notNormalized) {
            return target;
        }
    }
}
