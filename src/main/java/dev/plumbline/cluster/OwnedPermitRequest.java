package dev.plumbline.cluster;

import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.egress.KeyedRateLimiter;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.TargetLimit;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request for a permit of an own key: held while the node is a new owner of the key, then queued in the limiter.
 * Thread-safe.
 */
final class OwnedPermitRequest {
    private final KeyedRateLimiter<String> limiter;
    private final String key;
    private final long account;
    private final Deadline patience;
    private final PermitOwnership ownership;
    private final Scheduler scheduler;
    private final Promise<RatePermit> promise = Promise.promise();
    private @Nullable Future<?> queued;
    private @Nullable Runnable cancelHold;
    private @Nullable Throwable ended;

    OwnedPermitRequest(
            KeyedRateLimiter<String> limiter,
            String key,
            long account,
            Deadline patience,
            PermitOwnership ownership,
            Scheduler scheduler) {
        this.limiter = limiter;
        this.key = key;
        this.account = account;
        this.patience = patience;
        this.ownership = ownership;
        this.scheduler = scheduler;
    }

    String key() {
        return key;
    }

    Future<RatePermit> future() {
        return promise.future();
    }

    /** Queues the request now or after the hold. */
    void start() {
        long hold = ownership.holdMillis(key);
        long remaining = patience.remainingMillis();
        if (hold == 0) {
            queue(remaining);
        } else if (hold > remaining) {
            promise.tryFail(moving());
        } else {
            synchronized (this) {
                if (ended == null) {
                    cancelHold = scheduler.after(hold, this::start);
                }
            }
        }
    }

    static OverloadFailure moving() {
        return new OverloadFailure("The limit per target is moving to another node.", Duration.ofSeconds(1));
    }

    private void queue(long remaining) {
        Future<TargetLimit.@Nullable Type> acquired;
        synchronized (this) {
            if (ended != null) {
                return;
            }
            acquired = limiter.acquire(key, remaining, account);
            queued = acquired;
        }
        acquired.onComplete(this::complete);
    }

    private void complete(AsyncResult<TargetLimit.@Nullable Type> outcome) {
        if (outcome.succeeded()) {
            if (!promise.tryComplete(new RatePermit(this::release, outcome.result()))) {
                release();
            }
        } else {
            promise.tryFail(outcome.cause());
        }
    }

    private void release() {
        limiter.release(key, account);
    }

    /** Ends the request without a permit, or releases its permit. To be called once. */
    void withdraw() {
        end(new OverloadFailure("The request was cancelled.", Duration.ofSeconds(1)));
        if (promise.future().succeeded()) {
            promise.future().result().release();
        }
    }

    /** Ends the request with {@link PermitMovedException}, unless it has a permit. */
    void move() {
        end(PermitMovedException.INSTANCE);
    }

    private void end(Throwable cause) {
        Future<?> acquired;
        Runnable hold;
        synchronized (this) {
            ended = cause;
            acquired = queued;
            hold = cancelHold;
        }
        if (promise.tryFail(cause)) {
            if (acquired != null) {
                limiter.cancel(key, acquired);
            } else if (hold != null) {
                hold.run();
            }
        }
    }
}
