package dev.plumbline.target;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.charset.Charset;
import java.util.Locale;

/**
 * Serializes the path and query of an http, https, ws or wss URL as a browser sends them (WHATWG URL Standard, path
 * state and query state). Percent-encodings are not changed, also if they are not needed or not valid: servers can
 * distinguish {@code /foo%41} from {@code /fooA}.
 */
public final class UrlSerializer {
    /** The printable ASCII characters of the path percent-encode set. */
    private static final boolean[] PATH = allowedWithout("\"#<>?^`{}");

    /** The printable ASCII characters of the special-query percent-encode set. */
    private static final boolean[] QUERY = allowedWithout("\"#<>'");

    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private UrlSerializer() {}

    /**
     * Removes dot segments from the path, replaces its backslashes by slashes, and percent-encodes characters that are
     * not allowed.
     *
     * @param rest the part after the authority, without fragment; empty, or begins with a slash, backslash or question
     *     mark
     * @param charset the encoding of other characters than ASCII
     */
    public static String pathAndQuery(String rest, Charset charset) {
        int question = rest.indexOf('?');
        String path = question < 0 ? rest : rest.substring(0, question);
        String serialized = path.isEmpty() ? "/" : withoutDots(encoded(path.replace('\\', '/'), PATH, charset));
        return question < 0 ? serialized : serialized + "?" + encoded(rest.substring(question + 1), QUERY, charset);
    }

    static String pathAndQuery(String rest) {
        return pathAndQuery(rest, UTF_8);
    }

    private static String encoded(String text, boolean[] allowed, Charset charset) {
        int plain = 0;
        while (plain < text.length() && isAllowed(text.charAt(plain), allowed)) {
            plain++;
        }
        if (plain == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, plain);
        for (byte b : text.substring(plain).getBytes(charset)) {
            int value = b & 0xff;
            if (isAllowed(value, allowed)) {
                out.append((char) value);
            } else {
                out.append('%').append(HEX[value >>> 4]).append(HEX[value & 15]);
            }
        }
        return out.toString();
    }

    /** Removes dot segments, also encoded ones ({@code %2e}), from a path that begins with a slash. */
    private static String withoutDots(String path) {
        if (!path.contains("/.") && !path.contains("/%2")) {
            return path;
        }
        StringBuilder out = new StringBuilder(path.length());
        int start = 0;
        while (start < path.length()) {
            int next = path.indexOf('/', start + 1);
            boolean last = next < 0;
            String segment = path.substring(start, last ? path.length() : next);
            int dots = dots(segment);
            if (dots == 0) {
                out.append(segment);
            } else if (dots == 2) {
                out.setLength(Math.max(0, out.lastIndexOf("/")));
            }
            if (last && dots > 0) {
                out.append('/');
            }
            start = last ? path.length() : next;
        }
        return out.toString();
    }

    /** Returns the number of dots of a dot segment with its slash; 0 for other segments. */
    private static int dots(String segment) {
        if (segment.length() > "/%2e%2e".length()) {
            return 0;
        }
        return switch (segment.toLowerCase(Locale.ROOT)) {
            case "/.", "/%2e" -> 1;
            case "/..", "/.%2e", "/%2e.", "/%2e%2e" -> 2;
            default -> 0;
        };
    }

    private static boolean isAllowed(int c, boolean[] allowed) {
        return c < 0x80 && allowed[c];
    }

    /** Whether it is an unreserved character (RFC 3986 §2.3). */
    public static boolean isUnreserved(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || "-._~".indexOf(c) >= 0;
    }

    private static boolean[] allowedWithout(String encoded) {
        boolean[] table = new boolean[128];
        for (int c = 0x21; c < 0x7f; c++) {
            table[c] = encoded.indexOf(c) < 0;
        }
        return table;
    }
}
