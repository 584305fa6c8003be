package dev.plumbline.probe.http;

import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.check.UrlNormalizer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves URL references (RFC 3986 section 5). Pure. */
public final class RedirectLocation {
    private static final HexFormat HEX = HexFormat.of().withUpperCase();
    private static final Pattern SCHEME = Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]*):");

    private RedirectLocation() {}

    /**
     * The absolute URL of a reference in a page, without its fragment.
     *
     * @return null if it is not a valid HTTP or HTTPS URL
     */
    public static Target.@Nullable Url resolveReference(Target.Url base, String reference) {
        String bytes = new String(reference.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
        String absolute = resolve(base, bytes.replaceAll("[\\t\\r\\n]", ""));
        return absolute == null ? null : TargetParser.tryUrl(absolute, "https", "http");
    }

    /**
     * The absolute URL of a Location header, without its fragment and with characters that are not allowed in a URL
     * percent-encoded.
     *
     * @param location the bytes of the header as ISO-8859-1
     * @return null if the scheme is not http or https
     */
    static @Nullable String resolve(Target.Url base, String location) {
        String text = withoutFragment(location.strip());
        Matcher scheme = SCHEME.matcher(text);
        if (scheme.find()) {
            String name = scheme.group(1).toLowerCase(Locale.ROOT);
            String rest = text.substring(scheme.end());
            boolean followed = name.equals("http") || name.equals("https");
            return followed && rest.startsWith("//") ? name + ":" + normalize(rest) : null;
        }
        if (text.startsWith("//")) {
            return base.scheme() + ":" + normalize(text);
        }
        return base.scheme() + "://" + base.authority() + encode(merge(base.pathAndQuery(), text));
    }

    private static String withoutFragment(String text) {
        int hash = text.indexOf('#');
        return hash < 0 ? text : text.substring(0, hash);
    }

    /** Normalizes the path of {@code //authority/path?query}. */
    private static String normalize(String hierarchical) {
        int end = 2;
        while (end < hierarchical.length() && "/?\\".indexOf(hierarchical.charAt(end)) < 0) {
            end++;
        }
        String rest = hierarchical.substring(end);
        String path = rest.startsWith("/") ? rest : "/" + rest;
        // The parser accepts hostnames in UTF-8; the header was read as single bytes.
        String authority = new String(
                hierarchical.substring(0, end).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return authority + encode(removeDots(path));
    }

    private static String merge(String base, String reference) {
        int query = base.indexOf('?');
        String path = query < 0 ? base : base.substring(0, query);
        if (reference.isEmpty()) {
            return base;
        }
        if (reference.startsWith("?")) {
            return path + reference;
        }
        if (reference.startsWith("/")) {
            return removeDots(reference);
        }
        return removeDots(path.substring(0, path.lastIndexOf('/') + 1) + reference);
    }

    private static String removeDots(String pathAndQuery) {
        int query = pathAndQuery.indexOf('?');
        return query < 0
                ? UrlNormalizer.withoutDots(pathAndQuery)
                : UrlNormalizer.withoutDots(pathAndQuery.substring(0, query)) + pathAndQuery.substring(query);
    }

    /** Percent-encodes characters that RFC 3986 does not allow; keeps valid escapes. */
    private static String encode(String text) {
        StringBuilder out = null;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean allowed = c > 0x20 && c < 0x7f && "\"<>\\^`{|}".indexOf(c) < 0;
            if (!allowed && out == null) {
                out = new StringBuilder(text.length() + 16).append(text, 0, i);
            }
            if (out != null) {
                if (allowed) {
                    out.append(c);
                } else {
                    out.append('%').append(HEX.toHexDigits((byte) c));
                }
            }
        }
        return out == null ? text : out.toString();
    }
}
