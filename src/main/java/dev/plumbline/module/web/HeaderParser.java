package dev.plumbline.module.web;

import java.util.ArrayList;
import java.util.List;

/** Takes the values of headers apart (RFC 9110 section 5.6). Pure, and linear in their length. */
final class HeaderParser {
    private static final String TOKEN_MARKS = "!#$%&'*+-.^_`|~";

    private HeaderParser() {}

    /** The parts between separators that stand outside of quotes, stripped. */
    static List<String> split(String value, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int start = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (quoted && c == '\\') {
                i++;
            } else if (c == '"') {
                quoted = !quoted;
            } else if (c == separator && !quoted) {
                parts.add(value.substring(start, i).strip());
                start = i + 1;
            }
        }
        parts.add(value.substring(start).strip());
        return parts;
    }

    static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(HeaderParser::isTokenCharacter);
    }

    private static boolean isTokenCharacter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || TOKEN_MARKS.indexOf(c) >= 0;
    }

    /** What a quoted string holds; anything else as it is. */
    static String unquoted(String text) {
        if (text.length() < 2 || !text.startsWith("\"") || !text.endsWith("\"")) {
            return text;
        }
        StringBuilder plain = new StringBuilder(text.length());
        for (int i = 1; i < text.length() - 1; i++) {
            boolean escape = text.charAt(i) == '\\' && i + 1 < text.length() - 1;
            plain.append(text.charAt(escape ? ++i : i));
        }
        return plain.toString();
    }
}
