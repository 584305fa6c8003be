package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.DebianTool;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The scripts of {@code src/harness} against {@code plumbline lab} of the distribution and a service with its settings.
 * Each one succeeds, and fails if the service returns something else. A tool that is not available is skipped.
 */
@Tag("scenario")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class LoadHarnessScenario {
    private static final int SECONDS = Integer.getInteger("scenario.seconds", 30);
    private static final int RATE = 20;
    private static final int CONNECTIONS = 8;
    private static final int MAX_P99_MS = 5_000;
    private static final int PORT_BASE = 20_000;
    private static final Pattern SETTING = Pattern.compile("export PLUMBLINE_([A-Z_]+)='([^']*)'");
    private static final Vertx VERTX = Vertx.vertx();

    /** A tool and the command that runs its script. */
    private enum Tool {
        K6 {
            @Override
            List<String> command(String server, int seconds) {
                return List.of(
                        DebianTool.ifInstalled("k6").toString(), "run", "--no-usage-report", script("k6/plumbline.js"));
            }
        },
        GATLING {
            @Override
            List<String> command(String server, int seconds) {
                return maven("gatling", "test-compile", "exec:exec");
            }
        },
        JMETER {
            @Override
            List<String> command(String server, int seconds) {
                return maven("jmeter", "com.lazerycode.jmeter:jmeter-maven-plugin:configure@configuration", "verify");
            }
        },
        LOCUST {
            @Override
            List<String> command(String server, int seconds) throws IOException {
                return List.of(
                        ClientTools.locust().toString(),
                        "--headless",
                        "--only-summary",
                        "-f",
                        script("locust/locustfile.py"));
            }
        },
        WRK {
            @Override
            List<String> command(String server, int seconds) {
                return List.of(
                        DebianTool.ifInstalled("wrk").toString(),
                        "-t" + CONNECTIONS,
                        "-c" + CONNECTIONS,
                        "-d" + seconds + "s",
                        "--timeout=10s",
                        "-s",
                        script("wrk/plumbline.lua"),
                        server);
            }
        };

        abstract List<String> command(String server, int seconds) throws IOException;

        /** @param preparation the goal that downloads the tool */
        private static List<String> maven(String project, String preparation, String goal) {
            String maven = DebianTool.ifInstalled("mvn").toString();
            ClientTools.prepareMavenProject(Path.of(script(project)), preparation);
            return List.of(maven, "-q", "-B", "-f", script(project), goal);
        }

        private static String script(String path) {
            return Path.of("src", "harness", path).toAbsolutePath().toString();
        }
    }

    private final Path folder = Path.of("target", "scenario", "harness").toAbsolutePath();
    private Process lab;
    private ScenarioService service;

    @BeforeAll
    void start() throws Exception {
        Files.createDirectories(folder);
        Path messages = folder.resolve("lab.log");
        lab = new ProcessBuilder(
                        distribution().resolve("bin/plumbline").toString(), "lab", "--port-base", "" + PORT_BASE)
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("targets.tsv").toFile())
                .redirectError(messages.toFile())
                .start();
        Await.until(() -> !lab.isAlive() || read(messages).contains("ready"));
        assertThat(lab.isAlive()).as(read(messages)).isTrue();
        service = ScenarioService.start("harness-service", settings());
    }

    @AfterAll
    void stop() throws Exception {
        if (service != null) {
            service.close();
        }
        if (lab != null) {
            lab.destroy();
            lab.waitFor(20, TimeUnit.SECONDS);
        }
        Await.value(VERTX.close());
    }

    private static Path distribution() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("target"))) {
            return files.filter(file -> Files.isExecutable(file.resolve("bin/plumbline")))
                    .findFirst()
                    .orElseThrow()
                    .toAbsolutePath();
        }
    }

    private Map<String, String> settings() throws IOException {
        Map<String, String> settings = new LinkedHashMap<>();
        for (String line : Files.readAllLines(folder.resolve("plumbline-lab/environment"))) {
            Matcher setting = SETTING.matcher(line);
            assertThat(setting.matches()).as(line).isTrue();
            settings.put(setting.group(1), setting.group(2));
        }
        return settings;
    }

    static Stream<Arguments> runs() {
        return Stream.of(Tool.values())
                .flatMap(tool -> Stream.of("cached", "fresh", "jobs", "mixed").map(name -> Arguments.of(tool, name)));
    }

    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("runs")
    void succeeds(Tool tool, String workload) throws Exception {
        Outcome outcome = run(tool, service.address(), workload, workload.equals("jobs") ? 2 : RATE, SECONDS);

        assertThat(outcome.code).as(outcome.output).isZero();
        service.assertAlive();
    }

    static Stream<Arguments> wrongResponses() {
        return Stream.of(Tool.values()).flatMap(tool -> Stream.of(200, 429).map(status -> Arguments.of(tool, status)));
    }

    /** A service with another verdict, or with a quota that the scripts do not expect. */
    @ParameterizedTest(name = "{0} {1}")
    @MethodSource("wrongResponses")
    void failsIfTheServiceReturnsSomethingElse(Tool tool, int status) throws Exception {
        AtomicInteger requests = new AtomicInteger();
        HttpServer wrong = Await.value(VERTX.createHttpServer()
                .requestHandler(request -> {
                    requests.incrementAndGet();
                    respond(request, status);
                })
                .listen(0, "127.0.0.1"));

        Outcome outcome = run(tool, "http://127.0.0.1:" + wrong.actualPort(), "cached", RATE, 3);

        assertThat(requests).as(outcome.output).hasPositiveValue();
        assertThat(outcome.code).as(outcome.output).isNotZero();
        Await.value(wrong.close());
    }

    private static void respond(HttpServerRequest request, int status) {
        request.response()
                .setStatusCode(status)
                .putHeader("Retry-After", "60")
                .putHeader("Content-Type", "application/json")
                .end("{\"module\":\"http-status\",\"verdict\":\"error\",\"cached\":true}");
    }

    /** A service that rejects every request because of overload: the tools wait for Retry-After and then fail. */
    @ParameterizedTest
    @EnumSource(Tool.class)
    void failsIfTheServiceIsOverloaded(Tool tool) throws Exception {
        HttpServer busy = Await.value(VERTX.createHttpServer()
                .requestHandler(request -> request.response()
                        .setStatusCode(503)
                        .putHeader("Retry-After", "1")
                        .end("{}"))
                .listen(0, "127.0.0.1"));

        Outcome outcome = run(tool, "http://127.0.0.1:" + busy.actualPort(), "cached", RATE, 5);

        assertThat(outcome.code).as(outcome.output).isNotZero();
        Await.value(busy.close());
    }

    private record Outcome(int code, String output) {}

    private Outcome run(Tool tool, String server, String workload, int rate, int seconds) throws Exception {
        List<String> command = new ArrayList<>(tool.command(server, seconds));
        Path log = folder.resolve(tool.name().toLowerCase(Locale.ROOT) + "-" + workload + ".log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile());
        Map<String, String> environment = builder.environment();
        environment.put("PLUMBLINE_SERVER", server);
        environment.put("PLUMBLINE_KEY", service.key());
        environment.put("LAB_PORT_BASE", "" + PORT_BASE);
        environment.put("WORKLOAD", workload);
        environment.put("RATE", "" + rate);
        environment.put("DURATION", "" + seconds);
        environment.put("CONNECTIONS", "" + CONNECTIONS);
        // tools, service, targets and other programs share the cores
        environment.put("MAX_P99_MS", "" + MAX_P99_MS);
        Process process = builder.start();
        if (!process.waitFor(seconds + 120, TimeUnit.SECONDS)) {
            process.destroyForcibly();
            throw new AssertionError(tool + " did not end: " + read(log));
        }
        return new Outcome(process.exitValue(), read(log));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
