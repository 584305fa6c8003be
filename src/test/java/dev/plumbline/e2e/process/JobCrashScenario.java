package dev.plumbline.e2e.process;

import org.junit.jupiter.api.Tag;

/** More kills than in {@link JobCrashIT}. */
@Tag("scenario")
class JobCrashScenario extends JobCrashIT {
    @Override
    int rounds() {
        return 20;
    }
}
