package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.postgres.embedded.ExtractedPrograms;
import dev.plumbline.support.ClassArchive;
import dev.plumbline.support.CommandResult;
import dev.plumbline.support.ServiceUnderTest;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** The built jar in its own process. */
public final class ServiceProcess implements AutoCloseable {
    public static final Path JAR = Path.of(System.getProperty("plumbline.jar"));

    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    private final Process process;
    private final Path log;
    private final String management;
    private final List<String> printed = new ArrayList<>();
    private String address = "";

    private ServiceProcess(Process process, Path log, String management) {
        this.process = process;
        this.log = log;
        this.management = management;
    }

    /**
     * Starts the process without waiting. A new embedded database uses the extracted programs of the build.
     *
     * @param folder the working directory, which also contains the log
     * @param settings settings by the name of the environment variable without the prefix
     */
    static ServiceProcess launch(Path folder, Map<String, String> settings) throws IOException {
        if (!settings.containsKey("DATABASE_URL") && !settings.containsKey("DATA_DIR")) {
            ExtractedPrograms.linkInto(folder.resolve("data"));
        }
        return launch(folder, settings, "-XX:SharedArchiveFile=" + ClassArchive.path());
    }

    /**
     * As {@link #launch(Path, Map)}, with one more option of the JVM. A new embedded database extracts its programs.
     */
    public static ServiceProcess launch(Path folder, Map<String, String> settings, String option) throws IOException {
        return launch(folder, settings, java(option));
    }

    /**
     * As {@link #launch(Path, Map)}, started by another program, which becomes the JVM (exec).
     *
     * @param launcher the program and its arguments before those of the JVM
     */
    static ServiceProcess launchBy(List<String> launcher, Path folder, Map<String, String> settings)
            throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(java("-XX:SharedArchiveFile=" + ClassArchive.path()));
        return launch(folder, settings, command);
    }

    /**
     * As {@link #launch(Path, Map)}, with the JVM options for production ({@code conf/jvm.options}).
     *
     * @param launcher the program that becomes the JVM, and its arguments; empty: none
     * @param options further options of the JVM
     */
    public static ServiceProcess launchForProduction(
            List<String> launcher, Path folder, Map<String, String> settings, List<String> options) throws IOException {
        List<String> command = new ArrayList<>(launcher);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("@" + Path.of("conf", "jvm.options").toAbsolutePath());
        command.addAll(options);
        command.addAll(List.of("-jar", JAR.toString()));
        return launch(folder, settings, command);
    }

    private static ServiceProcess launch(Path folder, Map<String, String> settings, List<String> command)
            throws IOException {
        Path log = folder.resolve("stderr.log");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectError(ProcessBuilder.Redirect.appendTo(log.toFile()));
        Map<String, String> environment = builder.environment();
        environment.keySet().removeIf(name -> name.startsWith("PLUMBLINE_"));
        environment.put("PLUMBLINE_HTTP_PORT", Integer.toString(FreePorts.next()));
        environment.put("PLUMBLINE_MANAGEMENT_PORT", Integer.toString(FreePorts.next()));
        environment.put("PLUMBLINE_MANAGEMENT_HOST", "127.0.0.1");
        environment.put("PLUMBLINE_TARGETS_ALLOW", "127.0.0.0/8");
        environment.put("PLUMBLINE_TARGETS_PORTS", "*");
        settings.forEach((name, value) -> environment.put("PLUMBLINE_" + name, value));
        String management =
                environment.get("PLUMBLINE_MANAGEMENT_HOST") + ":" + environment.get("PLUMBLINE_MANAGEMENT_PORT");
        return new ServiceProcess(builder.start(), log, management);
    }

    /** The command line of the jar, with fast JIT compilation. */
    private static List<String> java(String option) {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        return new ArrayList<>(List.of(
                java, "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m", option, "-jar", JAR.toString()));
    }

    /** Starts the process and waits for its ready line. */
    static ServiceProcess start(Path folder, Map<String, String> settings) throws IOException {
        return launch(folder, settings).awaitReady();
    }

    /** Waits for the ready line. */
    public ServiceProcess awaitReady() throws IOException {
        BufferedReader out =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            if (line.startsWith("ready ")) {
                address = line.substring("ready ".length());
                return this;
            }
            printed.add(line);
        }
        throw new AssertionError("the service did not start:\n" + log());
    }

    /** Runs a command of the jar and waits for its end. */
    static CommandResult command(Path folder, String... arguments) throws IOException, InterruptedException {
        List<String> command = java("-XX:SharedArchiveFile=" + ClassArchive.path());
        command.addAll(List.of(arguments));
        Path out = folder.resolve("command.out");
        Path err = folder.resolve("command.err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("PLUMBLINE_"));
        Process process = builder.start();
        assertThat(process.waitFor(90, TimeUnit.SECONDS))
                .as("the command exits")
                .isTrue();
        return new CommandResult(
                process.exitValue(),
                Files.readString(out).strip(),
                Files.readString(err).strip());
    }

    /** The lines on stdout before the ready line. */
    List<String> printed() {
        return printed;
    }

    public HttpResponse<String> metrics() {
        return get("http://" + management + "/metrics");
    }

    HttpResponse<String> instant(String module, String target) {
        return get(address + ServiceUnderTest.instantPath(module, target));
    }

    /** The base URL of the service. */
    public String address() {
        return address;
    }

    int port() {
        return URI.create(address).getPort();
    }

    /** Host and port of the management server. */
    String management() {
        return management;
    }

    HttpResponse<String> ready() {
        return get("http://" + management + "/health/ready");
    }

    private static HttpResponse<String> get(String uri) {
        try {
            return CLIENT.send(
                    HttpRequest.newBuilder(URI.create(uri))
                            .timeout(Duration.ofSeconds(40))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new AssertionError(uri + " has no response", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    public long pid() {
        return process.pid();
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
    }

    /** Sends SIGSTOP. */
    void suspend() throws IOException, InterruptedException {
        signal("STOP", "" + process.pid());
    }

    /** SIGCONT. */
    void resume() throws IOException, InterruptedException {
        signal("CONT", "" + process.pid());
    }

    /** Sends a signal with the kill command of the shell, because the program of that name may not be installed. */
    static void signal(String name, String pid) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("sh", "-c", "kill -" + name + " " + pid)
                        .start()
                        .waitFor())
                .isZero();
    }

    public int awaitExit(long seconds) throws InterruptedException {
        assertThat(process.waitFor(seconds, TimeUnit.SECONDS))
                .as("exit within " + seconds + " s")
                .isTrue();
        return process.exitValue();
    }

    public String log() throws IOException {
        return Files.exists(log) ? Files.readString(log) : "";
    }

    @Override
    public void close() throws InterruptedException {
        if (process.isAlive()) {
            process.destroy();
            if (!process.waitFor(40, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        }
    }
}
