package dev.plumbline.http.api;

import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs work with limited concurrency and a bounded queue. Fails with a problem (503) if the queue is full. */
public final class WorkerLimit {
    private static final long MAX_WAIT_MS = 5_000;

    private final Vertx vertx;
    private final AsyncSemaphore semaphore;
    private final Problem overloaded;

    /** @param overloadedDetail the detail of the problem */
    public WorkerLimit(Vertx vertx, int maxConcurrent, int maxWaiting, String overloadedDetail) {
        this.vertx = vertx;
        this.semaphore = new AsyncSemaphore(vertx, maxConcurrent, maxWaiting);
        this.overloaded = Problem.unavailable("overloaded", overloadedDetail, 1);
    }

    /** Runs work that completes on the context of the caller. */
    public <T> Future<T> execute(Supplier<Future<T>> work) {
        return semaphore.withPermit(MAX_WAIT_MS, work, () -> ProblemException.failed(overloaded));
    }

    /** Runs blocking work on a worker thread. */
    public <T> Future<T> executeBlocking(Callable<T> work) {
        return execute(() -> vertx.executeBlocking(work, false));
    }

    /** As {@link #executeBlocking(Callable)}, for one of the clients, which are served round-robin. */
    public <T extends @Nullable Object> Future<T> executeBlocking(String client, Callable<T> work) {
        return semaphore.withPermit(
                client,
                MAX_WAIT_MS,
                () -> vertx.executeBlocking(work, false),
                () -> ProblemException.failed(overloaded));
    }
}
