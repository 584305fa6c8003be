package dev.plumbline.http.web.layout;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Paths of pages, and validation of URLs from targets. */
public final class Links {
    private Links() {}

    /** Percent-encodes text for a path segment or a query component. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    public static String report(String module, String target, Map<String, String> options) {
        return "/check/" + module + '/' + encoded(target) + query(options);
    }

    /** The path of the same instant check in the API. */
    public static String instant(String module, String target, Map<String, String> options) {
        return "/api/v1/instant/" + module + '/' + encoded(target) + query(options);
    }

    /** A query string with a leading {@code ?}; empty without parameters. */
    public static String query(Map<String, String> parameters) {
        return query(parameters.entrySet());
    }

    /** A query string with a leading {@code ?}; empty without parameters. Names can occur several times. */
    public static String query(Iterable<Map.Entry<String, String>> parameters) {
        StringBuilder out = new StringBuilder();
        parameters.forEach(parameter -> out.append(out.isEmpty() ? '?' : '&')
                .append(encoded(parameter.getKey()))
                .append('=')
                .append(encoded(parameter.getValue())));
        return out.toString();
    }

    /** The URL if a page can link to it: http or https without user information, or mailto; otherwise null. */
    public static @Nullable String external(String url) {
        String lower = url.toLowerCase(Locale.ROOT);
        boolean web = lower.startsWith("http://") || lower.startsWith("https://");
        if ((!web && !lower.startsWith("mailto:")) || url.codePoints().anyMatch(DisplayText::isControl)) {
            return null;
        }
        try {
            URI uri = new URI(url);
            return web && (uri.getHost() == null || uri.getRawUserInfo() != null) ? null : url;
        } catch (URISyntaxException e) {
            return null;
        }
    }
}
