package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.plumbline.support.CommandResult;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** The scripts of the GitHub Action and of the GitLab CI job, as their runners start them, against a local server. */
@Tag("integration")
class CiExamplesIT {
    private static final Path DEPLOY = Path.of("src/deploy").toAbsolutePath();

    @TempDir
    static Path folder;

    private static HttpServer server;
    private static String origin;
    private static Path archive;
    private static Path settings;

    @BeforeAll
    static void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            exchange.sendResponseHeaders(exchange.getRequestURI().getPath().equals("/") ? 200 : 404, -1);
            exchange.close();
        });
        server.start();
        origin = "http://127.0.0.1:" + server.getAddress().getPort();
        settings =
                Files.writeString(folder.resolve("settings.yaml"), "targets: {allow: [127.0.0.0/8], ports: ['*']}\n");
        try (Stream<Path> files = Files.list(ServiceProcess.JAR.toAbsolutePath().getParent())) {
            archive = files.filter(file -> file.toString().endsWith(".tar.gz"))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @AfterAll
    static void stop() {
        server.stop(0);
    }

    @Test
    void actionPassesAndWritesTheReport() throws Exception {
        CommandResult result = action(Map.of("targets", origin + "/\n" + origin + "/?2", "expect", "status == 200"));

        assertThat(result.err()).isEmpty();
        assertThat(result.code()).isZero();
        assertThat(report()).contains("tests=\"2\"", "failures=\"0\"", origin + "/");
    }

    @Test
    void actionFailsWithTheReportIfATargetFails() throws Exception {
        assertThat(action(Map.of("targets", origin + "/missing")).code()).isEqualTo(2);
        assertThat(report()).contains("failures=\"1\"", origin + "/missing");

        assertThat(action(Map.of("targets", origin + "/", "expect", "status == 201"))
                        .code())
                .isEqualTo(2);
        assertThat(report()).contains("expectation_failed");
    }

    @Test
    void actionRejectsADistributionWithAnotherHashAndAUrlWithoutOne() throws Exception {
        Map<String, String> wrong = Map.of("targets", origin + "/", "sha256", "0".repeat(64));
        assertThat(action(wrong).code()).isEqualTo(1);

        Map<String, String> url =
                Map.of("targets", origin + "/", "distribution", "https://127.0.0.1:1/plumbline.tar.gz");
        CommandResult result = action(url);
        assertThat(result.code()).isEqualTo(4);
        assertThat(result.out()).isEqualTo("::error::The input sha256 is required if distribution is a URL.\n");
    }

    @Test
    void gitLabJobPassesAndFailsWithTheReport() throws Exception {
        Map<String, String> installed = new HashMap<>();
        assertThat(runStep(actionSteps().getJsonObject(0), inputs(Map.of()), installed)
                        .code())
                .isZero();
        // the job has no variable for a file with settings, because those of the image are variables
        installed.putAll(Map.of("PLUMBLINE_TARGETS_ALLOW", "127.0.0.0/8", "PLUMBLINE_TARGETS_PORTS", "*"));

        assertThat(gitLab(installed, origin + "/ " + origin + "/?2").code()).isZero();
        assertThat(report()).contains("tests=\"2\"", "failures=\"0\"");
        assertThat(gitLab(installed, origin + "/missing").code()).isEqualTo(2);
        assertThat(report()).contains("failures=\"1\"");
    }

    private static CommandResult gitLab(Map<String, String> installed, String targets) throws Exception {
        JsonObject job = yaml("gitlab/plumbline.gitlab-ci.yml").getJsonObject("plumbline");
        assertThat(job.getJsonObject("artifacts").getJsonObject("reports").getString("junit"))
                .isEqualTo("plumbline.xml");
        Map<String, String> variables = new HashMap<>(installed);
        job.getJsonObject("variables")
                .forEach(variable -> variables.put(variable.getKey(), (String) variable.getValue()));
        variables.put("CHECK_MODULE", "http-status");
        variables.put("CHECK_TARGETS", targets);
        StringBuilder script = new StringBuilder();
        job.getJsonArray("script").forEach(line -> script.append(line).append("\n"));
        return bash(script.toString(), variables);
    }

    private static CommandResult action(Map<String, String> given) throws Exception {
        Map<String, String> inputs = inputs(given);
        Map<String, String> path = new HashMap<>();
        CommandResult result = new CommandResult(0, "", "");
        for (Object step : actionSteps()) {
            if (result.code() == 0) {
                result = runStep((JsonObject) step, inputs, path);
            }
        }
        return result;
    }

    private static JsonArray actionSteps() throws IOException {
        return yaml("github/action.yml").getJsonObject("runs").getJsonArray("steps");
    }

    /** The inputs with the defaults of the action. */
    private static Map<String, String> inputs(Map<String, String> given) throws IOException {
        Map<String, String> inputs = new LinkedHashMap<>();
        yaml("github/action.yml").getJsonObject("inputs").forEach(input -> {
            String value = ((JsonObject) input.getValue()).getString("default");
            if (value != null) {
                inputs.put(input.getKey(), value);
            }
        });
        inputs.put("distribution", archive.toString());
        inputs.put("module", "http-status");
        inputs.put("conf", settings.toString());
        inputs.putAll(given);
        return inputs;
    }

    /** Runs one step; {@code variables} receives the PATH for the next one. */
    private static CommandResult runStep(JsonObject step, Map<String, String> inputs, Map<String, String> variables)
            throws Exception {
        assertThat(step.getString("shell")).isEqualTo("bash");
        assertThat(step.getString("run"))
                .as("inputs are not a part of the script")
                .doesNotContain("${{");
        Path added = Files.createTempFile(folder, "path", "");
        Map<String, String> environment = new HashMap<>(variables);
        environment.put(
                "RUNNER_TEMP", Files.createTempDirectory(folder, "runner").toString());
        environment.put("GITHUB_PATH", added.toString());
        step.getJsonObject("env").forEach(entry -> {
            String value = (String) entry.getValue();
            String input = value.replaceFirst("^\\$\\{\\{ inputs\\.(.+) }}$", "$1");
            environment.put(entry.getKey(), input.equals(value) ? value : inputs.get(input));
        });
        CommandResult result = bash(step.getString("run"), environment);
        List<String> directories = Files.readAllLines(added);
        if (!directories.isEmpty()) {
            variables.put("PATH", String.join(":", directories) + ":" + System.getenv("PATH"));
        }
        return result;
    }

    /** With the options of the runners. */
    private static CommandResult bash(String script, Map<String, String> environment) throws Exception {
        Path file = Files.writeString(Files.createTempFile(folder, "script", ".sh"), script);
        Path out = Files.createTempFile(folder, "out", "");
        Path err = Files.createTempFile(folder, "err", "");
        ProcessBuilder builder = new ProcessBuilder("bash", "--noprofile", "--norc", "-eo", "pipefail", file.toString())
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PLUMBLINE_"));
        builder.environment().put("PLUMBLINE_AOT_CACHE", "off");
        builder.environment().put("JAVA_HOME", System.getProperty("java.home"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        process.getOutputStream().close();
        int code = process.waitFor();
        return new CommandResult(code, Files.readString(out), Files.readString(err));
    }

    private static String report() throws IOException {
        return Files.readString(folder.resolve("plumbline.xml"), StandardCharsets.UTF_8);
    }

    private static JsonObject yaml(String file) throws IOException {
        Map<String, Object> content =
                new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(DEPLOY.resolve(file)));
        // nested maps and lists become JsonObject and JsonArray
        return new JsonObject(new JsonObject(content).encode());
    }
}
