package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import java.util.List;
import java.util.Map;

/** Claimed chunks of {@link ScriptedModule}, without lines. */
final class TestChunks {
    private static final ModuleDescription MODULE = new ScriptedModule().description();

    private TestChunks() {}

    /**
     * @param job the ID of the job
     * @param account the ID of its account
     */
    static Chunk chunk(long job, long account) {
        return new Chunk(
                new WorkStore.ClaimedChunk(
                        new WorkStore.ChunkId(job, 0, 1),
                        account,
                        ScriptedModule.NAME,
                        Map.of(),
                        false,
                        List.of(),
                        List.of(),
                        0,
                        List.of(),
                        0,
                        List.of(),
                        null),
                MODULE,
                Options.defaults(MODULE),
                0);
    }
}
