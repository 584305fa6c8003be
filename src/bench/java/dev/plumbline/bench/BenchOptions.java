package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;

/**
 * What a run of the bench does.
 *
 * @param rounds how often each pair is measured, at least 1
 * @param round how long one side of a pair is under load in one round
 * @param warmup how long each side is under load before the first round: a just-in-time compiler is
 *     busy with itself for that long
 * @param only the rows that are measured alone; empty for all
 * @param jar the service
 * @param jvmFlags the flags that the service is meant to run with, see conf/jvm.options
 */
record BenchOptions(int rounds, Duration round, Duration warmup, List<String> only, Path jar, List<String> jvmFlags) {

    /** Connections, and so checks under way, in every row. */
    static final int CONNECTIONS = 64;

    /**
     * Reads {@code bench.rounds}, {@code bench.seconds}, {@code bench.warmup}, {@code bench.only},
     * {@code bench.jar} and {@code bench.jvmOptions}.
     */
    static BenchOptions fromSystemProperties() throws IOException {
        return new BenchOptions(
                Math.max(1, Integer.getInteger("bench.rounds", 5)),
                Duration.ofSeconds(Math.max(1, Integer.getInteger("bench.seconds", 5))),
                Duration.ofSeconds(Math.max(1, Integer.getInteger("bench.warmup", 20))),
                Arrays.stream(System.getProperty("bench.only", "").split(","))
                        .filter(row -> !row.isBlank())
                        .toList(),
                Path.of(System.getProperty("bench.jar", "target/plumbline.jar")).toAbsolutePath(),
                flags(Path.of(System.getProperty("bench.jvmOptions", "conf/jvm.options"))));
    }

    private static List<String> flags(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .toList();
    }
}
