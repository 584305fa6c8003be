package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.ResultLookup;
import dev.plumbline.store.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes results in order, in batches, one batch at a time. A batch is retried during an outage. Confined to an event
 * loop.
 */
final class ResultWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ResultWriter.class);
    private static final int BATCH_LINES = 500;
    private static final int BATCH_BYTES = 2 << 20;
    private static final long PAUSE_MS = 25;
    private static final long RETRY_MS = 250;

    private final Vertx vertx;
    private final WorkStore store;
    private final Consumer<WorkStore.ChunkId> onReleased;
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private long owner;
    private long bytes;
    private boolean writing;
    private @Nullable Promise<Void> drainPromise;

    /** @param line null for a chunk without lines */
    private record Entry(Chunk chunk, WorkStore.@Nullable LineResult line, boolean completesChunk) {
        int size() {
            return line == null ? 0 : line.body().length();
        }
    }

    /** @param onReleased receives chunks that are complete or no longer held */
    ResultWriter(Vertx vertx, WorkStore store, Consumer<WorkStore.ChunkId> onReleased) {
        this.vertx = vertx;
        this.store = store;
        this.onReleased = onReleased;
    }

    /** Starts with a new lease; drops the results of the previous one. */
    void startLease(long newOwner) {
        owner = newOwner;
        queue.clear();
        bytes = 0;
    }

    void add(Chunk chunk, int index, String verdict, Buffer body) {
        add(chunk, index, verdict, body, null);
    }

    /** @param cacheEntry null if the result is not cacheable */
    void add(Chunk chunk, int index, String verdict, Buffer body, ResultLookup.@Nullable LineCacheEntry cacheEntry) {
        enqueue(new Entry(
                chunk, new WorkStore.LineResult(chunk.id(), index, verdict, body, cacheEntry), chunk.countResult()));
    }

    /** Completes a chunk without pending lines. */
    void complete(Chunk chunk) {
        enqueue(new Entry(chunk, null, true));
    }

    private void enqueue(Entry entry) {
        queue.add(entry);
        bytes += entry.size();
        if (!writing) {
            writing = true;
            // delayed to collect results of the same time
            vertx.setTimer(1, fired -> writeBatch());
        }
    }

    /** The size of the pending results in bytes. */
    long pendingBytes() {
        return bytes;
    }

    int pendingLines() {
        return queue.size();
    }

    /** Completes when all results are written or dropped. */
    Future<Void> drain() {
        if (!writing) {
            return Future.succeededFuture();
        }
        if (drainPromise == null) {
            drainPromise = Promise.promise();
        }
        return drainPromise.future();
    }

    private void writeBatch() {
        List<Entry> batch = nextBatch();
        if (batch.isEmpty()) {
            writing = false;
            if (drainPromise != null) {
                drainPromise.complete();
                drainPromise = null;
            }
            return;
        }
        write(batch);
    }

    private List<Entry> nextBatch() {
        List<Entry> batch = new ArrayList<>();
        long size = 0;
        while (!queue.isEmpty() && batch.size() < BATCH_LINES) {
            Entry next = queue.element();
            if (!batch.isEmpty() && size + next.size() > BATCH_BYTES) {
                break;
            }
            queue.remove();
            bytes -= next.size();
            if (!next.chunk.lost()) {
                batch.add(next);
                size += next.size();
            }
        }
        return batch;
    }

    private void write(List<Entry> batch) {
        List<WorkStore.LineResult> lines = new ArrayList<>(batch.size());
        Set<WorkStore.ChunkId> completed = new HashSet<>();
        for (Entry entry : batch) {
            if (entry.line != null) {
                lines.add(entry.line);
            }
            if (entry.completesChunk) {
                completed.add(entry.chunk.id());
            }
        }
        long writer = owner;
        store.writeResults(writer, lines, completed).onComplete((lost, failure) -> {
            if (failure == null) {
                lost.forEach(onReleased);
                completed.forEach(onReleased);
                pause();
            } else if (failure instanceof DatabaseUnavailableException && writer == owner) {
                vertx.setTimer(RETRY_MS, fired -> write(batch));
            } else {
                handleFailure(batch, failure);
            }
        });
    }

    private void pause() {
        if (queue.size() >= BATCH_LINES / 2) {
            writeBatch();
        } else {
            vertx.setTimer(PAUSE_MS, rested -> writeBatch());
        }
    }

    /** Handles a failed batch. Except during an outage, its chunks are dropped and released by reconciliation. */
    private void handleFailure(List<Entry> batch, Throwable failure) {
        if (!(failure instanceof DatabaseUnavailableException)) {
            LOG.atError().addKeyValue("lines", batch.size()).setCause(failure).log("result write failed");
            batch.stream().map(entry -> entry.chunk.id()).distinct().forEach(onReleased);
        }
        pause();
    }
}
