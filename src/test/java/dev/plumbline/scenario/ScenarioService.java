package dev.plumbline.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.e2e.process.ServiceProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The jar with the JVM options for production, without quotas and without limits of connections to targets. Its folder
 * {@code target/scenario/NAME} keeps its log, its log of garbage collections and its heap after an OutOfMemoryError.
 */
final class ScenarioService implements AutoCloseable {
    private static final Pattern COLLECTION = Pattern.compile("Pause .* \\d+M->(\\d+)M\\(\\d+M\\)");
    private static final Pattern SAMPLE = Pattern.compile("(?m)^(\\w+)(?:\\{[^}]*})? (\\S+)$");

    /**
     * Targets and clients have machines of their own in operation. Here, they get the processor first, so that an
     * overloaded service does not slow them down.
     */
    private static final List<String> YIELDING = List.of("nice", "-n", "10");

    private final ServiceProcess process;
    private final Path folder;
    private final String key;

    private ScenarioService(ServiceProcess process, Path folder, String key) {
        this.process = process;
        this.folder = folder;
        this.key = key;
    }

    private static int liveMib(String line) {
        Matcher collection = COLLECTION.matcher(line);
        return collection.find() ? Integer.parseInt(collection.group(1)) : 0;
    }

    /**
     * Starts the service and waits until it is ready.
     *
     * @param settings further settings by the name of the environment variable without the prefix
     * @param options further options of the JVM
     */
    static ScenarioService start(String name, Map<String, String> settings, String... options) throws IOException {
        return start(YIELDING, name, settings, options);
    }

    /** As {@link #start(String, Map, String...)}, by a program that becomes the JVM. */
    static ScenarioService start(List<String> launcher, String name, Map<String, String> settings, String... options)
            throws IOException {
        Path folder = Path.of("target", "scenario", name).toAbsolutePath();
        deleteFolder(folder);
        Files.createDirectories(folder);
        String key = ApiKeySecret.generate();
        Map<String, String> all = new HashMap<>(Map.of(
                "LIMITS_FRESH_PER_HOUR", "0",
                "LIMITS_JOBS_PER_HOUR", "0",
                "LIMITS_JOBS_PER_HOUR_ACCOUNT", "0",
                "TARGETS_PER_IP_PER_SECOND", "0",
                "TARGETS_PER_IP_CONCURRENT", "0",
                "BOOTSTRAP_API_KEY", key));
        all.putAll(settings);
        List<String> flags = new ArrayList<>(
                List.of("-Xlog:gc:file=gc.log", "-XX:+HeapDumpOnOutOfMemoryError", "-XX:HeapDumpPath=" + folder));
        flags.addAll(List.of(options));
        ServiceProcess process = ServiceProcess.launchForProduction(launcher, folder, all, flags);
        return new ScenarioService(process.awaitReady(), folder, key);
    }

    private static void deleteFolder(Path folder) throws IOException {
        if (Files.exists(folder)) {
            try (Stream<Path> files = Files.walk(folder)) {
                for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(file);
                }
            }
        }
    }

    /** The base URL. */
    String address() {
        return process.address();
    }

    /** The API key of the first account. */
    String key() {
        return key;
    }

    /** The sum of a metric over its labels. */
    double metric(String name) {
        Matcher samples = SAMPLE.matcher(process.metrics().body());
        double sum = 0;
        while (samples.find()) {
            if (samples.group(1).equals(name)) {
                sum += Double.parseDouble(samples.group(2));
            }
        }
        return sum;
    }

    /** The most heap in use after a garbage collection since the given line of the log of collections, in MiB. */
    int peakLiveHeap(int sinceLine) throws IOException {
        return collections().stream()
                .skip(sinceLine)
                .mapToInt(ScenarioService::liveMib)
                .max()
                .orElse(0);
    }

    /** The heap in use after the last full collection since the given line, in MiB; 0: there was none. */
    int lastLiveHeap(int sinceLine) throws IOException {
        return collections().stream()
                .skip(sinceLine)
                .filter(line -> line.contains("Pause Full"))
                .mapToInt(ScenarioService::liveMib)
                .filter(mib -> mib > 0)
                .reduce(0, (first, second) -> second);
    }

    int collectionLines() throws IOException {
        return collections().size();
    }

    private List<String> collections() throws IOException {
        return Files.readAllLines(folder.resolve("gc.log"));
    }

    /** Runs a command of jcmd, for example {@code GC.run}, and returns its output. */
    String jcmd(String... command) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "jcmd").toString(), "" + process.pid()));
        all.addAll(List.of(command));
        Process jcmd = new ProcessBuilder(all).redirectErrorStream(true).start();
        String output = new String(jcmd.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        jcmd.waitFor(30, TimeUnit.SECONDS);
        return output;
    }

    void assertAlive() throws IOException {
        assertThat(process.isAlive())
                .as("the process is running; its log ends with:\n%s", end(process.log()))
                .isTrue();
        assertThat(process.log()).doesNotContain("OutOfMemoryError", "raised an exception", "Unhandled exception");
    }

    private static String end(String log) {
        return log.substring(Math.max(0, log.length() - 2_000));
    }

    boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public void close() throws InterruptedException {
        process.close();
    }
}
