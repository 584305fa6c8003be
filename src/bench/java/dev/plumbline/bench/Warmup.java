package dev.plumbline.bench;

import java.io.IOException;
import java.time.Duration;

/**
 * The warm-up of a process: it lasts for the configured time and until the JIT compiler, if present, uses little CPU
 * time, within the configured maximum.
 */
final class Warmup {
    private static final double LITTLE = 0.05;

    private final ChildProcess process;
    private final long startNanos = System.nanoTime();
    private final Duration least;
    private final Duration most;
    private long cpuMillis;
    private long compilerMillis;
    private double share;

    Warmup(ChildProcess process, BenchOptions options) throws IOException {
        this.process = process;
        this.least = options.warmup();
        this.most = options.warmupMax();
        isQuiet();
    }

    /** Returns whether the warm-up is over, and prints its duration. Called after each load interval. */
    boolean isOver() throws IOException {
        Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
        boolean quiet = isQuiet();
        if (took.compareTo(least) < 0 || !quiet && took.compareTo(most) < 0) {
            return false;
        }
        System.out.printf(
                "  warm-up complete after %d s, JIT compiler at %.0f %% of the CPU time of the process%n",
                took.toSeconds(), share * 100);
        return true;
    }

    private boolean isQuiet() throws IOException {
        long cpu = process.cpuMillis();
        long compiler = process.compilerMillis();
        share = cpu == cpuMillis ? 0 : (double) (compiler - compilerMillis) / (cpu - cpuMillis);
        cpuMillis = cpu;
        compilerMillis = compiler;
        return share <= LITTLE;
    }
}
