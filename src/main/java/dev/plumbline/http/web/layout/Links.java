package dev.plumbline.http.web.layout;

import java.net.URI;
import java.net.URISyntaxException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Addresses, ours and those of others. */
public final class Links {
    private Links() {}

    /** Text as one segment of a path, or as a part of a query. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Where the report on a target is. */
    public static String report(String module, String target, Map<String, String> options) {
        return "/check/" + module + '/' + encoded(target) + query(options);
    }

    /** Where the API tells the same. */
    public static String instant(String module, String target, Map<String, String> options) {
        return "/api/v1/instant/" + module + '/' + encoded(target) + query(options);
    }

    public static String query(Map<String, String> options) {
        StringBuilder out = new StringBuilder();
        options.forEach((name, value) -> out.append(out.isEmpty() ? '?' : '&')
                .append(encoded(name))
                .append('=')
                .append(encoded(value)));
        return out.toString();
    }

    /** An address that a target gave, if it may be a link: http, https or mailto; null otherwise. */
    public static @Nullable String outside(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        boolean web = lower.startsWith("http://") || lower.startsWith("https://");
        if ((!web && !lower.startsWith("mailto:")) || text.codePoints().anyMatch(DisplayText::steers)) {
            return null;
        }
        try {
            URI uri = new URI(text);
            return web && (uri.getHost() == null || uri.getRawUserInfo() != null) ? null : text;
        } catch (URISyntaxException noAddress) {
            return null;
        }
    }
}
