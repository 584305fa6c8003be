package dev.plumbline.http.api.job;

import dev.plumbline.http.api.ContentNegotiation;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** The formats of job results. The first is the default. */
public enum ResultFormat {
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

    /** Returns the format requested by {@code ?format=} or the Accept header; null if not supported. */
    static @Nullable ResultFormat requested(RoutingContext ctx) {
        String name = ctx.request().getParam("format");
        if (name == null) {
            return accepted(ctx, values());
        }
        for (ResultFormat format : values()) {
            if (format.id.equals(name)) {
                return format;
            }
        }
        return null;
    }

    /**
     * Returns the format with the highest weight in the Accept header (RFC 9110, 12.5.1); null if none is acceptable.
     */
    static @Nullable ResultFormat accepted(RoutingContext ctx, ResultFormat... offered) {
        ResultFormat best = null;
        float max = 0;
        for (ResultFormat format : offered) {
            float weight = ContentNegotiation.weight(ctx, format.type, format.subtype);
            if (weight > max) {
                max = weight;
                best = format;
            }
        }
        return best;
    }
}
