package dev.plumbline.bench;

import java.io.IOException;
import java.util.List;

/** Something that the bench measures; add one to {@link Bench#rows}. */
interface Row {
    /** The name under which it can be asked for alone. */
    String id();

    /**
     * Measures.
     *
     * @throws MissingProgramException when it needs a program that is not installed
     */
    List<BulkLine> measure(BenchStage stage) throws IOException, InterruptedException;
}
