package dev.plumbline.account;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/** Charges an attempt to several quotas: to all of them, or to none if one is exceeded. */
final class AttemptLimiter {
    private static final long TIMEOUT_MS = 2_000;

    private final MessageBus bus;

    AttemptLimiter(MessageBus bus) {
        this.bus = bus;
    }

    /** A quota and its key. */
    record Quota(String policy, String key) {}

    private record Charge(Quota quota, long chargedAtMicros) {}

    /** The outcome of a charge. */
    sealed interface Outcome {}

    /** A quota is exceeded. */
    record Denied(String policy, int retryAfterSeconds) implements Outcome {}

    /** The attempt is permitted. */
    final class Allowed implements Outcome {
        private final List<Charge> charges = new ArrayList<>();

        /** Refunds the charges; does not wait for the refund. */
        void refund() {
            for (Charge charge : charges) {
                bus.request(
                        BusAddresses.QUOTA_REFUND,
                        new Message.RefundQuota(charge.quota.policy, charge.quota.key, 1, charge.chargedAtMicros),
                        Message.class,
                        TIMEOUT_MS);
            }
        }
    }

    /** Fails with {@link DatabaseUnavailableException} if the quotas are unavailable. */
    Future<Outcome> charge(List<Quota> quotas) {
        return charge(quotas, 0, new Allowed());
    }

    private Future<Outcome> charge(List<Quota> quotas, int index, Allowed allowed) {
        if (index == quotas.size()) {
            return Future.succeededFuture(allowed);
        }
        Quota quota = quotas.get(index);
        return bus.request(
                        BusAddresses.QUOTA_CHARGE,
                        new Message.ChargeQuota(quota.policy, quota.key, 1),
                        Message.QuotaReply.class,
                        TIMEOUT_MS)
                .recover(failure -> MessageBus.isTimeout(failure) || MessageBus.isUnserved(failure)
                        ? Future.succeededFuture(new Message.QuotaUnavailable(false))
                        : Future.failedFuture(failure))
                .onFailure(failure -> allowed.refund())
                .compose(reply -> {
                    if (reply instanceof Message.Granted granted) {
                        allowed.charges.add(new Charge(quota, granted.chargedAtMicros()));
                        return charge(quotas, index + 1, allowed);
                    }
                    allowed.refund();
                    return reply instanceof Message.Denied denied
                            ? Future.succeededFuture(new Denied(quota.policy, denied.retryAfterSeconds()))
                            : Future.failedFuture(unavailable(reply));
                });
    }

    private static DatabaseUnavailableException unavailable(Message.QuotaReply reply) {
        return reply instanceof Message.QuotaUnavailable unavailable && unavailable.overloaded()
                ? new DatabaseOverloadedException("The quotas are overloaded.")
                : new DatabaseUnavailableException("The quotas are unavailable.");
    }
}
