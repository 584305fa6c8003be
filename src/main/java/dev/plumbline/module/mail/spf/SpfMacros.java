package dev.plumbline.module.mail.spf;

import com.google.common.escape.Escaper;
import com.google.common.net.PercentEscaper;
import dev.plumbline.module.mail.spf.SpfRecord.SyntaxException;
import dev.plumbline.target.IpAddressText;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The macros of SPF (RFC 7208 section 7). */
final class SpfMacros {
    private static final int MAX_NAME = 253;
    private static final int MAX_LABEL = 63;
    private static final int MAX_LABELS = 128;

    /** A percent sign and what it starts: an escape, a macro, or nothing. */
    private static final Pattern MACRO =
            Pattern.compile("(?i)%(?:([%_-])|\\{([slodiphcrtv])([0-9]{0,3})(r?)([-.+,/_=]*+)})?");

    private static final Pattern TOP_LABEL =
            Pattern.compile("(?i).*\\.(?=[a-z0-9-]{0,63}[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\\.?");

    /** Escapes all characters except the unreserved ones of RFC 3986. */
    private static final Escaper UNRESERVED = new PercentEscaper("-._~", false);

    private SpfMacros() {}

    /**
     * Validates a text with macros.
     *
     * @param explanation whether the macros of explanations are allowed
     * @return whether the text ends in a macro
     */
    static boolean validate(String text, boolean explanation) throws SyntaxException {
        Matcher macro = MACRO.matcher(text);
        boolean last = false;
        while (macro.find()) {
            String letter = macro.group(2);
            if (macro.group(1) == null && letter == null) {
                throw new SyntaxException("the percent sign does not start a macro");
            }
            if (letter != null && !explanation && "crtCRT".contains(letter)) {
                throw new SyntaxException("the macro " + letter + " is only allowed in explanations");
            }
            if (letter != null && macro.group(3).matches("0+")) {
                throw new SyntaxException("a macro must keep at least one label");
            }
            last = macro.end() == text.length();
        }
        return last;
    }

    /** Validates a domain-spec (RFC 7208 section 7.1). */
    static void validateDomain(String domain) throws SyntaxException {
        if (domain.isEmpty()) {
            throw new SyntaxException("the domain is empty");
        }
        boolean endsInMacro = validate(domain, false);
        if (domain.indexOf('\\') >= 0) {
            throw new SyntaxException("the domain contains a backslash");
        }
        if (IpAddressText.parse(domain) != null) {
            throw new SyntaxException("a domain is required instead of an IP address");
        }
        if (!endsInMacro && !TOP_LABEL.matcher(domain).matches()) {
            throw new SyntaxException("the domain does not end in a valid top-level domain");
        }
        if (!hasValidLabels(MACRO.matcher(domain).replaceAll("x"))) {
            throw new SyntaxException("each label of a domain must have 1 to 63 characters");
        }
    }

    /** Whether all labels of a name have a valid length. A trailing dot is allowed. */
    static boolean hasValidLabels(String name) {
        String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        return Stream.of(plain.split("\\.", -1)).allMatch(label -> !label.isEmpty() && label.length() <= MAX_LABEL);
    }

    /**
     * Expands the macros of a valid domain-spec without a message.
     *
     * @param domain the domain of the record
     * @param origin the checked domain, used as the domain of the sender
     * @return in lower case without trailing dot; null if it depends on the message
     */
    static @Nullable String expand(String text, String domain, String origin) {
        return expand(text, letter -> switch (letter) {
            case 'd' -> domain;
            case 'o' -> origin;
            default -> null;
        });
    }

    /**
     * Expands the macros of a valid domain-spec.
     *
     * @param values the value of each macro letter, in lower case; null if it is not known
     * @return in lower case without trailing dot; null if a value is not known
     */
    static @Nullable String expand(String text, Function<Character, @Nullable String> values) {
        StringBuilder out = new StringBuilder();
        Matcher macro = MACRO.matcher(text);
        while (macro.find()) {
            String value = macro.group(2) == null ? escape(macro.group(1)) : value(macro, values);
            if (value == null) {
                return null;
            }
            macro.appendReplacement(out, Matcher.quoteReplacement(value));
        }
        return truncate(macro.appendTail(out).toString().toLowerCase(Locale.ROOT));
    }

    private static String escape(String character) {
        return switch (character) {
            case "_" -> " ";
            case "-" -> "%20";
            default -> "%";
        };
    }

    /** A letter in upper case requires URL escaping. */
    private static @Nullable String value(Matcher macro, Function<Character, @Nullable String> values) {
        char letter = macro.group(2).charAt(0);
        String value = values.apply(Character.toLowerCase(letter));
        if (value == null) {
            return null;
        }
        String transformed = transform(value, macro);
        return Character.isUpperCase(letter) ? UNRESERVED.escape(transformed) : transformed;
    }

    private static String transform(String value, Matcher macro) {
        String delimiters = macro.group(5).isEmpty() ? "." : macro.group(5);
        List<String> parts = Arrays.asList(value.split("[" + Pattern.quote(delimiters) + "]", -1));
        if (!macro.group(4).isEmpty()) {
            Collections.reverse(parts);
        }
        int labels = macro.group(3).isEmpty() ? MAX_LABELS : Integer.parseInt(macro.group(3));
        return String.join(".", parts.subList(Math.max(0, parts.size() - labels), parts.size()));
    }

    /** Removes labels from the left of a name that is too long (RFC 7208 section 7.3). */
    private static String truncate(String name) {
        String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        int excess = plain.length() - MAX_NAME;
        return excess <= 0 ? plain : plain.substring(Math.max(excess, plain.indexOf('.', excess - 1) + 1));
    }
}
