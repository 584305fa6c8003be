package dev.plumbline.e2e.process;

import org.junit.jupiter.api.Tag;

/** More connections than in {@link UnreadResponsesIT}. */
@Tag("scenario")
class UnreadResponsesScenario extends UnreadResponsesIT {
    @Override
    int connections() {
        return 150;
    }
}
