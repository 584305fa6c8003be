package dev.plumbline.bus;

import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.Verdict;
import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Messages of the event bus. Passed by reference within a node and as JSON between nodes. Expected rejections are reply
 * types, not exceptions.
 */
public sealed interface Message
        permits JobMessage,
                PermitMessage,
                Message.RunCheck,
                Message.Ping,
                Message.RunReply,
                Message.RunCapacity,
                Message.ChargeQuota,
                Message.RefundQuota,
                Message.QuotaReply,
                Message.QuotaRefunded,
                Message.Unreadable,
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
     * @param client the client or account whose share of memory and CPU time the check uses
     */
    @BusAddress("check.run")
    record RunCheck(
            String module,
            String target,
            Map<String, Object> options,
            boolean bulk,
            long account,
            long queueTimeoutMs,
            String requestId,
            boolean fresh,
            String client)
            implements Message {

        /** A check without a job that can use responses fetched for other checks. */
        public RunCheck(
                String module,
                String target,
                Map<String, Object> options,
                boolean bulk,
                long queueTimeoutMs,
                String requestId) {
            this(module, target, options, bulk, 0, queueTimeoutMs, requestId, false, "account 0");
        }
    }

    /** Test whether the address is served. */
    @BusAddress("check.ping")
    record Ping() implements Message {}

    /** The reply to {@link RunCheck}. */
    sealed interface RunReply extends Message {}

    /**
     * The check completed, with or without an error. Has the rendered result, as it is stored and sent between nodes,
     * so that it is not parsed.
     *
     * @param retryAfterSeconds the delay after which a line is checked once more, because the result is temporary; 0 if
     *     it is final
     * @param noResponse whether the error of the check is {@link ErrorCode#noResponse}
     * @param limitWait the wait for limits of targets, which is not part of the rendered result
     * @param json the output of {@link ResultJson#write}. Must not be modified
     */
    record CompletedCheck(
            Verdict verdict,
            Instant checkedAt,
            boolean cacheable,
            int retryAfterSeconds,
            boolean noResponse,
            LimitWait limitWait,
            byte[] json)
            implements RunReply {

        /** Renders the result of a check. */
        public static CompletedCheck of(CheckResult result, LimitWait limitWait) {
            CheckError error = result.error();
            return new CompletedCheck(
                    result.verdict(),
                    result.checkedAt(),
                    result.cacheable(),
                    result.retryAfterSeconds(),
                    error != null && error.code().noResponse(),
                    limitWait,
                    ResultJson.write(result));
        }
    }

    /**
     * The check did not run, because the module, the target or an option is unknown to the node, which has another
     * version.
     */
    record Unsupported() implements RunReply {}

    /**
     * A queue is full, or a limit of the target would delay the check too long; the check did not run.
     *
     * @param retryAfterSeconds at least 1
     * @param limit the limit of the target; null if the node has too little capacity
     */
    record Overloaded(int retryAfterSeconds, @Nullable TargetLimit limit) implements RunReply {
        /** The node has too little capacity. */
        public Overloaded(int retryAfterSeconds) {
            this(retryAfterSeconds, null);
        }
    }

    /**
     * The capacity of a run node for lines of jobs.
     *
     * @param node the name of the node
     * @param bulkPermits maximum number of concurrent lines, at least 1
     * @param free unused permits; negative if more lines run or wait than there are permits
     */
    @BusAddress("run.capacity")
    record RunCapacity(String node, int bulkPermits, int free) implements Message {}

    /**
     * Charge a quota.
     *
     * @param policy name of the quota, for example {@code fresh}
     * @param key owner of the quota, for example a client address
     * @param cost number of charges; 0 reads the quota
     */
    @BusAddress("quota.charge")
    record ChargeQuota(String policy, String key, int cost) implements Message {}

    /**
     * Remove a charge for an operation that did not happen.
     *
     * @param chargedAtMicros from {@link Granted}
     */
    @BusAddress("quota.refund")
    record RefundQuota(String policy, String key, int cost, long chargedAtMicros) implements Message {}

    /** Charges were removed, so a cached denial may no longer be valid. */
    @BusAddress("quota.refunded")
    record QuotaRefunded(String policy, String key) implements Message {}

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

    /**
     * The check started, but has no result because of this node: its memory or CPU time was exhausted, or the process
     * was paused, so that timeouts are not facts about the target.
     */
    record Refused(Reason reason) implements RunReply {
        /** What was exhausted. */
        public enum Reason {
            MEMORY,
            CPU
        }
    }

    /**
     * A message of another version that cannot be read. Never sent.
     *
     * @param reason for the log
     */
    record Unreadable(String reason) implements Message {}

    /** The request was executed. */
    record Done() implements Message {}
}
