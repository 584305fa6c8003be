package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * The requested part and format of a job.
 *
 * @param from the index of the first line
 * @param limit the maximum number of lines
 * @param lines whether lines are included
 * @param raw whether formulas in CSV cells are not escaped
 * @param asText whether the media type of a file is {@code text/plain}
 */
record JobViewParameters(ResultFormat format, int from, int limit, boolean lines, boolean raw, boolean asText) {
    /** Greater than the number of lines of any job. */
    private static final int ALL_LINES = 1 << 20;

    private static final String WEAK = "W/\"";

    /**
     * Returns the view of a request for the job. The parameters are validated, except the cursor.
     *
     * @throws IllegalArgumentException if the cursor is not valid
     */
    static JobViewParameters ofJob(RoutingContext ctx, ResultFormat format) {
        HttpServerRequest request = ctx.request();
        String cursor = request.getParam("cursor");
        int from = cursor == null ? 0 : PageCursor.line(cursor);
        if (from >= ALL_LINES) {
            throw new IllegalArgumentException("cursor after the last line");
        }
        return new JobViewParameters(
                format,
                from,
                limit(request, ALL_LINES),
                format != ResultFormat.JSON || !"false".equals(request.getParam("results")),
                format == ResultFormat.CSV && flag(request, "raw"),
                false);
    }

    /** Returns the JSON view of a job from its first line, or without lines. */
    static JobViewParameters whole(boolean lines) {
        return new JobViewParameters(ResultFormat.JSON, 0, ALL_LINES, lines, false, false);
    }

    /** Returns this view without lines. */
    JobViewParameters withoutLines() {
        return new JobViewParameters(format, from, limit, false, raw, asText);
    }

    static JobViewParameters ofFile(RoutingContext ctx, ResultFormat format) {
        return new JobViewParameters(
                format,
                0,
                ALL_LINES,
                true,
                format == ResultFormat.CSV && flag(ctx.request(), "raw"),
                format.isTextPreferred(ctx));
    }

    String contentType() {
        return asText ? ResultFormat.TEXT : format.contentType();
    }

    /** Returns the index after the last line of the view. */
    int to(JobMessage.JobSnapshot job) {
        return Math.min(job.total(), from + limit);
    }

    /** Returns the cursor of the next page; null on the last page. */
    @Nullable
    String nextCursor(JobMessage.JobSnapshot job) {
        return to(job) < job.total() ? PageCursor.fromLine(to(job)) : null;
    }

    /** Returns the entity tag of the view: weak, because it identifies a version, not bytes. */
    String etag(JobMessage.JobSnapshot job) {
        return WEAK + job.version() + suffix();
    }

    /**
     * Returns the newest version in If-None-Match for this view; -1 if there is none.
     *
     * @param condition the value of the header
     */
    long versionOf(String condition) {
        long newest = -1;
        for (String tag : condition.split(",", -1)) {
            String plain = tag.strip();
            if (plain.startsWith(WEAK) && plain.endsWith(suffix())) {
                String version = plain.substring(WEAK.length(), plain.length() - suffix().length());
                if (version.matches("[0-9]{1,18}")) {
                    newest = Math.max(newest, Long.parseLong(version));
                }
            }
        }
        return newest;
    }

    private String suffix() {
        String page = lines ? "-" + from + "-" + limit : "";
        return "-" + format.id() + page + (raw ? "-raw" : "") + '"';
    }

    /** Returns the validated parameter {@code limit}. */
    static int limit(HttpServerRequest request, int defaultLimit) {
        String limit = request.getParam("limit");
        return limit == null ? defaultLimit : Integer.parseInt(limit);
    }

    private static boolean flag(HttpServerRequest request, String name) {
        return "true".equals(request.getParam(name));
    }
}
