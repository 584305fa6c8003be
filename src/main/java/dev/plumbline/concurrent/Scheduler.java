package dev.plumbline.concurrent;

import io.vertx.core.Vertx;

/** Runs something later, once. */
@FunctionalInterface
public interface Scheduler {

    /**
     * @return cancels it, when it has not run yet
     */
    Runnable after(long millis, Runnable task);

    static Scheduler of(Vertx vertx) {
        return (millis, task) -> {
            long id = vertx.setTimer(Math.max(1, millis), fired -> task.run());
            return () -> vertx.cancelTimer(id);
        };
    }
}
