package dev.plumbline.concurrent;

import io.vertx.core.Vertx;

/** Runs tasks once after a delay. */
@FunctionalInterface
public interface Scheduler {

    /**
     * @param millis delay in milliseconds
     * @return cancels the task if it has not run yet
     */
    Runnable after(long millis, Runnable task);

    static Scheduler of(Vertx vertx) {
        return (millis, task) -> {
            long id = vertx.setTimer(Math.max(1, millis), fired -> task.run());
            return () -> vertx.cancelTimer(id);
        };
    }
}
