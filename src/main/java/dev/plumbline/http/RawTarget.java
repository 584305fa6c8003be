package dev.plumbline.http;

import io.vertx.ext.web.RoutingContext;
import java.net.URLDecoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The target in the path of an instant check or of its page. People type {@code
 * …/http-status/https://a.example/b?c} as it is: when the raw rest after the module holds a slash,
 * all of it is the target, query included, and is put in its encoded form before the contract sees
 * it.
 */
public final class RawTarget {
    private static final List<String> PREFIXES = List.of("/api/v1/instant/", "/check/");
    private static final String UNRESERVED = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";

    private static final String AS_TYPED = "plumbline.as-typed";

    private RawTarget() {}

    /** Remembers the path and query as they came, before they are put in their encoded form. */
    public static void remember(RoutingContext ctx) {
        ctx.put(AS_TYPED, ctx.request().uri());
    }

    /** The path and query as they came. */
    public static String asTyped(RoutingContext ctx) {
        return ctx.get(AS_TYPED, ctx.request().uri());
    }

    /** The path and query in their encoded form, null when the given one is already in it. */
    public static @Nullable String encoded(String uri) {
        int start = 0;
        for (String prefix : PREFIXES) {
            if (uri.startsWith(prefix)) {
                start = prefix.length();
            }
        }
        if (start == 0) {
            return null;
        }
        int slash = uri.indexOf('/', start);
        int query = uri.indexOf('?');
        if (slash < 0 || (query >= 0 && query < slash)) {
            return null;
        }
        String rest = uri.substring(slash + 1);
        int restQuery = rest.indexOf('?');
        int literal = rest.indexOf('/');
        if (literal < 0 || (restQuery >= 0 && restQuery < literal)) {
            return null;
        }
        StringBuilder out = new StringBuilder(uri.length() + 32).append(uri, 0, slash + 1);
        // Netty hands out the bytes of the request line as Latin-1 characters, one for each
        for (byte b : rest.getBytes(StandardCharsets.ISO_8859_1)) {
            char c = (char) (b & 0xff);
            if (UNRESERVED.indexOf(c) >= 0) {
                out.append(c);
            } else {
                out.append('%').append(hex(b >> 4)).append(hex(b));
            }
        }
        return out.toString();
    }

    private static char hex(int nibble) {
        return Character.toUpperCase(Character.forDigit(nibble & 0xf, 16));
    }

    /**
     * The last segment of an encoded path, decoded: strictly, and with a plus sign meaning itself.
     *
     * @throws IllegalArgumentException when it is not percent-encoded UTF-8
     */
    public static String decoded(String path) {
        String segment = path.substring(path.lastIndexOf('/') + 1);
        if (segment.indexOf('%') < 0 && segment.chars().allMatch(c -> c < 0x80)) {
            return segment;
        }
        String fault = encodingFault(segment);
        if (fault != null) {
            throw new IllegalArgumentException(fault);
        }
        String latin = URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.ISO_8859_1);
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /**
     * What is wrong with the percent-encoding of a path or query, and how it would be right; null
     * when nothing is.
     */
    public static @Nullable String encodingFault(String uri) {
        byte[] bytes = new byte[uri.length()];
        int length = 0;
        for (int i = 0; i < uri.length(); i++) {
            if (uri.charAt(i) != '%') {
                // Netty hands out the bytes of the request line as Latin-1 characters, one for each
                bytes[length++] = (byte) uri.charAt(i);
                continue;
            }
            String hex = uri.substring(i + 1, Math.min(i + 3, uri.length()));
            if (!hex.matches("[0-9A-Fa-f]{2}")) {
                return "The request has a percent sign that is not followed by two hexadecimal digits; write"
                        + " the sign itself as %25.";
            }
            bytes[length++] = (byte) Integer.parseInt(hex, 16);
            i += 2;
        }
        try {
            StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .onUnmappableCharacter(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, 0, length));
            return null;
        } catch (CharacterCodingException notUtf8) {
            return "The request has bytes that are not UTF-8; write each character as the bytes that it has"
                    + " in UTF-8, each byte as a percent sign and two hexadecimal digits: \u00e9 is %C3%A9.";
        }
    }
}
