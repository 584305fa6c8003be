package dev.plumbline.policy;

import com.google.re2j.Pattern;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.plumbline.sheet.ModuleDescription;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the results of one module: a compiled expression, or one that was valid in an earlier version only.
 * Immutable.
 */
public final class Expectation {
    private final ModuleDescription module;
    private final String text;
    private final List<String> fields;
    private final @Nullable CelAbstractSyntaxTree tree;
    private final @Nullable String fault;
    private final Map<Long, Pattern> patterns;

    /** Whether a result meets an expectation. */
    public enum State {
        MET,
        NOT_MET,
        /** The expression reads a null value, or needs an operation that is not possible, or too many steps. */
        NOT_DETERMINED
    }

    /** @param reason why it is not determined, as a clause without a period; null otherwise */
    public record Outcome(State state, @Nullable String reason) {
        static final Outcome MET = new Outcome(State.MET, null);
        static final Outcome NOT_MET = new Outcome(State.NOT_MET, null);

        static Outcome notDetermined(String reason) {
            return new Outcome(State.NOT_DETERMINED, reason);
        }
    }

    Expectation(
            ModuleDescription module,
            String text,
            List<String> fields,
            CelAbstractSyntaxTree tree,
            Map<Long, Pattern> patterns) {
        this(module, text, fields, tree, null, patterns);
    }

    private Expectation(
            ModuleDescription module,
            String text,
            List<String> fields,
            @Nullable CelAbstractSyntaxTree tree,
            @Nullable String fault,
            Map<Long, Pattern> patterns) {
        this.module = module;
        this.text = text;
        this.fields = fields;
        this.tree = tree;
        this.fault = fault;
        this.patterns = patterns;
    }

    /**
     * An expression that can no longer be compiled, for example because its field was removed. No result meets it.
     *
     * @param fault why, as a clause without a period
     */
    public static Expectation invalid(ModuleDescription module, String text, String fault) {
        return new Expectation(module, text, List.of(), null, fault, Map.of());
    }

    /** Whether the expression could be compiled. */
    boolean isValid() {
        return fault == null;
    }

    /** The module whose results it describes. */
    public ModuleDescription module() {
        return module;
    }

    /** The expression as it was entered. */
    public String text() {
        return text;
    }

    /** The names of the fields that it reads, in the order of the expression. */
    public List<String> fields() {
        return fields;
    }

    CelAbstractSyntaxTree tree() {
        return Objects.requireNonNull(tree);
    }

    /** The regular expressions by the ID of their call. */
    Map<Long, Pattern> patterns() {
        return patterns;
    }

    /** Evaluates the expression in at most {@link ExpressionEvaluator#MAX_STEPS} steps. Does not throw exceptions. */
    public Outcome evaluate(ExpressionVariables result) {
        return evaluate(result, StepBudget.unlimited());
    }

    /**
     * As {@link #evaluate(ExpressionVariables)}.
     *
     * @throws StepBudget.ExceededException if the budget has fewer steps than the evaluation needs
     */
    Outcome evaluate(ExpressionVariables result, StepBudget budget) {
        if (fault != null) {
            return Outcome.notDetermined(fault);
        }
        ExpressionEvaluator evaluator = new ExpressionEvaluator(this, result);
        Outcome outcome = evaluator.evaluate();
        budget.take(evaluator.steps());
        return outcome;
    }

    @Override
    public String toString() {
        return text;
    }
}
