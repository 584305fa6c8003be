package dev.plumbline.support;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/** Waits on the test thread for events of event loops. */
public final class Await {
    private static final long TIMEOUT_SECONDS = 60;

    private Await() {}

    public static <T> T value(Future<T> future) {
        try {
            return future.toCompletionStage().toCompletableFuture().get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException failed) {
            throw new AssertionError("failed: " + failed.getCause(), failed.getCause());
        } catch (InterruptedException | TimeoutException timeout) {
            throw new AssertionError("the future did not complete within " + TIMEOUT_SECONDS + " seconds", timeout);
        }
    }

    /**
     * Starts on an event loop, as the service does. Elsewhere, the first bytes of a peer could arrive before a handler
     * is set.
     */
    public static <T> Future<T> onLoop(Vertx vertx, Supplier<Future<T>> work) {
        Promise<T> outcome = Promise.promise();
        vertx.runOnContext(
                loop -> Future.succeededFuture().compose(begin -> work.get()).onComplete(outcome));
        return outcome.future();
    }

    /** Waits until a condition is met, at most a minute. */
    public static void until(BooleanSupplier condition) {
        until(Duration.ofSeconds(TIMEOUT_SECONDS), condition);
    }

    /** Waits until a condition is met. */
    public static void until(Duration timeout, BooleanSupplier condition) {
        long end = System.nanoTime() + timeout.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("the condition was not met within " + timeout.toSeconds() + " seconds");
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
        }
    }

    /** Returns the cause of the failure. Throws an AssertionError if the future succeeds. */
    public static Throwable failure(Future<?> future) {
        return value(future.transform(outcome -> outcome.failed()
                ? Future.succeededFuture(outcome.cause())
                : Future.failedFuture(new AssertionError("succeeded with " + outcome.result()))));
    }
}
