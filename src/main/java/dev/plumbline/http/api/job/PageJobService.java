package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
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
import org.jspecify.annotations.Nullable;

/**
 * Jobs as pages ask for them: judged, created and read as the API does it. What is refused is a
 * failed future of which {@link #problem} tells why.
 */
public final class PageJobService {
    public static final int MOST_LINES = JobRequestReader.MOST_ITEMS;
    public static final int MOST_LINE_BYTES = JobRequestReader.MOST_ITEM_BYTES;

    /** Of a form, whatever is in it. */
    public static final int MOST_BYTES = CreateJobOperation.MOST_BYTES;

    private static final int PAGE_LINES = 100;
    private static final int MOST_AT_ONCE = 4;
    private static final int MOST_WAITING = 64;
    private static final long WAIT_MS = 5_000;

    private final JobClient calls;
    private final JobRequestReader reader;
    private final JobResponses answers;
    private final RequestSemaphore readings = new RequestSemaphore(MOST_AT_ONCE, MOST_WAITING, WAIT_MS);

    PageJobService(JobClient calls, JobRequestReader reader, JobResponses answers) {
        this.calls = calls;
        this.reader = reader;
        this.answers = answers;
    }

    /**
     * Who asks.
     *
     * @param keyId the hidden key of that account
     */
    public record Owner(long accountId, long keyId) {}

    /**
     * What is to be done.
     *
     * @param items the lines, blank ones left out
     * @param options of their types, {@code fresh} among them
     */
    public record JobParameters(String module, List<String> items, Map<String, Object> options) {}

    /**
     * Creates a job.
     *
     * @param once the same again creates nothing again; null where that cannot happen
     */
    public Future<JobMessage.JobSnapshot> create(Vertx vertx, Owner owner, JobParameters wish, @Nullable String once) {
        if (wish.items.size() > MOST_LINES) {
            return refused(CreateJobOperation.invalid(List.of(Problem.Fault.pointer(
                    "/items", "has " + wish.items.size() + " lines and may have " + MOST_LINES))));
        }
        boolean small = wish.items.stream().mapToLong(String::length).sum() <= CreateJobOperation.SMALL_BYTES;
        return (small ? Future.succeededFuture(wish).map(this::evaluate) : beside(vertx, () -> evaluate(wish)))
                .compose(judged -> create(owner, judged, once));
    }

    /**
     * What was made of a wish.
     *
     * @param hash of all of it
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

    private Future<JobMessage.JobSnapshot> create(Owner owner, ValidatedJob judged, @Nullable String once) {
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
                        // whoever goes back and changes something wants another job
                        once == null ? null : new JobMessage.Idempotency(once + ' ' + judged.hash, judged.hash)))
                .compose(reply -> reply instanceof JobMessage.JobCreated created
                        ? Future.succeededFuture(created.job())
                        : refused(
                                reply instanceof JobMessage.JobQuotaExceeded over
                                        ? overQuota(over)
                                        : CreateJobOperation.refusal(reply)));
    }

    private static <T> Future<T> refused(Problem problem) {
        return Future.failedFuture(new JobClient.Refusal(problem));
    }

    private static Problem overQuota(JobMessage.JobQuotaExceeded over) {
        JobMessage.QuotaStatus quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaStatus.PER_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                (ofAccount
                                ? "This account has created, here and with all its keys, "
                                : "This account has created here ")
                        + quota.limit()
                        + " jobs in the last 60 minutes; the next can be created in "
                        + over.retryAfterSeconds()
                        + " seconds.",
                over.retryAfterSeconds());
    }

    /** How a job stands. */
    public Future<JobMessage.JobSnapshot> read(long accountId, String token) {
        return JobToken.isOne(token) ? calls.read(accountId, token) : refused(JobClient.noSuchJob());
    }

    /** Cancels a job, however often it is asked to. */
    public Future<JobMessage.JobSnapshot> cancel(long accountId, String token) {
        return JobToken.isOne(token) ? calls.cancel(accountId, token) : refused(JobClient.noSuchJob());
    }

    /**
     * Some of an account's jobs.
     *
     * @param next where the list goes on; null at its end
     */
    public record JobsPage(List<JobMessage.JobSnapshot> jobs, @Nullable String next) {}

    /**
     * The account's jobs, newest first.
     *
     * @param cursor as an earlier page gave it; null for the newest
     */
    public Future<JobsPage> list(long accountId, int limit, @Nullable String cursor) {
        String before;
        try {
            before = cursor == null ? null : PageCursor.job(cursor);
        } catch (IllegalArgumentException none) {
            return refused(PageCursor.none());
        }
        return calls.list(accountId, limit, before).map(found -> {
            List<JobMessage.JobSnapshot> jobs = found.jobs();
            return new JobsPage(
                    jobs,
                    found.more() && !jobs.isEmpty()
                            ? PageCursor.behindJob(jobs.get(jobs.size() - 1).token())
                            : null);
        });
    }

    /**
     * Reads the lines of a job as they were at its version, page by page.
     *
     * @param from index of the first line
     * @param each called with one page after the other, in their order, beside the event loops
     */
    public Future<Void> lines(
            Vertx vertx, JobMessage.JobSnapshot job, int from, Consumer<List<JobMessage.ResultLine>> each) {
        return inTurn(vertx, () -> {
            Promise<Void> done = Promise.promise();
            next(vertx, calls.lines(job), from, job.total(), each, done);
            return done.future();
        });
    }

    private static void next(
            Vertx vertx,
            LineStream.Source source,
            int at,
            int to,
            Consumer<List<JobMessage.ResultLine>> each,
            Promise<Void> done) {
        if (at >= to) {
            done.complete();
            return;
        }
        source.read(at, Math.min(PAGE_LINES, to - at))
                .compose(lines -> vertx.executeBlocking(
                        () -> {
                            if (lines.isEmpty()) {
                                throw new IllegalStateException("no line where one must be");
                            }
                            each.accept(lines);
                            return lines.size();
                        },
                        false))
                .onSuccess(read -> next(vertx, source, at + read, to, each, done))
                .onFailure(done::fail);
    }

    /** Does something that takes long for an event loop beside it, a few at once. */
    public <T> Future<T> beside(Vertx vertx, Callable<T> work) {
        return inTurn(vertx, () -> vertx.executeBlocking(work, false));
    }

    private <T> Future<T> inTurn(Vertx vertx, java.util.function.Supplier<Future<T>> work) {
        return readings.during(vertx, "Too much is being read just now; try again shortly.", work);
    }

    /** The files that all lines of a job can be had as. */
    public enum File {
        CSV(ResultFormat.CSV),
        NDJSON(ResultFormat.NDJSON);

        private final ResultFormat format;

        File(ResultFormat format) {
            this.format = format;
        }
    }

    /** Sends all lines of a job as a file. */
    public void send(RoutingContext ctx, JobMessage.JobSnapshot job, File file) {
        answers.sendStored(ctx, job, JobViewParameters.ofFile(ctx, file.format), calls.lines(job), () -> {});
    }

    /** Why there is no answer but a problem; null when it is a fault of ours. */
    public static @Nullable Problem problem(Throwable cause) {
        return cause instanceof JobClient.Refusal refusal ? refusal.problem() : null;
    }
}
