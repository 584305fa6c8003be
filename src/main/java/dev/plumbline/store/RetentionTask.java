package dev.plumbline.store;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Deletes expired rows periodically, in small batches. Several nodes can run it concurrently. */
public final class RetentionTask {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionTask.class);

    /** Maximum number of rows per batch. A full batch is followed by another one. */
    public static final int BATCH_SIZE = 1_000;

    private final Vertx vertx;
    private final List<Supplier<Future<Integer>>> deletions;
    private final long timer;
    private boolean running;
    private volatile boolean stopped;

    /**
     * Starts the task.
     *
     * @param period between two rounds
     * @param deletions each deletes up to {@link #BATCH_SIZE} rows and returns their number
     */
    public RetentionTask(Vertx vertx, Duration period, List<Supplier<Future<Integer>>> deletions) {
        this.vertx = vertx;
        this.deletions = List.copyOf(deletions);
        this.timer = vertx.setPeriodic(period.toMillis(), t -> run());
    }

    private synchronized void run() {
        if (running) {
            return;
        }
        running = true;
        Future<Void> all = Future.succeededFuture();
        for (Supplier<Future<Integer>> deletion : deletions) {
            all = all.compose(v -> deleteAll(deletion));
        }
        all.onComplete((v, failure) -> {
            if (failure != null && !(failure instanceof DatabaseUnavailableException)) {
                LOG.warn("deletion of expired rows failed", failure);
            }
            finish();
        });
    }

    private Future<Void> deleteAll(Supplier<Future<Integer>> deletion) {
        return stopped
                ? Future.succeededFuture()
                : deletion.get().compose(n -> n < BATCH_SIZE ? Future.<Void>succeededFuture() : deleteAll(deletion));
    }

    private synchronized void finish() {
        running = false;
    }

    /** Stops after the current batch. */
    public void stop() {
        stopped = true;
        vertx.cancelTimer(timer);
    }
}
