package dev.plumbline.bus;

import dev.plumbline.model.JobState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What is said to the coordinators of jobs, and what they answer. */
public sealed interface JobMessage extends Message {

    /**
     * Take a job in. Everything about it has been found valid.
     *
     * @param keyId the API key that pays
     * @param items the lines as they came, 1 to 500
     * @param options what differs from the module's defaults
     * @param fresh whether results that are known are not good enough
     * @param idempotency null when the caller gave no Idempotency-Key
     */
    record CreateJob(
            long accountId,
            long keyId,
            String module,
            List<String> items,
            Map<String, Object> options,
            boolean fresh,
            @Nullable Idempotency idempotency)
            implements JobMessage {}

    /**
     * The same request again must do nothing again.
     *
     * @param key as the caller chose it
     * @param bodyHash SHA-256 of the request's body in base64url: equal requests have equal ones
     */
    record Idempotency(String key, String bodyHash) {}

    /** What {@link CreateJob} is answered with. */
    sealed interface CreateReply extends JobMessage {}

    /**
     * The job is written down and will be done.
     *
     * @param job as it was when it was created, however often the request is repeated
     * @param replayed whether it was created by an earlier request, so that nothing was charged
     * @param quotas what is left of each; empty when replayed
     */
    record JobCreated(JobHead job, boolean replayed, List<QuotaLeft> quotas) implements CreateReply {}

    /**
     * A quota would be exceeded; nothing was charged.
     *
     * @param exceeded the one that forbids it
     * @param retryAfterSeconds at least 1
     */
    record JobOverQuota(QuotaLeft exceeded, int retryAfterSeconds, List<QuotaLeft> quotas) implements CreateReply {}

    /** The Idempotency-Key was used with another body. */
    record IdempotencyMismatch() implements CreateReply {}

    /** A request with this Idempotency-Key is being handled just now. */
    record IdempotencyPending() implements CreateReply {}

    /**
     * What is left of a quota.
     *
     * @param policy {@link #OF_KEY} or {@link #OF_ACCOUNT}
     * @param limit most in any window
     * @param resetSeconds when the oldest of what is taken becomes free again
     */
    record QuotaLeft(String policy, int limit, int remaining, int resetSeconds) {
        /** The quota of jobs that are created with one API key. */
        public static final String OF_KEY = "jobs";

        /** The quota of jobs that are created with all the keys of an account. */
        public static final String OF_ACCOUNT = "jobs-account";
    }

    /** How a job stands; unknown to strangers. */
    record ReadJob(long accountId, String token) implements JobMessage {}

    /**
     * How a job stands, told when it has changed.
     *
     * @param knownVersion wait until its version is a later one; -1: wait until its state is final,
     *     after which no version follows
     * @param waitMs how long at most; then it is told as it stands
     */
    record AwaitJob(long accountId, String token, long knownVersion, long waitMs) implements JobMessage {}

    /** Cancel a job; cancelling one that has ended changes nothing. */
    record CancelJob(long accountId, String token) implements JobMessage {}

    /** What {@link ReadJob}, {@link AwaitJob} and {@link CancelJob} are answered with. */
    sealed interface JobReply extends JobMessage {}

    record JobFound(JobHead job) implements JobReply {}

    /** There is no such job, or it is another account's. */
    record NoSuchJob() implements JobReply, ListReply {}

    /** There was one, and its results have been deleted after their time. */
    record JobGone() implements JobReply {}

    /** The database cannot be reached; for whatever was asked. */
    record JobsUnavailable() implements CreateReply, JobReply, ResultsReply, ListReply, UsageReply {}

    /**
     * A job without its lines.
     *
     * @param options what differs from the module's defaults, and {@code fresh} where it was asked
     *     for
     * @param version grows with every change that can be seen: of the same version, everything is the
     *     same
     * @param running lines that a node has taken up and that have no result yet
     * @param cancelled lines that will never have a result
     * @param runningRanges which lines run: pairs of the first index and the one after the last
     * @param startedAt null until a node has taken it up
     * @param finishedAt null until its state is final
     * @param expiresAt when its results are deleted; null until its state is final
     */
    record JobHead(
            long id,
            String token,
            String module,
            Map<String, Object> options,
            JobState state,
            long version,
            int total,
            int running,
            int pass,
            int warn,
            int fail,
            int error,
            int cancelled,
            List<Integer> runningRanges,
            Instant createdAt,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable Instant expiresAt) {

        /** Lines with a result. */
        public int done() {
            return pass + warn + fail + error;
        }

        /** Lines that nobody has taken up. */
        public int pending() {
            return total - done() - running - cancelled;
        }
    }

    /**
     * Some of a job's lines, in input order.
     *
     * @param jobId of a job that the caller was found to own
     * @param version results that came after this version of the job are left out
     * @param fromIndex of the first line, 0-based
     * @param mostLines at most; fewer come when they are large
     */
    record ReadResults(long jobId, long version, int fromIndex, int mostLines) implements JobMessage {}

    /** What {@link ReadResults} is answered with. */
    sealed interface ResultsReply extends JobMessage {}

    /** The lines from that index on, without a gap; empty only behind the last. */
    record ResultLines(List<ResultLine> lines) implements ResultsReply {}

    /**
     * One line.
     *
     * @param input as it came
     * @param result the result as one JSON object in UTF-8, as an instant check gives it but for
     *     {@code expires_at}; null while there is none. Lines with equal targets share one
     */
    record ResultLine(int index, String input, byte @Nullable [] result) {}

    /**
     * The account's jobs, newest first.
     *
     * @param beforeToken only those created before this one of them; null for the newest
     */
    record ListJobs(long accountId, int limit, @Nullable String beforeToken) implements JobMessage {}

    /** What {@link ListJobs} is answered with. */
    sealed interface ListReply extends JobMessage {}

    record JobList(List<JobHead> jobs, boolean more) implements ListReply {}

    /** What an account has had checked in the last 30 days. */
    record ReadUsage(long accountId) implements JobMessage {}

    /** What {@link ReadUsage} is answered with. */
    sealed interface UsageReply extends JobMessage {}

    /**
     * Jobs by the day of their creation; those that were deleted since are not among them.
     *
     * @param days with jobs, the earliest first
     * @param lastHour jobs created in the last 60 minutes
     * @param whole false if there are so many jobs that only the latest were counted
     */
    record Usage(List<UsageDay> days, int lastHour, boolean whole) implements UsageReply {}

    /**
     * A day by UTC.
     *
     * @param begin its first moment
     * @param lines of all its jobs together
     */
    record UsageDay(Instant begin, int jobs, long lines) {}
}
