package dev.plumbline.scenario;

import dev.plumbline.e2e.process.OverviewJob;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/** A job with 500 {@code overview} lines. */
@Tag("scenario")
class ManyOverviewsScenario {
    private static final int LINES = 500;

    @TempDir
    Path folder;

    @Test
    void jobCompletesInOrderAndOtherUsersAreServed(TestReporter reporter) throws Exception {
        new OverviewJob(folder).assertCompletes(LINES, reporter);
    }
}
