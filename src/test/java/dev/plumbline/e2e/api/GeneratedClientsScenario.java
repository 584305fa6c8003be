package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.ClientTools;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Clients that are generated from openapi.json with default options. Each one is compiled and runs an instant check
 * with options, lists the tools, creates a job, waits for it, downloads its results as CSV, NDJSON and XLSX, reads its
 * summary and its comparison with itself, and shares it.
 */
@Tag("scenario")
class GeneratedClientsScenario {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static String key;
    private static Path document;

    @BeforeAll
    static void start() throws IOException {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        key = new TestAccounts(DATABASE.open()).key().secret();
        service = ServiceUnderTest.start(DATABASE.url(), Map.of());
        document = ClientTools.emptyDirectory("contract").resolve("openapi.json");
        Files.writeString(document, service.get("/openapi.json").body());
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @ParameterizedTest
    @ValueSource(strings = {"okhttp", "native"})
    void openapiGeneratorJava(String library) throws IOException {
        Path directory = ClientTools.emptyDirectory("java-" + library);
        String[] options = library.equals("okhttp") ? new String[0] : new String[] {"--library", library};
        ClientTools.generate("java", document, directory, options);
        String classPath = ClientTools.classPath(directory);
        Path classes = Files.createDirectories(directory.resolve("classes"));
        List<String> compile = new ArrayList<>(List.of(
                "javac", "-J-XX:TieredStopAtLevel=1", "-nowarn", "-proc:none", "-d", classes.toString(), "-cp"));
        compile.add(classPath);
        try (Stream<Path> sources = Files.walk(directory.resolve("src/main/java"))) {
            sources.map(Path::toString).filter(name -> name.endsWith(".java")).forEach(compile::add);
        }
        compile.add(ClientTools.copy(library + "/ClientFactory.java", directory).toString());
        compile.add(ClientTools.copy("JavaClient.java", directory).toString());
        ClientTools.run(directory, compile.toArray(String[]::new));

        assertWorks(ClientTools.run(
                directory, command("java", "-XX:TieredStopAtLevel=1", "-cp", classes + ":" + classPath, "JavaClient")));
    }

    /** The generated module requires no other modules, so it is compiled without a network. */
    @Test
    void openapiGeneratorGo() throws IOException {
        Path directory = ClientTools.emptyDirectory("go");
        Path go = DebianTool.ifInstalled("go");
        ClientTools.generate("go", document, directory);
        Path program = directory.resolve("example");
        ClientTools.copy("client.go", Files.createDirectories(program));
        ClientTools.run(directory, go.toString(), "build", "-o", "client", "./example");

        assertWorks(
                ClientTools.run(directory, command(directory.resolve("client").toString())));
    }

    @Test
    void openapiGeneratorPython() throws IOException {
        Path directory = ClientTools.emptyDirectory("python");
        String python = ClientTools.pythonProgram("python");
        ClientTools.generate("python", document, directory);
        ClientTools.installPython("-r", directory.resolve("requirements.txt").toString());
        ClientTools.copy("python_client.py", directory);

        assertWorks(ClientTools.run(directory, command(python, "python_client.py")));
    }

    @Test
    void openapiGeneratorTypescript() throws IOException {
        Path directory = ClientTools.emptyDirectory("typescript");
        ClientTools.linkNpmPackages(directory);
        ClientTools.generate("typescript-fetch", document, Files.createDirectories(directory.resolve("generated")));

        assertWorks(runTypescript(directory, "typescript_client"));
    }

    @Test
    void openapiTypescriptAndFetch() throws IOException {
        Path directory = ClientTools.emptyDirectory("fetch");
        ClientTools.linkNpmPackages(directory);
        ClientTools.run(
                directory,
                ClientTools.npmProgram("openapi-typescript"),
                document.toString(),
                "-o",
                directory.resolve("schema.d.ts").toString());

        assertWorks(runTypescript(directory, "openapi_fetch"));
    }

    @Test
    void openapiPythonClient() throws IOException {
        Path directory = ClientTools.emptyDirectory("openapi-python-client");
        Path config = Files.writeString(directory.resolve("config.yaml"), "post_hooks: []\n");
        String log = ClientTools.run(
                directory,
                ClientTools.pythonProgram("openapi-python-client"),
                "generate",
                "--path",
                document.toString(),
                "--meta",
                "none",
                "--config",
                config.toString(),
                "--output-path",
                directory.resolve("plumbline_client").toString());
        assertThat(log).doesNotContain("WARNING", "Warning");
        ClientTools.copy("openapi_python_client.py", directory);

        assertWorks(
                ClientTools.run(directory, command(ClientTools.pythonProgram("python"), "openapi_python_client.py")));
    }

    private static String runTypescript(Path directory, String name) throws IOException {
        ClientTools.copy(name + ".ts", directory);
        ClientTools.run(
                directory,
                ClientTools.npmProgram("tsc"),
                "--strict",
                "--target",
                "es2022",
                "--module",
                "commonjs",
                "--moduleResolution",
                "node10",
                "--lib",
                "es2022,dom",
                "--skipLibCheck",
                name + ".ts");
        return ClientTools.run(directory, command("node", name + ".js"));
    }

    /** Appends the arguments of a client. */
    private static String[] command(String... program) {
        List<String> command = new ArrayList<>(List.of(program));
        String base = service.uri("/").toString();
        command.add(base.substring(0, base.length() - 1));
        command.add(key);
        command.add(lab.http("/ok?a=b c/ü").replace(" ", "%20"));
        command.add("http://127.0.0.1:" + FreePorts.next() + "/");
        return command.toArray(String[]::new);
    }

    private static void assertWorks(String output) {
        assertThat(output.lines().map(line -> line.toLowerCase(Locale.ROOT)))
                .as(output)
                .hasSize(12)
                .anyMatch(line -> line.matches("check pass 200 get (null|nil|none|undefined)"))
                .contains("instant http-status", "job generated client 1 pass invalid_target", "csv 3", "ndjson 2")
                .contains("summary 1 1 [] 0", "diff 2 unchanged pass invalid_target", "changes 1")
                .contains("workbook pk", "shared job generated client invalid_target")
                .anyMatch(line -> line.matches("refused fail connect_refused (null|nil|none)"))
                .anyMatch(line -> line.matches("tool (string|integer|boolean|array)"));
    }
}
