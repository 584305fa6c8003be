package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Records the lines in progress in the database, so that a crash is attributed to them. Executes one statement at a
 * time for all lines of this node. For the lines of {@link #start}, executes at most four statements per second on
 * average. If the node was idle, these lines wait for their record. Under load, they start at once and are recorded up
 * to 250 ms later. Confined to an event loop.
 */
final class InFlightRecorder {
    private static final long INTERVAL_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Records without an interval after an idle period, because the chunks of a job start one after the other. */
    private static final int BURST = 8;

    /** The maximum time for which a line waits for its record. A crash before that is not attributed to a line. */
    private static final long MAX_WAIT_MS = 1_000;

    private final Vertx vertx;
    private final WorkStore store;
    private final LongSupplier owner;
    private final Consumer<WorkStore.ChunkId> onLost;
    private final Set<PendingLine> inFlight = new HashSet<>();

    /** Lines to start with the next record. */
    private List<Runnable> starting = new ArrayList<>();

    /** Requests that the next statement completes. */
    private List<Promise<Void>> waiting = new ArrayList<>();

    /** The latest record of {@link #recordedOwner}; null if it is unknown. */
    private @Nullable Map<WorkStore.ChunkId, Set<Integer>> recorded = Map.of();

    private long recordedOwner;
    private @Nullable Future<Void> writing;

    /** The time at which a whole burst is permitted (generic cell rate algorithm). */
    private long burstNanos = System.nanoTime();

    private boolean startScheduled;
    private boolean timerScheduled;
    private boolean closed;

    /** @param onLost receives a chunk that the node no longer holds */
    InFlightRecorder(Vertx vertx, WorkStore store, LongSupplier owner, Consumer<WorkStore.ChunkId> onLost) {
        this.vertx = vertx;
        this.store = store;
        this.owner = owner;
        this.onLost = onLost;
    }

    /** Starts a line when it is recorded, or at once under load. */
    void start(PendingLine line, Runnable start) {
        inFlight.add(line);
        starting.add(start);
        if (!startScheduled) {
            startScheduled = true;
            // after other lines of the same iteration
            vertx.runOnContext(ignored -> {
                startScheduled = false;
                startLines();
            });
        }
    }

    private void startLines() {
        List<Runnable> lines = starting;
        starting = new ArrayList<>();
        if (delayNanos() > 0 || closed) {
            scheduleFlush(delayNanos());
            lines.forEach(Runnable::run);
            return;
        }
        countStatement();
        Promise<Void> recorded = Promise.promise();
        waiting.add(recorded);
        long timer = vertx.setTimer(MAX_WAIT_MS, fired -> recorded.tryComplete());
        recorded.future().onComplete(ended -> {
            vertx.cancelTimer(timer);
            lines.forEach(Runnable::run);
        });
        write();
    }

    /** The time until the next statement is permitted; 0 or less if it is. */
    private long delayNanos() {
        return burstNanos - System.nanoTime() - (BURST - 1) * INTERVAL_NANOS;
    }

    private void countStatement() {
        burstNanos = Math.max(System.nanoTime(), burstNanos) + INTERVAL_NANOS;
    }

    /** Adds lines that start when the returned future succeeds. They are removed if it fails. */
    Future<Void> record(Collection<PendingLine> lines) {
        Promise<Void> recorded = Promise.promise();
        inFlight.addAll(lines);
        waiting.add(recorded);
        write();
        return recorded.future().onFailure(failure -> lines.forEach(this::remove));
    }

    /** Removes a line that is not in progress any more. */
    void remove(PendingLine line) {
        if (inFlight.remove(line)) {
            scheduleFlush(INTERVAL_NANOS);
        }
    }

    /**
     * Writes the last record after the current one.
     *
     * @param attempts as in {@link WorkStore#recordInFlight}
     */
    Future<Void> close(Map<WorkStore.ChunkId, List<Integer>> attempts) {
        closed = true;
        Future<Void> current = writing == null ? Future.succeededFuture() : writing;
        return current.transform(written -> attempts.isEmpty()
                ? Future.succeededFuture()
                : store.recordInFlight(owner.getAsLong(), attempts).mapEmpty());
    }

    private void scheduleFlush(long delayNanos) {
        if (!timerScheduled) {
            timerScheduled = true;
            vertx.setTimer(Math.max(1, TimeUnit.NANOSECONDS.toMillis(delayNanos)), fired -> {
                timerScheduled = false;
                flush();
            });
        }
    }

    private void flush() {
        long delay = delayNanos();
        if (delay > 0) {
            scheduleFlush(delay);
        } else if (writing != null) {
            scheduleFlush(INTERVAL_NANOS);
        } else if (write()) {
            countStatement();
        }
    }

    /** Writes the record if it has changed. Returns whether a statement was sent. */
    private boolean write() {
        if (writing != null || closed) {
            return false;
        }
        long writer = owner.getAsLong();
        if (writer != recordedOwner) {
            recordedOwner = writer;
            recorded = Map.of();
        }
        Map<WorkStore.ChunkId, Set<Integer>> record = new HashMap<>();
        for (PendingLine line : inFlight) {
            if (!line.chunk().lost()) {
                record.computeIfAbsent(line.chunk().id(), first -> new TreeSet<>())
                        .add(line.index());
            }
        }
        List<Promise<Void>> requests = waiting;
        waiting = new ArrayList<>();
        if (record.equals(recorded)) {
            requests.forEach(Promise::tryComplete);
            return false;
        }
        Promise<Void> written = Promise.promise();
        writing = written.future();
        store.recordInFlight(writer, record).onComplete((held, failure) -> {
            writing = null;
            recorded = failure == null ? record : null;
            if (failure == null) {
                record.keySet().stream().filter(chunk -> !held.contains(chunk)).forEach(onLost);
                requests.forEach(Promise::tryComplete);
            } else {
                requests.forEach(request -> request.tryFail(failure));
                scheduleFlush(INTERVAL_NANOS);
            }
            written.complete();
            if (!waiting.isEmpty()) {
                write();
            }
        });
        return true;
    }
}
