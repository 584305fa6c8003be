package dev.plumbline.bench;

import java.io.IOException;
import java.util.List;

/** A measurement of the benchmark, listed in {@link Bench#rows}. */
interface Row {
    /** The ID for {@code bench.only}. */
    String id();

    /**
     * Runs the measurement.
     *
     * @throws MissingProgramException if a reference program is not installed
     */
    List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException;
}
