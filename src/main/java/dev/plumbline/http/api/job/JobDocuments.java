package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.portfolio.LineChange.Kind;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The JSON documents of the job operations, for responses that contain them. A document is held in memory, so it has a
 * size limit. Rejections are failed futures with a {@link ProblemException}.
 */
public final class JobDocuments {
    /** A document over this size is rejected, in bytes. */
    static final int MAX_BYTES = 512 << 10;

    /** The memory of a document with lines: the document, its copies in the response, and a page of lines. */
    private static final long DOCUMENT_BYTES = 4L << 20;

    private final ModuleCatalogue modules;
    private final CreateJobOperation creation;
    private final JobClient jobs;
    private final JobJson json;
    private final JobResponses responses;
    private final JobLongPolls longPolls;
    private final LinePlanner planner;
    private final PortfolioReader portfolio;

    JobDocuments(
            ModuleCatalogue modules,
            CreateJobOperation creation,
            JobClient jobs,
            JobJson json,
            JobResponses responses,
            JobLongPolls longPolls,
            PortfolioReader portfolio) {
        this.modules = modules;
        this.creation = creation;
        this.jobs = jobs;
        this.json = json;
        this.responses = responses;
        this.longPolls = longPolls;
        this.planner = new LinePlanner(jobs);
        this.portfolio = portfolio;
    }

    /**
     * Creates a job, and sets the rate limit headers of the response.
     *
     * @param request the job as JSON
     * @return the job without its lines
     */
    public Future<Buffer> create(RoutingContext ctx, ApiCaller caller, Buffer request) {
        return creation.parse(request, false)
                .compose(parsed -> creation.create(ctx, caller, null, parsed))
                .map(created -> {
                    RateLimitHeaders.write(ctx.response(), created.quotas());
                    return withoutLines(created.job());
                });
    }

    /**
     * Lists the jobs of the account without their lines, newest first.
     *
     * @param cursor of the previous page; null for the first page
     */
    public Future<Buffer> list(ApiCaller caller, int limit, @Nullable String cursor) {
        return jobs.list(caller.accountId(), limit, cursor)
                .map(page -> json.list(page.jobs(), page.next()))
                .compose(list -> list.length() > MAX_BYTES
                        ? ProblemException.failed(tooLarge("Use a smaller limit."))
                        : Future.succeededFuture(list));
    }

    /**
     * Reads a job without its lines. Waits until it is finished, at most the given time.
     *
     * @param waitSeconds limited as in {@code Prefer: wait}; 0 to return the current state
     */
    public Future<Buffer> read(RoutingContext ctx, ApiCaller caller, String token, int waitSeconds) {
        int seconds = longPolls.seconds(waitSeconds);
        return jobs.read(caller.accountId(), token)
                .compose(job -> seconds > 0 && !job.state().isFinal() && longPolls.acquire(caller)
                        ? longPolls.await(ctx, caller, token, JobLongPolls.UNTIL_FINAL, seconds)
                        : Future.succeededFuture(job))
                .map(this::withoutLines);
    }

    private Buffer withoutLines(JobMessage.JobSnapshot job) {
        return json.summary(job, job.total());
    }

    /**
     * Reads a page of the lines of a job.
     *
     * @param cursor of the previous page; null for the first page
     * @param policy without it, the default policy of the job is applied
     */
    public Future<Buffer> results(
            RoutingContext ctx,
            ApiCaller caller,
            String token,
            LineSelection selection,
            @Nullable String cursor,
            int limit,
            PolicyParameters policy) {
        return selected(caller, token, selection)
                .compose(job -> responses.evaluation(ctx, job, policy).compose(evaluation -> {
                    JobViewParameters view = JobViewParameters.ofPage(token, cursor, limit, selection)
                            .evaluated(evaluation);
                    if (view.from() >= job.total()) {
                        return ProblemException.failed(PageCursor.invalid());
                    }
                    return planner.plan(job, view)
                            .compose(lines -> withMemory(
                                    caller,
                                    responses.rows(job, view, new LinePage(job, view, lines), jobs.lines(job))));
                }));
    }

    /**
     * Summarizes a job.
     *
     * @param policy as in {@link #results}
     */
    public Future<Buffer> summary(
            RoutingContext ctx, ApiCaller caller, String token, LineSelection selection, PolicyParameters policy) {
        return selected(caller, token, selection).compose(job -> responses
                .evaluation(ctx, job, policy)
                .compose(evaluation -> portfolio.summary(caller.accountId(), job, selection.lineFilter(), evaluation))
                .map(summary -> SummarizeJobOperation.json(job, summary)));
    }

    /**
     * Reads a page of the changes between two jobs.
     *
     * @param against the token of the earlier job
     * @param change the kinds of changes, separated by commas; empty for the default
     * @param withVolatile whether changes contain volatile fields
     * @param cursor of the previous page; null for the first page
     * @param policy as in {@link #results}, for both jobs
     */
    public Future<Buffer> comparison(
            RoutingContext ctx,
            ApiCaller caller,
            String token,
            String against,
            String change,
            boolean withVolatile,
            @Nullable String cursor,
            int limit,
            PolicyParameters policy) {
        List<Problem.Fault> faults = new ArrayList<>();
        Set<Kind> kinds = ChangeKinds.parse(change, faults);
        if (!faults.isEmpty()) {
            return ProblemException.failed(Problem.invalidParameters(faults));
        }
        int from = cursor == null ? 0 : ComparisonCursor.row(cursor, token, against);
        ComparisonView view =
                new ComparisonView(ResultFormat.JSON, against, kinds, withVolatile, from, limit, false, false, false);
        long account = caller.accountId();
        return jobs.read(account, token)
                .compose(job -> portfolio.against(account, job, against).compose(earlier -> responses
                        .evaluation(ctx, job, policy)
                        .compose(evaluation -> portfolio.compare(account, job, earlier, withVolatile, evaluation))))
                .compose(comparison -> from > 0 && from >= comparison.size()
                        ? ProblemException.failed(PageCursor.invalid())
                        : withMemory(caller, portfolio.rows(account, comparison, view)));
    }

    private Future<JobMessage.JobSnapshot> selected(ApiCaller caller, String token, LineSelection selection) {
        return jobs.read(caller.accountId(), token).compose(job -> {
            List<Problem.Fault> faults = selection.faults(job.module(), modules.description(job.module()));
            return faults.isEmpty()
                    ? Future.succeededFuture(job)
                    : ProblemException.failed(Problem.invalidParameters(faults));
        });
    }

    private <T> Future<Buffer> withMemory(ApiCaller caller, BodyStream.Rows<T> rows) {
        return responses
                .withReaderMemory(caller.accountId(), DOCUMENT_BYTES, DOCUMENT_BYTES, memory -> document(rows))
                .onComplete(end -> rows.close());
    }

    private static <T> Future<Buffer> document(BodyStream.Rows<T> rows) {
        Buffer out = Buffer.buffer();
        rows.begin(out);
        return ContextFutures.repeat(rows::hasNext, () -> rows.next().compose(page -> {
                    page.forEach(row -> rows.write(out, row));
                    return out.length() > MAX_BYTES
                            ? ProblemException.failed(tooLarge("Use a smaller limit, or select fields or lines."))
                            : Future.succeededFuture();
                }))
                .map(read -> {
                    rows.end(out);
                    return out;
                });
    }

    private static Problem tooLarge(String action) {
        return Problem.of(
                422,
                "result-too-large",
                "Result too large",
                String.format(Locale.ROOT, "The result has more than %,d bytes. %s", MAX_BYTES, action));
    }
}
