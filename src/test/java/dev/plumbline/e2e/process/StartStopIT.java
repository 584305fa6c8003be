package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.HttpLabFixture;
import dev.plumbline.support.RawHttpClient;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Start, crash, restart and drain of the jar with its embedded database, in one data directory. */
@Tag("integration")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StartStopIT {
    @RegisterExtension
    static final HttpLabFixture LAB = new HttpLabFixture();

    @TempDir
    static Path folder;

    @TempDir
    Path other;

    @Test
    @Order(1)
    void requestInProgressIsCompletedAtShutdown() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, Map.of())) {
            assertThat(service.instant("http-status", LAB.lab().http("/ok")).statusCode())
                    .isEqualTo(200);
            CompletableFuture<HttpResponse<String>> underWay = CompletableFuture.supplyAsync(
                    () -> service.instant("http-status", LAB.lab().http("/slow")));
            Await.until(() -> !LAB.lab().requestsFor("/slow").isEmpty());

            service.terminate();

            assertThat(underWay.get(30, TimeUnit.SECONDS).statusCode()).isEqualTo(200);
            assertThat(service.awaitExit(40)).isZero();
            assertThat(service.log()).contains("started", "stopped").doesNotContain(" WARN ", " ERROR ");
            assertThat(folder.resolve("data")).isDirectory();
            assertThat(runningPostmaster()).isEmpty();
        }
    }

    @Test
    @Order(2)
    void resultSurvivesRestart() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, Map.of())) {
            assertThat(cached(service.instant("http-status", LAB.lab().http("/ok"))))
                    .isTrue();
        }
    }

    /** Vert.x logs it as an error with a stack trace. */
    @Test
    @Order(2)
    void anInvalidFrameOfAClientIsNotLogged() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, Map.of())) {
            try (RawHttpClient client = RawHttpClient.connect(service.port())) {
                client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + "\377".repeat(9));
                client.finish();
                client.isEnded();
            }
            service.terminate();
            assertThat(service.awaitExit(30)).isZero();

            assertThat(service.log()).doesNotContain("SETTINGS", "ERROR");
        }
    }

    @Test
    @Order(3)
    void serviceRestartsAfterCrashWithItsData() throws Exception {
        try (ServiceProcess crashing = ServiceProcess.start(folder, Map.of())) {
            crashing.kill();
            crashing.awaitExit(30);
        }
        assertThat(runningPostmaster()).as("the database runs after the crash").isPresent();

        try (ServiceProcess service = ServiceProcess.start(folder, Map.of())) {
            assertThat(cached(service.instant("http-status", LAB.lab().http("/ok"))))
                    .isTrue();
            assertThat(service.instant("http-status", LAB.lab().http("/ok?new")).statusCode())
                    .isEqualTo(200);
        }
        assertThat(runningPostmaster()).isEmpty();
    }

    @Test
    @Order(4)
    void killedDatabaseIsRestarted() throws Exception {
        try (ServiceProcess service = ServiceProcess.start(folder, Map.of())) {
            assertThat(runningPostmaster().orElseThrow().destroyForcibly()).isTrue();

            assertThat(service.instant("http-status", LAB.lab().http("/ok?killed"))
                            .statusCode())
                    .isIn(200, 503);
            Await.until(() -> service.ready().statusCode() == 200);
            Await.until(() ->
                    service.instant("http-status", LAB.lab().http("/ok?risen")).statusCode() == 200);
        }
    }

    @Test
    @Order(5)
    void dataDirectoryIsUsedByOneServiceAtATime() throws Exception {
        try (ServiceProcess first = ServiceProcess.start(folder, Map.of());
                ServiceProcess second = ServiceProcess.launch(folder, Map.of())) {
            assertThat(second.awaitExit(30)).isEqualTo(1);
            assertThat(first.ready().statusCode()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DATABASE_URL | postgresql://a:b@127.0.0.1:1/x | The database 127.0.0.1:1/x cannot be reached",
                "DATA_DIR | /proc/nowhere | The data directory /proc/nowhere is not writable",
                "HTTP_PROT | 80 | PLUMBLINE_HTTP_PROT is not a setting",
                "HTTP_PORT | many | http.port is \"many\". Set a port from 1 to 65535",
                "TARGETS_ALLOW | 10.0.0.0/99 | targets.allow contains \"10.0.0.0/99\". Set an IP address or a CIDR block",
            })
    void startFailureIsReportedClearly(String setting, String value, String words) throws Exception {
        try (ServiceProcess service = ServiceProcess.launch(other, Map.of(setting, value))) {
            assertThat(service.awaitExit(30)).isEqualTo(1);
            assertThat(service.log()).contains("plumbline cannot start").contains(words);
            assertThat(service.log()).doesNotContain("\tat ");
        }
    }

    @Test
    @Order(6)
    void portInUseIsReported() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServiceProcess service =
                        ServiceProcess.launch(folder, Map.of("HTTP_PORT", Integer.toString(taken.getLocalPort())))) {
            assertThat(service.awaitExit(30)).isEqualTo(1);
            assertThat(service.log()).contains("plumbline cannot start: 127.0.0.1:" + taken.getLocalPort());
        }
    }

    @Test
    @Order(7)
    void aNodeWithoutClusterLoadsNoClassOfHazelcast() throws Exception {
        Path classes = other.resolve("classes.log");
        try (ServiceProcess service = ServiceProcess.launch(folder, Map.of(), "-Xlog:class+load:file=" + classes)
                .awaitReady()) {
            assertThat(service.instant("http-status", LAB.lab().http("/ok")).statusCode())
                    .isEqualTo(200);
        }
        assertThat(Files.readAllLines(classes))
                .anyMatch(line -> line.contains("dev.plumbline.app.Service"))
                .noneMatch(line -> line.contains("hazelcast"));
    }

    private static boolean cached(HttpResponse<String> response) {
        return new JsonObject(response.body()).getBoolean("cached");
    }

    private static java.util.Optional<ProcessHandle> runningPostmaster() throws IOException {
        try (var files = Files.walk(folder.resolve("data"))) {
            return files.filter(file -> file.endsWith("postmaster.pid"))
                    .findFirst()
                    .flatMap(StartStopIT::process);
        }
    }

    private static java.util.Optional<ProcessHandle> process(Path pidFile) {
        try {
            return ProcessHandle.of(Long.parseLong(Files.readAllLines(pidFile).get(0)))
                    .filter(ProcessHandle::isAlive);
        } catch (IOException gone) {
            return java.util.Optional.empty();
        }
    }
}
