package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The options of a benchmark run.
 *
 * @param rounds measurements of each pair, at least 1
 * @param round duration of the load on one side in one round
 * @param warmup minimum duration of the load on each side before the first round, for the JIT compiler
 * @param warmupMax maximum duration of that load
 * @param only IDs of the rows to measure; empty: all
 * @param jar the jar of the service
 * @param baseline the jar of another build, which the row {@code certificate} and rows of modules without a reference
 *     program use as the reference; null: none
 * @param jvmFlags JVM flags of the service, from conf/jvm.options
 */
record BenchOptions(
        int rounds,
        Duration round,
        Duration warmup,
        Duration warmupMax,
        List<String> only,
        Path jar,
        @Nullable Path baseline,
        List<String> jvmFlags) {

    /** Connections, and therefore concurrent checks, in every row. */
    static final int CONNECTIONS = 64;

    /**
     * Reads {@code bench.rounds}, {@code bench.seconds}, {@code bench.warmup}, {@code bench.warmup_max},
     * {@code bench.only}, {@code bench.jar}, {@code bench.baseline} and {@code bench.jvmOptions}.
     */
    static BenchOptions fromSystemProperties() throws IOException {
        String baseline = System.getProperty("bench.baseline", "");
        return new BenchOptions(
                Math.max(1, Integer.getInteger("bench.rounds", 5)),
                Duration.ofSeconds(Math.max(1, Integer.getInteger("bench.seconds", 5))),
                Duration.ofSeconds(Math.max(1, Integer.getInteger("bench.warmup", 20))),
                Duration.ofSeconds(Math.max(1, Integer.getInteger("bench.warmup_max", 300))),
                Arrays.stream(System.getProperty("bench.only", "").split(","))
                        .filter(row -> !row.isBlank())
                        .toList(),
                Path.of(System.getProperty("bench.jar", "target/plumbline.jar")).toAbsolutePath(),
                baseline.isBlank() ? null : Path.of(baseline).toAbsolutePath(),
                flags(Path.of(System.getProperty("bench.jvmOptions", "conf/jvm.options"))));
    }

    /** The same options for the jar of the baseline, which must be set. */
    BenchOptions ofBaseline() {
        return new BenchOptions(
                rounds,
                round,
                warmup,
                warmupMax,
                only,
                Objects.requireNonNull(baseline, "bench.baseline"),
                null,
                jvmFlags);
    }

    private static List<String> flags(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }
}
