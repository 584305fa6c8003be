package dev.plumbline.policy;

import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.CelValidationException;
import dev.cel.common.CelValidationResult;
import dev.cel.common.types.CelKind;
import dev.plumbline.sheet.ModuleDescription;

/**
 * Compiles the expressions of one module: conditions in the Common Expression Language (CEL), for example {@code status
 * == 200}. The library parses and type-checks them; {@link ExpressionEvaluator} evaluates them, because the evaluator
 * of the library does not limit the CPU time.
 *
 * <p>The first use in a process takes about half a second of CPU time, and an expression a few milliseconds.
 * Thread-safe.
 */
public final class ExpressionCompiler {
    /** The maximum length of an expression in characters (code points). */
    public static final int MAX_LENGTH = 500;

    private final ExpressionEnvironment environment;

    public ExpressionCompiler(ModuleDescription module) {
        environment = new ExpressionEnvironment(module);
    }

    /**
     * Compiles an expression.
     *
     * @throws InvalidExpressionException if it is too long or too complex, if it reads a field that does not exist, or
     *     if it is not a condition
     */
    public Expectation compile(String text) throws InvalidExpressionException {
        int length = text.codePointCount(0, text.length());
        if (length > MAX_LENGTH) {
            throw new InvalidExpressionException(
                    1,
                    MAX_LENGTH + 1,
                    "The expression has " + length + " characters; at most " + MAX_LENGTH + " are allowed.");
        }
        if (text.isBlank()) {
            throw new InvalidExpressionException(1, 1, "The expression is empty.");
        }
        CelAbstractSyntaxTree tree = check(text);
        if (!tree.isChecked() || tree.getResultType().kind() != CelKind.BOOL) {
            throw new InvalidExpressionException(
                    1,
                    1,
                    "The expression is of the type "
                            + ExpressionProblem.typeName(tree.getResultType().name())
                            + ", not a condition. Compare it, for example with ==.");
        }
        return ExpressionValidator.validate(environment, text, tree);
    }

    private CelAbstractSyntaxTree check(String text) throws InvalidExpressionException {
        CelValidationResult result;
        try {
            result = environment.compiler().compile(text);
        } catch (RuntimeException unexpected) {
            // no text is known for which the library does this; it is not the fault of the caller's other expressions
            throw new InvalidExpressionException(1, 1, "The expression cannot be read.");
        }
        try {
            return result.getAst();
        } catch (CelValidationException invalid) {
            CelIssue issue = invalid.getErrors().get(0);
            CelSourceLocation at = issue.getSourceLocation();
            throw new InvalidExpressionException(
                    Math.max(at.getLine(), 1),
                    Math.max(at.getColumn(), 0) + 1,
                    ExpressionProblem.describe(environment, text, issue));
        }
    }
}
