package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Reads process statistics from /proc, see proc(5). */
final class ProcFiles {
    private static final long MILLIS_PER_TICK = 10;

    /** Thread names of the JIT compiler of HotSpot, truncated by Linux. */
    private static final Pattern COMPILER = Pattern.compile("C[12] Compiler");

    private ProcFiles() {}

    /**
     * Reads a size in KiB.
     *
     * @param file for example {@code status}
     * @param line start of the line
     */
    static long kib(long pid, String file, String line) throws IOException {
        for (String each : Files.readAllLines(path(pid, file))) {
            if (each.startsWith(line)) {
                return Long.parseLong(each.substring(line.length()).replaceAll("\\D", ""));
            }
        }
        throw new IOException(path(pid, file) + " has no " + line);
    }

    /** CPU time of a process without children, in milliseconds. */
    static long cpuMillis(long pid) throws IOException {
        // utime and stime
        return millis(pid, 14, 15);
    }

    /** CPU time of the ended children of a process, in milliseconds. */
    static long endedChildrenCpuMillis(long pid) throws IOException {
        // cutime and cstime
        return millis(pid, 16, 17);
    }

    /** CPU time of the JIT compiler threads of a JVM, in milliseconds. */
    static long compilerMillis(long pid) throws IOException {
        long sum = 0;
        try (DirectoryStream<Path> threads = Files.newDirectoryStream(path(pid, "task"))) {
            for (Path thread : threads) {
                if (COMPILER.matcher(Files.readString(thread.resolve("comm"))).lookingAt()) {
                    sum += millis(thread.resolve("stat"), 14, 15);
                }
            }
        }
        return sum;
    }

    private static long millis(long pid, int user, int system) throws IOException {
        return millis(path(pid, "stat"), user, system);
    }

    private static long millis(Path file, int user, int system) throws IOException {
        String stat = Files.readString(file);
        // the name can contain spaces; field 3 follows it
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[user - 3]) + Long.parseLong(fields[system - 3])) * MILLIS_PER_TICK;
    }

    private static Path path(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
