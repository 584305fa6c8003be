package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.target.PrintableText;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests for jobs over the event bus. Rejections and timeouts are failed futures with a
 * {@link ProblemException}.
 */
final class JobClient {
    /** The member of a problem with the token of a job that may have been created. */
    static final String TOKEN = "token";

    private static final int MAX_SHOWN = 64;

    private static final long TIMEOUT_MS = 5_000;
    private static final int RETRY_SECONDS = 2;

    /** A version in which no line has a result. */
    private static final long BEFORE_RESULTS = -1;

    private static final double MILLIS_PER_SECOND = 1_000;

    private final MessageBus bus;
    private final int creationSeconds;

    /** @param databaseTimeout of a statement, and of the wait for a connection before it */
    JobClient(MessageBus bus, Duration databaseTimeout) {
        this.bus = bus;
        this.creationSeconds =
                Math.max(RETRY_SECONDS, (int) Math.ceil(2 * databaseTimeout.toMillis() / MILLIS_PER_SECOND));
    }

    /**
     * Creates a job. If it is unknown whether the job was created, the problem has its token ({@link #TOKEN}). After
     * the time in Retry-After, the job exists or will never exist.
     */
    Future<JobMessage.CreateReply> create(
            long accountId, long keyId, JobRequestReader.JobRequest job, JobMessage.@Nullable Idempotency idempotency) {
        return create(accountId, keyId, job, idempotency, 1);
    }

    /**
     * As above.
     *
     * @param charge how many jobs are charged
     */
    Future<JobMessage.CreateReply> create(
            long accountId,
            long keyId,
            JobRequestReader.JobRequest job,
            JobMessage.@Nullable Idempotency idempotency,
            int charge) {
        String token = JobToken.generate();
        return bus.request(
                        new JobMessage.CreateJob(
                                token,
                                accountId,
                                keyId,
                                job.name(),
                                job.module(),
                                job.items(),
                                job.options(),
                                job.fresh(),
                                idempotency,
                                charge,
                                job.defaultPolicy()),
                        JobMessage.CreateReply.class,
                        TIMEOUT_MS)
                .compose(
                        reply -> reply instanceof JobMessage.JobsUnavailable unavailable
                                ? ProblemException.failed(creationUnknown(token, unavailable.overloaded()))
                                : Future.succeededFuture(reply),
                        failure -> MessageBus.isTimeout(failure)
                                ? ProblemException.failed(creationUnknown(token, false))
                                : noReply(failure));
    }

    /** Finds the job that an earlier request with the same idempotency key created. Changes nothing. */
    Future<JobMessage.CreateReply> replay(long keyId, JobMessage.Idempotency idempotency) {
        return request(new JobMessage.ReplayJob(keyId, idempotency), JobMessage.CreateReply.class, TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.JobsUnavailable
                        ? ProblemException.failed(unavailable(reply))
                        : Future.succeededFuture(reply));
    }

    private Problem creationUnknown(String token, boolean overloaded) {
        return Problem.unavailable(
                        overloaded ? "overloaded" : "unavailable",
                        ("The database did not respond in time, so it is unknown whether the job was created. Read the"
                                        + " URL in `Location` after %s seconds: status 404 means that it was not"
                                        + " created. To retry without a second job, use an `Idempotency-Key`.")
                                .formatted(creationSeconds),
                        creationSeconds)
                .withExtension(TOKEN, token);
    }

    Future<JobMessage.JobSnapshot> read(long accountId, String token) {
        return job(token, new JobMessage.ReadJob(accountId, token), TIMEOUT_MS);
    }

    Future<JobMessage.JobSnapshot> cancel(long accountId, String token) {
        return job(token, new JobMessage.CancelJob(accountId, token), TIMEOUT_MS);
    }

    /** @param knownVersion as in {@link JobMessage.AwaitJob} */
    Future<JobMessage.JobSnapshot> await(long accountId, String token, long knownVersion, long waitMs) {
        return job(token, new JobMessage.AwaitJob(accountId, token, knownVersion, waitMs), waitMs + TIMEOUT_MS);
    }

    /**
     * Returns the jobs of an account, newest first.
     *
     * @param cursor the cursor of the previous page; null for the first page
     */
    Future<PageJobService.JobsPage> list(long accountId, int limit, @Nullable String cursor) {
        String before;
        try {
            before = cursor == null ? null : PageCursor.job(cursor);
        } catch (IllegalArgumentException e) {
            return ProblemException.failed(PageCursor.invalid());
        }
        return request(new JobMessage.ListJobs(accountId, limit, before), JobMessage.ListReply.class, TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.JobList list
                        ? Future.succeededFuture(page(list))
                        : ProblemException.failed(
                                reply instanceof JobMessage.JobNotFound ? PageCursor.invalid() : unavailable(reply)));
    }

    private static PageJobService.JobsPage page(JobMessage.JobList list) {
        List<JobMessage.JobSnapshot> jobs = list.jobs();
        boolean last = !list.more() || jobs.isEmpty();
        return new PageJobService.JobsPage(
                jobs,
                last ? null : PageCursor.afterJob(jobs.get(jobs.size() - 1).token()));
    }

    LineStream.Source lines(JobMessage.JobSnapshot job) {
        return lines(job, job.version());
    }

    /** Returns a source of the lines without their results. */
    LineStream.Source inputs(JobMessage.JobSnapshot job) {
        return lines(job, BEFORE_RESULTS);
    }

    private LineStream.Source lines(JobMessage.JobSnapshot job, long version) {
        return indexes -> request(
                        new JobMessage.ReadResults(job.id(), version, indexes),
                        JobMessage.ResultsReply.class,
                        TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.ResultLines page
                        ? Future.<List<JobMessage.ResultLine>>succeededFuture(page.lines())
                        : ProblemException.failed(unavailable(reply)));
    }

    /**
     * Returns the lines of a job that have a result at its version, in the order in which they finished.
     *
     * @param fromVersion of the first lines
     * @param verdicts of the lines; empty for all
     */
    Future<List<JobMessage.FinishedLine>> finishedLines(
            JobMessage.JobSnapshot job, long fromVersion, Collection<String> verdicts) {
        return request(
                        new JobMessage.ListFinishedLines(job.id(), fromVersion, job.version(), List.copyOf(verdicts)),
                        JobMessage.FinishedLinesReply.class,
                        TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.FinishedLines finished
                        ? Future.<List<JobMessage.FinishedLine>>succeededFuture(finished.lines())
                        : ProblemException.failed(unavailable(reply)));
    }

    private Future<JobMessage.JobSnapshot> job(String token, JobMessage request, long timeoutMs) {
        if (!JobToken.isValid(token)) {
            return ProblemException.failed(noSuchJob(token));
        }
        return request(request, JobMessage.JobReply.class, timeoutMs)
                .compose(reply -> reply instanceof JobMessage.JobFound existing
                        ? Future.succeededFuture(existing.job())
                        : ProblemException.failed(problem(token, reply)));
    }

    private <R extends JobMessage> Future<R> request(JobMessage request, Class<R> replyType, long timeoutMs) {
        return bus.request(request, replyType, timeoutMs).recover(JobClient::noReply);
    }

    /** Maps the failure of a request without reply. */
    private static <R> Future<R> noReply(Throwable failure) {
        if (MessageBus.isUnserved(failure)) {
            return ProblemException.failed(Problem.unavailable(
                    "unavailable",
                    "Jobs are unavailable because the service is starting or stopping. Nothing was changed. Retry"
                            + " shortly.",
                    RETRY_SECONDS));
        }
        if (MessageBus.isTimeout(failure)) {
            return ProblemException.failed(Problem.unavailable(
                    "unavailable", "The job coordinator did not respond in time. Retry shortly.", RETRY_SECONDS));
        }
        return Future.failedFuture(failure);
    }

    private static Problem problem(String token, JobMessage.JobReply reply) {
        if (reply instanceof JobMessage.JobNotFound) {
            return noSuchJob(token);
        }
        if (reply instanceof JobMessage.JobExpired) {
            return expired()
                    .withDetail("The results of the job '%s' have expired and were deleted. Create a new job."
                            .formatted(token));
        }
        return unavailable(reply);
    }

    static Problem expired() {
        return Problem.of(
                410,
                "job-expired",
                "Job results expired",
                "The results of this job have expired and were deleted. Create a new job.");
    }

    private static Problem noSuchJob(String token) {
        return Problem.of(
                404,
                "no-such-job",
                "Job not found",
                "Your account does not have a job with the token '%s'. GET /api/v1/jobs lists your jobs."
                        .formatted(PrintableText.shorten(token, MAX_SHOWN)));
    }

    static Problem unavailable(JobMessage reply) {
        boolean overloaded = reply instanceof JobMessage.JobsUnavailable unavailable && unavailable.overloaded();
        return Problem.unavailable(
                overloaded ? "overloaded" : "unavailable",
                "The database did not respond in time. Retry shortly.",
                RETRY_SECONDS);
    }
}
