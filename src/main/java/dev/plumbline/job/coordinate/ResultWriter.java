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
 * Writes results in batches, in the order in which they came, one batch at a time; during an outage
 * it tries again until the chunks are others'. Used on one event loop.
 */
final class ResultWriter {
    private static final Logger LOG = LoggerFactory.getLogger(ResultWriter.class);
    private static final int BATCH_LINES = 500;
    private static final int BATCH_BYTES = 2 << 20;
    private static final long REST_MS = 25;
    private static final long RETRY_MS = 250;

    private final Vertx vertx;
    private final WorkStore store;
    private final Consumer<WorkStore.ChunkId> onGone;
    private final ArrayDeque<Entry> queue = new ArrayDeque<>();
    private long owner;
    private long bytes;
    private boolean writing;
    private @Nullable Promise<Void> drained;

    /**
     * @param line null where a chunk has ended without one
     */
    private record Entry(Chunk chunk, WorkStore.@Nullable LineResult line, boolean ends) {
        int size() {
            return line == null ? 0 : line.body().length();
        }
    }

    /**
     * @param onGone told of chunks that are this node's no more: finished, or others'
     */
    ResultWriter(Vertx vertx, WorkStore store, Consumer<WorkStore.ChunkId> onGone) {
        this.vertx = vertx;
        this.store = store;
        this.onGone = onGone;
    }

    /** Under which number the chunks are held from now on; what was held before is forgotten. */
    void writeAs(long newOwner) {
        owner = newOwner;
        queue.clear();
        bytes = 0;
    }

    void add(Chunk chunk, int index, String verdict, Buffer body) {
        add(chunk, index, verdict, body, null);
    }

    /**
     * @param shared how others find the result; null: not at all
     */
    void add(Chunk chunk, int index, String verdict, Buffer body, ResultLookup.@Nullable SharedLine shared) {
        enqueue(new Entry(
                chunk, new WorkStore.LineResult(chunk.id(), index, verdict, body, shared), chunk.countResult()));
    }

    /** A chunk of which nothing was left to do. */
    void end(Chunk chunk) {
        enqueue(new Entry(chunk, null, true));
    }

    private void enqueue(Entry entry) {
        queue.add(entry);
        bytes += entry.size();
        if (!writing) {
            writing = true;
            // one turn later, so that results that come together go together
            vertx.setTimer(1, soon -> writeBatch());
        }
    }

    /** Bytes that are not written yet. */
    long waitingBytes() {
        return bytes;
    }

    int waitingLines() {
        return queue.size();
    }

    /** Ends when everything is written or lost. */
    Future<Void> drain() {
        if (!writing) {
            return Future.succeededFuture();
        }
        if (drained == null) {
            drained = Promise.promise();
        }
        return drained.future();
    }

    private void writeBatch() {
        List<Entry> batch = nextBatch();
        if (batch.isEmpty()) {
            writing = false;
            if (drained != null) {
                drained.complete();
                drained = null;
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
        Set<WorkStore.ChunkId> ended = new HashSet<>();
        for (Entry entry : batch) {
            if (entry.line != null) {
                lines.add(entry.line);
            }
            if (entry.ends) {
                ended.add(entry.chunk.id());
            }
        }
        long writtenAs = owner;
        store.write(writtenAs, lines, ended).onComplete((lost, failure) -> {
            if (failure == null) {
                lost.forEach(onGone);
                ended.forEach(onGone);
                rest();
            } else if (failure instanceof DatabaseUnavailableException && writtenAs == owner) {
                vertx.setTimer(RETRY_MS, again -> write(batch));
            } else {
                giveUp(batch, failure);
            }
        });
    }

    private void rest() {
        if (queue.size() >= BATCH_LINES / 2) {
            writeBatch();
        } else {
            vertx.setTimer(REST_MS, rested -> writeBatch());
        }
    }

    /**
     * A fault of ours: the chunks are left to be found again, so that it is not tried in a circle.
     */
    private void giveUp(List<Entry> batch, Throwable failure) {
        if (!(failure instanceof DatabaseUnavailableException)) {
            LOG.atError().addKeyValue("lines", batch.size()).setCause(failure).log("result write failed");
            batch.stream().map(entry -> entry.chunk.id()).distinct().forEach(onGone);
        }
        rest();
    }
}
