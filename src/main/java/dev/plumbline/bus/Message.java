package dev.plumbline.bus;

import dev.plumbline.check.CheckResult;
import java.util.Map;

/**
 * Everything that is said over the event bus. Inside a node a message is handed over as it is;
 * between nodes it travels as JSON. An expected refusal is a reply type of its own, never an
 * exception.
 */
public sealed interface Message
        permits JobMessage,
                Message.RunCheck,
                Message.Ping,
                Message.RunReply,
                Message.TakeQuota,
                Message.RefundQuota,
                Message.QuotaReply,
                Message.Done {

    /**
     * Run one check now.
     *
     * @param target a normalised target
     * @param options what differs from the module's defaults
     * @param bulk whether it is a line of a job: then it leaves places for instant checks, and does
     *     not wait for one
     * @param patienceMs how long it may wait for a place before {@link Busy} is the better answer
     * @param requestId for the log
     * @param fresh whether nothing may be used that was fetched for another check
     */
    record RunCheck(
            String module,
            String target,
            Map<String, Object> options,
            boolean bulk,
            long patienceMs,
            String requestId,
            boolean fresh)
            implements Message {

        /** A check that may share what others have just fetched. */
        public RunCheck(
                String module,
                String target,
                Map<String, Object> options,
                boolean bulk,
                long patienceMs,
                String requestId) {
            this(module, target, options, bulk, patienceMs, requestId, false);
        }
    }

    /** Is anybody there? */
    record Ping() implements Message {}

    /** What {@link RunCheck} is answered with. */
    sealed interface RunReply extends Message {}

    /** The check ended, well or badly. */
    record Checked(CheckResult result) implements RunReply {}

    /**
     * No room: nothing was judged, and nothing is to be charged.
     *
     * @param retryAfterSeconds at least 1
     */
    record Busy(int retryAfterSeconds) implements RunReply {}

    /**
     * Take from a quota.
     *
     * @param policy the quota's name, for example {@code fresh}
     * @param key whose quota, for example a client address
     * @param cost 0 takes nothing and asks what is left
     */
    record TakeQuota(String policy, String key, int cost) implements Message {}

    /**
     * Give back what was taken for something that in the end did not happen.
     *
     * @param takenAtMicros as {@link Granted} told it
     */
    record RefundQuota(String policy, String key, int cost, long takenAtMicros) implements Message {}

    /** What {@link TakeQuota} is answered with. */
    sealed interface QuotaReply extends Message {}

    /**
     * Taken.
     *
     * @param limit most in any window; 0 for no limit
     * @param remaining what is left now
     * @param resetSeconds when the oldest of what is taken becomes free again
     * @param takenAtMicros by the database's clock, microseconds since 1970
     */
    record Granted(int limit, int remaining, int resetSeconds, long takenAtMicros) implements QuotaReply {}

    /**
     * Not taken: it would have been more than the limit.
     *
     * @param remaining what is left now, less than the cost
     * @param retryAfterSeconds when the same take can succeed, at least 1
     */
    record Denied(int limit, int remaining, int retryAfterSeconds) implements QuotaReply {}

    /** The quota cannot be asked: the database is away. */
    record QuotaUnavailable() implements QuotaReply {}

    /** Done; there is nothing to say. */
    record Done() implements Message {}
}
