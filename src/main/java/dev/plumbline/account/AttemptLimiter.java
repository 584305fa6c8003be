package dev.plumbline.account;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Charges an attempt to several quotas: to all of them, or to none if one is exceeded. */
final class AttemptLimiter {
    private static final long TIMEOUT_MS = 2_000;

    private final MessageBus bus;

    AttemptLimiter(MessageBus bus) {
        this.bus = bus;
    }

    /** A quota and its key. */
    record Quota(String policy, String key) {}

    /**
     * Charges all quotas, in order, and runs the attempt if none is exceeded. Fails with
     * {@link DatabaseUnavailableException} if the quotas are unavailable.
     *
     * @param attempt receives a function that refunds the charges asynchronously
     * @return {@link SignInResult.RateLimited} if a quota is exceeded
     */
    Future<SignInResult> run(List<Quota> quotas, Function<Runnable, Future<SignInResult>> attempt) {
        return run(quotas, new ArrayList<>(), attempt);
    }

    private Future<SignInResult> run(
            List<Quota> quotas, List<Message.RefundQuota> refunds, Function<Runnable, Future<SignInResult>> attempt) {
        if (refunds.size() == quotas.size()) {
            return attempt.apply(() -> refund(refunds));
        }
        Quota quota = quotas.get(refunds.size());
        return bus.request(new Message.ChargeQuota(quota.policy, quota.key, 1), Message.QuotaReply.class, TIMEOUT_MS)
                .recover(failure -> MessageBus.isTimeout(failure) || MessageBus.isUnserved(failure)
                        ? Future.succeededFuture(new Message.QuotaUnavailable(false))
                        : Future.failedFuture(failure))
                .onFailure(failure -> refund(refunds))
                .compose(reply -> {
                    if (reply instanceof Message.Granted granted) {
                        refunds.add(new Message.RefundQuota(quota.policy, quota.key, 1, granted.chargedAtMicros()));
                        return run(quotas, refunds, attempt);
                    }
                    refund(refunds);
                    return reply instanceof Message.Denied denied
                            ? Future.succeededFuture(
                                    new SignInResult.RateLimited(quota.policy, denied.retryAfterSeconds()))
                            : Future.failedFuture(unavailable(reply));
                });
    }

    private void refund(List<Message.RefundQuota> refunds) {
        refunds.forEach(refund -> bus.request(refund, Message.class, TIMEOUT_MS));
    }

    private static DatabaseUnavailableException unavailable(Message.QuotaReply reply) {
        return reply instanceof Message.QuotaUnavailable unavailable && unavailable.overloaded()
                ? new DatabaseOverloadedException("The quotas are overloaded.")
                : new DatabaseUnavailableException("The quotas are unavailable.");
    }
}
