package dev.plumbline.http.api.job;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sends requests to the job coordinator over the event bus. Rejections and timeouts are failed
 * futures with a {@link Refusal}.
 */
final class JobClient {
    private static final long TIMEOUT_MS = 5_000;
    private static final int RETRY_SECONDS = 2;
    private static final String MAYBE_DONE =
            "The job may have been created or cancelled anyway. Use an Idempotency-Key to retry safely.";

    private final MessageBus bus;

    JobClient(MessageBus bus) {
        this.bus = bus;
    }

    /** A failure that is reported as a problem. */
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

    Future<JobMessage.JobHead> read(long accountId, String token) {
        return job(BusAddresses.JOB_READ, new JobMessage.ReadJob(accountId, token), TIMEOUT_MS);
    }

    Future<JobMessage.JobHead> cancel(long accountId, String token) {
        return job(BusAddresses.JOB_CANCEL, new JobMessage.CancelJob(accountId, token), TIMEOUT_MS);
    }

    /**
     * @param knownVersion as in {@link JobMessage.AwaitJob}
     */
    Future<JobMessage.JobHead> await(long accountId, String token, long knownVersion, long waitMs) {
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
                                reply instanceof JobMessage.NoSuchJob ? PageCursor.invalid() : unavailable())));
    }

    /** Returns the lines of a job at its version. */
    LineStream.Source lines(JobMessage.JobHead job) {
        return (from, max) -> ask(
                        BusAddresses.JOB_RESULTS,
                        new JobMessage.ReadResults(job.id(), job.version(), from, max),
                        JobMessage.ResultsReply.class,
                        TIMEOUT_MS)
                .compose(reply -> reply instanceof JobMessage.ResultLines page
                        ? Future.<List<JobMessage.ResultLine>>succeededFuture(page.lines())
                        : Future.failedFuture(new Refusal(unavailable())));
    }

    private Future<JobMessage.JobHead> job(String address, JobMessage question, long timeoutMs) {
        return ask(address, question, JobMessage.JobReply.class, timeoutMs)
                .compose(reply -> reply instanceof JobMessage.JobFound existing
                        ? Future.succeededFuture(existing.job())
                        : Future.failedFuture(new Refusal(problem(reply))));
    }

    private <R extends JobMessage> Future<R> ask(
            String address, JobMessage question, Class<R> replyType, long timeoutMs) {
        return bus.ask(address, question, replyType, timeoutMs)
                .recover(failure -> Future.failedFuture(new Refusal(unanswered(failure))));
    }

    /** Returns the problem for a request without reply. */
    private static Problem unanswered(Throwable failure) {
        if (MessageBus.unserved(failure)) {
            return Problem.unavailable(
                    "unavailable",
                    "Jobs are unavailable because the service is starting or stopping. Nothing was changed. Retry"
                            + " shortly.",
                    RETRY_SECONDS);
        }
        if (MessageBus.timedOut(failure)) {
            return Problem.unavailable(
                    "unavailable",
                    "The job coordinator did not respond in time. Retry shortly. " + MAYBE_DONE,
                    RETRY_SECONDS);
        }
        return Problem.unavailable(
                "internal",
                "The job coordinator failed. See the log. Retry later, and contact the operator if the problem"
                        + " persists. "
                        + MAYBE_DONE,
                RETRY_SECONDS);
    }

    private static Problem problem(JobMessage.JobReply reply) {
        if (reply instanceof JobMessage.NoSuchJob) {
            return noSuchJob();
        }
        if (reply instanceof JobMessage.JobGone) {
            return Problem.of(
                    410,
                    "job-expired",
                    "Job results expired",
                    "The results of this job expired and have been deleted. Create the job again.");
        }
        return unavailable();
    }

    static Problem noSuchJob() {
        return Problem.of(
                404,
                "no-such-job",
                "Job not found",
                "Your account has no job with this token. GET /api/v1/jobs lists your jobs.");
    }

    static Problem unavailable() {
        return Problem.unavailable(
                "unavailable", "The database did not respond in time. Retry shortly. " + MAYBE_DONE, RETRY_SECONDS);
    }
}
