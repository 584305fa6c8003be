package dev.plumbline.policy;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import dev.cel.common.CelAbstractSyntaxTree;
import dev.cel.common.CelSourceLocation;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Rejects what type-correct expressions must not contain: deeply nested macros, and regular expressions that are not
 * constant. Collects the fields that the expression reads.
 */
final class ExpressionValidator {
    /** A macro in a macro; a third level would need the cube of the size of a list in steps. */
    private static final int MAX_MACRO_DEPTH = 2;

    /** The maximum size of a regular expression, in instructions. The time of a match is proportional to it. */
    private static final int MAX_PATTERN_SIZE = 1_000;

    private final ExpressionEnvironment environment;
    private final CelAbstractSyntaxTree tree;
    private final Map<Long, Pattern> patterns = new HashMap<>();
    private final Set<String> fields = new LinkedHashSet<>();
    private final List<String> scope = new ArrayList<>();

    private ExpressionValidator(ExpressionEnvironment environment, CelAbstractSyntaxTree tree) {
        this.environment = environment;
        this.tree = tree;
    }

    static Expectation validate(ExpressionEnvironment environment, String text, CelAbstractSyntaxTree tree)
            throws InvalidExpressionException {
        ExpressionValidator validator = new ExpressionValidator(environment, tree);
        validator.visit(tree.getExpr(), 0);
        return new Expectation(
                environment.module(), text, List.copyOf(validator.fields), tree, Map.copyOf(validator.patterns));
    }

    private void visit(CelExpr expr, int macroDepth) throws InvalidExpressionException {
        switch (expr.getKind()) {
            case CONSTANT -> constant(expr);
            case IDENT -> ident(expr);
            case SELECT -> {
                CelExpr operand = expr.select().operand();
                if (isFieldsVariable(operand)) {
                    fields.add(expr.select().field());
                } else {
                    visit(operand, macroDepth);
                }
            }
            case CALL -> call(expr, macroDepth);
            case LIST -> visitAll(expr.list().elements(), macroDepth);
            case MAP -> throw invalid(expr, "Map literals are not supported.");
            case STRUCT -> throw invalid(expr, "Object literals are not supported.");
            case COMPREHENSION -> comprehension(expr, macroDepth);
            case NOT_SET -> throw invalid(expr, "The expression is empty.");
        }
    }

    private void visitAll(List<CelExpr> expressions, int macroDepth) throws InvalidExpressionException {
        for (CelExpr expression : expressions) {
            visit(expression, macroDepth);
        }
    }

    private boolean isFieldsVariable(CelExpr expr) {
        return expr.getKind() == CelExpr.ExprKind.Kind.IDENT
                && expr.ident().name().equals(ExpressionEnvironment.FIELDS)
                && !scope.contains(ExpressionEnvironment.FIELDS);
    }

    private void constant(CelExpr expr) throws InvalidExpressionException {
        CelConstant.Kind kind = expr.constant().getKind();
        if (kind == CelConstant.Kind.UINT64_VALUE) {
            throw invalid(expr, "Unsigned integers are not supported. Remove the u.");
        }
        if (kind == CelConstant.Kind.BYTES_VALUE) {
            throw invalid(expr, "Bytes are not supported. Remove the b.");
        }
    }

    private void ident(CelExpr expr) throws InvalidExpressionException {
        String name = expr.ident().name();
        if (scope.contains(name)) {
            return;
        }
        CelType type = type(expr);
        if (name.startsWith(".") || type != null && type.kind() == CelKind.TYPE) {
            throw invalid(expr, "'" + name + "' is not a value.");
        }
        if (name.equals(ExpressionEnvironment.FIELDS)) {
            throw invalid(expr, "Use fields.NAME.");
        }
        if (environment.module().fields().stream()
                        .anyMatch(field -> field.name().equals(name))
                && ExpressionEnvironment.isVariable(name)) {
            fields.add(name);
        }
    }

    private void call(CelExpr expr, int macroDepth) throws InvalidExpressionException {
        String function = expr.call().function();
        List<CelExpr> operands = operands(expr);
        if (function.equals("matches")) {
            CelExpr pattern = operands.get(1);
            if (pattern.getKind() != CelExpr.ExprKind.Kind.CONSTANT) {
                throw invalid(expr, "The regular expression of matches must be a string constant.");
            }
            patterns.put(expr.id(), pattern(pattern));
        }
        visitAll(operands, macroDepth);
    }

    private Pattern pattern(CelExpr constant) throws InvalidExpressionException {
        String text = constant.constant().stringValue();
        if (text.contains("\\Q")) {
            throw invalid(constant, "\\Q is not supported in regular expressions.");
        }
        if (RegexSize.of(text) > MAX_PATTERN_SIZE) {
            throw invalid(constant, "The regular expression is too large. Reduce its repetitions.");
        }
        try {
            return Pattern.compile(text);
        } catch (PatternSyntaxException e) {
            throw invalid(constant, "The regular expression is not valid: " + e.getDescription() + ".");
        }
    }

    /** The target of a call, if it has one, and its arguments. */
    static List<CelExpr> operands(CelExpr call) {
        List<CelExpr> operands = new ArrayList<>(3);
        call.call().target().ifPresent(operands::add);
        operands.addAll(call.call().args());
        return operands;
    }

    private void comprehension(CelExpr expr, int macroDepth) throws InvalidExpressionException {
        CelComprehension macro = expr.comprehension();
        if (macroDepth == MAX_MACRO_DEPTH) {
            throw invalid(expr, "Macros are nested too deeply; at most " + MAX_MACRO_DEPTH + " levels are allowed.");
        }
        visit(macro.iterRange(), macroDepth);
        scope.add(macro.iterVar());
        scope.add(macro.accuVar());
        visit(macro.loopStep(), macroDepth + 1);
        visit(macro.result(), macroDepth + 1);
        scope.remove(scope.size() - 1);
        scope.remove(scope.size() - 1);
    }

    private @Nullable CelType type(CelExpr expr) {
        return tree.getType(expr.id()).orElse(null);
    }

    private InvalidExpressionException invalid(CelExpr expr, String problem) {
        CelSourceLocation at = tree.getSource()
                .getOffsetLocation(tree.getSource().getPositionsMap().getOrDefault(expr.id(), 0))
                .orElse(CelSourceLocation.of(1, 0));
        return new InvalidExpressionException(at.getLine(), at.getColumn() + 1, problem);
    }
}
