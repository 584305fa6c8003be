package dev.plumbline.policy;

import com.google.re2j.Pattern;
import dev.cel.common.ast.CelConstant;
import dev.cel.common.ast.CelExpr;
import dev.cel.common.ast.CelExpr.CelComprehension;
import dev.cel.common.ast.CelExpr.CelSelect;
import dev.cel.common.types.CelKind;
import dev.cel.common.types.CelType;
import dev.plumbline.policy.Expectation.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Evaluates a type-checked expression on one result. A null field, an impossible operation and too many steps make the
 * expression undetermined; {@code &&}, {@code ||}, {@code all} and {@code exists} ignore an undetermined operand if the
 * other one decides, as CEL defines for errors. A comparison with the constant {@code null} is always determined.
 */
final class ExpressionEvaluator {
    /**
     * The maximum number of steps. A step is an evaluated operation, or the processing of a value or of about 32
     * characters in an operation. It takes about 20 ns.
     */
    static final int MAX_STEPS = 200_000;

    /** A step of a regular expression processes about this number of pairs of characters and instructions. */
    private static final int MATCHES_PER_STEP = 4;

    /** The cost of parsing a number or a time, which can throw an exception of the JDK, or of an overflow. */
    static final int PARSING_STEPS = 200;

    /** The value null: of the constant, and of {@code error_code} in a result without an error. */
    static final Object NULL = new Object();

    /**
     * The result of an operation without a value.
     *
     * @param ofNull whether it is a null value of the result itself, and not an operation that failed
     */
    record Undetermined(String reason, boolean ofNull) {
        Undetermined(String reason) {
            this(reason, false);
        }
    }

    /** The variables of a macro. */
    private static final class Scope {
        private final @Nullable Scope parent;
        private final CelComprehension macro;
        private Object item = NULL;
        private Object accumulated;

        Scope(@Nullable Scope parent, CelComprehension macro, Object accumulated) {
            this.parent = parent;
            this.macro = macro;
            this.accumulated = accumulated;
        }
    }

    /** Ends an evaluation. Without a stack trace, which would be the most expensive step. */
    private static final class StepLimitException extends RuntimeException {
        private StepLimitException() {
            super("step limit", null, false, false);
        }
    }

    private final Expectation expectation;
    private final ExpressionVariables result;
    private @Nullable Scope scope;
    private long steps;

    ExpressionEvaluator(Expectation expectation, ExpressionVariables result) {
        this.expectation = expectation;
        this.result = result;
    }

    Outcome evaluate() {
        try {
            Object value = evaluate(expectation.tree().getExpr());
            if (value instanceof Boolean met) {
                return met ? Outcome.MET : Outcome.NOT_MET;
            }
            return Outcome.notDetermined(
                    value instanceof Undetermined undetermined ? undetermined.reason() : "it is not a condition");
        } catch (StepLimitException limit) {
            return Outcome.notDetermined("it needs more than " + MAX_STEPS + " steps on this result");
        }
    }

    /** The steps so far, at most {@link #MAX_STEPS}. */
    long steps() {
        return Math.min(steps, MAX_STEPS);
    }

    /** @param units 0 for an operation whose time does not depend on the size of its operands */
    void charge(long units) {
        steps += 1 + units;
        if (steps > MAX_STEPS) {
            throw new StepLimitException();
        }
    }

    private Object evaluate(CelExpr expr) {
        charge(0);
        return switch (expr.getKind()) {
            case CONSTANT -> constant(expr.constant());
            case IDENT -> variable(expr);
            case SELECT -> select(expr);
            case CALL -> call(expr);
            case LIST -> list(expr);
            case COMPREHENSION -> comprehension(expr.comprehension());
            case MAP, STRUCT, NOT_SET -> new Undetermined("it is not supported");
        };
    }

    private static Object constant(CelConstant constant) {
        return switch (constant.getKind()) {
            case BOOLEAN_VALUE -> constant.booleanValue();
            case INT64_VALUE -> constant.int64Value();
            case DOUBLE_VALUE -> constant.doubleValue();
            case STRING_VALUE -> constant.stringValue();
            default -> NULL;
        };
    }

    private Object variable(CelExpr expr) {
        String name = expr.ident().name();
        for (Scope at = scope; at != null; at = at.parent) {
            if (name.equals(at.macro.accuVar())) {
                return at.accumulated;
            }
            if (name.equals(at.macro.iterVar())) {
                return typed(expr, at.item, name);
            }
        }
        return switch (name) {
            case ExpressionEnvironment.VERDICT -> result.verdict();
            case ExpressionEnvironment.ERROR_CODE -> Objects.requireNonNullElse(result.errorCode(), NULL);
            case ExpressionEnvironment.FINDINGS -> result.findings();
            case ExpressionEnvironment.FIELDS -> result.fields();
            default -> typed(expr, result.fields().get(name), name);
        };
    }

    private Object select(CelExpr expr) {
        CelSelect select = expr.select();
        Object operand = evaluate(select.operand());
        if (operand instanceof Undetermined undetermined) {
            return failed(undetermined);
        }
        if (!(operand instanceof Map<?, ?> members)) {
            return new Undetermined("'" + select.field() + "' is not a member of the value");
        }
        Object value = members.get(select.field());
        return select.testOnly() ? (Object) (value != null) : typed(expr, value, select.field());
    }

    private static Undetermined failed(Undetermined operand) {
        return operand.ofNull() ? new Undetermined(operand.reason()) : operand;
    }

    /** A value of the result as a value of the type for which the expression was checked. */
    private Object typed(CelExpr expr, @Nullable Object value, String name) {
        if (value == null) {
            return new Undetermined("'" + name + "' is null", true);
        }
        if (value instanceof Undetermined || value == NULL) {
            return value;
        }
        CelType type = expectation.tree().getTypeMap().get(expr.id());
        CelKind kind = type == null ? CelKind.DYN : type.kind();
        charge(kind == CelKind.TIMESTAMP ? PARSING_STEPS : 0);
        Object converted = ExpressionValues.convert(kind, value);
        return converted == null ? new Undetermined("'" + name + "' does not have the declared type") : converted;
    }

    private Object list(CelExpr expr) {
        List<Object> values = new ArrayList<>(expr.list().elements().size());
        for (CelExpr element : expr.list().elements()) {
            Object value = evaluate(element);
            if (value instanceof Undetermined undetermined) {
                return failed(undetermined);
            }
            values.add(value);
        }
        return values;
    }

    private Object comprehension(CelComprehension macro) {
        Object range = evaluate(macro.iterRange());
        if (range instanceof Undetermined undetermined) {
            return failed(undetermined);
        }
        Iterable<?> items =
                range instanceof Map<?, ?> map ? map.keySet() : range instanceof List<?> values ? values : List.of();
        Scope own = new Scope(scope, macro, evaluate(macro.accuInit()));
        scope = own;
        for (Object item : items) {
            own.item = item == null ? new Undetermined("an item is null", true) : item;
            if (!Boolean.TRUE.equals(evaluate(macro.loopCondition()))) {
                break;
            }
            own.accumulated = evaluate(macro.loopStep());
        }
        Object value = evaluate(macro.result());
        scope = own.parent;
        return value;
    }

    private Object call(CelExpr expr) {
        String function = expr.call().function();
        List<CelExpr> operands = ExpressionValidator.operands(expr);
        return switch (function) {
            case "_&&_" -> logical(operands, false);
            case "_||_" -> logical(operands, true);
            case "_?_:_" -> conditional(operands);
            case "@not_strictly_false" -> !Boolean.FALSE.equals(evaluate(operands.get(0)));
            case "_==_" -> equality(operands, false);
            case "_!=_" -> equality(operands, true);
            default -> strict(expr, function, operands);
        };
    }

    private Object conditional(List<CelExpr> operands) {
        Object condition = evaluate(operands.get(0));
        if (condition instanceof Boolean met) {
            return evaluate(operands.get(met ? 1 : 2));
        }
        return condition instanceof Undetermined undetermined
                ? failed(undetermined)
                : new Undetermined("it is not a condition");
    }

    /** @param decisive the value of an operand that decides, whatever the other one is */
    private Object logical(List<CelExpr> operands, boolean decisive) {
        Object left = evaluate(operands.get(0));
        if (left instanceof Boolean value && value == decisive) {
            return decisive;
        }
        Object right = evaluate(operands.get(1));
        if (right instanceof Boolean value && value == decisive) {
            return decisive;
        }
        if (left instanceof Undetermined undetermined) {
            return failed(undetermined);
        }
        if (right instanceof Undetermined undetermined) {
            return failed(undetermined);
        }
        return left instanceof Boolean && right instanceof Boolean
                ? (Object) !decisive
                : new Undetermined("it is not a condition");
    }

    private Object equality(List<CelExpr> operands, boolean negated) {
        Object left = evaluate(operands.get(0));
        Object right = evaluate(operands.get(1));
        boolean equal;
        if (left == NULL && isNull(right) || right == NULL && isNull(left)) {
            equal = true;
        } else if (left instanceof Undetermined undetermined) {
            return failed(undetermined);
        } else if (right instanceof Undetermined undetermined) {
            return failed(undetermined);
        } else {
            equal = ExpressionValues.equal(left, right, this);
        }
        return equal != negated;
    }

    private static boolean isNull(Object value) {
        return value == NULL || value instanceof Undetermined undetermined && undetermined.ofNull();
    }

    /** An operation that needs the values of all operands. */
    private Object strict(CelExpr expr, String function, List<CelExpr> operands) {
        Object[] values = new Object[operands.size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = evaluate(operands.get(i));
            if (values[i] instanceof Undetermined undetermined) {
                return failed(undetermined);
            }
        }
        if (function.equals("matches") && values[0] instanceof String text) {
            Pattern pattern = Objects.requireNonNull(expectation.patterns().get(expr.id()));
            charge((long) text.length() * pattern.programSize() / MATCHES_PER_STEP);
            return pattern.matcher(text).find();
        }
        if (function.equals("_+_") && values[0] instanceof List<?> list && values[1] instanceof List<?> added) {
            return append(operands.get(0), list, added);
        }
        if (function.equals("_[_]")) {
            return index(expr, values[0], values[1]);
        }
        Object value;
        try {
            value = ExpressionValues.apply(function, values, this);
        } catch (ArithmeticException impossible) {
            charge(PARSING_STEPS);
            return new Undetermined(
                    isDivisionByZero(function, values) ? "it divides by zero" : "a number or time is out of range");
        }
        return value == null ? new Undetermined("an operation is not possible with its values") : value;
    }

    private static boolean isDivisionByZero(String function, Object[] values) {
        return (function.equals("_/_") || function.equals("_%_")) && values[1].equals(0L);
    }

    /** Macros append to their own list. */
    @SuppressWarnings("unchecked")
    private Object append(CelExpr target, List<?> list, List<?> added) {
        if (target.getKind() == CelExpr.ExprKind.Kind.IDENT
                && target.ident().name().startsWith("@")
                && list instanceof ArrayList<?> accumulated) {
            charge(added.size());
            ((ArrayList<Object>) accumulated).addAll(added);
            return accumulated;
        }
        charge(list.size() + added.size());
        List<Object> joined = new ArrayList<>(list);
        joined.addAll(added);
        return joined;
    }

    private Object index(CelExpr expr, Object container, Object key) {
        if (container instanceof Map<?, ?> map) {
            return map.containsKey(key)
                    ? typed(expr, map.get(key), String.valueOf(key))
                    : new Undetermined("the key '" + key + "' does not exist");
        }
        if (!(container instanceof List<?> list) || !(key instanceof Number number)) {
            return new Undetermined("an operation is not possible with its values");
        }
        double position = number.doubleValue();
        if (position < 0 || position >= list.size() || position != Math.rint(position)) {
            return new Undetermined("the list has " + list.size() + (list.size() == 1 ? " item" : " items")
                    + ", so the index " + number + " does not exist");
        }
        return typed(expr, list.get((int) position), "item " + number);
    }
}
