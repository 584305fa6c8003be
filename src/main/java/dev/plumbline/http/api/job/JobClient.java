package dev.plumbline.http.api.job;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Asks the coordinator of jobs. A refusal, or no answer in time, is a failed future with a {@link
 * Refusal}.
 */
final class JobClient {
    private static final long TIMEOUT_MS = 5_000;
    private static final int RETRY_SECONDS = 2;
    private static final String MAYBE_DONE =
            "What was asked to be created or cancelled may have been all the same: an Idempotency-Key"
                    + " makes it safe to ask again.";

    private final MessageBus bus;

    JobClient(MessageBus bus) {
        this.bus = bus;
    }

    /** Why there is no answer but a problem. */
    static final class Refusal extends RuntimeException {
        private static final long serialVersionUID = 1L;

        private final transient Problem problem;

        Refusal(Problem problem) {
            super(problem.detail(), null, false, false);
            this.problem = problem;
        }

        Problem problem() {
            return problem;
        }
    }

    Future<JobMessage.CreateReply> create(JobMessage.CreateJob job) {
        return ask(BusAddresses.JOB_CREATE, job, JobMessage.CreateReply.class, TIMEOUT_MS);
    }

    Future<JobMessage.JobSnapshot> read(long accountId, String token) {
        return job(BusAddresses.JOB_READ, new JobMessage.ReadJob(accountId, token), TIMEOUT_MS);
    }

    Future<JobMessage.JobSnapshot> cancel(long accountId, String token) {
        return job(BusAddresses.JOB_CANCEL, new JobMessage.CancelJob(accountId, token), TIMEOUT_MS);
    }

    /**
     * @param knownVersion as in {@link JobMessage.AwaitJob}
     */
    Future<JobMessage.JobSnapshot> await(long accountId, String token, long knownVersion, long waitMs) {
        return job(
                BusAddresses.JOB_AWAIT,
                new JobMessage.AwaitJob(accountId, token, knownVersion, waitMs),
                waitMs + TIMEOUT_MS);
    }

    /**
     * @param beforeToken as in {@link JobMessage.ListJobs}
     */
    Future<JobMessage.JobList> list(long accountId, int limit, @Nullable String beforeToken) {
        return ask(
                        BusAddresses.JOB_LIST,
                        new JobMessage.ListJobs(accountId, limit, beforeToken),
                        JobMessage.ListReply.class,
                        TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.JobList list
                        ? Future.succeededFuture(list)
                        : Future.failedFuture(new Refusal(
                                reply instanceof JobMessage.JobNotFound ? PageCursor.none() : unavailable())));
    }

    /** The lines of a job as they were at its version. */
    LineStream.Source lines(JobMessage.JobSnapshot job) {
        return (from, most) -> ask(
                        BusAddresses.JOB_RESULTS,
                        new JobMessage.ReadResults(job.id(), job.version(), from, most),
                        JobMessage.ResultsReply.class,
                        TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.ResultLines page
                        ? Future.<List<JobMessage.ResultLine>>succeededFuture(page.lines())
                        : Future.failedFuture(new Refusal(unavailable())));
    }

    private Future<JobMessage.JobSnapshot> job(String address, JobMessage question, long timeoutMs) {
        return ask(address, question, JobMessage.JobReply.class, timeoutMs)
                .compose(reply -> reply instanceof JobMessage.JobFound found
                        ? Future.succeededFuture(found.job())
                        : Future.failedFuture(new Refusal(problem(reply))));
    }

    private <R extends JobMessage> Future<R> ask(
            String address, JobMessage question, Class<R> replyType, long timeoutMs) {
        return bus.request(address, question, replyType, timeoutMs)
                .recover(failure -> Future.failedFuture(new Refusal(unanswered(failure))));
    }

    /** Nothing is known of the database: the one who would ask it has not answered. */
    private static Problem unanswered(Throwable failure) {
        if (MessageBus.isUnserved(failure)) {
            return Problem.unavailable(
                    "unavailable",
                    "The service is starting or stopping, and nobody in it answers for jobs just now; nothing"
                            + " was done. Try again shortly.",
                    RETRY_SECONDS);
        }
        if (MessageBus.isTimeout(failure)) {
            return Problem.unavailable(
                    "unavailable",
                    "The part of the service that keeps the jobs did not answer in time; try again shortly. "
                            + MAYBE_DONE,
                    RETRY_SECONDS);
        }
        return Problem.unavailable(
                "internal",
                "Something is wrong with the part of the service that keeps the jobs, and its log tells"
                        + " what; try again later, and tell whoever runs this service if it stays so. "
                        + MAYBE_DONE,
                RETRY_SECONDS);
    }

    private static Problem problem(JobMessage.JobReply reply) {
        if (reply instanceof JobMessage.JobNotFound) {
            return noSuchJob();
        }
        if (reply instanceof JobMessage.JobExpired) {
            return Problem.of(
                    410,
                    "job-expired",
                    "The results have been deleted",
                    "The job has ended and its results were kept until its expires_at; create it again.");
        }
        return unavailable();
    }

    static Problem noSuchJob() {
        return Problem.of(
                404,
                "no-such-job",
                "There is no such job",
                "Your account has no job with this token; GET /api/v1/jobs lists those it has.");
    }

    static Problem unavailable() {
        return Problem.unavailable(
                "unavailable", "The database did not answer in time; try again shortly. " + MAYBE_DONE, RETRY_SECONDS);
    }
}
