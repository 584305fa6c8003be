package dev.plumbline.quota;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Serves {@link Message.ChargeQuota} and {@link Message.RefundQuota}. One per node. */
public final class RateLimitVerticle extends VerticleBase {
    private static final Logger LOG = LoggerFactory.getLogger(RateLimitVerticle.class);
    private static final long LOG_INTERVAL_NANOS = TimeUnit.MINUTES.toNanos(1);

    private final MessageBus bus;
    private final SlidingWindowQuotas windows;
    private final AtomicLong lostRefunds = new AtomicLong();
    private final AtomicLong lastLogged = new AtomicLong();

    public RateLimitVerticle(MessageBus bus, SlidingWindowQuotas windows) {
        this.bus = bus;
        this.windows = windows;
    }

    @Override
    public Future<?> start() {
        return Future.all(
                bus.subscribe(
                        Message.QuotaRefunded.class, refunded -> windows.onRefund(refunded.policy(), refunded.key())),
                bus.serve(Message.ChargeQuota.class, windows::charge),
                bus.serve(Message.RefundQuota.class, this::refund));
    }

    private Future<Message> refund(Message.RefundQuota request) {
        Message refunded = new Message.QuotaRefunded(request.policy(), request.key());
        return windows.refund(request)
                .<Message>map(done -> done)
                .onSuccess(done -> bus.publish(refunded))
                .recover(failure -> {
                    if (!(failure instanceof DatabaseUnavailableException)) {
                        return Future.failedFuture(failure);
                    }
                    logLost(lostRefunds.incrementAndGet());
                    return Future.succeededFuture(
                            new Message.QuotaUnavailable(failure instanceof DatabaseOverloadedException));
                });
    }

    /** Logs lost refunds, at most once per minute. */
    private void logLost(long lostSoFar) {
        long now = System.nanoTime();
        long last = lastLogged.get();
        if ((lostSoFar == 1 || now - last >= LOG_INTERVAL_NANOS) && lastLogged.compareAndSet(last, now)) {
            LOG.atWarn().addKeyValue("refunds_lost", lostSoFar).log("quota refund failed: database unavailable");
        }
    }
}
