package dev.plumbline.http.api.job;

import io.vertx.ext.web.MIMEHeader;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a job's results can be had as. Where a client has no preference, the first is right. */
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

    /** Its name in {@code ?format=}, and the ending of its files. */
    String id() {
        return id;
    }

    String contentType() {
        return contentType;
    }

    /** What a request for a job wants, by {@code ?format=} or else by Accept; null: none of them. */
    static @Nullable ResultFormat wanted(RoutingContext ctx) {
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

    /** The one of these that the Accept header likes best (RFC 9110, 12.5.1); null: none. */
    static @Nullable ResultFormat accepted(RoutingContext ctx, ResultFormat... offered) {
        List<MIMEHeader> ranges = ctx.parsedHeaders().accept();
        ResultFormat best = null;
        float most = 0;
        for (ResultFormat format : offered) {
            float weight = ranges.isEmpty() ? 1 : format.weight(ranges);
            if (weight > most) {
                most = weight;
                best = format;
            }
        }
        return best;
    }

    /** The weight of the most specific range that it falls in; 0 when it falls in none. */
    private float weight(List<MIMEHeader> ranges) {
        float weight = 0;
        int closest = 0;
        for (MIMEHeader range : ranges) {
            int close = closeness(range);
            if (close > closest) {
                closest = close;
                weight = range.weight();
            }
        }
        return weight;
    }

    private int closeness(MIMEHeader range) {
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
