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
 * Checks the lines of chunks whose coordinator died, any of which may have been the reason. Some of
 * each chunk at a time, on record before they begin; when none of those is left, the ones that were
 * on record at another death, one by one, the least suspect first. So the line that kills is found,
 * and no other takes the blame. Chunks take turns. Used on one event loop.
 */
final class CrashRecovery {
    private static final int TOGETHER_OF_CHUNK = 10;
    private static final int TOGETHER = 80;
    private static final long RETRY_MS = 250;

    private final Vertx vertx;
    private final WorkStore store;
    private final LongSupplier owner;
    private final LineChecker checks;
    private final Consumer<WorkStore.ChunkId> onLost;
    private final Runnable onRoom;
    private final ArrayDeque<Suspects> queue = new ArrayDeque<>();
    private int underWay;
    private boolean oneAlone;
    private boolean recording;
    private boolean recordIsLong;
    private boolean resting;
    private boolean open = true;

    private static final class Suspects {
        final Chunk chunk;
        final List<PendingLine> waiting;
        final Set<PendingLine> underWay = new HashSet<>();

        Suspects(Chunk chunk, List<PendingLine> lines) {
            this.chunk = chunk;
            this.waiting = new ArrayList<>(lines);
        }

        boolean over() {
            return underWay.isEmpty() && (waiting.isEmpty() || chunk.lost());
        }

        List<PendingLine> next(int most) {
            return waiting.stream()
                    .filter(line -> !chunk.alone().contains(line.index()))
                    .limit(Math.min(most, TOGETHER_OF_CHUNK - underWay.size()))
                    .toList();
        }

        PendingLine leastSuspect() {
            return waiting.stream()
                    .min(Comparator.comparingInt(line -> chunk.strikes(line.index())))
                    .orElseThrow();
        }
    }

    /**
     * @param onLost told of a chunk that is this coordinator's no more, or cannot be done
     * @param onRoom told that a chunk is done with, so that there is room for another one
     */
    CrashRecovery(
            Vertx vertx,
            WorkStore store,
            LongSupplier owner,
            LineChecker checks,
            Consumer<WorkStore.ChunkId> onLost,
            Runnable onRoom) {
        this.vertx = vertx;
        this.store = store;
        this.owner = owner;
        this.checks = checks;
        this.onLost = onLost;
        this.onRoom = onRoom;
    }

    void add(Chunk chunk, List<PendingLine> lines) {
        if (!lines.isEmpty()) {
            queue.add(new Suspects(chunk, lines));
            next();
        }
    }

    /** Lines that wait or are being checked. */
    int inHand() {
        return queue.stream().mapToInt(suspects -> suspects.waiting.size()).sum() + underWay;
    }

    int active() {
        return underWay;
    }

    /** Accounts of which at least so many lines wait here. */
    Set<Long> accounts(int most) {
        Map<Long, Integer> lines = new HashMap<>();
        queue.forEach(suspects -> lines.merge(suspects.chunk.accountId(), suspects.waiting.size(), Integer::sum));
        lines.values().removeIf(waiting -> waiting < most);
        return lines.keySet();
    }

    void close() {
        open = false;
    }

    private void next() {
        queue.removeIf(Suspects::over);
        if (recording || !open) {
            return;
        }
        Map<Suspects, List<PendingLine>> chosen = resting ? Map.of() : choose();
        if (!chosen.isEmpty() || resting && recordIsLong) {
            record(chosen);
        }
    }

    private Map<Suspects, List<PendingLine>> choose() {
        Map<Suspects, List<PendingLine>> chosen = new LinkedHashMap<>();
        if (oneAlone && underWay > 0) {
            return chosen;
        }
        int room = TOGETHER - underWay;
        for (Suspects suspects : queue) {
            List<PendingLine> lines = suspects.chunk.lost() ? List.of() : suspects.next(room);
            if (!lines.isEmpty()) {
                chosen.put(suspects, lines);
                room -= lines.size();
            }
        }
        oneAlone = chosen.isEmpty() && underWay == 0 && !queue.isEmpty();
        if (oneAlone) {
            chosen.put(queue.element(), List.of(queue.element().leastSuspect()));
        }
        // nobody's crowd of suspects holds up the others'
        queue.removeAll(chosen.keySet());
        queue.addAll(chosen.keySet());
        return chosen;
    }

    private void record(Map<Suspects, List<PendingLine>> chosen) {
        Map<WorkStore.ChunkId, List<Integer>> all = new HashMap<>();
        for (Suspects suspects : queue) {
            List<Integer> lines = new ArrayList<>();
            suspects.underWay.forEach(line -> lines.add(line.index()));
            chosen.getOrDefault(suspects, List.of()).forEach(line -> lines.add(line.index()));
            if (!lines.isEmpty()) {
                all.put(suspects.chunk.id(), lines);
            }
        }
        recording = true;
        recordIsLong = false;
        store.watch(owner.getAsLong(), all).onComplete((held, failure) -> {
            recording = false;
            if (failure != null) {
                rest();
                return;
            }
            all.keySet().stream().filter(chunk -> !held.contains(chunk)).forEach(onLost);
            chosen.forEach(this::begin);
            next();
        });
    }

    private void begin(Suspects suspects, List<PendingLine> lines) {
        if (suspects.chunk.lost()) {
            return;
        }
        suspects.waiting.removeAll(lines);
        suspects.underWay.addAll(lines);
        underWay += lines.size();
        for (PendingLine line : lines) {
            checks.check(line).onComplete((pauseMs, fault) -> {
                suspects.underWay.remove(line);
                underWay--;
                if (fault != null) {
                    onLost.accept(suspects.chunk.id());
                } else if (pauseMs > 0) {
                    suspects.waiting.add(line);
                    recordIsLong = true;
                    rest();
                }
                if (suspects.over()) {
                    onRoom.run();
                }
                next();
            });
        }
    }

    private void rest() {
        if (!resting) {
            resting = true;
            vertx.setTimer(RETRY_MS, again -> {
                resting = false;
                next();
            });
        }
    }
}
