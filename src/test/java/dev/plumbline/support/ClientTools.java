package dev.plumbline.support;

import static org.junit.jupiter.api.Assumptions.abort;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Client generators, linters and testers of the API contract from Maven Central, npm and PyPI, a TLS scanner and a load
 * generator, with pinned versions, in {@code target/clients}. A test is skipped with a message if a tool is not
 * available.
 */
public final class ClientTools {
    private static final String GENERATOR_VERSION = "7.17.0";
    private static final String GENERATOR = "org.openapitools:openapi-generator-cli:" + GENERATOR_VERSION;
    private static final String PYTHON_GENERATOR = "openapi-python-client==0.29.1";
    private static final String SCHEMATHESIS = "schemathesis==4.32.5";
    private static final String CHECK_JSONSCHEMA = "check-jsonschema==0.39.0";
    private static final String SSLYZE = "sslyze==6.3.1";
    private static final String LOCUST = "locust==2.47.0";
    private static final Path DIRECTORY = Path.of("target", "clients").toAbsolutePath();
    private static final Path NPM = DIRECTORY.resolve("npm");
    private static final Path VENV = DIRECTORY.resolve("venv");

    private static final int MAX_MESSAGE = 400;
    private static final int MAX_MINUTES = 10;

    /** The reasons why installations failed; empty for those that succeeded. */
    private static final Map<String, String> FAILURES = new ConcurrentHashMap<>();

    private ClientTools() {}

    /** Returns an empty directory for the output of a test. */
    public static Path emptyDirectory(String name) throws IOException {
        Path directory = DIRECTORY.resolve(name);
        if (Files.exists(directory)) {
            try (var files = Files.walk(directory)) {
                files.sorted((a, b) -> b.compareTo(a))
                        .forEach(file -> file.toFile().delete());
            }
        }
        return Files.createDirectories(directory);
    }

    /** Copies a file of {@code src/test/resources/clients} into a directory. */
    public static Path copy(String resource, Path directory) throws IOException {
        Path copy = directory.resolve(Path.of(resource).getFileName());
        try (InputStream in = ClientTools.class.getResourceAsStream("/clients/" + resource)) {
            Files.copy(in, copy, StandardCopyOption.REPLACE_EXISTING);
        }
        return copy;
    }

    /** Generates a client with openapi-generator. */
    public static void generate(String generator, Path document, Path output, String... options) {
        List<String> command = new ArrayList<>(List.of(
                "java",
                "-XX:TieredStopAtLevel=1",
                "-Xmx700m",
                "-jar",
                generatorJar().toString(),
                "generate",
                "-g",
                generator,
                "-i",
                document.toString(),
                "-o",
                output.toString()));
        command.addAll(List.of(options));
        run(output, command.toArray(String[]::new));
    }

    private static Path generatorJar() {
        Path jar = Path.of(
                System.getProperty("user.home"),
                ".m2/repository/org/openapitools/openapi-generator-cli",
                GENERATOR_VERSION,
                "openapi-generator-cli-" + GENERATOR_VERSION + ".jar");
        if (!Files.exists(jar)) {
            install(
                    "openapi-generator",
                    Path.of("."),
                    List.of("mvn", "-q", "-B", "dependency:get", "-Dtransitive=false", "-Dartifact=" + GENERATOR));
        }
        assumeTrue(Files.exists(jar), () -> "skipped: " + GENERATOR + " is not in the local Maven repository");
        return jar;
    }

    /** Returns the class path of a Maven project. */
    public static String classPath(Path project) throws IOException {
        Path file = project.resolve("classpath.txt");
        List<String> command = List.of(
                "mvn", "-q", "-B", "dependency:build-classpath", "-DincludeScope=compile", "-Dmdep.outputFile=" + file);
        install("the libraries of " + project.getFileName(), project, command);
        return Files.readString(file);
    }

    /** Runs a goal of a Maven project, which downloads what later goals need. */
    public static void prepareMavenProject(Path project, String goal) {
        install("the tools of " + project, project, List.of("mvn", "-q", "-B", goal));
    }

    /** Returns a program of the npm packages. */
    public static String npmProgram(String name) throws IOException {
        DebianTool.ifInstalled("npm");
        Path installed = NPM.resolve("installed");
        String packages = Files.readString(copy("package.json", Files.createDirectories(DIRECTORY)));
        if (!Files.exists(installed) || !Files.readString(installed).equals(packages)) {
            emptyDirectory("npm");
            copy("package.json", NPM);
            install(
                    "the npm packages",
                    NPM,
                    List.of(
                            "npm",
                            "install",
                            "--ignore-scripts",
                            "--no-audit",
                            "--no-fund",
                            "--fetch-retries=0",
                            "--fetch-timeout=20000"));
            Files.writeString(installed, packages);
        }
        return NPM.resolve("node_modules/.bin").resolve(name).toString();
    }

    /** Links the npm packages into a directory, so that Node.js resolves imports. */
    public static void linkNpmPackages(Path directory) throws IOException {
        npmProgram("tsc");
        Files.createSymbolicLink(directory.resolve("node_modules"), NPM.resolve("node_modules"));
    }

    /** Returns a program of the Python environment of the generated clients. */
    public static String pythonProgram(String name) throws IOException {
        return pythonProgram(VENV, PYTHON_GENERATOR, name);
    }

    /**
     * Returns Schemathesis, in an environment of its own, because another JVM may install packages in that of clients.
     */
    public static String schemathesis() throws IOException {
        return pythonProgram(DIRECTORY.resolve("schemathesis-venv"), SCHEMATHESIS, "schemathesis");
    }

    /** Returns check-jsonschema, which contains the schemas of many file formats. */
    public static String checkJsonschema() throws IOException {
        return pythonProgram(DIRECTORY.resolve("check-jsonschema-venv"), CHECK_JSONSCHEMA, "check-jsonschema");
    }

    /** Returns sslyze, which tests whether a server has a TLS configuration of Mozilla. */
    public static Path sslyze() throws IOException {
        return Path.of(pythonProgram(DIRECTORY.resolve("sslyze-venv"), SSLYZE, "sslyze"));
    }

    /** Returns Locust, which runs a script of {@code src/harness}. */
    public static Path locust() throws IOException {
        return Path.of(pythonProgram(DIRECTORY.resolve("locust-venv"), LOCUST, "locust"));
    }

    private static String pythonProgram(Path venv, String requirement, String name) throws IOException {
        DebianTool.ifInstalled("python3");
        Path installed = venv.resolve("installed-" + requirement);
        if (!Files.exists(installed)) {
            Files.createDirectories(venv);
            install("Python for " + requirement, DIRECTORY, List.of("python3", "-m", "venv", venv.toString()));
            installPython(venv, requirement);
            Files.createFile(installed);
        }
        return venv.resolve("bin").resolve(name).toString();
    }

    /** Installs Python packages for generated clients. The arguments are those of {@code pip install}. */
    public static void installPython(String... arguments) {
        installPython(VENV, arguments);
    }

    private static void installPython(Path venv, String... arguments) {
        List<String> command = new ArrayList<>(List.of(
                venv.resolve("bin/python").toString(), "-m", "pip", "install", "-q", "--retries=0", "--timeout=20"));
        command.addAll(List.of(arguments));
        install(String.join(" ", arguments), DIRECTORY, command);
    }

    /** Skips the test if the command fails. It is not repeated then, so that tests without a network end quickly. */
    public static void install(String what, Path directory, List<String> command) {
        String failure = FAILURES.get(what);
        if (failure == null) {
            failure = failure(directory, command);
            FAILURES.put(what, failure);
        }
        if (!failure.isEmpty()) {
            abort("skipped: " + what + " cannot be installed: " + failure);
        }
    }

    private static String failure(Path directory, List<String> command) {
        try {
            Outcome outcome = execute(directory, command);
            String end = outcome.output.substring(Math.max(0, outcome.output.length() - MAX_MESSAGE));
            return outcome.status == 0 ? "" : "exit code " + outcome.status + ": " + end;
        } catch (IOException e) {
            return String.valueOf(e.getMessage());
        }
    }

    /**
     * The path of a program of the JDK, of another program, or a path as it is. The test is skipped if the program is
     * not installed.
     */
    private static String program(String name) {
        if (name.contains(File.separator)) {
            return name;
        }
        return name.equals("java") || name.equals("javac")
                ? Path.of(System.getProperty("java.home"), "bin", name).toString()
                : DebianTool.ifInstalled(name).toString();
    }

    /** Runs a program and returns its output. Fails if its exit code is not 0. */
    public static String run(Path directory, String... command) {
        return runWithExitCode(0, directory, command);
    }

    /** Runs a program and returns its output. Fails if it has another exit code. */
    public static String runWithExitCode(int expected, Path directory, String... command) {
        try {
            Outcome outcome = execute(directory, List.of(command));
            if (outcome.status != expected) {
                throw new AssertionError(
                        String.join(" ", command) + ": exit code " + outcome.status + ": " + outcome.output);
            }
            return outcome.output;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private record Outcome(int status, String output) {}

    private static Outcome execute(Path directory, List<String> command) throws IOException {
        File log = File.createTempFile(
                "output", ".txt", Files.createDirectories(DIRECTORY).toFile());
        List<String> resolved = new ArrayList<>(command);
        resolved.set(0, program(command.get(0)));
        Process process = new ProcessBuilder(resolved)
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        try {
            if (!process.waitFor(MAX_MINUTES, TimeUnit.MINUTES)) {
                process.destroyForcibly();
                throw new IOException("no exit within " + MAX_MINUTES + " minutes");
            }
            return new Outcome(process.exitValue(), Files.readString(log.toPath(), StandardCharsets.UTF_8));
        } catch (InterruptedException e) {
            process.destroyForcibly();
            throw new AssertionError(e);
        } finally {
            log.delete();
        }
    }
}
