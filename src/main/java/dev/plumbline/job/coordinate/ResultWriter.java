package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.store.ResultCache;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes results in order, in batches, one batch at a time. During an outage, a batch is retried with fewer lines, in
 * case it is too large for the statement timeout. A batch that the database rejects is written line by line, and a
 * rejected line is replaced by an internal error. If that is rejected too, the line is not the cause: the writes of its
 * chunk are deferred. Confined to an event loop.
 */
final class ResultWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ResultWriter.class);
    private static final int BATCH_LINES = 500;
    private static final int BATCH_BYTES = 2 << 20;
    private static final long PAUSE_MS = 25;
    private static final long RETRY_MS = 250;
    private static final long DEFER_MS = 5_000;

    private final Vertx vertx;
    private final WorkStore store;
    private final BiFunction<Chunk, Integer, WorkStore.LineResult> internalError;
    private final Consumer<WorkStore.ChunkId> onReleased;
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private final Map<Chunk, List<Entry>> deferred = new LinkedHashMap<>();
    private long owner;
    private long bytes;
    private int maxLines = BATCH_LINES;
    private int singleLines;
    private boolean writing;
    private @Nullable Promise<Void> drainPromise;

    /**
     * @param line null for a chunk without lines
     * @param rejected the entry that the database rejected and this one replaces; null if there is none
     */
    private record Entry(
            Chunk chunk, WorkStore.@Nullable LineResult line, boolean completesChunk, @Nullable Entry rejected) {
        int size() {
            return line == null ? 0 : line.body().length();
        }
    }

    /**
     * @param internalError the error result of a line whose result the database rejects, by chunk and index
     * @param onReleased receives chunks that are complete or no longer held
     */
    ResultWriter(
            Vertx vertx,
            WorkStore store,
            BiFunction<Chunk, Integer, WorkStore.LineResult> internalError,
            Consumer<WorkStore.ChunkId> onReleased) {
        this.vertx = vertx;
        this.store = store;
        this.internalError = internalError;
        this.onReleased = onReleased;
    }

    /** Starts with a new lease; drops the results of the previous one. */
    void startLease(long newOwner) {
        owner = newOwner;
        queue.clear();
        deferred.clear();
        bytes = 0;
        singleLines = 0;
    }

    /** Adds a result of a line that was not checked. */
    void add(Chunk chunk, int index, CheckResult result) {
        add(chunk, index, result.verdict().id(), RenderedResult.toLine(ResultJson.write(result), 0), null);
    }

    /** @param cacheEntry null if the result is not cacheable */
    void add(Chunk chunk, int index, String verdict, Buffer body, ResultCache.@Nullable LineCacheEntry cacheEntry) {
        enqueue(new Entry(
                chunk,
                new WorkStore.LineResult(chunk.id(), index, verdict, body, cacheEntry),
                chunk.countResult(),
                null));
    }

    /** Completes a chunk without pending lines. */
    void complete(Chunk chunk) {
        enqueue(new Entry(chunk, null, true, null));
    }

    private void enqueue(Entry entry) {
        queue.add(entry);
        bytes += entry.size();
        startWriting();
    }

    private void startWriting() {
        if (!writing) {
            writing = true;
            // delayed to collect results of the same time
            vertx.setTimer(1, fired -> writeBatch());
        }
    }

    long pendingBytes() {
        return bytes;
    }

    int pendingLines() {
        return queue.size() + deferred.values().stream().mapToInt(List::size).sum();
    }

    /** Completes when all results are written, deferred or dropped. */
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
        int max = singleLines > 0 ? 1 : maxLines;
        while (!queue.isEmpty() && batch.size() < max) {
            Entry next = queue.element();
            if (!batch.isEmpty() && size + next.size() > BATCH_BYTES) {
                break;
            }
            queue.remove();
            List<Entry> deferredOfChunk = deferred.get(next.chunk);
            if (deferredOfChunk != null) {
                deferredOfChunk.add(next);
                continue;
            }
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
                maxLines = Math.min(BATCH_LINES, 2 * maxLines);
                singleLines = Math.max(0, singleLines - 1);
                lost.forEach(onReleased);
                completed.forEach(onReleased);
                pause();
            } else if (writer != owner) {
                pause();
            } else if (failure instanceof DatabaseUnavailableException) {
                maxLines = Math.max(1, batch.size() / 2);
                requeue(batch);
                vertx.setTimer(RETRY_MS, fired -> writeBatch());
            } else {
                if (batch.size() > 1) {
                    LOG.atWarn()
                            .addKeyValue("lines", batch.size())
                            .setCause(failure)
                            .log("result batch rejected");
                    singleLines = batch.size();
                    requeue(batch);
                } else {
                    handleRejected(batch.get(0), failure);
                }
                writeBatch();
            }
        });
    }

    private void requeue(List<Entry> batch) {
        for (int i = batch.size() - 1; i >= 0; i--) {
            queue.addFirst(batch.get(i));
            bytes += batch.get(i).size();
        }
    }

    private void pause() {
        if (singleLines > 0 || queue.size() >= BATCH_LINES / 2) {
            writeBatch();
        } else {
            vertx.setTimer(PAUSE_MS, rested -> writeBatch());
        }
    }

    /** Replaces a rejected line by an internal error; defers its chunk if that is rejected too. */
    private void handleRejected(Entry entry, Throwable failure) {
        if (entry.line != null && entry.rejected == null) {
            LOG.atError()
                    .addKeyValue("chunk", entry.chunk.id())
                    .addKeyValue("line", entry.line.index())
                    .setCause(failure)
                    .log("result rejected");
            requeue(List.of(new Entry(
                    entry.chunk, internalError.apply(entry.chunk, entry.line.index()), entry.completesChunk, entry)));
            return;
        }
        LOG.atError().addKeyValue("chunk", entry.chunk.id()).setCause(failure).log("result write failed");
        Entry original = entry.rejected == null ? entry : entry.rejected;
        deferred.put(entry.chunk, new ArrayList<>(List.of(original)));
        bytes += original.size();
        singleLines = Math.max(0, singleLines - 1);
        vertx.setTimer(DEFER_MS, fired -> {
            List<Entry> entries = deferred.remove(entry.chunk);
            if (entries != null) {
                queue.addAll(entries);
                singleLines += entries.size();
                startWriting();
            }
        });
    }
}
