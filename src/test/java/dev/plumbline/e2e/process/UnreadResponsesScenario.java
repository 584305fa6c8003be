package dev.plumbline.e2e.process;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** More connections than in {@link UnreadResponsesIT}. */
@Tag("scenario")
class UnreadResponsesScenario extends UnreadResponsesIT {
    @Override
    int connections() {
        return 150;
    }

    /** All responses share the document, so that only many streams use much memory. */
    @Test
    void documentsForClosedWindowsDoNotExhaustMemory() throws Exception {
        requestWithClosedWindows("/api/v1/openapi.json");
    }
}
