package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The requested part and format of a job.
 *
 * @param from the index of the first line
 * @param limit the maximum number of lines
 * @param lines whether lines are included
 * @param raw whether formulas in CSV cells are not escaped
 * @param asGeneric whether the media type of a file is the generic one
 * @param since the position after which lines are included in the order in which they finished; null for the order of
 *     indexes
 * @param evaluation the compiled policy and expectations; null if none are requested, or before they are compiled
 * @param policyMissing whether the service no longer has the policy of the job
 */
record JobViewParameters(
        ResultFormat format,
        int from,
        int limit,
        boolean lines,
        boolean raw,
        boolean asGeneric,
        LineSelection selection,
        @Nullable SinceCursor since,
        @Nullable ResultEvaluation evaluation,
        boolean policyMissing) {
    /** Greater than the number of lines of any job. */
    private static final int ALL_LINES = 1 << 20;

    private static final String WEAK = "W/\"";

    /**
     * Returns the view of a request for the job. The types of the parameters are validated.
     *
     * @throws ProblemException if a parameter has an invalid value
     */
    static JobViewParameters ofJob(RoutingContext ctx, ResultFormat format) {
        HttpServerRequest request = ctx.request();
        String cursor = request.getParam("cursor");
        boolean lines = format != ResultFormat.JSON || !"false".equals(request.getParam("results"));
        SinceCursor since = since(ctx, format, lines);
        return new JobViewParameters(
                format,
                cursor == null ? 0 : LineCursor.line(cursor, ctx.pathParam("token")),
                limit(request, ALL_LINES),
                lines,
                format == ResultFormat.CSV && flag(request, "raw"),
                false,
                LineSelection.of(request),
                since,
                null,
                false);
    }

    private static @Nullable SinceCursor since(RoutingContext ctx, ResultFormat format, boolean lines) {
        HttpServerRequest request = ctx.request();
        String since = request.getParam("since");
        if (since == null) {
            return null;
        }
        String conflict = null;
        if (request.getParam("cursor") != null) {
            conflict = "cursor";
        } else if (!lines) {
            conflict = "results";
        } else if (format != ResultFormat.JSON && request.getParam("limit") != null) {
            // the next cursor is sent before the lines
            conflict = "limit";
        }
        if (conflict != null) {
            throw new ProblemException(Problem.invalidParameters(List.of(Problem.Fault.parameter(
                    conflict,
                    "cannot be combined with since"
                            + (conflict.equals("limit") ? " in CSV, NDJSON and XLSX. Remove " : ". Remove ")
                            + conflict
                            + " or since."))));
        }
        return SinceCursor.of(since, ctx.pathParam("token"));
    }

    /**
     * Returns the JSON view of a page of selected lines.
     *
     * @param token of the job
     * @param cursor of the previous page; null for the first page
     * @throws ProblemException if it is not a cursor of this job
     */
    static JobViewParameters ofPage(String token, @Nullable String cursor, int limit, LineSelection selection) {
        int from = cursor == null ? 0 : LineCursor.line(cursor, token);
        return new JobViewParameters(ResultFormat.JSON, from, limit, true, false, false, selection, null, null, false);
    }

    /** Returns the JSON view of a job from its first line, or without lines. */
    static JobViewParameters whole(boolean lines) {
        return new JobViewParameters(
                ResultFormat.JSON, 0, ALL_LINES, lines, false, false, LineSelection.ALL, null, null, false);
    }

    /** Returns the JSON view of all selected lines. */
    static JobViewParameters whole(LineSelection selection) {
        return new JobViewParameters(ResultFormat.JSON, 0, ALL_LINES, true, false, false, selection, null, null, false);
    }

    /** Returns the view of a request for a file with all selected lines. */
    static JobViewParameters wholeFile(RoutingContext ctx, ResultFormat format, LineSelection selection) {
        return file(ctx, format, selection, null);
    }

    /**
     * Returns the view of a request for a file.
     *
     * @throws ProblemException if a parameter has an invalid value
     */
    static JobViewParameters ofFile(RoutingContext ctx, ResultFormat format) {
        return file(ctx, format, LineSelection.of(ctx.request()), since(ctx, format, true));
    }

    private static JobViewParameters file(
            RoutingContext ctx, ResultFormat format, LineSelection selection, @Nullable SinceCursor since) {
        return new JobViewParameters(
                format,
                0,
                ALL_LINES,
                true,
                format == ResultFormat.CSV && flag(ctx.request(), "raw"),
                format.isGenericPreferred(ctx),
                selection,
                since,
                null,
                false);
    }

    /** Returns this view without lines. */
    JobViewParameters withoutLines() {
        return new JobViewParameters(
                format, from, limit, false, raw, asGeneric, selection, since, evaluation, policyMissing);
    }

    /** Returns this view with the lines after another position. */
    JobViewParameters startingAfter(SinceCursor position) {
        return new JobViewParameters(
                format, from, limit, lines, raw, asGeneric, selection, position, evaluation, policyMissing);
    }

    /** Returns this view of a job whose policy exists or not. */
    JobViewParameters withPolicyMissing(boolean missing) {
        return new JobViewParameters(format, from, limit, lines, raw, asGeneric, selection, since, evaluation, missing);
    }

    /** Returns this view of evaluated results; this view for null. */
    JobViewParameters evaluated(@Nullable ResultEvaluation compiled) {
        return compiled == null ? this : byResults(compiled);
    }

    /** Returns this view of lines whose verdicts are only in their results. */
    JobViewParameters byResults() {
        return byResults(evaluation);
    }

    private JobViewParameters byResults(@Nullable ResultEvaluation compiled) {
        return new JobViewParameters(
                format, from, limit, lines, raw, asGeneric, selection.byResults(), since, compiled, policyMissing);
    }

    /** Returns a source of the lines in this view. */
    LineStream.Source source(LineStream.Source stored) {
        return LineStream.evaluated(stored, evaluation);
    }

    /** Whether the response has the number of matching lines. It is not counted for each response with new lines. */
    boolean countsLines() {
        return format == ResultFormat.JSON && since == null;
    }

    /** Whether lines are read from the database. */
    boolean readsLines() {
        return lines || selection.readsResults();
    }

    String contentType() {
        return asGeneric ? format.genericType() : format.contentType();
    }

    /** Returns the entity tag of the view: weak, because it identifies a version, not bytes. */
    String etag(JobMessage.JobSnapshot job) {
        return WEAK + job.version() + suffix();
    }

    /**
     * Returns the entity tag that this view will have with an evaluation.
     *
     * @param evaluationSuffix the {@link ResultEvaluation#suffix}; empty for none
     */
    String etag(JobMessage.JobSnapshot job, String evaluationSuffix) {
        JobViewParameters evaluated = evaluationSuffix.isEmpty() ? this : byResults();
        return WEAK + job.version() + evaluated.suffix(evaluationSuffix);
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
        return suffix(ResultEvaluation.suffix(evaluation));
    }

    private String suffix(String evaluationSuffix) {
        String page = lines ? "-" + (since == null ? from : "since" + since) + "-" + limit : "";
        return "-" + format.id() + page + (raw ? "-raw" : "") + selection.tag() + evaluationSuffix
                + (policyMissing ? "-missing" : "") + '"';
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
