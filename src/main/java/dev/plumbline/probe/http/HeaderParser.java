package dev.plumbline.probe.http;

import java.util.ArrayList;
import java.util.List;

/** Parses the values of headers (RFC 9110 section 5.6). Its time is linear in their length. */
public final class HeaderParser {
    private static final String TOKEN_SYMBOLS = "!#$%&'*+-.^_`|~";

    private HeaderParser() {}

    /** The parts between separators outside of quoted strings, without surrounding whitespace. */
    public static List<String> split(String value, char separator) {
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

    public static boolean isToken(String text) {
        return !text.isEmpty() && text.chars().allMatch(HeaderParser::isTokenCharacter);
    }

    private static boolean isTokenCharacter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || TOKEN_SYMBOLS.indexOf(c) >= 0;
    }

    /** The content of a quoted string; other text unchanged. */
    public static String unquoted(String text) {
        if (text.length() < 2 || !text.startsWith("\"") || !text.endsWith("\"")) {
            return text;
        }
        StringBuilder content = new StringBuilder(text.length());
        for (int i = 1; i < text.length() - 1; i++) {
            boolean escaped = text.charAt(i) == '\\' && i + 1 < text.length() - 1;
            content.append(text.charAt(escaped ? ++i : i));
        }
        return content.toString();
    }
}
