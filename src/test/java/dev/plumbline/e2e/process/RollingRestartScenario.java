package dev.plumbline.e2e.process;

import org.junit.jupiter.api.Tag;

/** More requests than in {@link RollingRestartIT}. */
@Tag("scenario")
class RollingRestartScenario extends RollingRestartIT {
    @Override
    int requests() {
        return 20_000;
    }
}
