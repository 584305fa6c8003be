package dev.plumbline.account;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.store.DatabaseUnavailableException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts attempts against several rate limits. An attempt is counted in all of them, or in none if
 * one is exceeded.
 */
final class AttemptLimiter {
    private static final long TIMEOUT_MS = 2_000;

    private final MessageBus bus;

    AttemptLimiter(MessageBus bus) {
        this.bus = bus;
    }

    /** A rate limit policy and key. */
    record Quota(String policy, String key) {}

    private record Taken(Quota quota, long takenAtMicros) {}

    /** The outcome of starting an attempt. */
    sealed interface Outcome {}

    /** A rate limit is exceeded. */
    record Denied(String policy, int retryAfterSeconds) implements Outcome {}

    /** The attempt is allowed. */
    final class Allowed implements Outcome {
        private final List<Taken> taken = new ArrayList<>();

        /** Refunds the attempt, without waiting. */
        void forgive() {
            for (Taken one : taken) {
                bus.ask(
                        BusAddresses.LIMIT_REFUND,
                        new Message.RefundQuota(one.quota.policy, one.quota.key, 1, one.takenAtMicros),
                        Message.class,
                        TIMEOUT_MS);
            }
        }
    }

    /**
     * Starts an attempt. Fails with {@link DatabaseUnavailableException} if the rate limits are
     * unavailable.
     */
    Future<Outcome> begin(List<Quota> quotas) {
        return begin(quotas, 0, new Allowed());
    }

    private Future<Outcome> begin(List<Quota> quotas, int next, Allowed soFar) {
        if (next == quotas.size()) {
            return Future.succeededFuture(soFar);
        }
        Quota quota = quotas.get(next);
        return bus.ask(
                        BusAddresses.LIMIT_TAKE,
                        new Message.TakeQuota(quota.policy, quota.key, 1),
                        Message.QuotaReply.class,
                        TIMEOUT_MS)
                .recover(silence -> Future.succeededFuture(new Message.QuotaUnavailable()))
                .compose(reply -> {
                    if (reply instanceof Message.Granted granted) {
                        soFar.taken.add(new Taken(quota, granted.takenAtMicros()));
                        return begin(quotas, next + 1, soFar);
                    }
                    soFar.forgive();
                    return reply instanceof Message.Denied denied
                            ? Future.succeededFuture(new Denied(quota.policy, denied.retryAfterSeconds()))
                            : Future.failedFuture(new DatabaseUnavailableException("The rate limits are unavailable."));
                });
    }
}
