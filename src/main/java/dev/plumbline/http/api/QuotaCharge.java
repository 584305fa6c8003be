package dev.plumbline.http.api;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import java.util.function.Function;

/** Charges and reads quotas of clients. */
public final class QuotaCharge {
    private static final long TIMEOUT_MS = 2_000;
    private static final int RETRY_SECONDS = 2;

    private QuotaCharge() {}

    /**
     * Charges a quota. Fails with a problem if it is exceeded or unavailable.
     *
     * @param exceeded the problem if the quota is exceeded
     * @param unavailable the problem if the quota is unavailable; its argument is whether the database is overloaded
     */
    public static Future<Message.Granted> charge(
            MessageBus bus,
            String policy,
            String client,
            int cost,
            Function<Message.Denied, Problem> exceeded,
            Function<Boolean, Problem> unavailable) {
        return request(bus, policy, client, cost, unavailable)
                .compose(reply -> reply instanceof Message.Denied denied
                        ? ProblemException.failed(exceeded.apply(denied))
                        : Future.succeededFuture((Message.Granted) reply));
    }

    /** Returns the state of a quota without charging it. Fails with a problem if it is unavailable. */
    public static Future<JobMessage.QuotaStatus> read(MessageBus bus, String policy, String client) {
        return request(bus, policy, client, 0, QuotaCharge::unavailable)
                .map(reply -> reply instanceof Message.Granted granted
                        ? new JobMessage.QuotaStatus(
                                policy, granted.limit(), granted.remaining(), granted.resetSeconds())
                        // more was charged than the limit, which was higher then
                        : denied(policy, (Message.Denied) reply));
    }

    private static JobMessage.QuotaStatus denied(String policy, Message.Denied denied) {
        return new JobMessage.QuotaStatus(policy, denied.limit(), 0, denied.retryAfterSeconds());
    }

    private static Problem unavailable(boolean overloaded) {
        return Problem.unavailable(
                overloaded ? "overloaded" : "unavailable",
                "The database did not respond in time, so the remaining quotas are unknown. Retry shortly.",
                RETRY_SECONDS);
    }

    /** Returns {@link Message.Granted} or {@link Message.Denied}. */
    private static Future<Message.QuotaReply> request(
            MessageBus bus, String policy, String client, int cost, Function<Boolean, Problem> unavailable) {
        return bus.request(new Message.ChargeQuota(policy, client, cost), Message.QuotaReply.class, TIMEOUT_MS)
                .compose(
                        reply -> reply instanceof Message.QuotaUnavailable quota
                                ? ProblemException.failed(unavailable.apply(quota.overloaded()))
                                : Future.succeededFuture(reply),
                        failure -> MessageBus.isUnserved(failure) || MessageBus.isTimeout(failure)
                                ? ProblemException.failed(unavailable.apply(false))
                                : Future.failedFuture(failure));
    }
}
