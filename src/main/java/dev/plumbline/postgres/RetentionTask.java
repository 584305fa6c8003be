package dev.plumbline.postgres;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes expired rows periodically, in slices. The slices of several deletions alternate, and a deletion that fails
 * does not stop the others. Several nodes can run it concurrently.
 */
public final class RetentionTask {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionTask.class);

    /** Maximum size of a slice. A full slice is followed by another one. */
    public static final int MAX_SLICE = 1_000;

    private static final int SHRINK_FACTOR = 4;
    private static final int FAILURES_BEFORE_WARNING = 3;
    private static final int FAILURES_BETWEEN_WARNINGS = 20;

    private final Vertx vertx;
    private final Database maintenance;
    private final List<Deletion> deletions;
    private final Queue<Deletion> queue = new ArrayDeque<>();
    private final long timer;
    private boolean running;
    private volatile boolean stopped;

    /**
     * A statement that deletes a slice of expired rows. It compares with {@code statement_timestamp()}: PostgreSQL
     * cannot search an index with {@code clock_timestamp()}, which is volatile.
     */
    @FunctionalInterface
    public interface Statement {

        /**
         * @param slice maximum size: a row counts once, and once more for each 8 KiB of its body
         * @return the size of the deleted rows; {@code slice} if there may be more
         */
        Future<Integer> delete(Database maintenance, int slice);
    }

    /** Confined to {@link RetentionTask}. */
    private static final class Deletion {
        private final Task task;
        private final Counter failed;
        private int slice = MAX_SLICE;
        private int consecutiveFailures;

        Deletion(Task task, MeterRegistry registry) {
            this.task = task;
            this.failed = Counter.builder("plumbline.retention.failures")
                    .description("Failed deletions of expired rows")
                    .tag("task", task.name)
                    .register(registry);
        }
    }

    /** A deletion with its name in logs and metrics. */
    public record Task(String name, Statement statement) {}

    /**
     * Starts the task.
     *
     * @param maintenance a pool with a timeout for slow statements
     * @param period between two rounds
     */
    public RetentionTask(Vertx vertx, Database maintenance, Duration period, List<Task> tasks, MeterRegistry registry) {
        this.vertx = vertx;
        this.maintenance = maintenance;
        this.deletions =
                tasks.stream().map(task -> new Deletion(task, registry)).toList();
        this.timer = vertx.setPeriodic(period.toMillis(), t -> run());
    }

    private synchronized void run() {
        if (!running && !stopped) {
            running = true;
            queue.addAll(deletions);
            deleteNext();
        }
    }

    private synchronized void deleteNext() {
        Deletion next = stopped ? null : queue.poll();
        if (next == null) {
            queue.clear();
            running = false;
            return;
        }
        int slice = next.slice;
        Future.succeededFuture()
                .compose(begin -> next.task.statement.delete(maintenance, slice))
                .onComplete((deleted, failure) -> {
                    if (failure != null) {
                        handleFailure(next, failure);
                    } else {
                        handleSuccess(next, deleted >= slice);
                    }
                    // not recursive, because a backlog has thousands of slices
                    vertx.runOnContext(later -> deleteNext());
                });
    }

    private synchronized void handleSuccess(Deletion deletion, boolean more) {
        deletion.consecutiveFailures = 0;
        deletion.slice = Math.min(MAX_SLICE, deletion.slice * 2);
        if (more) {
            queue.add(deletion);
        }
    }

    /** Retries a smaller slice after a timeout. Other failures end the round of this deletion. */
    private synchronized void handleFailure(Deletion deletion, Throwable failure) {
        deletion.failed.increment();
        if (failure instanceof DatabaseOverloadedException && deletion.slice > 1) {
            deletion.slice = Math.max(1, deletion.slice / SHRINK_FACTOR);
            queue.add(deletion);
        }
        int failures = ++deletion.consecutiveFailures;
        boolean unexpected = !(failure instanceof DatabaseUnavailableException);
        if (failures == FAILURES_BEFORE_WARNING
                || failures % FAILURES_BETWEEN_WARNINGS == 0
                || failures == 1 && unexpected) {
            LOG.atWarn()
                    .addKeyValue("task", deletion.task.name)
                    .addKeyValue("failures", failures)
                    .setCause(failure)
                    .log("retention failed");
        }
    }

    /** Stops after the current slice. */
    public void stop() {
        stopped = true;
        vertx.cancelTimer(timer);
    }
}
