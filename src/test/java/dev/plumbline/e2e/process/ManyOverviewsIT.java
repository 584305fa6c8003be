package dev.plumbline.e2e.process;

import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/** A job with 60 {@code overview} lines. {@code ManyOverviewsScenario}: as many as a job can have. */
@Tag("integration")
class ManyOverviewsIT {
    private static final int LINES = 60;

    @TempDir
    Path folder;

    @Test
    void jobCompletesInOrderAndOtherUsersAreServed(TestReporter reporter) throws Exception {
        new OverviewJob(folder).assertCompletes(LINES, reporter);
    }
}
