package dev.plumbline.http.api;

import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Content negotiation and conditional requests (RFC 9110, 12.5.1 and 13.1.2). */
public final class ContentNegotiation {
    private ContentNegotiation() {}

    /** Whether the Accept header allows application/json. */
    public static boolean acceptsJson(RoutingContext ctx) {
        List<MIMEHeader> accepted = ctx.parsedHeaders().accept();
        if (accepted.isEmpty()) {
            return true;
        }
        for (MIMEHeader range : accepted) {
            boolean component =
                    range.component().equals("*") || range.component().equals("application");
            boolean sub =
                    range.subComponent().equals("*") || range.subComponent().equals("json");
            if (component && sub && range.weight() > 0) {
                return true;
            }
        }
        return false;
    }

    /** Whether If-None-Match matches this entity tag (weak comparison). */
    public static boolean matches(RoutingContext ctx, String etag) {
        String condition = ctx.request().getHeader("If-None-Match");
        if (condition == null) {
            return false;
        }
        String opaque = strong(etag);
        for (String candidate : condition.split(",", -1)) {
            String tag = candidate.strip();
            if (tag.equals("*") || strong(tag).equals(opaque)) {
                return true;
            }
        }
        return false;
    }

    private static String strong(String tag) {
        return tag.startsWith("W/") ? tag.substring(2) : tag;
    }
}
