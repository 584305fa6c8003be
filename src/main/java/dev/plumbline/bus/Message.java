package dev.plumbline.bus;

import dev.plumbline.check.CheckResult;
import java.util.Map;

/**
 * Messages of the event bus. Passed by reference within a node and as JSON between nodes. Expected rejections are reply
 * types, not exceptions.
 */
public sealed interface Message
        permits JobMessage,
                Message.RunCheck,
                Message.Ping,
                Message.RunReply,
                Message.ChargeQuota,
                Message.RefundQuota,
                Message.QuotaReply,
                Message.Done {

    /**
     * Run a check.
     *
     * @param target normalized target
     * @param options options that differ from the module's defaults
     * @param bulk whether it is a line of a job: it does not use the permits reserved for instant checks
     * @param account the account of the job; 0 if it is not a line of a job
     * @param queueTimeoutMs maximum time in the queue, in milliseconds
     * @param requestId for the log
     * @param fresh whether responses fetched for other checks are not used
     */
    record RunCheck(
            String module,
            String target,
            Map<String, Object> options,
            boolean bulk,
            long account,
            long queueTimeoutMs,
            String requestId,
            boolean fresh)
            implements Message {

        /** A check without a job that can use responses fetched for other checks. */
        public RunCheck(
                String module,
                String target,
                Map<String, Object> options,
                boolean bulk,
                long queueTimeoutMs,
                String requestId) {
            this(module, target, options, bulk, 0, queueTimeoutMs, requestId, false);
        }
    }

    /** Test whether the address is served. */
    record Ping() implements Message {}

    /** The reply to {@link RunCheck}. */
    sealed interface RunReply extends Message {}

    /** The check completed, with or without an error. */
    record Checked(CheckResult result) implements RunReply {}

    /**
     * The queue is full; the check did not run.
     *
     * @param retryAfterSeconds at least 1
     */
    record Overloaded(int retryAfterSeconds) implements RunReply {}

    /**
     * Charge a quota.
     *
     * @param policy name of the quota, for example {@code fresh}
     * @param key owner of the quota, for example a client address
     * @param cost number of charges; 0 reads the quota
     */
    record ChargeQuota(String policy, String key, int cost) implements Message {}

    /**
     * Remove a charge for an operation that did not happen.
     *
     * @param chargedAtMicros from {@link Granted}
     */
    record RefundQuota(String policy, String key, int cost, long chargedAtMicros) implements Message {}

    /** The reply to {@link ChargeQuota}. */
    sealed interface QuotaReply extends Message {}

    /**
     * The quota was charged.
     *
     * @param limit maximum in the window; 0 for no limit
     * @param remaining remaining charges
     * @param resetSeconds time until the oldest charge leaves the window
     * @param chargedAtMicros time of the charge by the database clock, microseconds since 1970
     */
    record Granted(int limit, int remaining, int resetSeconds, long chargedAtMicros) implements QuotaReply {}

    /**
     * The charge would exceed the limit.
     *
     * @param remaining remaining charges, less than the cost
     * @param retryAfterSeconds time until the same charge can be granted, at least 1
     */
    record Denied(int limit, int remaining, int retryAfterSeconds) implements QuotaReply {}

    /**
     * The database is unavailable.
     *
     * @param overloaded whether it responds, but not in time
     */
    record QuotaUnavailable(boolean overloaded) implements QuotaReply {}

    /** The process was paused during the check, so its times and timeouts are not facts about the target. */
    record Paused() implements RunReply {}

    /** The request was executed. */
    record Done() implements Message {}
}
