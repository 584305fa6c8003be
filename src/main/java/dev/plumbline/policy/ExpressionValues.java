package dev.plumbline.policy;

import dev.cel.common.types.CelKind;
import java.math.BigDecimal;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The values of expressions and their operations: Boolean, Long, Double, String, Instant, Duration, List, Map and
 * {@link ExpressionEvaluator#NULL}. Lists and maps contain values as JSON has them.
 */
final class ExpressionValues {
    private static final int CHARACTERS_PER_STEP = 32;

    /** Integers beyond this can differ although their doubles are equal. */
    private static final long MAX_EXACT = 1L << 53;

    private static final int UNORDERED = 2;
    private static final int MAX_DURATION_LENGTH = 50;
    private static final Pattern DURATION = Pattern.compile("([0-9]+(?:\\.[0-9]{1,9})?)(h|ms|us|ns|m|s)");

    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,19}");
    private static final Pattern NUMBER = Pattern.compile("[+-]?[0-9]{1,30}(\\.[0-9]{0,30})?([eE][+-]?[0-9]{1,3})?");
    private static final Set<String> CONVERSIONS = Set.of("int", "double", "string", "timestamp", "duration");

    private ExpressionValues() {}

    /** Converts a value of a result to one of this kind; null if that is not possible. */
    static @Nullable Object convert(CelKind kind, Object value) {
        return switch (kind) {
            case INT -> value instanceof Integer || value instanceof Long ? ((Number) value).longValue() : null;
            case DOUBLE -> value instanceof Number number ? number.doubleValue() : null;
            case STRING -> value instanceof String ? value : null;
            case BOOL -> value instanceof Boolean ? value : null;
            case TIMESTAMP -> value instanceof String text ? timestamp(text) : value instanceof Instant ? value : null;
            case LIST -> value instanceof List ? value : null;
            case MAP, STRUCT -> value instanceof Map ? value : null;
            default -> plain(value);
        };
    }

    private static Object plain(Object value) {
        return value instanceof Integer number ? (Object) number.longValue() : value;
    }

    /** Whether two values are equal. Values of different types are not, except numbers. */
    static boolean equal(@Nullable Object left, @Nullable Object right, ExpressionEvaluator steps) {
        steps.charge(0);
        if (left instanceof Number a && right instanceof Number b) {
            return order(a, b) == 0;
        }
        if (left instanceof String a && right instanceof String b) {
            steps.charge(Math.min(a.length(), b.length()) / CHARACTERS_PER_STEP);
            return a.equals(b);
        }
        if (left instanceof List<?> a && right instanceof List<?> b) {
            if (a.size() != b.size()) {
                return false;
            }
            for (int i = 0; i < a.size(); i++) {
                if (!equal(a.get(i), b.get(i), steps)) {
                    return false;
                }
            }
            return true;
        }
        if (left instanceof Map<?, ?> a && right instanceof Map<?, ?> b) {
            if (a.size() != b.size()) {
                return false;
            }
            for (Map.Entry<?, ?> entry : a.entrySet()) {
                if (!b.containsKey(entry.getKey()) || !equal(entry.getValue(), b.get(entry.getKey()), steps)) {
                    return false;
                }
            }
            return true;
        }
        return left == null ? right == null || right == ExpressionEvaluator.NULL : left.equals(right);
    }

    /** Negative, 0, positive, or {@link #UNORDERED}. */
    private static int order(Number left, Number right) {
        if (isInteger(left) && isInteger(right)) {
            return Long.compare(left.longValue(), right.longValue());
        }
        double a = left.doubleValue();
        double b = right.doubleValue();
        if (Double.isNaN(a) || Double.isNaN(b)) {
            return UNORDERED;
        }
        if (isExact(left) && isExact(right) || Double.isInfinite(a) || Double.isInfinite(b)) {
            return a < b ? -1 : a > b ? 1 : 0;
        }
        return new BigDecimal(left.toString()).compareTo(new BigDecimal(right.toString()));
    }

    /** Whether the number and its double are equal. */
    private static boolean isExact(Number number) {
        return !isInteger(number) || number.longValue() >= -MAX_EXACT && number.longValue() <= MAX_EXACT;
    }

    private static boolean isInteger(Number number) {
        return number instanceof Long || number instanceof Integer;
    }

    /**
     * Applies an operator or a function to values.
     *
     * @return null if it is not defined for these values
     * @throws ArithmeticException if the result is out of range
     */
    static @Nullable Object apply(String function, Object[] values, ExpressionEvaluator steps) {
        Object first = values[0];
        if (values.length == 1) {
            if (CONVERSIONS.contains(function)) {
                steps.charge(ExpressionEvaluator.PARSING_STEPS);
            }
            return switch (function) {
                case "!_" -> first instanceof Boolean value ? !value : null;
                case "-_" -> negate(first);
                case "size" -> size(first, steps);
                case "int" -> toInteger(first);
                case "double" -> toDouble(first);
                case "string" -> toText(first);
                case "timestamp" -> first instanceof String text ? timestamp(text) : epoch(first);
                case "duration" -> first instanceof String text ? duration(text) : first;
                default -> null;
            };
        }
        Object second = values[1];
        return switch (function) {
            case "_<_", "_<=_", "_>_", "_>=_" -> compare(function, first, second, steps);
            case "@in" -> contains(first, second, steps);
            case "contains", "startsWith", "endsWith" -> find(function, first, second, steps);
            case "_+_" -> add(first, second, steps);
            case "_-_" -> subtract(first, second);
            case "_*_", "_/_", "_%_" -> multiply(function, first, second);
            default -> null;
        };
    }

    private static @Nullable Object compare(String operator, Object left, Object right, ExpressionEvaluator steps) {
        int order;
        if (left instanceof Number a && right instanceof Number b) {
            order = order(a, b);
        } else if (left instanceof String a && right instanceof String b) {
            steps.charge(Math.min(a.length(), b.length()) / CHARACTERS_PER_STEP);
            order = Integer.signum(a.compareTo(b));
        } else if (left instanceof Boolean a && right instanceof Boolean b) {
            order = Boolean.compare(a, b);
        } else if (left instanceof Instant a && right instanceof Instant b) {
            order = Integer.signum(a.compareTo(b));
        } else if (left instanceof Duration a && right instanceof Duration b) {
            order = Integer.signum(a.compareTo(b));
        } else {
            return null;
        }
        return switch (operator) {
            case "_<_" -> order < 0;
            case "_<=_" -> order <= 0;
            case "_>_" -> order == 1;
            default -> order == 0 || order == 1;
        };
    }

    private static @Nullable Object contains(Object item, Object container, ExpressionEvaluator steps) {
        if (container instanceof Map<?, ?> map) {
            return map.containsKey(item);
        }
        if (!(container instanceof List<?> list)) {
            return null;
        }
        for (Object other : list) {
            if (equal(item, other, steps)) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable Object find(String function, Object value, Object part, ExpressionEvaluator steps) {
        if (!(value instanceof String text) || !(part instanceof String sought)) {
            return null;
        }
        if (function.equals("contains")) {
            // the worst case, which a target can cause
            steps.charge((long) text.length() * sought.length() / CHARACTERS_PER_STEP);
            return text.contains(sought);
        }
        steps.charge(sought.length() / CHARACTERS_PER_STEP);
        return function.equals("startsWith") ? text.startsWith(sought) : text.endsWith(sought);
    }

    private static @Nullable Object size(Object value, ExpressionEvaluator steps) {
        if (value instanceof String text) {
            steps.charge(text.length() / CHARACTERS_PER_STEP);
            return (long) text.codePointCount(0, text.length());
        }
        return value instanceof List<?> list
                ? (Object) (long) list.size()
                : value instanceof Map<?, ?> map ? (Object) (long) map.size() : null;
    }

    private static @Nullable Object negate(Object value) {
        return value instanceof Long number
                ? (Object) Math.negateExact(number)
                : value instanceof Double number ? (Object) (-number) : null;
    }

    private static @Nullable Object add(Object left, Object right, ExpressionEvaluator steps) {
        if (left instanceof Long a && right instanceof Long b) {
            return Math.addExact(a, b);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return a + b;
        }
        if (left instanceof String a && right instanceof String b) {
            steps.charge((a.length() + b.length()) / CHARACTERS_PER_STEP);
            return a + b;
        }
        if (left instanceof Duration a) {
            return right instanceof Duration b ? a.plus(b) : right instanceof Instant time ? plus(time, a) : null;
        }
        return left instanceof Instant time && right instanceof Duration b ? plus(time, b) : null;
    }

    private static @Nullable Object subtract(Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return Math.subtractExact(a, b);
        }
        if (left instanceof Double a && right instanceof Double b) {
            return a - b;
        }
        if (left instanceof Instant a) {
            return right instanceof Instant b
                    ? (Object) Duration.between(b, a)
                    : right instanceof Duration b ? plus(a, b.negated()) : null;
        }
        return left instanceof Duration a && right instanceof Duration b ? a.minus(b) : null;
    }

    private static Instant plus(Instant time, Duration duration) {
        try {
            return time.plus(duration);
        } catch (DateTimeException outOfRange) {
            throw (ArithmeticException) new ArithmeticException("out of range").initCause(outOfRange);
        }
    }

    private static @Nullable Object multiply(String operator, Object left, Object right) {
        if (left instanceof Long a && right instanceof Long b) {
            return switch (operator) {
                case "_*_" -> Math.multiplyExact(a, b);
                case "_/_" -> a == Long.MIN_VALUE && b == -1 ? null : (Object) (a / b);
                default -> a % b;
            };
        }
        if (left instanceof Double a && right instanceof Double b) {
            return operator.equals("_*_") ? (Object) (a * b) : operator.equals("_/_") ? (Object) (a / b) : null;
        }
        return null;
    }

    private static @Nullable Object toInteger(Object value) {
        if (value instanceof Double number) {
            // 2^63 is not a long
            return number > Long.MIN_VALUE && number < Long.MAX_VALUE ? (Object) (long) (double) number : null;
        }
        if (value instanceof Instant time) {
            return time.getEpochSecond();
        }
        if (!(value instanceof String text)) {
            return value instanceof Long ? value : null;
        }
        if (!INTEGER.matcher(text).matches()) {
            return null;
        }
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException tooLarge) {
            return null;
        }
    }

    private static @Nullable Object toDouble(Object value) {
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        if (!(value instanceof String text) || !NUMBER.matcher(text).matches()) {
            return null;
        }
        return Double.parseDouble(text);
    }

    private static @Nullable Object toText(Object value) {
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < MAX_EXACT) {
            return Long.toString((long) (double) number);
        }
        return value instanceof Duration duration
                ? new BigDecimal(duration.getSeconds())
                                .add(BigDecimal.valueOf(duration.getNano(), 9))
                                .stripTrailingZeros()
                                .toPlainString()
                        + "s"
                : value instanceof List || value instanceof Map || value == ExpressionEvaluator.NULL
                        ? null
                        : value.toString();
    }

    private static @Nullable Object timestamp(String text) {
        try {
            return text.length() > MAX_DURATION_LENGTH
                    ? null
                    : OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeParseException invalid) {
            return null;
        }
    }

    private static @Nullable Object epoch(Object value) {
        try {
            return value instanceof Long seconds ? (Object) Instant.ofEpochSecond(seconds) : value;
        } catch (DateTimeException outOfRange) {
            return null;
        }
    }

    /** A duration such as {@code 1h30m} or {@code -1.5s}; null if it is not valid. */
    private static @Nullable Object duration(String text) {
        boolean negative = text.startsWith("-");
        String digits = negative ? text.substring(1) : text;
        if (digits.isEmpty() || digits.length() > MAX_DURATION_LENGTH) {
            return null;
        }
        Matcher matcher = DURATION.matcher(digits);
        BigDecimal nanos = BigDecimal.ZERO;
        int end = 0;
        while (matcher.find() && matcher.start() == end) {
            nanos = nanos.add(new BigDecimal(matcher.group(1)).multiply(unit(matcher.group(2))));
            end = matcher.end();
        }
        if (end < digits.length()) {
            return null;
        }
        Duration duration = Duration.ofNanos(nanos.longValueExact());
        return negative ? duration.negated() : duration;
    }

    private static BigDecimal unit(String name) {
        return BigDecimal.valueOf(
                switch (name) {
                    case "h" -> 3_600_000_000_000L;
                    case "m" -> 60_000_000_000L;
                    case "s" -> 1_000_000_000L;
                    case "ms" -> 1_000_000L;
                    case "us" -> 1_000L;
                    default -> 1L;
                });
    }
}
