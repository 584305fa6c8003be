package dev.plumbline.http.api;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import java.util.function.Function;

/** Charges a quota of a client for an operation that has no other one. */
public final class QuotaCharge {
    private static final long TIMEOUT_MS = 2_000;

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
        return bus.request(new Message.ChargeQuota(policy, client, cost), Message.QuotaReply.class, TIMEOUT_MS)
                .compose(
                        reply -> {
                            if (reply instanceof Message.Granted granted) {
                                return Future.succeededFuture(granted);
                            }
                            return ProblemException.failed(
                                    reply instanceof Message.Denied denied
                                            ? exceeded.apply(denied)
                                            : unavailable.apply(reply instanceof Message.QuotaUnavailable quota
                                                    && quota.overloaded()));
                        },
                        failure -> MessageBus.isUnserved(failure) || MessageBus.isTimeout(failure)
                                ? ProblemException.failed(unavailable.apply(false))
                                : Future.failedFuture(failure));
    }
}
