package dev.plumbline.store;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes what has expired, a slice at a time, so that nobody waits for it. Any number of nodes may
 * run one.
 */
public final class RetentionTask {
    private static final Logger LOG = LoggerFactory.getLogger(RetentionTask.class);

    /** How many rows a slice has at most; a full one is followed by another at once. */
    public static final int SLICE = 1_000;

    private final Vertx vertx;
    private final List<Supplier<Future<Integer>>> slices;
    private final long timer;
    private boolean atWork;
    private volatile boolean stopped;

    /**
     * Begins.
     *
     * @param period between two rounds
     * @param slices each deletes up to {@link #SLICE} rows and says how many they were
     */
    public RetentionTask(Vertx vertx, Duration period, List<Supplier<Future<Integer>>> slices) {
        this.vertx = vertx;
        this.slices = List.copyOf(slices);
        this.timer = vertx.setPeriodic(period.toMillis(), t -> round());
    }

    private synchronized void round() {
        if (atWork) {
            return;
        }
        atWork = true;
        Future<Void> all = Future.succeededFuture();
        for (Supplier<Future<Integer>> slice : slices) {
            all = all.compose(v -> clean(slice));
        }
        all.onComplete((v, failure) -> {
            if (failure != null && !(failure instanceof DatabaseUnavailableException)) {
                LOG.warn("deletion of expired rows failed", failure);
            }
            done();
        });
    }

    private Future<Void> clean(Supplier<Future<Integer>> slice) {
        return stopped
                ? Future.succeededFuture()
                : slice.get().compose(n -> n < SLICE ? Future.<Void>succeededFuture() : clean(slice));
    }

    private synchronized void done() {
        atWork = false;
    }

    /** Ends after the slice that is under way. */
    public void stop() {
        stopped = true;
        vertx.cancelTimer(timer);
    }
}
