package dev.plumbline.bench;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Resident memory with a million waiting lines in progress. */
final class QueuedMemoryRow implements Row {
    private static final double GOAL_MIB = 512;
    private static final int LOOKS = 40;
    private static final long PAUSE_MS = 500;

    @Override
    public String id() {
        return "memory-queued";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        Backlog backlog = stage.backlog();
        backlog.fill();
        ServiceUnderLoad service = backlog.service();
        List<Double> ours = new ArrayList<>();
        List<Double> database = new ArrayList<>();
        for (int i = 0; i < LOOKS; i++) {
            Thread.sleep(PAUSE_MS);
            ours.add(service.process().residentKib() / 1024.0);
            database.add(service.postgres().residentKib() / 1024.0);
        }
        long left = backlog.mustWait();
        Distribution spread = Distribution.of(ours);
        return List.of(new BulkLine(
                "Resident memory, 1,000,000 waiting lines in progress",
                spread.text(0) + " MiB",
                "",
                "",
                BulkLine.atMost(GOAL_MIB, "MiB", spread.max()),
                String.format(
                        Locale.ROOT,
                        "maximum of %d samples in %d s (VmRSS); PostgreSQL %s MiB (Pss);"
                                + " at least %,d lines waiting",
                        LOOKS,
                        LOOKS * PAUSE_MS / 1_000,
                        Distribution.of(database).text(0),
                        left)));
    }
}
