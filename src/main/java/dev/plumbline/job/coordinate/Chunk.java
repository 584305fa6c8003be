package dev.plumbline.job.coordinate;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.job.store.WorkStore;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;

/** A claimed chunk and the number of its pending lines. Confined to an event loop. */
final class Chunk {
    private final WorkStore.ClaimedChunk claimed;
    private final ModuleDescription module;
    private final Options options;
    private final long claimTick;
    /** One element per attempt of a line in this claim. */
    private final List<Integer> attempts = new ArrayList<>();

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

    long claimTick() {
        return claimTick;
    }

    /** Whether a node crashed while it held the chunk, so that a line may cause the crash. */
    boolean crashed() {
        return claimed.crashCount() > 0;
    }

    Set<Integer> suspects() {
        return claimed.suspects();
    }

    /** The number of crashes at which this line was the only one in flight. */
    int crashCount(int index) {
        return Collections.frequency(claimed.soloCrashes(), index);
    }

    /**
     * The number of attempts that may have contacted the target of a line, in this and earlier claims. The lines in
     * progress at the first crash are unknown, so all lines are counted.
     */
    int attempts(int index) {
        return (crashed() ? 1 : 0)
                + Collections.frequency(claimed.attempts(), index)
                + Collections.frequency(attempts, index);
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
