package dev.plumbline.bench;

import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** Resident memory of the JVM of the service: idle after the start, and after the load of other rows. */
final class MemoryRow implements Row {
    private static final double IDLE_GOAL_MIB = 190;
    private static final double LOADED_GOAL_MIB = 280;

    private final List<Row> loads;

    /** @param loads rows that generate load; they run first if no row has loaded the service */
    MemoryRow(List<Row> loads) {
        this.loads = loads;
    }

    @Override
    public String id() {
        return "memory";
    }

    @Override
    public List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException {
        double idle = stage.idleKib() / 1024.0;
        if (!stage.loaded()) {
            for (Row load : loads) {
                load.measure(stage);
            }
        }
        double after = stage.service().process().residentKib() / 1024.0;
        String flags = String.join(" ", stage.options().jvmFlags());
        return List.of(
                new BulkLine(
                        "Resident memory after the start, idle",
                        mib(idle),
                        "",
                        "",
                        BulkLine.atMost(IDLE_GOAL_MIB, "MiB", idle),
                        "VmRSS with " + flags),
                new BulkLine(
                        "Resident memory after the load of the rows above",
                        mib(after),
                        "",
                        "",
                        BulkLine.atMost(LOADED_GOAL_MIB, "MiB", after),
                        "VmRSS"));
    }

    private static String mib(double size) {
        return String.format(Locale.ROOT, "%.0f MiB", size);
    }
}
