package dev.plumbline.probe.http;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.UrlSerializer;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Resolves URL references as browsers do (WHATWG URL Standard, basic URL parser with a base URL). Pure. */
public final class RedirectLocation {
    private static final Pattern SCHEME = Pattern.compile("^([A-Za-z][A-Za-z0-9+.-]*):");

    private RedirectLocation() {}

    /**
     * The absolute URL of a reference in a page, without its fragment.
     *
     * @return null if it is not a valid HTTP or HTTPS URL
     */
    public static Target.@Nullable Url resolveReference(Target.Url base, String reference) {
        String bytes = new String(reference.getBytes(UTF_8), ISO_8859_1);
        String absolute = resolve(base, bytes);
        return absolute == null ? null : TargetParser.tryUrl(absolute, "https", "http");
    }

    /**
     * The absolute URL of a Location header, without its fragment.
     *
     * @param location the bytes of the header as ISO-8859-1
     * @return null if the scheme is not http or https
     */
    static @Nullable String resolve(Target.Url base, String location) {
        // browsers ignore surrounding spaces and control characters, and all tabs and line breaks
        String text = location.trim().replaceAll("[\\t\\r\\n]|(?s:#.*)", "");
        String scheme = base.scheme();
        Matcher matcher = SCHEME.matcher(text);
        if (matcher.find()) {
            scheme = matcher.group(1).toLowerCase(Locale.ROOT);
            if (!scheme.equals("http") && !scheme.equals("https")) {
                return null;
            }
            text = text.substring(matcher.end());
        }
        int slashes = 0;
        while (slashes < text.length() && isSlash(text.charAt(slashes))) {
            slashes++;
        }
        // "http:g" is relative to a base with the same scheme, and otherwise has the host "g"
        if (slashes >= 2 || !scheme.equals(base.scheme())) {
            return scheme + "://" + withAuthority(text.substring(slashes));
        }
        return scheme + "://" + base.authority() + relative(base.pathAndQuery(), text);
    }

    private static boolean isSlash(char c) {
        return c == '/' || c == '\\';
    }

    /** @param rest the URL after {@code //} */
    private static String withAuthority(String rest) {
        int end = 0;
        while (end < rest.length() && rest.charAt(end) != '?' && !isSlash(rest.charAt(end))) {
            end++;
        }
        // the parser accepts hostnames in UTF-8; the header was read as single bytes
        String authority = new String(rest.substring(0, end).getBytes(ISO_8859_1), UTF_8);
        return authority + UrlSerializer.pathAndQuery(rest.substring(end), ISO_8859_1);
    }

    private static String relative(String base, String reference) {
        int query = base.indexOf('?');
        String path = query < 0 ? base : base.substring(0, query);
        if (reference.isEmpty()) {
            return base;
        }
        boolean absolute = isSlash(reference.charAt(0));
        String directory = reference.startsWith("?") ? path : path.substring(0, path.lastIndexOf('/') + 1);
        return UrlSerializer.pathAndQuery(absolute ? reference : directory + reference, ISO_8859_1);
    }
}
