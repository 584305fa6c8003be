package dev.plumbline.http;

import dev.plumbline.check.ModuleCatalogue;
import io.vertx.ext.web.RoutingContext;
import io.vertx.ext.web.handler.HttpException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The target in the path of an instant check or its page. A URL can be unencoded, as in
 * {@code …/http-status/https://a.example/b?c}: if the path after the module contains a slash, the rest of the path and
 * the query are the target, which is percent-encoded before routing. The path of a page can omit the module:
 * {@code /check/https://a.example/b?c}.
 */
public final class RawTarget {
    private static final String PAGE = "/check/";
    private static final List<String> PREFIXES = List.of("/api/v1/instant/", PAGE);

    private static final String ORIGINAL_URI = "plumbline.original-uri";

    private RawTarget() {}

    /** Stores the original path and query before they are encoded. */
    public static void remember(RoutingContext ctx) {
        ctx.put(ORIGINAL_URI, ctx.request().uri());
    }

    /** Returns the original path and query. */
    public static String original(RoutingContext ctx) {
        return ctx.get(ORIGINAL_URI, ctx.request().uri());
    }

    /** Returns the encoded path and query; null if they are already encoded. */
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
        if (uri.startsWith(PAGE)
                && restQuery != 0
                && !rest.isEmpty()
                && !ModuleCatalogue.isName(uri.substring(start, slash))) {
            return uri.substring(0, start) + encodedSegment(uri.substring(start));
        }
        int literal = rest.indexOf('/');
        if (literal < 0 || (restQuery >= 0 && restQuery < literal)) {
            return null;
        }
        return uri.substring(0, slash + 1) + encodedSegment(rest);
    }

    /**
     * Returns the path and query with encoded semicolons in the query, which Netty would read as separators of
     * parameters; null if it does not contain any.
     */
    public static @Nullable String encodedSemicolons(String uri) {
        int query = uri.indexOf('?');
        return query < 0 || uri.indexOf(';', query) < 0
                ? null
                : uri.substring(0, query) + uri.substring(query).replace(";", "%3B");
    }

    private static String encodedSegment(String raw) {
        // Netty decodes the request line as Latin-1
        return URLEncoder.encode(raw, StandardCharsets.ISO_8859_1).replace("+", "%20");
    }

    /**
     * Decodes the last segment of an encoded path. A plus sign is not a space.
     *
     * @throws HttpException 400 if it is not percent-encoded UTF-8
     */
    public static String decoded(String path) {
        String segment = path.substring(path.lastIndexOf('/') + 1);
        if (segment.indexOf('%') < 0 && segment.chars().allMatch(c -> c < 0x80)) {
            return segment;
        }
        String fault = encodingFault(segment);
        if (fault != null) {
            throw new HttpException(400, fault);
        }
        String latin = URLDecoder.decode(segment.replace("+", "%2B"), StandardCharsets.ISO_8859_1);
        return new String(latin.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
    }

    /** Returns the error in the percent-encoding of a path or query; null if it is valid. */
    public static @Nullable String encodingFault(String uri) {
        byte[] bytes = new byte[uri.length()];
        int length = 0;
        for (int i = 0; i < uri.length(); i++) {
            if (uri.charAt(i) != '%') {
                // Netty decodes the request line as Latin-1
                bytes[length++] = (byte) uri.charAt(i);
                continue;
            }
            String hex = uri.substring(i + 1, Math.min(i + 3, uri.length()));
            if (!hex.matches("[0-9A-Fa-f]{2}")) {
                return "The request URI contains a percent sign not followed by two hexadecimal digits. Encode it"
                        + " as %25.";
            }
            bytes[length++] = (byte) Integer.parseInt(hex, 16);
            i += 2;
        }
        try {
            StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes, 0, length));
            return null;
        } catch (CharacterCodingException e) {
            return "The request URI is not valid UTF-8. Percent-encode each byte of the UTF-8 encoding; for"
                    + " example, \u00e9 is %C3%A9.";
        }
    }
}
