package dev.plumbline.concurrent;

import io.vertx.core.AsyncResult;
import io.vertx.core.CompositeFuture;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Futures of asynchronous operations. */
public final class ContextFutures {
    private static final long POLL_MS = 20;

    private ContextFutures() {}

    /** A future with the same outcome that completes on the context of the caller, if there is one. */
    public static <T> Future<T> onCallerContext(Future<T> shared) {
        Context caller = Vertx.currentContext();
        if (caller == null || shared.isComplete()) {
            return shared;
        }
        Promise<T> promise = Promise.promise();
        shared.onComplete(outcome -> {
            if (Vertx.currentContext() == caller) {
                complete(promise, outcome);
            } else {
                caller.runOnContext(ignored -> complete(promise, outcome));
            }
        });
        return promise.future();
    }

    /** Completes the promise with the outcome unless it is already complete. */
    public static <T> void complete(Promise<T> promise, AsyncResult<T> outcome) {
        if (outcome.succeeded()) {
            promise.tryComplete(outcome.result());
        } else {
            promise.tryFail(outcome.cause());
        }
    }

    /** Starts an operation; an exception, an error or a missing future becomes a failed future. */
    public static <T> Future<T> call(Supplier<Future<T>> operation) {
        try {
            return Objects.requireNonNull(operation.get(), "the operation returned no future");
        } catch (RuntimeException | Error thrown) {
            return Future.failedFuture(thrown);
        }
    }

    /** The results of an operation for each item, in the order of the items. Fails with the first failure. */
    public static <T, R extends @Nullable Object> Future<List<R>> all(
            Collection<T> items, Function<? super T, Future<R>> operation) {
        return Future.all(items.stream().map(operation).toList()).map(CompositeFuture::list);
    }

    /**
     * Repeats a step while there is a next one. Fails with the first failure. Each step starts after the previous one
     * has completed, because a chain of futures would complete recursively.
     */
    public static Future<Void> repeat(BooleanSupplier hasNext, Supplier<Future<Void>> step) {
        Promise<Void> done = Promise.promise();
        repeat(hasNext, step, done);
        return done.future();
    }

    private static void repeat(BooleanSupplier hasNext, Supplier<Future<Void>> step, Promise<Void> done) {
        if (!hasNext.getAsBoolean()) {
            done.complete();
            return;
        }
        call(step).onComplete((value, failure) -> {
            if (failure == null) {
                repeat(hasNext, step, done);
            } else {
                done.fail(failure);
            }
        });
    }

    /**
     * A promise with a timeout.
     *
     * @param millis at least 1 is used
     * @param onTimeout completes the promise if it is not complete after this time
     */
    public static <T> Promise<T> promise(Vertx vertx, long millis, Consumer<Promise<T>> onTimeout) {
        Promise<T> promise = Promise.promise();
        long timer = vertx.setTimer(Math.max(1, millis), fired -> onTimeout.accept(promise));
        promise.future().onComplete(done -> vertx.cancelTimer(timer));
        return promise;
    }

    /** Completes when a condition holds, which is tested every 20 ms, or after the timeout. */
    public static Future<Void> awaitUntil(Vertx vertx, BooleanSupplier condition, Duration timeout) {
        Promise<Void> done = Promise.promise();
        poll(vertx, condition, System.nanoTime() + timeout.toNanos(), done);
        return done.future();
    }

    private static void poll(Vertx vertx, BooleanSupplier condition, long deadlineNanos, Promise<Void> done) {
        if (condition.getAsBoolean() || System.nanoTime() - deadlineNanos >= 0) {
            done.complete();
        } else {
            vertx.setTimer(POLL_MS, fired -> poll(vertx, condition, deadlineNanos, done));
        }
    }

    /**
     * Adds a deadline to a promise. Waits again if the deadline was extended in the meantime.
     *
     * @param remainingMillis returns the milliseconds until the deadline; 0 after it
     * @param graceMillis time after the deadline, in milliseconds
     * @param onTimeout completes the promise if it is not complete after this time
     */
    public static <T> void addDeadline(
            Vertx vertx,
            Promise<T> promise,
            LongSupplier remainingMillis,
            long graceMillis,
            Consumer<Promise<T>> onTimeout) {
        long timer = vertx.setTimer(Math.max(1, remainingMillis.getAsLong() + graceMillis), fired -> {
            if (remainingMillis.getAsLong() == 0) {
                onTimeout.accept(promise);
            } else {
                addDeadline(vertx, promise, remainingMillis, graceMillis, onTimeout);
            }
        });
        promise.future().onComplete(done -> vertx.cancelTimer(timer));
    }
}
