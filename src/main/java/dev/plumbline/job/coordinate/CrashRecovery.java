package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Runs the lines of chunks that were held at a crash. The lines in flight are recorded before they start. Lines that
 * were in flight at a second crash run one at a time, those with the fewest crashes first, so that a crash is
 * attributed to the line that causes it. Chunks are served round-robin. Confined to an event loop.
 */
final class CrashRecovery {
    private static final int MAX_CONCURRENT_PER_CHUNK = 10;
    private static final int MAX_CONCURRENT = 80;
    private static final long RETRY_MS = 250;

    private final Vertx vertx;
    private final WorkStore store;
    private final LongSupplier owner;
    private final LineChecker checker;
    private final Consumer<WorkStore.ChunkId> onLost;
    private final Runnable onChunkDone;
    private final ArrayDeque<SuspectChunk> queue = new ArrayDeque<>();
    private int inFlight;
    private boolean isolating;
    private boolean recording;
    private boolean recordStale;
    private boolean waitingForRetry;
    private boolean running = true;

    private static final class SuspectChunk {
        final Chunk chunk;
        final List<PendingLine> pending;
        final Set<PendingLine> inFlight = new HashSet<>();

        SuspectChunk(Chunk chunk, List<PendingLine> lines) {
            this.chunk = chunk;
            this.pending = new ArrayList<>(lines);
        }

        boolean done() {
            return inFlight.isEmpty() && (pending.isEmpty() || chunk.lost());
        }

        List<PendingLine> nextLines(int max) {
            return pending.stream()
                    .filter(line -> !chunk.suspects().contains(line.index()))
                    .limit(Math.min(max, MAX_CONCURRENT_PER_CHUNK - inFlight.size()))
                    .toList();
        }

        PendingLine leastSuspect() {
            return pending.stream()
                    .min(Comparator.comparingInt(line -> chunk.crashCount(line.index())))
                    .orElseThrow();
        }
    }

    /**
     * @param onLost receives a chunk that the node no longer holds or cannot process
     * @param onChunkDone called when a chunk is complete
     */
    CrashRecovery(
            Vertx vertx,
            WorkStore store,
            LongSupplier owner,
            LineChecker checker,
            Consumer<WorkStore.ChunkId> onLost,
            Runnable onChunkDone) {
        this.vertx = vertx;
        this.store = store;
        this.owner = owner;
        this.checker = checker;
        this.onLost = onLost;
        this.onChunkDone = onChunkDone;
    }

    void add(Chunk chunk, List<PendingLine> lines) {
        if (!lines.isEmpty()) {
            queue.add(new SuspectChunk(chunk, lines));
            dispatch();
        }
    }

    /** The number of pending and active lines. */
    int lineCount() {
        return queue.stream().mapToInt(suspects -> suspects.pending.size()).sum() + inFlight;
    }

    int active() {
        return inFlight;
    }

    /** Accounts with at least {@code min} pending lines. */
    Set<Long> accountsWithPending(int min) {
        Map<Long, Integer> lines = new HashMap<>();
        queue.forEach(suspects -> lines.merge(suspects.chunk.accountId(), suspects.pending.size(), Integer::sum));
        lines.values().removeIf(count -> count < min);
        return lines.keySet();
    }

    void close() {
        running = false;
    }

    private void dispatch() {
        queue.removeIf(SuspectChunk::done);
        if (recording || !running) {
            return;
        }
        Map<SuspectChunk, List<PendingLine>> selected = waitingForRetry ? Map.of() : select();
        if (!selected.isEmpty() || waitingForRetry && recordStale) {
            record(selected);
        }
    }

    private Map<SuspectChunk, List<PendingLine>> select() {
        Map<SuspectChunk, List<PendingLine>> selected = new LinkedHashMap<>();
        if (isolating && inFlight > 0) {
            return selected;
        }
        int permits = MAX_CONCURRENT - inFlight;
        for (SuspectChunk suspects : queue) {
            List<PendingLine> lines = suspects.chunk.lost() ? List.of() : suspects.nextLines(permits);
            if (!lines.isEmpty()) {
                selected.put(suspects, lines);
                permits -= lines.size();
            }
        }
        isolating = selected.isEmpty() && inFlight == 0 && !queue.isEmpty();
        if (isolating) {
            selected.put(queue.element(), List.of(queue.element().leastSuspect()));
        }
        // round-robin between chunks
        queue.removeAll(selected.keySet());
        queue.addAll(selected.keySet());
        return selected;
    }

    private void record(Map<SuspectChunk, List<PendingLine>> selected) {
        Map<WorkStore.ChunkId, List<Integer>> all = new HashMap<>();
        for (SuspectChunk suspects : queue) {
            List<Integer> lines = new ArrayList<>();
            suspects.inFlight.forEach(line -> lines.add(line.index()));
            selected.getOrDefault(suspects, List.of()).forEach(line -> lines.add(line.index()));
            if (!lines.isEmpty()) {
                all.put(suspects.chunk.id(), lines);
            }
        }
        recording = true;
        recordStale = false;
        store.recordInFlight(owner.getAsLong(), all).onComplete((claimed, failure) -> {
            recording = false;
            if (failure != null) {
                scheduleRetry();
                return;
            }
            all.keySet().stream().filter(chunk -> !claimed.contains(chunk)).forEach(onLost);
            selected.forEach(this::start);
            dispatch();
        });
    }

    private void start(SuspectChunk suspects, List<PendingLine> lines) {
        if (suspects.chunk.lost()) {
            return;
        }
        suspects.pending.removeAll(lines);
        suspects.inFlight.addAll(lines);
        inFlight += lines.size();
        for (PendingLine line : lines) {
            checker.check(line).onComplete((outcome, failure) -> {
                suspects.inFlight.remove(line);
                inFlight--;
                if (failure != null) {
                    onLost.accept(suspects.chunk.id());
                } else if (outcome.retryMs() > 0) {
                    suspects.pending.add(line);
                    recordStale = true;
                    scheduleRetry();
                }
                if (suspects.done()) {
                    onChunkDone.run();
                }
                dispatch();
            });
        }
    }

    private void scheduleRetry() {
        if (!waitingForRetry) {
            waitingForRetry = true;
            vertx.setTimer(RETRY_MS, fired -> {
                waitingForRetry = false;
                dispatch();
            });
        }
    }
}
