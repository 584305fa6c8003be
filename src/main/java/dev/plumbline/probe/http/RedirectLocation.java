package dev.plumbline.probe.http;

import dev.plumbline.check.InputType;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.check.UrlNormalizer;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves a reference against the URL that it was found at (RFC 3986 section 5). Pure. */
public final class RedirectLocation {
    private static final ModuleDescription REFERENCE =
            ModuleDescription.of("reference", "Reference", InputType.URL).build();
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
        try {
            return absolute == null ? null : (Target.Url) TargetParser.parse(REFERENCE, absolute);
        } catch (InvalidTargetException invalid) {
            return null;
        }
    }

    /**
     * The absolute URL that a Location means, without its fragment and with what must not stand in a
     * URL percent-encoded; null when it leads to something other than http and https.
     *
     * @param location the header, its bytes read as ISO-8859-1
     */
    static @Nullable String resolve(Target.Url base, String location) {
        String text = withoutFragment(location.strip());
        Matcher scheme = SCHEME.matcher(text);
        if (scheme.find()) {
            String name = scheme.group(1).toLowerCase(Locale.ROOT);
            String rest = text.substring(scheme.end());
            boolean followed = name.equals("http") || name.equals("https");
            return followed && rest.startsWith("//") ? name + ":" + normalised(rest) : null;
        }
        if (text.startsWith("//")) {
            return base.scheme() + ":" + normalised(text);
        }
        return base.scheme() + "://" + base.authority() + encoded(merged(base.pathAndQuery(), text));
    }

    private static String withoutFragment(String text) {
        int hash = text.indexOf('#');
        return hash < 0 ? text : text.substring(0, hash);
    }

    /** {@code //authority/path?query} with its path made clean; the authority is left as it is. */
    private static String normalised(String hierarchical) {
        int end = 2;
        while (end < hierarchical.length() && "/?\\".indexOf(hierarchical.charAt(end)) < 0) {
            end++;
        }
        String rest = hierarchical.substring(end);
        String path = rest.startsWith("/") ? rest : "/" + rest;
        // The parser knows what to make of a name in UTF-8; the header was read as single bytes.
        String authority = new String(
                hierarchical.substring(0, end).getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return authority + encoded(withoutDots(path));
    }

    private static String merged(String base, String reference) {
        int query = base.indexOf('?');
        String path = query < 0 ? base : base.substring(0, query);
        if (reference.isEmpty()) {
            return base;
        }
        if (reference.startsWith("?")) {
            return path + reference;
        }
        if (reference.startsWith("/")) {
            return withoutDots(reference);
        }
        return withoutDots(path.substring(0, path.lastIndexOf('/') + 1) + reference);
    }

    private static String withoutDots(String pathAndQuery) {
        int query = pathAndQuery.indexOf('?');
        return query < 0
                ? UrlNormalizer.withoutDots(pathAndQuery)
                : UrlNormalizer.withoutDots(pathAndQuery.substring(0, query)) + pathAndQuery.substring(query);
    }

    /** Percent-encodes what RFC 3986 allows nowhere; valid escapes stay as they are. */
    private static String encoded(String text) {
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
