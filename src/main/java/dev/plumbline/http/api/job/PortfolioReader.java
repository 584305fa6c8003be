package dev.plumbline.http.api.job;

import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.NextLink;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.portfolio.ChangeCounts;
import dev.plumbline.portfolio.LineChange;
import dev.plumbline.portfolio.LineChange.Kind;
import dev.plumbline.portfolio.LineComparison;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioLine;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.PrintableText;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Summarizes and compares jobs, and sends comparisons. It reads a page of lines at a time, with memory from the budget
 * of the node. Lines are parsed on worker threads, for one account after the other. Rejections are failed futures with
 * a {@link ProblemException}: status 503 if the memory is exhausted.
 */
public final class PortfolioReader {
    /** A page of lines, the largest parsed result, and the summary without its values. */
    private static final long SUMMARY_BYTES = 2L << 20;

    /** With the values of a summary. */
    private static final long MAX_SUMMARY_BYTES = 64L << 20;

    /** A page of lines of each job, their largest parsed results, and the text of the changes. */
    private static final long COMPARISON_BYTES = 4L << 20;

    private static final int MAX_SHOWN = 64;

    private final ModuleCatalogue modules;
    private final JobClient jobs;
    private final JobResponses responses;
    private final WorkerLimit workers;

    /** @param workers the threads that parse lines */
    PortfolioReader(ModuleCatalogue modules, JobClient jobs, JobResponses responses, WorkerLimit workers) {
        this.modules = modules;
        this.jobs = jobs;
        this.responses = responses;
        this.workers = workers;
    }

    /**
     * Summarizes a job at its version.
     *
     * @param account the account that reads the job
     * @param evaluation is applied to the results; null for none
     */
    public Future<PortfolioSummary> summary(
            long account, JobMessage.JobSnapshot job, LineFilter filter, @Nullable ResultEvaluation evaluation) {
        return summary(JobResponses.reader(account), job, LineStream.evaluated(jobs.lines(job), evaluation), filter);
    }

    /**
     * Summarizes a copy of a job, whose lines another source has.
     *
     * @param client the client whose share of the memory is used
     */
    public Future<PortfolioSummary> summaryOfCopy(
            String client, JobMessage.JobSnapshot job, PageJobService.CopiedLines source) {
        return summary(client, job, source::read, LineFilter.NONE);
    }

    private Future<PortfolioSummary> summary(
            String client, JobMessage.JobSnapshot job, LineStream.Source source, LineFilter filter) {
        ModuleDescription module = module(job);
        if (module == null) {
            return ProblemException.failed(noModule(job));
        }
        PortfolioSummary summary = new PortfolioSummary(
                module,
                modules.parts(job.module()).stream().map(CompositePart::module).toList(),
                filter);
        return responses.withMemory(client, SUMMARY_BYTES, MAX_SUMMARY_BYTES, memory -> {
            SummaryReader reader = new SummaryReader(client, job, source, summary, memory);
            return ContextFutures.repeat(reader.lines::hasNext, reader::next).map(summary);
        });
    }

    /** Adds the lines of a job to a summary. Not thread-safe. */
    private final class SummaryReader {
        private final String client;
        private final JobMessage.JobSnapshot job;
        private final PortfolioSummary summary;
        private final MemoryHolder memory;
        private final LineReadAhead lines;
        private long reserved;

        SummaryReader(
                String client,
                JobMessage.JobSnapshot job,
                LineStream.Source source,
                PortfolioSummary summary,
                MemoryHolder memory) {
            this.client = client;
            this.job = job;
            this.summary = summary;
            this.memory = memory;
            this.lines = new LineReadAhead(source, indexes(job));
        }

        Future<Void> next() {
            return lines.next()
                    .compose(page -> run(client, () -> page.forEach(this::add)))
                    .compose(added -> reserve());
        }

        private void add(JobMessage.ResultLine line) {
            summary.add(PortfolioLine.parse(JobJson.line(job, line, List.of())));
        }

        private Future<Void> reserve() {
            long grown = summary.bytes() - reserved;
            if (grown <= 0) {
                return Future.succeededFuture();
            }
            reserved += grown;
            return responses.reserve(memory, grown);
        }
    }

    /**
     * Reads the job with which a job is compared. Fails with a problem that names the parameter {@code against}: status
     * 404 if the account does not have the job, and 422 if it has another module.
     *
     * @param token of the earlier job
     */
    public Future<JobMessage.JobSnapshot> against(long account, JobMessage.JobSnapshot job, String token) {
        if (token.equals(job.token())) {
            return Future.succeededFuture(job);
        }
        return jobs.read(account, token)
                .recover(failure -> failure instanceof ProblemException rejection
                        ? ProblemException.failed(ofAgainst(rejection.problem(), token))
                        : Future.failedFuture(failure))
                .compose(against -> against.module().equals(job.module())
                        ? Future.succeededFuture(against)
                        : ProblemException.failed(otherModule(job, against)));
    }

    private static Problem ofAgainst(Problem problem, String token) {
        String shown = PrintableText.shorten(token, MAX_SHOWN);
        return switch (problem.status()) {
            case 404 ->
                problem.withDetail("Parameter against: your account does not have a job with the token '" + shown
                                + "'. GET /api/v1/jobs lists your jobs.")
                        .withFaults(List.of(Problem.Fault.parameter(
                                "against", "'" + shown + "' is not the token of a job of your account")));
            case 410 ->
                problem.withDetail("Parameter against: the results of the job '" + shown
                                + "' have expired and were deleted. Compare with a later job.")
                        .withFaults(List.of(Problem.Fault.parameter(
                                "against", "the results of the job '" + shown + "' were deleted")));
            default -> problem;
        };
    }

    private static Problem otherModule(JobMessage.JobSnapshot job, JobMessage.JobSnapshot against) {
        return Problem.invalidParameters(List.of(Problem.Fault.parameter(
                "against",
                "the module of the job %s is %s, not %s. Compare jobs of the same module."
                        .formatted(against.token(), against.module(), job.module()))));
    }

    /**
     * Matches the lines of two jobs of the same module.
     *
     * @param job the later job
     * @param withVolatile whether changes contain volatile fields
     * @param evaluation is applied to the results of both jobs; null for none
     */
    public Future<JobComparison> compare(
            long account,
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against,
            boolean withVolatile,
            @Nullable ResultEvaluation evaluation) {
        ModuleDescription module = module(job);
        if (module == null) {
            return ProblemException.failed(noModule(job));
        }
        return responses.withReaderMemory(account, COMPARISON_BYTES, COMPARISON_BYTES, memory -> {
            List<String> inputs = new ArrayList<>();
            List<String> againstInputs = new ArrayList<>();
            return readInputs(job, inputs)
                    .compose(read -> readInputs(against, againstInputs))
                    .compose(read -> workers.executeBlocking(
                            JobResponses.reader(account),
                            () -> JobComparison.of(
                                    new LineComparison(module, withVolatile),
                                    job,
                                    inputs,
                                    against,
                                    againstInputs,
                                    evaluation)));
        });
    }

    private Future<Void> readInputs(JobMessage.JobSnapshot job, List<String> inputs) {
        LineReadAhead lines = new LineReadAhead(jobs.inputs(job), indexes(job));
        return ContextFutures.repeat(lines::hasNext, () -> lines.next().map(page -> {
            page.forEach(line -> inputs.add(line.input()));
            return null;
        }));
    }

    /**
     * A page of the changes between two jobs.
     *
     * @param counts of all changes
     * @param next the first row of the next page; null on the last page
     */
    public record Changes<T>(ChangeCounts counts, List<T> rows, @Nullable Integer next) {}

    /**
     * Reads a page of the changes between two jobs. All lines are compared, because they are counted.
     *
     * @param kinds the kinds of changes on the page
     * @param from the first row
     * @param limit the maximum number of changes on the page
     * @param row returns what the page needs of a change; called on a worker thread
     */
    public <T> Future<Changes<T>> changes(
            long account, JobComparison comparison, Set<Kind> kinds, int from, int limit, Function<LineChange, T> row) {
        ChangePage page = new ChangePage(kinds, from, limit);
        List<T> rows = new ArrayList<>();
        return withComparisonMemory(account, () -> {
            ChangeReader reader = reader(account, comparison);
            return ContextFutures.repeat(
                            reader::hasNext,
                            () -> reader.next((change, position) -> {
                                if (page.accept(change, position)) {
                                    rows.add(row.apply(change));
                                }
                                return true;
                            }))
                    .map(read -> new Changes<>(page.counts(), rows, page.next()));
        });
    }

    /**
     * Sends all changes of some kinds between two jobs as a file.
     *
     * @param format not {@link ResultFormat#XLSX}
     * @param job the later job
     * @param withVolatile whether changes contain volatile fields
     * @param evaluation is applied to the results of both jobs; null for none
     */
    public void sendFile(
            RoutingContext ctx,
            long account,
            ResultFormat format,
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against,
            Set<Kind> kinds,
            boolean withVolatile,
            @Nullable ResultEvaluation evaluation) {
        send(
                ctx,
                account,
                ComparisonView.wholeFile(ctx, format, against.token(), kinds, withVolatile),
                job,
                against,
                evaluation);
    }

    /**
     * Sends the changes between two jobs.
     *
     * @param job the later job
     * @param evaluation is applied to the results of both jobs; null for none
     */
    void send(
            RoutingContext ctx,
            long account,
            ComparisonView view,
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against,
            @Nullable ResultEvaluation evaluation) {
        String suffix = ResultEvaluation.suffix(evaluation);
        if (!sendNotModified(ctx, view, job, against, suffix)) {
            RequestFutures.handle(
                    ctx,
                    compare(account, job, against, view.withVolatile(), evaluation),
                    comparison ->
                            send(ctx, account, view, comparison, () -> setHeaders(ctx, view, job, against, suffix)));
        }
    }

    /**
     * Sends 304 if the client has the entity.
     *
     * @param suffix the {@link ResultEvaluation#suffix}; empty for none
     */
    boolean sendNotModified(
            RoutingContext ctx,
            ComparisonView view,
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against,
            String suffix) {
        return JobResponses.sendNotModified(
                ctx, view.etag(job, against, suffix), () -> setHeaders(ctx, view, job, against, suffix));
    }

    private static void setHeaders(
            RoutingContext ctx,
            ComparisonView view,
            JobMessage.JobSnapshot job,
            JobMessage.JobSnapshot against,
            String suffix) {
        ctx.response().putHeader("ETag", view.etag(job, against, suffix));
        JobResponses.setRetryAfter(ctx.response(), job.state().isFinal() ? against : job);
    }

    private void send(
            RoutingContext ctx, long account, ComparisonView view, JobComparison comparison, Runnable headers) {
        if (ctx.response().closed()) {
            return;
        }
        if (view.from() > 0 && view.from() >= comparison.size()) {
            ctx.fail(new ProblemException(PageCursor.invalid()));
            return;
        }
        RequestFutures.handle(
                ctx,
                find(account, comparison, view),
                page -> send(ctx, account, view, comparison, comparison.cursor(page.next()), headers));
    }

    /**
     * Finds the start of the next page, if there can be one: the link to it precedes the changes. The lines up to it
     * are not kept, but read again, because they can be larger than the memory of a reader.
     */
    private Future<ChangePage> find(long account, JobComparison comparison, ComparisonView view) {
        ChangePage page = new ChangePage(view.kinds(), view.from(), view.limit());
        if (view.limit() >= comparison.size() - view.from()) {
            return Future.succeededFuture(page);
        }
        return withComparisonMemory(account, () -> {
            ChangeReader reader = reader(account, comparison);
            return ContextFutures.repeat(
                            () -> page.next() == null && reader.hasNext(),
                            () -> reader.next((change, row) -> {
                                page.accept(change, row);
                                return page.next() == null;
                            }))
                    .onComplete(read -> reader.close())
                    .map(read -> page);
        });
    }

    private void send(
            RoutingContext ctx,
            long account,
            ComparisonView view,
            JobComparison comparison,
            @Nullable String nextCursor,
            Runnable headers) {
        if (ctx.response().closed()) {
            return;
        }
        Runnable head = () -> {
            JobResponses.setHeaders(ctx);
            ctx.response().putHeader("Content-Type", view.contentType());
            if (view.file()) {
                JobResponses.setFileName(
                        ctx.response(),
                        comparison.job().token() + "-diff." + view.format().id());
            }
            NextLink.write(ctx, responses.location(comparison.job().token()) + "/diff", "cursor", nextCursor);
            headers.run();
        };
        if (ResponseBodies.headOnly(ctx)) {
            // the length of a streamed body is unknown
            head.run();
            ctx.response().end();
            return;
        }
        withComparisonMemory(account, () -> responses.stream(ctx, rows(account, comparison, view), head))
                .onFailure(ctx::fail);
    }

    /** The changes of a comparison in the requested view. */
    ChangeStream rows(long account, JobComparison comparison, ComparisonView view) {
        return new ChangeStream(comparison, reader(account, comparison), view);
    }

    /** Runs a reader of changes with memory for it. */
    private <T extends @Nullable Object> Future<T> withComparisonMemory(long account, Supplier<Future<T>> read) {
        return responses.withReaderMemory(account, COMPARISON_BYTES, COMPARISON_BYTES, memory -> read.get());
    }

    private ChangeReader reader(long account, JobComparison comparison) {
        return new ChangeReader(
                comparison,
                comparison.source(jobs.lines(comparison.job())),
                comparison.source(jobs.lines(comparison.against())),
                work -> run(JobResponses.reader(account), work));
    }

    private Future<Void> run(String client, Runnable work) {
        return workers.executeBlocking(client, () -> {
            work.run();
            return null;
        });
    }

    private static List<Integer> indexes(JobMessage.JobSnapshot job) {
        return IntStream.range(0, job.total()).boxed().toList();
    }

    private @Nullable ModuleDescription module(JobMessage.JobSnapshot job) {
        return modules.description(job.module());
    }

    static Problem noModule(JobMessage.JobSnapshot job) {
        return Problem.of(
                422,
                "unknown-module",
                "Unknown module",
                "The module " + job.module() + " of this job no longer exists. Its results can only be downloaded.");
    }
}
