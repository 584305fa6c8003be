package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import org.jspecify.annotations.Nullable;

/**
 * What of a job is shown, and how.
 *
 * @param from index of the first line
 * @param limit lines at most
 * @param lines whether lines are shown at all
 * @param raw whether CSV cells are left as they are
 */
record JobViewParameters(ResultFormat format, int from, int limit, boolean lines, boolean raw) {
    static final int MOST_LINES = 500;

    private static final String WEAK = "W/\"";

    /**
     * What a request for the job itself asks for. Its parameters were found valid but for the cursor.
     *
     * @throws IllegalArgumentException when the cursor is none
     */
    static JobViewParameters ofJob(RoutingContext ctx, ResultFormat format) {
        HttpServerRequest request = ctx.request();
        String cursor = request.getParam("cursor");
        int from = cursor == null ? 0 : PageCursor.line(cursor);
        if (from >= MOST_LINES) {
            throw new IllegalArgumentException("behind the last line that there can be");
        }
        return new JobViewParameters(
                format,
                from,
                limit(request, MOST_LINES),
                format != ResultFormat.JSON || !"false".equals(request.getParam("results")),
                format == ResultFormat.CSV && flag(request, "raw"));
    }

    /** A job from its first line on, as JSON, or without its lines. */
    static JobViewParameters whole(boolean lines) {
        return new JobViewParameters(ResultFormat.JSON, 0, MOST_LINES, lines, false);
    }

    /** All lines, as a file. */
    static JobViewParameters ofFile(RoutingContext ctx, ResultFormat format) {
        return new JobViewParameters(
                format, 0, MOST_LINES, true, format == ResultFormat.CSV && flag(ctx.request(), "raw"));
    }

    /** Index behind the last line that is shown. */
    int to(JobMessage.JobSnapshot job) {
        return Math.min(job.total(), from + limit);
    }

    /** Where the lines go on; null when none are left. */
    @Nullable
    String nextCursor(JobMessage.JobSnapshot job) {
        return to(job) < job.total() ? PageCursor.fromLine(to(job)) : null;
    }

    /** The entity tag of this view of a job: weak, since it stands for a version, not for bytes. */
    String etag(JobMessage.JobSnapshot job) {
        return WEAK + job.version() + suffix();
    }

    /**
     * The newest version that a client has this view of, by its If-None-Match; -1 for none.
     *
     * @param condition the header's value
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

    /** How many things a page may have; found valid, so that it is a number. */
    static int limit(HttpServerRequest request, int usual) {
        String limit = request.getParam("limit");
        return limit == null ? usual : Integer.parseInt(limit);
    }

    private static boolean flag(HttpServerRequest request, String name) {
        return "true".equals(request.getParam(name));
    }
}
