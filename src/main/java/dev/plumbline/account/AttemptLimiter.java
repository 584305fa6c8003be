package dev.plumbline.account;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.store.DatabaseUnavailableException;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;

/**
 * Counts attempts against several quotas at once: an attempt is counted in all of them or, where
 * one is used up, in none.
 */
final class AttemptLimiter {
    private static final long PATIENCE_MS = 2_000;

    private final MessageBus bus;

    AttemptLimiter(MessageBus bus) {
        this.bus = bus;
    }

    /** One quota, and whose it is. */
    record Quota(String policy, String key) {}

    private record Taken(Quota quota, long takenAtMicros) {}

    /** What became of an attempt to try something. */
    sealed interface Outcome {}

    /** One quota is used up. */
    record Denied(String policy, int retryAfterSeconds) implements Outcome {}

    /** It may be tried. */
    final class Allowed implements Outcome {
        private final List<Taken> taken = new ArrayList<>();

        /** It was no failure: it does not count. Nobody waits for that. */
        void forgive() {
            for (Taken one : taken) {
                bus.ask(
                        BusAddresses.LIMIT_REFUND,
                        new Message.RefundQuota(one.quota.policy, one.quota.key, 1, one.takenAtMicros),
                        Message.class,
                        PATIENCE_MS);
            }
        }
    }

    /** Fails with {@link DatabaseUnavailableException} while quotas cannot be asked. */
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
                        PATIENCE_MS)
                .recover(silence -> Future.succeededFuture(new Message.QuotaUnavailable()))
                .compose(reply -> {
                    if (reply instanceof Message.Granted granted) {
                        soFar.taken.add(new Taken(quota, granted.takenAtMicros()));
                        return begin(quotas, next + 1, soFar);
                    }
                    soFar.forgive();
                    return reply instanceof Message.Denied denied
                            ? Future.succeededFuture(new Denied(quota.policy, denied.retryAfterSeconds()))
                            : Future.failedFuture(new DatabaseUnavailableException("The quotas cannot be asked."));
                });
    }
}
