package dev.plumbline.http.api.job;

import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.problem.Problem;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/** The formats of job results. The first is the default. */
public enum ResultFormat {
    JSON("json", "application", "json", "application/json"),
    CSV("csv", "text", "csv", "text/csv; charset=utf-8; header=present"),
    NDJSON("ndjson", "application", "x-ndjson", "application/x-ndjson"),
    XLSX(
            "xlsx",
            "application",
            "vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet");

    /** The media type of text files for clients that support no other one. */
    static final String TEXT = "text/plain; charset=utf-8";

    private static final String BINARY = "application/octet-stream";

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

    /** Returns the format of a text file with this extension; null if there is none. */
    public static @Nullable ResultFormat ofFile(String extension) {
        for (ResultFormat format : values()) {
            if (format != JSON && format != XLSX && format.id.equals(extension)) {
                return format;
            }
        }
        return null;
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

    /** Returns the problem of a request for this format whose Accept header does not allow it. */
    Problem notAcceptable() {
        return Problem.of(
                406,
                "not-acceptable",
                "Not acceptable",
                "The Accept header excludes " + contentType + ", the media type of this "
                        + (this == JSON ? "response." : "file."));
    }

    /** The media type of a file for clients that do not support that of this format. */
    String genericType() {
        return this == XLSX ? BINARY : TEXT;
    }

    /**
     * Whether the Accept header lists the generic media type, without a wildcard, and does not prefer that of this
     * format. Some generated clients list all media types of the contract and process only the generic ones.
     */
    boolean isGenericPreferred(RoutingContext ctx) {
        float generic = this == XLSX
                ? ContentNegotiation.listedWeight(ctx, "application", "octet-stream")
                : ContentNegotiation.listedWeight(ctx, "text", "plain");
        return generic > 0 && generic >= ContentNegotiation.weight(ctx, type, subtype);
    }

    /**
     * Returns this format if the Accept header allows it or the generic media type; otherwise null. Some generated
     * clients send only the declared JSON type, here that of problem documents.
     */
    @Nullable
    ResultFormat ifAccepted(RoutingContext ctx) {
        boolean problem = ContentNegotiation.listedWeight(ctx, "application", "problem+json") > 0;
        return problem || isGenericPreferred(ctx) ? this : accepted(ctx, this);
    }

    /**
     * Returns the format with the highest weight in the Accept header (RFC 9110, 12.5.1); null if none is acceptable.
     */
    private static @Nullable ResultFormat accepted(RoutingContext ctx, ResultFormat... offered) {
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
