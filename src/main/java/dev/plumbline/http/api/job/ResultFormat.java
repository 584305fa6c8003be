package dev.plumbline.http.api.job;

import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The formats of job results. The first is the default. */
enum ResultFormat {
    JSON("json", "application", "json", "application/json"),
    CSV("csv", "text", "csv", "text/csv; charset=utf-8; header=present"),
    NDJSON("ndjson", "application", "x-ndjson", "application/x-ndjson");

    private final String id;
    private final String type;
    private final String subtype;
    private final String contentType;

    ResultFormat(String id, String type, String subtype, String contentType) {
        this.id = id;
        this.type = type;
        this.subtype = subtype;
        this.contentType = contentType;
    }

    /** The value of {@code ?format=} and the file extension. */
    String id() {
        return id;
    }

    String contentType() {
        return contentType;
    }

    /**
     * Returns the format requested by {@code ?format=} or the Accept header; null if not supported.
     */
    static @Nullable ResultFormat requested(RoutingContext ctx) {
        String named = ctx.request().getParam("format");
        if (named == null) {
            return accepted(ctx, values());
        }
        for (ResultFormat format : values()) {
            if (format.id.equals(named)) {
                return format;
            }
        }
        return null;
    }

    /**
     * Returns the format with the highest weight in the Accept header (RFC 9110, 12.5.1); null if
     * none is acceptable.
     */
    static @Nullable ResultFormat accepted(RoutingContext ctx, ResultFormat... offered) {
        List<MIMEHeader> ranges = ctx.parsedHeaders().accept();
        ResultFormat best = null;
        float max = 0;
        for (ResultFormat format : offered) {
            float weight = ranges.isEmpty() ? 1 : format.weight(ranges);
            if (weight > max) {
                max = weight;
                best = format;
            }
        }
        return best;
    }

    /** Returns the weight of the most specific matching range; 0 if none matches. */
    private float weight(List<MIMEHeader> ranges) {
        float weight = 0;
        int max = 0;
        for (MIMEHeader range : ranges) {
            int specificity = specificity(range);
            if (specificity > max) {
                max = specificity;
                weight = range.weight();
            }
        }
        return weight;
    }

    private int specificity(MIMEHeader range) {
        if (range.component().equals("*")) {
            return 1;
        }
        if (!range.component().equalsIgnoreCase(type)) {
            return 0;
        }
        if (range.subComponent().equals("*")) {
            return 2;
        }
        return range.subComponent().equalsIgnoreCase(subtype) ? 3 : 0;
    }
}
