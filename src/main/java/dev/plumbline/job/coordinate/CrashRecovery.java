package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.job.store.WorkStore;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the lines of chunks of crashed jobs. They are recorded before they start. Suspects, the lines that were in
 * progress when a node was lost, run one at a time and never beside another line of a crashed job, because the record
 * of the lines in progress can be incomplete. The next crash is then attributed to the line that causes it. The other
 * lines of a suspect's job wait for it. Chunks are served round-robin. Confined to an event loop.
 */
final class CrashRecovery {
    private static final int MAX_CONCURRENT_PER_CHUNK = 10;
    private static final int MAX_CONCURRENT = 80;
    private static final long RETRY_MS = 250;

    private final Vertx vertx;
    private final InFlightRecorder recorder;
    private final LineChecker checker;
    private final Consumer<WorkStore.ChunkId> onLost;
    private final Runnable onChunkDone;
    private final ArrayDeque<CrashedChunk> queue = new ArrayDeque<>();

    /** One element per job and run node that was lost while it ran a suspect of the job. */
    private final Multiset<Long> lostNodes = HashMultiset.create();

    private @Nullable PendingLine activeSuspect;
    private int inFlight;
    private boolean suspectNext;
    private boolean recording;
    private boolean waitingForRetry;
    private boolean running = true;

    private static final class CrashedChunk {
        final Chunk chunk;
        final ArrayDeque<PendingLine> suspects = new ArrayDeque<>();
        final ArrayDeque<PendingLine> others = new ArrayDeque<>();
        final Set<PendingLine> inFlight = new HashSet<>();
        int delayed;

        /** Delayed lines whose node was lost. */
        int delayedSuspects;

        CrashedChunk(Chunk chunk) {
            this.chunk = chunk;
        }

        long job() {
            return chunk.id().job();
        }

        void add(PendingLine line) {
            (line.isSuspect() ? suspects : others).add(line);
        }

        int pending() {
            return suspects.size() + others.size() + delayed;
        }

        boolean done() {
            return inFlight.isEmpty() && (pending() == 0 || chunk.lost());
        }
    }

    /**
     * @param onLost receives a chunk that the node cannot process
     * @param onChunkDone called when a chunk is complete
     */
    CrashRecovery(
            Vertx vertx,
            InFlightRecorder recorder,
            LineChecker checker,
            Consumer<WorkStore.ChunkId> onLost,
            Runnable onChunkDone) {
        this.vertx = vertx;
        this.recorder = recorder;
        this.checker = checker;
        this.onLost = onLost;
        this.onChunkDone = onChunkDone;
    }

    void add(Chunk chunk, Collection<PendingLine> lines) {
        if (lines.isEmpty()) {
            return;
        }
        if (ended(chunk.id().job())) {
            lines.forEach(line -> checker.fail(line, LineChecker.JOB_CRASHED));
            return;
        }
        CrashedChunk crashed = queue.stream()
                .filter(queued -> queued.chunk == chunk)
                .findFirst()
                .orElseGet(() -> {
                    CrashedChunk added = new CrashedChunk(chunk);
                    queue.add(added);
                    return added;
                });
        lines.forEach(crashed::add);
        dispatch();
    }

    /** Whether a line that has not started yet must be added, because its job has suspects on this node. */
    boolean includes(PendingLine line) {
        if (queue.isEmpty() && lostNodes.isEmpty()) {
            return false;
        }
        long job = line.chunk().id().job();
        return ended(job) || queue.stream().anyMatch(crashed -> crashed.job() == job);
    }

    private boolean ended(long job) {
        return lostNodes.count(job) >= Chunk.MAX_JOB_CRASHES - 1;
    }

    /** The number of pending and active lines. */
    int lineCount() {
        return queue.stream().mapToInt(CrashedChunk::pending).sum() + inFlight;
    }

    int active() {
        return inFlight;
    }

    Set<Long> accountsWithPending(int min) {
        Map<Long, Integer> lines = new HashMap<>();
        queue.forEach(crashed -> lines.merge(crashed.chunk.accountId(), crashed.pending(), Integer::sum));
        lines.values().removeIf(count -> count < min);
        return lines.keySet();
    }

    void close() {
        running = false;
    }

    private void dispatch() {
        queue.removeIf(CrashedChunk::done);
        if (recording || waitingForRetry || !running) {
            return;
        }
        Map<CrashedChunk, List<PendingLine>> selected = select();
        if (selected.isEmpty()) {
            return;
        }
        recording = true;
        List<PendingLine> lines =
                selected.values().stream().flatMap(List::stream).toList();
        recorder.record(lines).onComplete((recorded, failure) -> {
            recording = false;
            if (failure != null) {
                waitingForRetry = true;
                vertx.setTimer(RETRY_MS, fired -> {
                    waitingForRetry = false;
                    dispatch();
                });
                return;
            }
            selected.forEach(this::start);
            dispatch();
        });
    }

    /**
     * Selects either a suspect or other lines, alternately if there are both. A suspect waits for the others to end.
     */
    private Map<CrashedChunk, List<PendingLine>> select() {
        if (activeSuspect != null) {
            return Map.of();
        }
        Map<CrashedChunk, List<PendingLine>> selected = selectOthers();
        CrashedChunk suspected = queue.stream()
                .filter(crashed -> !crashed.chunk.lost() && !crashed.suspects.isEmpty())
                .findFirst()
                .orElse(null);
        if (suspected == null || !suspectNext && !selected.isEmpty()) {
            suspectNext = suspected != null;
        } else if (inFlight > 0) {
            suspectNext = true;
            return Map.of();
        } else {
            suspectNext = false;
            selected = Map.of(suspected, List.of(suspected.suspects.element()));
        }
        // round-robin between chunks
        queue.removeAll(selected.keySet());
        queue.addAll(selected.keySet());
        return selected;
    }

    /** Selects lines of jobs without suspects. */
    private Map<CrashedChunk, List<PendingLine>> selectOthers() {
        Set<Long> suspectJobs = queue.stream()
                .filter(crashed ->
                        (!crashed.suspects.isEmpty() || crashed.delayedSuspects > 0) && !crashed.chunk.lost())
                .map(CrashedChunk::job)
                .collect(Collectors.toSet());
        Map<CrashedChunk, List<PendingLine>> selected = new LinkedHashMap<>();
        int permits = MAX_CONCURRENT - inFlight;
        for (CrashedChunk crashed : queue) {
            if (!crashed.chunk.lost() && !suspectJobs.contains(crashed.job())) {
                List<PendingLine> lines = crashed.others.stream()
                        .limit(Math.min(permits, MAX_CONCURRENT_PER_CHUNK - crashed.inFlight.size()))
                        .toList();
                if (!lines.isEmpty()) {
                    selected.put(crashed, lines);
                    permits -= lines.size();
                }
            }
        }
        return selected;
    }

    private void start(CrashedChunk crashed, List<PendingLine> lines) {
        if (crashed.chunk.lost()) {
            lines.forEach(recorder::remove);
            return;
        }
        lines.forEach(crashed.suspects::remove);
        lines.forEach(crashed.others::remove);
        crashed.inFlight.addAll(lines);
        inFlight += lines.size();
        for (PendingLine line : lines) {
            if (line.isSuspect()) {
                activeSuspect = line;
            }
            checker.check(line).onComplete((outcome, failure) -> {
                recorder.remove(line);
                crashed.inFlight.remove(line);
                inFlight--;
                if (failure != null) {
                    onLost.accept(crashed.chunk.id());
                } else {
                    end(crashed, line, outcome);
                }
                if (line == activeSuspect) {
                    activeSuspect = null;
                }
                if (crashed.done()) {
                    onChunkDone.run();
                }
                dispatch();
            });
        }
    }

    private void end(CrashedChunk crashed, PendingLine line, LineChecker.Outcome outcome) {
        if (outcome.nodeLost() && line == activeSuspect) {
            lostNodes.add(crashed.job());
        }
        if (outcome.retryMs() > 0) {
            int suspects = outcome.nodeLost() ? 1 : 0;
            crashed.delayed++;
            crashed.delayedSuspects += suspects;
            vertx.setTimer(outcome.retryMs(), fired -> {
                crashed.delayed--;
                crashed.delayedSuspects -= suspects;
                if (!crashed.chunk.lost()) {
                    add(crashed.chunk, List.of(line));
                }
            });
        }
        if (outcome.nodeLost() && ended(crashed.job())) {
            failPending(crashed.job());
        }
    }

    private void failPending(long job) {
        for (CrashedChunk crashed : queue) {
            if (crashed.job() == job) {
                List<PendingLine> lines = new ArrayList<>(crashed.suspects);
                lines.addAll(crashed.others);
                crashed.suspects.clear();
                crashed.others.clear();
                lines.forEach(line -> checker.fail(line, LineChecker.JOB_CRASHED));
            }
        }
    }
}
