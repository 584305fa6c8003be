package dev.plumbline.bench;

import java.io.IOException;
import java.time.Duration;

/**
 * How long a process is under load before it is measured: as long as asked for, and then until its
 * just-in-time compiler, where it has one, takes little of its time.
 */
final class Warmup {
    private static final double LITTLE = 0.05;
    private static final Duration MOST = Duration.ofMinutes(5);

    private final ChildProcess process;
    private final long startNanos = System.nanoTime();
    private final Duration least;
    private long cpuMillis;
    private long compilerMillis;
    private double share;

    Warmup(ChildProcess process, Duration least) throws IOException {
        this.process = process;
        this.least = least;
        isQuiet();
    }

    /** Asked after each spell of load; says how it went when it is over. */
    boolean isOver() throws IOException {
        Duration took = Duration.ofNanos(System.nanoTime() - startNanos);
        boolean quiet = isQuiet();
        if (took.compareTo(least) < 0 || !quiet && took.compareTo(MOST) < 0) {
            return false;
        }
        System.out.printf(
                "  warm after %d s, when the compiler took %.0f %% of the process%n", took.toSeconds(), share * 100);
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
