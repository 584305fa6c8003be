package dev.plumbline.http.api;

import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** Content negotiation and conditional requests (RFC 9110, 12.5.1 and 13.1.2). */
public final class ContentNegotiation {
    /** The specificity of a range without a wildcard. */
    private static final int LISTED = 3;

    private ContentNegotiation() {}

    /** Whether the Accept header allows application/json. */
    public static boolean acceptsJson(RoutingContext ctx) {
        return weight(ctx, "application", "json") > 0;
    }

    /**
     * Returns the weight of the most specific range of the Accept header that matches a media type: 0 to 1; 0 if none
     * matches; 1 without the header.
     */
    public static float weight(RoutingContext ctx, String type, String subtype) {
        List<MIMEHeader> ranges = ctx.parsedHeaders().accept();
        float weight = ranges.isEmpty() ? 1 : 0;
        int max = 0;
        for (MIMEHeader range : ranges) {
            int specificity = specificity(range, type, subtype);
            if (specificity > max) {
                max = specificity;
                weight = range.weight();
            }
        }
        return weight;
    }

    /** Returns the weight of a media type that the Accept header lists; 0 if only a wildcard matches, or none. */
    public static float listedWeight(RoutingContext ctx, String type, String subtype) {
        float weight = 0;
        for (MIMEHeader range : ctx.parsedHeaders().accept()) {
            if (specificity(range, type, subtype) == LISTED) {
                weight = Math.max(weight, range.weight());
            }
        }
        return weight;
    }

    private static int specificity(MIMEHeader range, String type, String subtype) {
        if (range.component().equals("*")) {
            return 1;
        }
        if (!range.component().equalsIgnoreCase(type)) {
            return 0;
        }
        if (range.subComponent().equals("*")) {
            return 2;
        }
        return range.subComponent().equalsIgnoreCase(subtype) ? LISTED : 0;
    }

    /** Whether If-None-Match matches this entity tag (weak comparison). */
    public static boolean matches(RoutingContext ctx, String etag) {
        String condition = ctx.request().getHeader("If-None-Match");
        if (condition == null) {
            return false;
        }
        String expected = opaque(etag);
        for (String candidate : condition.split(",", -1)) {
            String tag = candidate.strip();
            if (tag.equals("*") || opaque(tag).equals(expected)) {
                return true;
            }
        }
        return false;
    }

    private static String opaque(String tag) {
        return tag.startsWith("W/") ? tag.substring(2) : tag;
    }
}
