package dev.plumbline.budget;

import com.google.common.util.concurrent.ThreadFactoryBuilder;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.FairQueue;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads for CPU-bound work of checks that takes more than a millisecond. Each purpose has a bounded queue that is
 * served round-robin between clients. The queues are served round-robin, too. Signatures use all threads, decoding and
 * parsing one thread less each, so that they delay neither each other nor the event loops on the same cores. Queued
 * work of a check that ended is removed without running. Thread-safe.
 */
public final class CpuPool implements AutoCloseable {
    /** The kind of a task. Each has a queue. */
    public enum Purpose {
        DECODING,
        PARSING,
        SIGNATURES
    }

    /** The default maximum number of queued tasks of each purpose. */
    public static final int MAX_QUEUED = 4_096;

    private static final long IDLE_SECONDS = 30;
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final boolean MEASURED = THREADS.isCurrentThreadCpuTimeSupported();
    private static final ThreadLocal<CpuAllowance> CURRENT = new ThreadLocal<>();

    private final int threads;
    private final ThreadPoolExecutor executor;

    /** By the ordinal of the purpose. */
    private final List<FairQueue<String, Task<?>>> queues;

    private int active;
    private final int[] running = new int[Purpose.values().length];
    private int latestQueue;

    /** @param threads maximum number of tasks that run at the same time, at least 1 */
    public CpuPool(int threads, int maxQueued) {
        this.threads = threads;
        ThreadFactory daemons = new ThreadFactoryBuilder()
                .setNameFormat("plumbline-cpu-%d")
                .setDaemon(true)
                .build();
        this.executor = new ThreadPoolExecutor(
                threads, threads, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), daemons);
        this.executor.allowCoreThreadTimeOut(true);
        this.queues = Arrays.stream(Purpose.values())
                .map(purpose -> new FairQueue<String, Task<?>>(maxQueued, Math.max(1, maxQueued / 2)))
                .toList();
    }

    /** One thread for each core, at most one for each 64 MiB of heap, which holds decoded content, and at least two. */
    public static int threadsOf(int cores, long heapBytes) {
        return (int) Math.max(2, Math.min(cores, heapBytes / (4 * MemoryBudget.CHECK_BYTES)));
    }

    /** The CPU allowance of the check whose work the current thread runs; null on other threads. */
    public static @Nullable CpuAllowance current() {
        return CURRENT.get();
    }

    /** The CPU time of the current thread in nanoseconds; wall-clock time if the platform does not measure it. */
    public static long threadNanos() {
        return MEASURED ? THREADS.getCurrentThreadCpuTime() : System.nanoTime();
    }

    public synchronized int queued() {
        return queues.stream().mapToInt(FairQueue::size).sum();
    }

    /**
     * Queues work of a check.
     *
     * @return completes on the caller's context; fails with {@link NodeExhaustedException} if the queue is full
     */
    <T> Future<T> submit(Purpose purpose, CpuAllowance allowance, Callable<T> work) {
        Task<T> task = new Task<>(purpose, allowance, work);
        boolean start;
        synchronized (this) {
            // before a thread can start the task
            if (!allowance.add(task)) {
                return Future.failedFuture(ended());
            }
            if (!queues.get(purpose.ordinal()).offer(allowance.client(), task)) {
                allowance.remove(task);
                return Future.failedFuture(new NodeExhaustedException("The queue for CPU-bound tasks is full."));
            }
            start = active < threads;
            active += start ? 1 : 0;
        }
        if (start) {
            executor.execute(this::runTasks);
        }
        return ContextFutures.onCallerContext(task.promise.future());
    }

    private static NodeExhaustedException ended() {
        return new NodeExhaustedException("The check ended before its task started.");
    }

    private void runTasks() {
        for (Task<?> task = next(null); task != null; task = next(task)) {
            task.run();
        }
    }

    /** @param completed the task that the current thread has run; null before its first one */
    private synchronized @Nullable Task<?> next(@Nullable Task<?> completed) {
        if (completed != null) {
            running[completed.purpose.ordinal()]--;
        }
        for (int i = 0; i < running.length; i++) {
            latestQueue = (latestQueue + 1) % running.length;
            Task<?> task = running[latestQueue] < maxRunning()
                    ? queues.get(latestQueue).poll()
                    : null;
            if (task != null) {
                running[latestQueue]++;
                return task;
            }
        }
        active--;
        return null;
    }

    /** Of the queue {@code latestQueue}. */
    private int maxRunning() {
        return latestQueue == Purpose.SIGNATURES.ordinal() ? threads : Math.max(1, threads - 1);
    }

    private synchronized boolean remove(Task<?> task) {
        return queues.get(task.purpose.ordinal()).remove(task.allowance.client(), task);
    }

    /** Stops the threads. */
    @Override
    public void close() {
        executor.shutdownNow();
    }

    /** A task in the queue or in progress, compared by identity. */
    final class Task<T> {
        private final Purpose purpose;
        private final CpuAllowance allowance;
        private final Callable<T> work;
        private final Promise<T> promise = Promise.promise();

        Task(Purpose purpose, CpuAllowance allowance, Callable<T> work) {
            this.purpose = purpose;
            this.allowance = allowance;
            this.work = work;
        }

        /** Removes the task from the queue if it has not started. */
        void cancel() {
            if (CpuPool.this.remove(this)) {
                allowance.remove(this);
                promise.tryFail(ended());
            }
        }

        private void run() {
            allowance.remove(this);
            // before the promise is complete, because its listeners can start the next task
            AsyncResult<T> outcome = measure();
            ContextFutures.complete(promise, outcome);
        }

        private AsyncResult<T> measure() {
            long startNanos = threadNanos();
            CURRENT.set(allowance);
            try {
                allowance.start();
                return Future.succeededFuture(work.call());
            } catch (Exception | Error failure) {
                return Future.failedFuture(failure);
            } finally {
                CURRENT.remove();
                allowance.use(threadNanos() - startNanos);
            }
        }
    }
}
