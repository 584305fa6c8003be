package dev.plumbline.e2e.process;

import dev.plumbline.support.OtelCollector;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces of a cluster that the OpenTelemetry Collector receives and passes on. */
@Tag("scenario")
class TracesScenario extends ClusterTraces {
    @TempDir
    static Path program;

    private static OtelCollector real;

    @BeforeAll
    static void start() throws Exception {
        real = OtelCollector.start(program, collector().endpoint());
        startCluster(real.endpoint());
    }

    @Test
    void instantCheckIsOneTraceOverThreeNodes() {
        assertInstantCheckIsOneTraceOverThreeNodes();
    }

    @Test
    void lineOfAJobIsOneTrace() {
        assertLineOfAJobIsOneTrace();
    }

    @AfterAll
    static void stop() {
        if (real != null) {
            real.close();
        }
    }
}
