package dev.plumbline.module.mail;

import dev.plumbline.check.IpAddressText;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The macros of SPF (RFC 7208 section 7). */
final class SpfMacroExpander {
    private static final int MOST_NAME = 253;
    private static final int MOST_PARTS = 128;
    private static final int MOST_EXPANDED = 4_096;
    private static final Pattern MACRO =
            Pattern.compile("\\{([slodiphcrtvSLODIPHCRTV])([0-9]{0,3})([rR]?)([-.+,/_=]*+)\\}");
    private static final Pattern TOP_LABEL =
            Pattern.compile("(?=[a-z0-9-]{0,63}[a-z])[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?");

    private SpfMacroExpander() {}

    /**
     * What is wrong with a text that may hold macros, null when nothing is.
     *
     * @param explaining whether the macros that only explanations have may stand in it
     */
    static @Nullable String fault(String text, boolean explaining) {
        Matcher macro = MACRO.matcher(text);
        for (int i = text.indexOf('%'); i >= 0; i = text.indexOf('%', i)) {
            char next = i + 1 < text.length() ? text.charAt(i + 1) : 0;
            if (next == '%' || next == '_' || next == '-') {
                i += 2;
            } else if (next == '{' && macro.region(i + 1, text.length()).lookingAt()) {
                if (!explaining && "crt".indexOf(letter(macro)) >= 0) {
                    return "uses the macro " + macro.group(1) + ", which only explanations may";
                }
                if (macro.group(2).matches("0+")) {
                    return "has a macro that keeps 0 parts";
                }
                i = macro.end();
            } else {
                return "holds a percent sign that begins no macro";
            }
        }
        return null;
    }

    /** What is wrong with a domain that may hold macros, null when nothing is. */
    static @Nullable String domainFault(String domain) {
        if (domain.isEmpty()) {
            return "names no domain";
        }
        String fault = fault(domain, false);
        if (fault != null) {
            return fault;
        }
        if (domain.indexOf('\\') >= 0) {
            return "holds a backslash, which no domain has";
        }
        if (IpAddressText.parse(domain) != null) {
            return "names an address where a domain is wanted; ip4 and ip6 are for addresses";
        }
        if (endsInMacro(domain)) {
            return null;
        }
        String name = domain.endsWith(".") ? domain.substring(0, domain.length() - 1) : domain;
        int dot = name.lastIndexOf('.');
        return dot >= 0
                        && TOP_LABEL
                                .matcher(name.substring(dot + 1).toLowerCase(Locale.ROOT))
                                .matches()
                ? null
                : "names no domain that could exist";
    }

    private static boolean endsInMacro(String domain) {
        int percent = domain.lastIndexOf('%');
        return percent >= 0 && (domain.endsWith("}") || percent == domain.length() - 2) || domain.endsWith("%%");
    }

    /**
     * A domain with its macros filled in, in lower case without trailing dot; null when it differs
     * from mail to mail.
     *
     * @param text without fault
     * @param domain the domain whose record holds it
     * @param origin the domain that was asked for, taken for that of the sender
     */
    static @Nullable String expand(String text, String domain, String origin) {
        StringBuilder out = new StringBuilder();
        Matcher macro = MACRO.matcher(text);
        for (int i = 0; i < text.length(); ) {
            // Only the end of a name that is too long counts.
            if (out.length() > MOST_EXPANDED) {
                out.delete(0, out.length() - MOST_EXPANDED / 2);
            }
            if (text.charAt(i) != '%') {
                out.append(text.charAt(i++));
            } else if (macro.region(i + 1, text.length()).lookingAt()) {
                String value =
                        switch (letter(macro)) {
                            case 'd' -> domain;
                            case 'o' -> origin;
                            default -> null;
                        };
                if (value == null) {
                    return null;
                }
                out.append(transformed(value, macro));
                i = macro.end();
            } else {
                out.append(
                        switch (text.charAt(i + 1)) {
                            case '_' -> " ";
                            case '-' -> "%20";
                            default -> "%";
                        });
                i += 2;
            }
        }
        return fitting(out.toString().toLowerCase(Locale.ROOT));
    }

    private static char letter(Matcher macro) {
        return Character.toLowerCase(macro.group(1).charAt(0));
    }

    private static String transformed(String value, Matcher macro) {
        String delimiters = macro.group(4).isEmpty() ? "." : macro.group(4);
        List<String> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i <= value.length(); i++) {
            if (i == value.length() || delimiters.indexOf(value.charAt(i)) >= 0) {
                parts.add(value.substring(start, i));
                start = i + 1;
            }
        }
        if (!macro.group(3).isEmpty()) {
            Collections.reverse(parts);
        }
        int keep = macro.group(2).isEmpty() ? MOST_PARTS : Integer.parseInt(macro.group(2));
        return String.join(".", parts.subList(Math.max(0, parts.size() - keep), parts.size()));
    }

    /** A name that is too long loses labels from the left (RFC 7208 section 7.3). */
    private static String fitting(String name) {
        String plain = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (plain.length() <= MOST_NAME) {
            return plain;
        }
        int dot = plain.indexOf('.', plain.length() - MOST_NAME - 1);
        return plain.substring(dot + 1);
    }
}
