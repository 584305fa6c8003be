package dev.plumbline.job.coordinate;

import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.job.store.WorkStore;
import java.util.List;
import java.util.Set;

/** A chunk that this node has claimed: what is left of it to do. Used on one event loop. */
final class Chunk {
    private final WorkStore.Claimed claimed;
    private final ModuleDescription module;
    private final Options options;
    private final long bornTick;
    private int left;
    private boolean lost;

    /**
     * @param bornTick when it was claimed, in ticks of the coordinator
     */
    Chunk(WorkStore.Claimed claimed, ModuleDescription module, Options options, long bornTick) {
        this.claimed = claimed;
        this.module = module;
        this.options = options;
        this.bornTick = bornTick;
        this.left = claimed.checks().size();
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

    long bornTick() {
        return bornTick;
    }

    /** Whether a coordinator died that held it, so that one of its lines may have killed it. */
    boolean suspect() {
        return claimed.crashes() > 0;
    }

    Set<Integer> alone() {
        return claimed.alone();
    }

    /** How many deaths a line was alone with. */
    int strikes(int index) {
        return (int) claimed.struck().stream().filter(struck -> struck == index).count();
    }

    /** Counts one more result, and says whether it was the last. */
    boolean countResult() {
        left--;
        return left == 0;
    }

    boolean finished() {
        return left == 0;
    }

    /** Somebody else has it now, or its job was cancelled: nothing more of it is to be done. */
    void lose() {
        lost = true;
    }

    boolean lost() {
        return lost;
    }
}
