package dev.plumbline.concurrent;

import io.vertx.core.AsyncResult;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;

/** Brings the outcome of work that several event loops share back to the loop that asked. */
public final class ContextFutures {
    private ContextFutures() {}

    /** The same outcome, told on the caller's context where it has one. */
    public static <T> Future<T> ofCaller(Future<T> shared) {
        Context caller = Vertx.currentContext();
        if (caller == null || shared.isComplete()) {
            return shared;
        }
        Promise<T> promise = Promise.promise();
        shared.onComplete(outcome -> {
            if (Vertx.currentContext() == caller) {
                tell(promise, outcome);
            } else {
                caller.runOnContext(nothing -> tell(promise, outcome));
            }
        });
        return promise.future();
    }

    /** Passes an outcome on, unless the promise is already kept. */
    public static <T> void tell(Promise<T> promise, AsyncResult<T> outcome) {
        if (outcome.succeeded()) {
            promise.tryComplete(outcome.result());
        } else {
            promise.tryFail(outcome.cause());
        }
    }
}
