package dev.plumbline.http.api.job;

import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Creates and reads jobs for the pages, with the rules of the API. Rejections are failed futures with a
 * {@link ProblemException}.
 */
public final class PageJobService {
    /** The maximum size of a form. */
    public static final int MAX_BYTES = CreateJobOperation.MAX_BYTES;

    private static final int MAX_CONCURRENT = 4;
    private static final int MAX_WAITING = 64;
    private static final int MAX_WAITING_LARGE_FORMS = 8;

    private final JobClient jobs;
    private final LinePlanner planner;
    private final JobRequestReader reader;
    private final JobResponses responses;
    private final PageKeyStore keys;
    private final PortfolioReader portfolio;
    private final Vertx vertx;
    private final WorkerLimit workers;
    private final WorkerLimit largeForms;

    /** @param keys the API keys under which the pages create jobs */
    PageJobService(
            Vertx vertx,
            JobClient jobs,
            JobRequestReader reader,
            JobResponses responses,
            PortfolioReader portfolio,
            PageKeyStore keys) {
        this.vertx = vertx;
        this.jobs = jobs;
        this.planner = new LinePlanner(jobs);
        this.reader = reader;
        this.portfolio = portfolio;
        this.keys = keys;
        this.responses = responses;
        this.workers = new WorkerLimit(
                vertx, MAX_CONCURRENT, MAX_WAITING, "Too many job results are being read. Retry shortly.");
        this.largeForms = new WorkerLimit(
                vertx, 1, MAX_WAITING_LARGE_FORMS, "Too many long lists are being processed. Retry shortly.");
    }

    /** The rules for a job. */
    public JobRequestSchema schema() {
        return reader.schema();
    }

    /**
     * The job to create.
     *
     * @param name null or blank for the default
     * @param items the lines, without blank ones
     * @param options typed values, including {@code fresh}
     * @param defaultPolicy that of a valid job; null for none
     */
    public record JobParameters(
            @Nullable String name,
            String module,
            List<String> items,
            Map<String, Object> options,
            JobMessage.@Nullable DefaultPolicy defaultPolicy) {}

    /**
     * Creates a job.
     *
     * @param onceKey an idempotency key; null if the request cannot be repeated
     */
    public Future<JobMessage.JobSnapshot> create(long account, JobParameters parameters, @Nullable String onceKey) {
        int count = parameters.items.size();
        if (count > reader.schema().maxItems()) {
            return ProblemException.failed(CreateJobOperation.invalid(
                    List.of(Problem.Fault.pointer("/items", reader.schema().tooMany(count)))));
        }
        return parseAsync(parameters)
                .compose(parsed -> keys.of(account)
                        .compose(key -> jobs.create(account, key, parsed.job(), idempotency(onceKey, parsed.hash()))))
                .compose(reply -> {
                    if (reply instanceof JobMessage.JobCreated created) {
                        return Future.succeededFuture(created.job());
                    }
                    return ProblemException.failed(
                            reply instanceof JobMessage.JobQuotaExceeded over
                                    ? rateLimitExceeded(over)
                                    : CreateJobOperation.rejection(reply));
                });
    }

    /**
     * A list for several jobs.
     *
     * @param name not blank
     * @param lines the targets, each followed by a line feed
     * @param options typed values, including {@code fresh}
     */
    public record JobList(String name, String module, String lines, Map<String, Object> options) {}

    /**
     * The jobs of a list.
     *
     * @param jobs in the order of the list
     * @param problem why the other ones were not created, or not yet; null if all were created
     */
    public record CreatedJobs(List<JobMessage.JobSnapshot> jobs, @Nullable Problem problem) {}

    /** Validates a list without creating jobs. Fails with a problem whose indexes are those of the list. */
    public Future<Void> validate(JobList list) {
        return workers.executeBlocking(() -> JobListCreation.validate(list, reader))
                .mapEmpty();
    }

    /**
     * Creates the jobs of a list. If the quotas do not suffice for all of them, none is created. After another problem,
     * a second call with the same arguments creates the jobs that do not exist.
     *
     * @param onceKey an idempotency key
     */
    public Future<CreatedJobs> createAll(long account, JobList list, String onceKey) {
        return workers.executeBlocking(() -> JobListCreation.validate(list, reader))
                .compose(validated -> keys.of(account).compose(key -> new JobListCreation(
                                jobs, account, key, list, validated, onceKey, this::parseAsync)
                        .run()));
    }

    private Future<JobRequestReader.Parsed> parseAsync(JobParameters parameters) {
        boolean small = parameters.items.stream().mapToLong(String::length).sum() <= JobRequestReader.SMALL_BYTES;
        return small
                ? Future.succeededFuture(parameters).map(this::parse)
                : workers.executeBlocking(() -> parse(parameters));
    }

    /** A changed form creates another job. */
    private static JobMessage.@Nullable Idempotency idempotency(@Nullable String onceKey, String hash) {
        return onceKey == null ? null : new JobMessage.Idempotency(onceKey + ' ' + hash, hash);
    }

    private JobRequestReader.Parsed parse(JobParameters parameters) {
        String name = parameters.name == null || parameters.name.isBlank() ? null : parameters.name.strip();
        return reader.validate(name, parameters.module, parameters.items, parameters.options, parameters.defaultPolicy);
    }

    private static Problem rateLimitExceeded(JobMessage.JobQuotaExceeded over) {
        JobMessage.QuotaStatus quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaStatus.PER_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                "This account has created %s %s in the last 60 minutes. %s"
                        .formatted(
                                quota.limit(),
                                ofAccount ? "jobs" : "jobs on the website",
                                RateLimitHeaders.retry(over.retryAfterSeconds())),
                over.retryAfterSeconds());
    }

    /**
     * The problem for a list with more jobs than the quotas permit at present.
     *
     * @param count of the list
     */
    static Problem rateLimitExceeded(JobMessage.JobQuotaExceeded over, int count) {
        JobMessage.QuotaStatus quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaStatus.PER_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                String.format(
                        Locale.ROOT,
                        "The list requires %,d jobs, but this account can create only %,d more %s at present (limit: %,d in"
                                + " 60 minutes). No job was created. %s",
                        count,
                        quota.remaining(),
                        ofAccount ? "jobs" : "jobs on the website",
                        quota.limit(),
                        quota.limit() < count ? "Split the list." : RateLimitHeaders.retry(over.retryAfterSeconds())),
                over.retryAfterSeconds());
    }

    /** Returns the token of the job that may have been created although its creation failed with this problem. */
    public static @Nullable String tokenOfUnknownOutcome(Problem problem) {
        return problem.extensions().get(JobClient.TOKEN) instanceof String token ? token : null;
    }

    public Future<JobMessage.JobSnapshot> read(long accountId, String token) {
        return jobs.read(accountId, token);
    }

    /** Returns a job when its state is final, or its current state after the given time. */
    public Future<JobMessage.JobSnapshot> awaitFinal(long accountId, String token, long waitMs) {
        return jobs.await(accountId, token, JobLongPolls.UNTIL_FINAL, waitMs);
    }

    /** Cancels a job. Idempotent. */
    public Future<JobMessage.JobSnapshot> cancel(long accountId, String token) {
        return jobs.cancel(accountId, token);
    }

    /**
     * A page of jobs.
     *
     * @param next the cursor of the next page; null on the last page
     */
    public record JobsPage(List<JobMessage.JobSnapshot> jobs, @Nullable String next) {}

    /**
     * Returns the jobs of the account, newest first.
     *
     * @param cursor the cursor of the previous page; null for the first page
     */
    public Future<JobsPage> list(long accountId, int limit, @Nullable String cursor) {
        return jobs.list(accountId, limit, cursor);
    }

    /**
     * Compiles the policy and the expectations of a request for the results of a job, as the API does: those of the job
     * if the request has none. Fails with a problem of status 422, 429 or 503.
     *
     * @return null if the job has none either, or if the results are read as stored
     */
    public Future<@Nullable ResultEvaluation> evaluation(
            RoutingContext ctx, JobMessage.JobSnapshot job, PolicyParameters parameters) {
        return responses.evaluation(ctx, job, parameters);
    }

    /**
     * Reads the lines of a job at its version, page by page.
     *
     * @param from the index of the first line
     * @param evaluation is applied to the results; null for none
     * @param consumer receives the pages in order, on a worker thread
     */
    public Future<Void> lines(
            JobMessage.JobSnapshot job,
            int from,
            @Nullable ResultEvaluation evaluation,
            Consumer<List<JobMessage.ResultLine>> consumer) {
        return lines(jobs.lines(job), from, job.total(), evaluation, consumer);
    }

    /** As {@link #lines}, for a copy of a job whose lines another source has. */
    public Future<Void> copiedLines(
            JobMessage.JobSnapshot job,
            CopiedLines source,
            int from,
            @Nullable ResultEvaluation evaluation,
            Consumer<List<JobMessage.ResultLine>> consumer) {
        return lines(source::read, from, job.total(), evaluation, consumer);
    }

    private Future<Void> lines(
            LineStream.Source stored,
            int from,
            int to,
            @Nullable ResultEvaluation evaluation,
            Consumer<List<JobMessage.ResultLine>> consumer) {
        LineStream.Source source = LineStream.evaluated(stored, evaluation);
        return workers.execute(
                () -> responses.withMemory("pages", evaluation, () -> readPages(source, from, to, consumer)));
    }

    private Future<Void> readPages(
            LineStream.Source source, int from, int to, Consumer<List<JobMessage.ResultLine>> consumer) {
        LineReadAhead pages =
                new LineReadAhead(source, IntStream.range(from, to).boxed().toList());
        return ContextFutures.repeat(pages::hasNext, () -> pages.next()
                .compose(lines -> vertx.executeBlocking(
                        () -> {
                            consumer.accept(lines);
                            return lines;
                        },
                        false))
                .mapEmpty());
    }

    /**
     * Reads a line.
     *
     * @param evaluation is applied to the result; null for none
     */
    public Future<JobMessage.ResultLine> line(
            JobMessage.JobSnapshot job, int index, @Nullable ResultEvaluation evaluation) {
        return LineStream.evaluated(jobs.lines(job), evaluation)
                .read(List.of(index))
                .map(lines -> lines.get(0));
    }

    /** The summaries and comparisons of jobs. */
    public PortfolioReader portfolio() {
        return portfolio;
    }

    /** Reads lines of a copy of a job, in the order of the indexes: at least the first one. */
    @FunctionalInterface
    public interface CopiedLines {
        Future<List<JobMessage.ResultLine>> read(List<Integer> indexes);
    }

    /**
     * Returns a source of the lines of a copy of a job with evaluated results.
     *
     * @param evaluation null for none
     */
    public CopiedLines evaluated(CopiedLines source, @Nullable ResultEvaluation evaluation) {
        return LineStream.evaluated(source::read, evaluation)::read;
    }

    /** Runs blocking work on a worker thread with limited concurrency. */
    public <T> Future<T> executeBlocking(Callable<T> work) {
        return workers.executeBlocking(work);
    }

    /**
     * Processes a large form, which takes several times its size of memory. Large forms are processed one at a time.
     */
    public Future<Void> processLarge(Supplier<Future<Void>> form) {
        return largeForms.execute(form);
    }

    /**
     * Sends the selected lines of a copy of a job, whose lines another source has.
     *
     * @param client the client whose share of the memory for responses is used
     * @param format JSON, or that of a file
     * @param policy that of the request; the default policy of the job is applied without it
     * @param members the members before the job in JSON
     * @param headers sets the headers that do not depend on the format
     */
    public void sendCopy(
            RoutingContext ctx,
            String client,
            JobMessage.JobSnapshot job,
            CopiedLines source,
            ResultFormat format,
            LineSelection selection,
            PolicyParameters policy,
            JsonObject members,
            Runnable headers) {
        if (format != ResultFormat.JSON && format.ifAccepted(ctx) == null) {
            ctx.fail(new ProblemException(format.notAcceptable()));
            return;
        }
        JobViewParameters view = format == ResultFormat.JSON
                ? JobViewParameters.whole(selection)
                : JobViewParameters.wholeFile(ctx, format, selection);
        responses.sendCopy(ctx, client, job, view, policy, members, source::read, headers);
    }

    /** Returns the problem of a job whose results have been deleted after the retention time. */
    public static Problem expired() {
        return JobClient.expired();
    }

    /**
     * Sends the selected lines of a job as a file.
     *
     * @param selection valid for the module of the job
     * @param evaluation is applied to the results; null for none
     */
    public void send(
            RoutingContext ctx,
            long account,
            JobMessage.JobSnapshot job,
            ResultFormat file,
            LineSelection selection,
            @Nullable ResultEvaluation evaluation) {
        JobViewParameters view =
                JobViewParameters.wholeFile(ctx, file, selection).evaluated(evaluation);
        RequestFutures.handle(
                ctx,
                planner.plan(job, view),
                lines -> responses.sendStored(ctx, account, job, view, lines, jobs.lines(job), () -> {}));
    }
}
