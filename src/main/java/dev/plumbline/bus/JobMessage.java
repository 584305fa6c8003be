package dev.plumbline.bus;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Requests for jobs and their replies, and notifications about jobs. */
public sealed interface JobMessage extends Message {

    /**
     * Create a job. All values are validated.
     *
     * @param token of the new job. The sender knows it, because the job can exist although no reply arrives
     * @param keyId the API key that is charged
     * @param name 1 to 100 characters
     * @param items inputs, 1 to 500
     * @param options options that differ from the module's defaults
     * @param fresh whether cached results are not used
     * @param idempotency null if the request has no Idempotency-Key
     * @param charge how many jobs are charged: those of a whole list with its first job, and 0 with its others
     * @param defaultPolicy null for none
     */
    @BusAddress("job.create")
    record CreateJob(
            String token,
            long accountId,
            long keyId,
            String name,
            String module,
            List<String> items,
            Map<String, Object> options,
            boolean fresh,
            @Nullable Idempotency idempotency,
            int charge,
            @Nullable DefaultPolicy defaultPolicy)
            implements JobMessage {}

    /**
     * The policy and the expectations that are applied when a job is read, unless the reader names others.
     *
     * @param policy the name of a policy, which may no longer exist; null for none
     * @param expect expressions, which were valid when the job was created
     */
    record DefaultPolicy(@Nullable String policy, List<String> expect) {
        /** Reads the output of {@link #toJson}; null for null. */
        public static @Nullable DefaultPolicy of(@Nullable JsonObject stored) {
            return stored == null
                    ? null
                    : new DefaultPolicy(
                            stored.getString("policy"),
                            stored.getJsonArray("expect").stream()
                                    .map(String.class::cast)
                                    .toList());
        }

        /** The form in the database. */
        public JsonObject toJson() {
            return new JsonObject().put("policy", policy).put("expect", new JsonArray(expect));
        }
    }

    /**
     * The idempotency of a request.
     *
     * @param key the Idempotency-Key of the client
     * @param bodyHash SHA-256 of the request body in base64url
     */
    record Idempotency(String key, String bodyHash) {}

    /**
     * Finds the job that an earlier request with the same key created in the last 24 hours. The reply is
     * {@link JobCreated}, {@link IdempotencyMismatch} or {@link NoEarlierRequest}.
     *
     * @param keyId the API key of the request
     */
    @BusAddress("job.replay")
    record ReplayJob(long keyId, Idempotency idempotency) implements JobMessage {}

    /** No request with this idempotency key created a job in the last 24 hours. */
    record NoEarlierRequest() implements CreateReply {}

    /** The reply to {@link CreateJob}. */
    sealed interface CreateReply extends JobMessage {}

    /**
     * The job was created and stored.
     *
     * @param job the job at its creation, also if the request is repeated
     * @param replayed whether an earlier request created it, so that nothing was charged
     * @param quotas the quotas after the charge; empty if replayed
     */
    record JobCreated(JobSnapshot job, boolean replayed, List<QuotaStatus> quotas) implements CreateReply {}

    /**
     * A quota is exceeded; nothing was charged.
     *
     * @param exceeded the quota with the longest retry time
     * @param retryAfterSeconds at least 1
     */
    record JobQuotaExceeded(QuotaStatus exceeded, int retryAfterSeconds, List<QuotaStatus> quotas)
            implements CreateReply {}

    /** The Idempotency-Key was used with another body. */
    record IdempotencyMismatch() implements CreateReply {}

    /** Another request with this Idempotency-Key is in progress. */
    record IdempotencyPending() implements CreateReply {}

    /**
     * The state of a quota.
     *
     * @param policy {@link #PER_KEY} or {@link #PER_ACCOUNT}
     * @param limit maximum in the window
     * @param resetSeconds time until the oldest charge leaves the window
     */
    record QuotaStatus(String policy, int limit, int remaining, int resetSeconds) {
        /** Jobs created with one API key. */
        public static final String PER_KEY = "jobs";

        /** Jobs created with all keys of an account. */
        public static final String PER_ACCOUNT = "jobs-account";
    }

    /** Read the state of a job of the account. */
    @BusAddress("job.read")
    record ReadJob(long accountId, String token) implements JobMessage {}

    /**
     * Wait for a change of a job.
     *
     * @param knownVersion reply when the version is greater; -1: reply when the state is final
     * @param waitMs maximum waiting time; the current state is returned after it
     */
    @BusAddress("job.await")
    record AwaitJob(long accountId, String token, long knownVersion, long waitMs) implements JobMessage {}

    /** Cancel a job. A finished job does not change. */
    @BusAddress("job.cancel")
    record CancelJob(long accountId, String token) implements JobMessage {}

    /** The reply to {@link ReadJob}, {@link AwaitJob} and {@link CancelJob}. */
    sealed interface JobReply extends JobMessage {}

    record JobFound(JobSnapshot job) implements JobReply {}

    /** The job does not exist or belongs to another account. */
    record JobNotFound() implements JobReply, ListReply {}

    /** The results of the job have been deleted after the retention time. */
    record JobExpired() implements JobReply {}

    /**
     * The database is unavailable.
     *
     * @param overloaded whether it responds, but not in time
     */
    record JobsUnavailable(boolean overloaded)
            implements CreateReply, JobReply, ResultsReply, FinishedLinesReply, ListReply, UsageReply {}

    /**
     * The state of a job at a version, without its lines.
     *
     * @param options options that differ from the module's defaults, and {@code fresh} if it is set
     * @param defaultPolicy null for none
     * @param version incremented with every visible change
     * @param running lines that are claimed and have no result yet
     * @param cancelled lines that never get a result
     * @param runningRanges indexes of the running lines as pairs of first (inclusive) and last (exclusive)
     * @param waiting lines that wait for limits of targets, up to a second old and at most {@code running}; not part of
     *     the version
     * @param startedAt null before the first claim
     * @param finishedAt null until the state is final
     * @param expiresAt time at which the results are deleted; null until the state is final
     */
    record JobSnapshot(
            long id,
            String token,
            String name,
            String module,
            Map<String, Object> options,
            @Nullable DefaultPolicy defaultPolicy,
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
            List<WaitingLines> waiting,
            Instant createdAt,
            @Nullable Instant startedAt,
            @Nullable Instant finishedAt,
            @Nullable Instant expiresAt) {

        /** The same job with other verdicts of its results. */
        public JobSnapshot withVerdicts(int passed, int warned, int failed, int errors) {
            return new JobSnapshot(
                    id,
                    token,
                    name,
                    module,
                    options,
                    defaultPolicy,
                    state,
                    version,
                    total,
                    running,
                    passed,
                    warned,
                    failed,
                    errors,
                    cancelled,
                    runningRanges,
                    waiting,
                    createdAt,
                    startedAt,
                    finishedAt,
                    expiresAt);
        }

        /** Lines with a result. */
        public int done() {
            return pass + warn + fail + error;
        }

        /** Lines that are not claimed. */
        public int pending() {
            return total - done() - running - cancelled;
        }

        /** The minimum time in seconds until the waiting lines have started; 0 if it is not known. */
        public double minRemainingSeconds() {
            return waiting.stream()
                    .mapToDouble(lines -> lines.perSecond() == 0 ? 0 : (double) lines.lines() / lines.perSecond())
                    .max()
                    .orElse(0);
        }
    }

    /**
     * The lines of a job that wait for one limit.
     *
     * @param targetAddress the limited address, network, registrable domain, registry server or host
     * @param limit for example {@code 20 connections per second}
     * @param perSecond the rate; 0 if the limit is a concurrency limit
     * @param lines at least 1
     */
    record WaitingLines(String targetAddress, String limit, int perSecond, int lines) {
        /** The maximum number of limits of a job. */
        public static final int MAX = 10;

        /** The limits with the most lines. Those of the same target and limit are added. */
        public static List<WaitingLines> most(List<WaitingLines> all) {
            Map<WaitingLines, Integer> lines = new HashMap<>();
            for (WaitingLines waiting : all) {
                lines.merge(waiting.withLines(0), waiting.lines, Integer::sum);
            }
            return lines.entrySet().stream()
                    .map(entry -> entry.getKey().withLines(entry.getValue()))
                    .sorted(Comparator.comparing((WaitingLines waiting) -> -waiting.lines)
                            .thenComparing(WaitingLines::targetAddress)
                            .thenComparing(WaitingLines::limit))
                    .limit(MAX)
                    .toList();
        }

        /**
         * As {@link #most(List)}, with at most this many lines in total. A record can be older than the number of lines
         * that have no result yet.
         */
        public static List<WaitingLines> most(List<WaitingLines> all, int maxLines) {
            List<WaitingLines> limited = new ArrayList<>();
            int left = maxLines;
            for (WaitingLines waiting : most(all)) {
                int lines = Math.min(waiting.lines, left);
                if (lines > 0) {
                    limited.add(waiting.withLines(lines));
                }
                left -= lines;
            }
            return limited;
        }

        private WaitingLines withLines(int count) {
            return new WaitingLines(targetAddress, limit, perSecond, count);
        }
    }

    /**
     * Read lines of a job.
     *
     * @param jobId a job that the caller owns
     * @param version results of later versions are omitted
     * @param indexes 0-based, in the order of the reply, without repetition
     */
    @BusAddress("job.results")
    record ReadResults(long jobId, long version, List<Integer> indexes) implements JobMessage {}

    /** The reply to {@link ReadResults}. */
    sealed interface ResultsReply extends JobMessage {}

    /** The first of the requested lines that exist: fewer if they are large, but at least one. */
    record ResultLines(List<ResultLine> lines) implements ResultsReply {}

    /**
     * One line.
     *
     * @param input the input as submitted
     * @param result the result as a JSON object in UTF-8, without {@code expires_at}; null if there is none yet. Lines
     *     with the same target share a result
     */
    record ResultLine(int index, String input, byte @Nullable [] result) {
        /** The same line with another result. */
        public ResultLine withResult(byte[] other) {
            return new ResultLine(index, input, other);
        }
    }

    /**
     * List the lines of a job that have a result, without the results.
     *
     * @param jobId a job that the caller owns
     * @param fromVersion lines whose result became visible in an earlier version are omitted
     * @param version lines whose result became visible in a later version are omitted
     * @param verdicts the verdicts of the lines; empty for all
     */
    @BusAddress("job.finished-lines")
    record ListFinishedLines(long jobId, long fromVersion, long version, List<String> verdicts) implements JobMessage {}

    /** The reply to {@link ListFinishedLines}. */
    sealed interface FinishedLinesReply extends JobMessage {}

    /** In the order of their versions; lines of one version in the order of their indexes. */
    record FinishedLines(List<FinishedLine> lines) implements FinishedLinesReply {}

    /**
     * A line with a result.
     *
     * @param version the version of the job in which the result became visible
     */
    record FinishedLine(int index, long version) {}

    /**
     * List the jobs of an account, newest first.
     *
     * @param beforeToken only jobs created before this one; null for the newest
     */
    @BusAddress("job.list")
    record ListJobs(long accountId, int limit, @Nullable String beforeToken) implements JobMessage {}

    /** The reply to {@link ListJobs}. */
    sealed interface ListReply extends JobMessage {}

    record JobList(List<JobSnapshot> jobs, boolean more) implements ListReply {}

    /** Read the usage of an account in the last 30 days. */
    @BusAddress("job.usage")
    record ReadUsage(long accountId) implements JobMessage {}

    /** The reply to {@link ReadUsage}. */
    sealed interface UsageReply extends JobMessage {}

    /**
     * Jobs per day of creation, without deleted jobs.
     *
     * @param days days with jobs, in ascending order
     * @param lastHour jobs created in the last 60 minutes
     * @param complete false if only the latest jobs were counted, because there are too many
     */
    record Usage(List<UsageDay> days, int lastHour, boolean complete) implements UsageReply {}

    /**
     * A day in UTC.
     *
     * @param begin start of the day
     * @param lines lines of all its jobs
     */
    record UsageDay(Instant begin, int jobs, long lines) {}

    /** A job was created, so chunks may wait. */
    @BusAddress("job.queued")
    record JobQueued() implements JobMessage {}

    /** A job was cancelled, so its chunks no longer belong to their nodes. */
    @BusAddress("job.cancelled")
    record JobCancelled(long jobId) implements JobMessage {}

    /** The visible state of a job may have changed. */
    @BusAddress("job.changed")
    record JobChanged(long jobId) implements JobMessage {}
}
