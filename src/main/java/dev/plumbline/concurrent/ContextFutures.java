package dev.plumbline.concurrent;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/** Futures of asynchronous operations that several contexts share. */
public final class ContextFutures {
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

    /** Starts an operation; an exception becomes a failed future. */
    public static <T> Future<T> call(Supplier<Future<T>> operation) {
        try {
            return operation.get();
        } catch (RuntimeException thrown) {
            return Future.failedFuture(thrown);
        }
    }
}
