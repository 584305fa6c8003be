package dev.plumbline.http.api.job;

import com.google.common.hash.Hashing;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.portfolio.LineChange.Kind;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The requested part and format of a comparison.
 *
 * @param against the token of the earlier job
 * @param kinds the kinds of changes in the response
 * @param withVolatile whether changes contain volatile fields
 * @param from the first row
 * @param limit the maximum number of changes
 * @param file whether the response is a file
 * @param raw whether formulas in CSV cells are not escaped
 * @param asGeneric whether the media type of a file is the generic one
 */
record ComparisonView(
        ResultFormat format,
        String against,
        Set<Kind> kinds,
        boolean withVolatile,
        int from,
        int limit,
        boolean file,
        boolean raw,
        boolean asGeneric) {
    private static final int DEFAULT_LIMIT = 500;

    /**
     * Returns the view of a request. The types of the parameters are validated.
     *
     * @throws ProblemException if a parameter has an invalid value
     */
    static ComparisonView of(RoutingContext ctx, ResultFormat format) {
        HttpServerRequest request = ctx.request();
        boolean file = format != ResultFormat.JSON;
        String against = request.getParam("against");
        String cursor = file ? null : request.getParam("cursor");
        return new ComparisonView(
                format,
                against,
                kinds(request),
                "true".equals(request.getParam("volatile")),
                cursor == null ? 0 : ComparisonCursor.row(cursor, ctx.pathParam("token"), against),
                file ? Integer.MAX_VALUE : JobViewParameters.limit(request, DEFAULT_LIMIT),
                file,
                isRaw(request, format),
                file && format.isGenericPreferred(ctx));
    }

    /** Returns the view of a request for a file with all changes of these kinds. */
    static ComparisonView wholeFile(
            RoutingContext ctx, ResultFormat format, String against, Set<Kind> kinds, boolean withVolatile) {
        return new ComparisonView(
                format,
                against,
                kinds,
                withVolatile,
                0,
                Integer.MAX_VALUE,
                true,
                isRaw(ctx.request(), format),
                format.isGenericPreferred(ctx));
    }

    private static boolean isRaw(HttpServerRequest request, ResultFormat format) {
        return format == ResultFormat.CSV && "true".equals(request.getParam("raw"));
    }

    private static Set<Kind> kinds(HttpServerRequest request) {
        List<Problem.Fault> faults = new ArrayList<>();
        Set<Kind> kinds = ChangeKinds.parse(request.getParam("change", ""), faults);
        if (!faults.isEmpty()) {
            throw new ProblemException(Problem.invalidParameters(faults));
        }
        return kinds;
    }

    String contentType() {
        return asGeneric ? format.genericType() : format.contentType();
    }

    /**
     * Returns the entity tag of the view: weak, because it identifies versions, not bytes.
     *
     * @param evaluationSuffix the {@link dev.plumbline.http.api.policy.ResultEvaluation#suffix}; empty for none
     */
    String etag(JobMessage.JobSnapshot job, JobMessage.JobSnapshot earlier, String evaluationSuffix) {
        String view = List.of(format, earlier.token(), kinds, withVolatile, from, limit, raw, evaluationSuffix)
                .toString();
        return "W/\"%d-%d-diff-%s\""
                .formatted(
                        job.version(),
                        earlier.version(),
                        Hashing.sha256()
                                .hashString(view, StandardCharsets.UTF_8)
                                .toString()
                                .substring(0, 32));
    }
}
