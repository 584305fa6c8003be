package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.trace.TraceParent;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A claimed chunk and the number of its pending lines. Confined to an event loop. */
final class Chunk {
    /** Number of crashes after which the lines of a job run one at a time. */
    private static final int SERIAL_JOB_CRASHES = 2;

    /** Number of crashes after which the remaining lines of a job end with an error. */
    static final int MAX_JOB_CRASHES = 3;

    /** Number of crashes after which a line in progress ends with an error. */
    private static final int MAX_LINE_CRASHES = 2;

    private final WorkStore.ClaimedChunk claimed;
    private final ModuleDescription module;
    private final Options options;
    private final long claimTick;

    /** One element per attempt of a line in this claim. */
    private final List<Integer> attempts = new ArrayList<>();

    /** Lines that were in progress in this claim when their run node was lost. */
    private final Set<Integer> suspects = new HashSet<>();

    private int remaining;
    private boolean lost;

    /** @param claimTick tick of the lease at the claim */
    Chunk(WorkStore.ClaimedChunk claimed, ModuleDescription module, Options options, long claimTick) {
        this.claimed = claimed;
        this.module = module;
        this.options = options;
        this.claimTick = claimTick;
        this.remaining = claimed.checks().size();
    }

    WorkStore.ChunkId id() {
        return claimed.id();
    }

    long accountId() {
        return claimed.accountId();
    }

    ModuleDescription module() {
        return module;
    }

    Options options() {
        return options;
    }

    boolean fresh() {
        return claimed.fresh();
    }

    List<Integer> checks() {
        return claimed.checks();
    }

    List<String> inputs() {
        return claimed.inputs();
    }

    /** The span in which the job was created; null if its trace is not recorded. */
    @Nullable
    TraceParent creation() {
        return claimed.creation();
    }

    long claimTick() {
        return claimTick;
    }

    /** Whether a node crashed while it held the chunk or ran lines of its job, so that a line may cause the crash. */
    boolean crashed() {
        return claimed.crashCount() > 0 || claimed.jobCrashCount() > 0;
    }

    /** Whether a line runs alone, because it was in progress when a node was lost, or its job crashed twice. */
    boolean isSuspect(int index) {
        return claimed.jobCrashCount() >= SERIAL_JOB_CRASHES
                || claimed.suspects().contains(index)
                || suspects.contains(index);
    }

    /** Marks a line that was in progress when its run node was lost. */
    void addSuspect(int index) {
        suspects.add(index);
    }

    /** Whether a line was in progress at two crashes. */
    boolean crashedTwice(int index) {
        return Collections.frequency(claimed.suspects(), index) >= MAX_LINE_CRASHES;
    }

    /** Whether the lines of the job are no longer checked. */
    boolean jobCrashed() {
        return claimed.jobCrashCount() >= MAX_JOB_CRASHES;
    }

    /** The number of attempts that may have contacted the target of a line, in this and earlier claims. */
    int attempts(int index) {
        return Collections.frequency(claimed.attempts(), index) + Collections.frequency(attempts, index);
    }

    /** The attempts in this claim, to be recorded when it is released. */
    List<Integer> attempts() {
        return List.copyOf(attempts);
    }

    void addAttempt(int index) {
        attempts.add(index);
    }

    /** Removes an attempt that was rejected because of overload. */
    void removeAttempt(int index) {
        attempts.remove((Integer) index);
    }

    /** Counts a result; returns whether it was the last. */
    boolean countResult() {
        remaining--;
        return remaining == 0;
    }

    boolean finished() {
        return remaining == 0;
    }

    /** The node no longer holds the chunk, or its job was cancelled. */
    void markLost() {
        lost = true;
    }

    boolean lost() {
        return lost;
    }
}
