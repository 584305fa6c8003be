package dev.plumbline.http.api;

import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The link to the next page (RFC 8288). It has the query of the request, with another cursor. */
public final class NextLink {
    private NextLink() {}

    /**
     * Sets the header {@code Link}.
     *
     * @param url of the list, without a query
     * @param parameter the query parameter of the next page, for example {@code cursor}
     * @param cursor its value; null on the last page, which has no link
     */
    public static void write(RoutingContext ctx, String url, String parameter, @Nullable String cursor) {
        if (cursor == null) {
            return;
        }
        StringBuilder link = new StringBuilder("<" + url + '?' + parameter + '=' + encode(cursor));
        for (Map.Entry<String, String> other : ctx.queryParams()) {
            if (!other.getKey().equals(parameter)) {
                link.append('&').append(encode(other.getKey())).append('=').append(encode(other.getValue()));
            }
        }
        ctx.response().putHeader("Link", link.append(">; rel=\"next\"").toString());
    }

    private static String encode(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8);
    }
}
