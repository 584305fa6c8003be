package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.e2e.process.ServiceProcess;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/**
 * A start after a crash, with 19 busy processes for each core: the service waits until its database has recovered, and
 * the event loops are not blocked.
 */
@Tag("scenario")
class StartUnderLoadScenario {
    private static final int BUSY_PER_CORE = 19;
    private static final String LAG = "plumbline_event_loop_lag_seconds ";

    @TempDir
    Path folder;

    @Test
    void theServiceStartsAfterACrash(TestReporter reporter) throws Exception {
        try (ServiceProcess crashed = ServiceProcess.launchForProduction(List.of(), folder, Map.of(), List.of())) {
            crashed.awaitReady();
            crashed.kill();
            crashed.awaitExit(10);
        }
        List<Process> busy = new ArrayList<>();
        try {
            int processes = BUSY_PER_CORE * Runtime.getRuntime().availableProcessors();
            for (int i = 0; i < processes; i++) {
                busy.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            try (ServiceProcess service = ServiceProcess.launchForProduction(List.of(), folder, Map.of(), List.of())) {
                service.awaitReady();

                double lag = service.metrics()
                        .body()
                        .lines()
                        .filter(line -> line.startsWith(LAG))
                        .mapToDouble(line -> Double.parseDouble(line.substring(LAG.length())))
                        .findFirst()
                        .orElseThrow();
                reporter.publishEntry("event loop lag in seconds", Double.toString(lag));
                assertThat(lag).isLessThan(2);
                assertThat(service.log()).doesNotContain("has been blocked for");
            }
        } finally {
            busy.forEach(Process::destroyForcibly);
        }
    }
}
