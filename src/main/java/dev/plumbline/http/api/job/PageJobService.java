package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates and reads jobs for the pages, with the rules of the API. Rejections are failed futures;
 * {@link #problem} returns the reason.
 */
public final class PageJobService {
    public static final int MAX_LINES = JobRequestReader.MAX_ITEMS;
    public static final int MAX_LINE_BYTES = JobRequestReader.MAX_ITEM_BYTES;

    /** The maximum size of a form. */
    public static final int MAX_BYTES = CreateJobOperation.MAX_BYTES;

    private static final int PAGE_LINES = 100;
    private static final int MAX_CONCURRENT = 4;
    private static final int MAX_WAITING = 64;
    private static final long WAIT_MS = 5_000;

    private final JobClient calls;
    private final JobRequestReader reader;
    private final JobResponses answers;
    private final Vertx vertx;
    private final AsyncSemaphore permits;

    PageJobService(Vertx vertx, JobClient calls, JobRequestReader reader, JobResponses answers) {
        this.vertx = vertx;
        this.permits = new AsyncSemaphore(vertx, MAX_CONCURRENT, MAX_WAITING);
        this.calls = calls;
        this.reader = reader;
        this.answers = answers;
    }

    /**
     * The account that owns the job.
     *
     * @param keyId the internal API key of the account
     */
    public record Owner(long accountId, long keyId) {}

    /**
     * The job to create.
     *
     * @param items the lines, without blank ones
     * @param options typed values, including {@code fresh}
     */
    public record JobParameters(String module, List<String> items, Map<String, Object> options) {}

    /**
     * Creates a job.
     *
     * @param once an idempotency key; null if the request cannot be repeated
     */
    public Future<JobMessage.JobHead> create(Owner owner, JobParameters wish, @Nullable String once) {
        if (wish.items.size() > MAX_LINES) {
            return refused(CreateJobOperation.invalid(List.of(Problem.Fault.pointer(
                    "/items", "has " + wish.items.size() + " lines; the maximum is " + MAX_LINES))));
        }
        boolean small = wish.items.stream().mapToLong(String::length).sum() <= CreateJobOperation.SMALL_BYTES;
        return (small ? Future.succeededFuture(wish).map(this::evaluate) : onWorker(() -> evaluate(wish)))
                .compose(judged -> create(owner, judged, once));
    }

    /**
     * The parsed job.
     *
     * @param hash the hash of the request
     */
    private record ValidatedJob(JobRequestReader.Outcome outcome, String hash) {}

    private ValidatedJob evaluate(JobParameters wish) {
        Buffer body = new JsonObject()
                .put("module", wish.module)
                .put("items", wish.items)
                .put("options", new JsonObject(wish.options))
                .toBuffer();
        return new ValidatedJob(reader.read(body), CreateJobOperation.hash(body));
    }

    private Future<JobMessage.JobHead> create(Owner owner, ValidatedJob judged, @Nullable String once) {
        JobRequestReader.Outcome outcome = judged.outcome;
        if (outcome instanceof JobRequestReader.Malformed malformed) {
            return refused(Problem.badRequest(malformed.detail()));
        }
        if (outcome instanceof JobRequestReader.Invalid wrong) {
            return refused(CreateJobOperation.invalid(wrong.faults()));
        }
        JobRequest request = ((JobRequestReader.Read) outcome).request();
        return calls.create(new JobMessage.CreateJob(
                        owner.accountId,
                        owner.keyId,
                        request.module(),
                        request.items(),
                        request.options(),
                        request.fresh(),
                        // a changed form creates another job
                        once == null ? null : new JobMessage.Idempotency(once + ' ' + judged.hash, judged.hash)))
                .compose(reply -> reply instanceof JobMessage.JobCreated created
                        ? Future.succeededFuture(created.job())
                        : refused(
                                reply instanceof JobMessage.JobOverQuota over
                                        ? overQuota(over)
                                        : CreateJobOperation.refusal(reply)));
    }

    private static <T> Future<T> refused(Problem problem) {
        return Future.failedFuture(new JobClient.Refusal(problem));
    }

    private static Problem overQuota(JobMessage.JobOverQuota over) {
        JobMessage.QuotaLeft quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaLeft.OF_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                "This account has created "
                        + quota.limit()
                        + (ofAccount ? " jobs" : " jobs on the website")
                        + " in the last 60 minutes. Retry in "
                        + over.retryAfterSeconds()
                        + " seconds.",
                over.retryAfterSeconds());
    }

    /** Returns the current state of a job. */
    public Future<JobMessage.JobHead> read(long accountId, String token) {
        return JobToken.isOne(token) ? calls.read(accountId, token) : refused(JobClient.noSuchJob());
    }

    /** Cancels a job. Idempotent. */
    public Future<JobMessage.JobHead> cancel(long accountId, String token) {
        return JobToken.isOne(token) ? calls.cancel(accountId, token) : refused(JobClient.noSuchJob());
    }

    /**
     * A page of jobs.
     *
     * @param next the cursor of the next page; null on the last page
     */
    public record JobsPage(List<JobMessage.JobHead> jobs, @Nullable String next) {}

    /**
     * Returns the jobs of the account, newest first.
     *
     * @param cursor the cursor of the previous page; null for the first page
     */
    public Future<JobsPage> list(long accountId, int limit, @Nullable String cursor) {
        String before;
        try {
            before = cursor == null ? null : PageCursor.job(cursor);
        } catch (IllegalArgumentException invalid) {
            return refused(PageCursor.invalid());
        }
        return calls.list(accountId, limit, before).map(list -> {
            List<JobMessage.JobHead> jobs = list.jobs();
            return new JobsPage(
                    jobs,
                    list.more() && !jobs.isEmpty()
                            ? PageCursor.afterJob(jobs.get(jobs.size() - 1).token())
                            : null);
        });
    }

    /**
     * Reads the lines of a job at its version, page by page.
     *
     * @param from the index of the first line
     * @param each receives the pages in order, on a worker thread
     */
    public Future<Void> lines(JobMessage.JobHead job, int from, Consumer<List<JobMessage.ResultLine>> each) {
        return limited(() -> {
            Promise<Void> done = Promise.promise();
            next(calls.lines(job), from, job.total(), each, done);
            return done.future();
        });
    }

    private void next(
            LineStream.Source source, int at, int to, Consumer<List<JobMessage.ResultLine>> each, Promise<Void> done) {
        if (at >= to) {
            done.complete();
            return;
        }
        source.read(at, Math.min(PAGE_LINES, to - at))
                .compose(lines -> vertx.executeBlocking(
                        () -> {
                            if (lines.isEmpty()) {
                                throw new IllegalStateException("missing lines");
                            }
                            each.accept(lines);
                            return lines.size();
                        },
                        false))
                .onSuccess(read -> next(source, at + read, to, each, done))
                .onFailure(done::fail);
    }

    /** Runs blocking work on a worker thread with limited concurrency. */
    public <T> Future<T> onWorker(Callable<T> work) {
        return limited(() -> vertx.executeBlocking(work, false));
    }

    private <T> Future<T> limited(Supplier<Future<T>> work) {
        String detail = "Too many job results are being read. Retry shortly.";
        return permits.take(WAIT_MS, work, () -> refused(Problem.unavailable("overloaded", detail, 1)));
    }

    /** The file formats of job results. */
    public enum File {
        CSV(ResultFormat.CSV),
        NDJSON(ResultFormat.NDJSON);

        private final ResultFormat format;

        File(ResultFormat format) {
            this.format = format;
        }
    }

    /** Sends all lines of a job as a file. */
    public void send(RoutingContext ctx, JobMessage.JobHead job, File file) {
        answers.sendStored(ctx, job, JobViewParameters.ofFile(ctx, file.format), calls.lines(job), () -> {});
    }

    /** Returns the problem of a rejection; null for an internal failure. */
    public static @Nullable Problem problem(Throwable cause) {
        return cause instanceof JobClient.Refusal refusal ? refusal.problem() : null;
    }
}
