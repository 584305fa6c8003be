package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Traces of a cluster, without another collector. */
@Tag("integration")
class TracesIT extends ClusterTraces {
    @BeforeAll
    static void start() throws Exception {
        startCluster(collector().endpoint());
    }

    @Test
    void instantCheckIsOneTraceOverThreeNodes() {
        assertInstantCheckIsOneTraceOverThreeNodes();
    }

    @Test
    void lineOfAJobIsOneTrace() {
        assertLineOfAJobIsOneTrace();
    }

    /** The classes of the library would use memory in each process. */
    @Test
    void noClassOfTheLibraryIsLoadedWhileTracesAreDisabled() throws Exception {
        Path own = Files.createDirectories(folder.resolve("disabled"));
        Path classes = own.resolve("classes.log");
        try (ServiceProcess process = ServiceProcess.launch(
                        own, Map.of("DATABASE_URL", databaseUrl()), "-Xlog:class+load:file=" + classes)
                .awaitReady()) {
            assertThat(process.instant("http-status", url("/ok/disabled")).statusCode())
                    .isEqualTo(200);
        }

        assertThat(Files.readString(classes))
                .contains("dev.plumbline.app.Service ")
                .doesNotContain("io.opentelemetry.")
                .doesNotContain("dev.plumbline.ops.SpanTracer ");
    }
}
