package dev.plumbline.check;

import java.nio.charset.StandardCharsets;

/** Normalizes the path and query of a URL (RFC 3986 §6.2.2). */
public final class UrlNormalizer {
    private static final String UNRESERVED = "-._~";
    private static final boolean[] PATH = allowed("/");
    private static final boolean[] QUERY = allowed("/?");
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();

    private UrlNormalizer() {}

    /**
     * Removes dot segments from the path. Percent-encodes characters that are not allowed, decodes unreserved
     * characters, keeps reserved characters, and converts hexadecimal digits to upper case.
     *
     * @param rest the part after the authority, without fragment; empty, or begins with a slash or question mark
     */
    static String pathAndQuery(String rest) {
        int question = rest.indexOf('?');
        String path = question < 0 ? rest : rest.substring(0, question);
        String normal = path.isEmpty() ? "/" : withoutDots(encoded(path, PATH));
        return question < 0 ? normal : normal + "?" + encoded(rest.substring(question + 1), QUERY);
    }

    private static String encoded(String text, boolean[] raw) {
        int plain = 0;
        while (plain < text.length() && isRaw(text.charAt(plain), raw)) {
            plain++;
        }
        if (plain == text.length()) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16).append(text, 0, plain);
        byte[] bytes = text.substring(plain).getBytes(StandardCharsets.UTF_8);
        for (int i = 0; i < bytes.length; i++) {
            int value = bytes[i] & 0xff;
            if (value == '%' && i + 2 < bytes.length && hex(bytes[i + 1]) >= 0 && hex(bytes[i + 2]) >= 0) {
                int decoded = hex(bytes[i + 1]) << 4 | hex(bytes[i + 2]);
                if (isUnreserved(decoded)) {
                    out.append((char) decoded);
                } else {
                    percent(out, decoded);
                }
                i += 2;
            } else if (value < 0x80 && raw[value]) {
                out.append((char) value);
            } else {
                percent(out, value);
            }
        }
        return out.toString();
    }

    /** Removes dot segments (RFC 3986 §5.2.4) from a path that begins with a slash. */
    public static String withoutDots(String path) {
        if (!path.contains("/.")) {
            return path;
        }
        StringBuilder out = new StringBuilder(path.length());
        int start = 0;
        while (start < path.length()) {
            int next = path.indexOf('/', start + 1);
            boolean last = next < 0;
            String segment = path.substring(start, last ? path.length() : next);
            if (segment.equals("/..")) {
                out.setLength(Math.max(0, out.lastIndexOf("/")));
            } else if (!segment.equals("/.")) {
                out.append(segment);
            }
            if (last && (segment.equals("/..") || segment.equals("/."))) {
                out.append('/');
            }
            start = last ? path.length() : next;
        }
        return out.toString();
    }

    private static void percent(StringBuilder out, int value) {
        out.append('%').append(HEX[value >>> 4]).append(HEX[value & 15]);
    }

    private static int hex(byte b) {
        return Character.digit((char) b, 16);
    }

    private static boolean isRaw(char c, boolean[] raw) {
        return c < 0x80 && raw[c];
    }

    /** Whether it is an unreserved character (RFC 3986 §2.3). */
    public static boolean isUnreserved(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || UNRESERVED.indexOf(c) >= 0;
    }

    /** pchar (RFC 3986 §3.3) and the additional characters of the component. */
    private static boolean[] allowed(String more) {
        boolean[] table = new boolean[128];
        for (int c = 0; c < 128; c++) {
            table[c] = isUnreserved(c) || "!$&'()*+,;=:@".indexOf(c) >= 0 || more.indexOf(c) >= 0;
        }
        return table;
    }
}
