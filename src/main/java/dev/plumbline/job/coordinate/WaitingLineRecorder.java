package dev.plumbline.job.coordinate;

import com.google.common.collect.Multiset;
import dev.plumbline.bus.JobMessage.WaitingLines;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.result.TargetLimit;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Records in the database which lines of this node wait for limits of targets, so that every node can show them.
 * Executes one statement at a time, and only after a change. Confined to an event loop.
 */
final class WaitingLineRecorder {
    static final long INTERVAL_MS = 1_000;

    /** The maximum number of recorded jobs, those with the most waiting lines. */
    static final int MAX_JOBS = 200;

    private static final Logger LOG = LoggerFactory.getLogger(WaitingLineRecorder.class);

    private final WorkStore store;
    private final LongSupplier owner;
    private final Supplier<Map<Long, Multiset<TargetLimit>>> waiting;

    /** The latest record of {@link #recordedOwner}; null if it is unknown. */
    private @Nullable Map<Long, List<WaitingLines>> recorded = Map.of();

    private long recordedOwner;
    private boolean writing;

    /**
     * @param owner the ID of this node
     * @param waiting the lines that wait for limits of targets, by job
     */
    WaitingLineRecorder(WorkStore store, LongSupplier owner, Supplier<Map<Long, Multiset<TargetLimit>>> waiting) {
        this.store = store;
        this.owner = owner;
        this.waiting = waiting;
    }

    /** Writes the present state unless it is recorded. */
    void write() {
        if (writing) {
            return;
        }
        long writer = owner.getAsLong();
        if (writer != recordedOwner) {
            recordedOwner = writer;
            recorded = Map.of();
        }
        Map<Long, List<WaitingLines>> present = present();
        if (present.equals(recorded)) {
            return;
        }
        writing = true;
        store.recordWaiting(writer, present).onComplete((written, failure) -> {
            writing = false;
            recorded = failure == null ? present : null;
            if (failure != null && !(failure instanceof DatabaseUnavailableException)) {
                LOG.error("record of waiting lines failed", failure);
            }
        });
    }

    private Map<Long, List<WaitingLines>> present() {
        Map<Long, List<WaitingLines>> present = new HashMap<>();
        waiting.get().entrySet().stream()
                .sorted(Comparator.comparingInt((Map.Entry<Long, Multiset<TargetLimit>> job) ->
                        -job.getValue().size()))
                .limit(MAX_JOBS)
                .forEach(job -> present.put(job.getKey(), lines(job.getValue())));
        return present;
    }

    private static List<WaitingLines> lines(Multiset<TargetLimit> limits) {
        return WaitingLines.most(limits.elementSet().stream()
                .map(limit ->
                        new WaitingLines(limit.targetAddress(), limit.limit(), limit.perSecond(), limits.count(limit)))
                .toList());
    }
}
