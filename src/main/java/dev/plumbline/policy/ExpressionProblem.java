package dev.plumbline.policy;

import dev.cel.common.CelIssue;
import dev.cel.common.CelSourceLocation;
import dev.plumbline.target.ClosestName;
import dev.plumbline.target.PrintableText;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Describes the errors of the CEL library for users. */
final class ExpressionProblem {
    private static final int MAX_TEXT_LENGTH = 200;
    private static final Pattern UNDECLARED = Pattern.compile("undeclared reference to '(.*)' \\(in container ''\\)");
    private static final Pattern UNDEFINED = Pattern.compile("undefined field '(.*)'");
    private static final Pattern RESERVED = Pattern.compile("reserved identifier: (.*)");
    private static final Pattern OVERLOAD =
            Pattern.compile("found no matching overload for '(.*)' applied to '(.*?)'(?: \\(candidates.*)?");
    private static final Pattern SELECTION = Pattern.compile("type '(.*)' does not support field selection");

    private ExpressionProblem() {}

    /** Returns a sentence, with the closest name for one that does not exist. */
    static String describe(ExpressionEnvironment environment, String text, CelIssue issue) {
        // the library escapes messages for String.format
        String message = issue.getMessage().replace("%%", "%");
        Matcher undeclared = UNDECLARED.matcher(message);
        if (undeclared.matches()) {
            return isCall(text, issue.getSourceLocation())
                    ? unknownFunction(undeclared.group(1))
                    : unknownField(environment, undeclared.group(1), environment.variables());
        }
        Matcher undefined = UNDEFINED.matcher(message);
        if (undefined.matches()) {
            return unknownField(environment, undefined.group(1), environment.memberNames());
        }
        Matcher reserved = RESERVED.matcher(message);
        if (reserved.matches()) {
            String name = reserved.group(1);
            return environment.memberNames().contains(name)
                    ? "'" + name + "' is a reserved word. Use fields." + name + "."
                    : "'" + name + "' is a reserved word.";
        }
        Matcher overload = OVERLOAD.matcher(message);
        if (overload.matches()) {
            return operator(overload.group(1)) + " does not support " + typeName(overload.group(2)) + ".";
        }
        Matcher selection = SELECTION.matcher(message);
        if (selection.matches()) {
            return "A value of the type " + typeName(selection.group(1)) + " does not have members.";
        }
        return other(message);
    }

    private static String other(String message) {
        if (message.contains("recursion limit")) {
            return "The expression is nested too deeply; at most " + ExpressionEnvironment.MAX_DEPTH
                    + " levels are allowed.";
        }
        if (message.startsWith("For input string")) {
            return "The number is not valid, or too large.";
        }
        if (message.startsWith("token recognition error at: '= ")
                || message.startsWith("token recognition error at: '='")) {
            return "Syntax error at '='. Use == to compare.";
        }
        return "Syntax error: " + PrintableText.shorten(PrintableText.sanitize(message), MAX_TEXT_LENGTH) + ".";
    }

    private static String unknownField(ExpressionEnvironment environment, String name, Set<String> names) {
        String given = name.startsWith(".") ? name.substring(1) : name;
        Set<String> candidates = new LinkedHashSet<>(names);
        candidates.addAll(environment.memberNames());
        if (environment.memberNames().contains(given)
                && !environment.variables().contains(given)) {
            boolean top = environment.module().fields().stream()
                    .anyMatch(field -> field.name().equals(given));
            return top
                    ? "'" + given + "' has another meaning in expressions. Use fields." + given + "."
                    : "'" + given + "' is a member of an object, not a field of "
                            + environment.module().module() + ".";
        }
        return "'" + PrintableText.shorten(PrintableText.sanitize(given), MAX_TEXT_LENGTH) + "' is not a field of "
                + environment.module().module() + "." + ClosestName.suggestion(given, candidates);
    }

    private static String unknownFunction(String name) {
        return "The function '" + PrintableText.shorten(name, MAX_TEXT_LENGTH) + "' does not exist."
                + ClosestName.suggestion(name, ExpressionEnvironment.FUNCTIONS);
    }

    /** Whether the position is that of the parenthesis of a call. */
    private static boolean isCall(String text, CelSourceLocation at) {
        String[] lines = text.split("\n", -1);
        int line = at.getLine() - 1;
        if (line < 0 || line >= lines.length) {
            return false;
        }
        int[] characters = lines[line].codePoints().toArray();
        return at.getColumn() >= 0 && at.getColumn() < characters.length && characters[at.getColumn()] == '(';
    }

    /** For example {@code The operator >} for {@code _>_}, or {@code The function size}. */
    private static String operator(String function) {
        return switch (function) {
            case "_[_]" -> "The operator []";
            case "_?_:_" -> "The operator ?:";
            case "@in" -> "The operator in";
            default -> {
                String plain = function.replace("_", "").replace("@", "");
                yield function.matches("\\w*[a-z]\\w*") ? "The function " + function : "The operator " + plain;
            }
        };
    }

    /** The name of a type without the packages of the library. */
    static String typeName(String type) {
        return type.replace("google.protobuf.Timestamp", "timestamp")
                .replace("google.protobuf.Duration", "duration")
                .replace("@" + ExpressionEnvironment.FIELDS, "object")
                .replaceAll("object\\.[a-z0-9_.]+", "object");
    }
}
