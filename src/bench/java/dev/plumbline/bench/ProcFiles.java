package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** What Linux tells of a process, see proc(5). */
final class ProcFiles {
    private static final long MILLIS_PER_TICK = 10;

    /** How HotSpot names them, as far as Linux keeps it. */
    private static final Pattern COMPILER = Pattern.compile("C[12] Compiler");

    private ProcFiles() {}

    /**
     * A size in KiB.
     *
     * @param file such as {@code status}
     * @param line what its line begins with
     */
    static long kib(long pid, String file, String line) throws IOException {
        for (String each : Files.readAllLines(path(pid, file))) {
            if (each.startsWith(line)) {
                return Long.parseLong(each.substring(line.length()).replaceAll("\\D", ""));
            }
        }
        throw new IOException(path(pid, file) + " has no " + line);
    }

    /** Processor time that a process took itself, in milliseconds. */
    static long cpuMillis(long pid) throws IOException {
        // utime and stime
        return millis(pid, 14, 15);
    }

    /** Processor time that its children took which have ended, in milliseconds. */
    static long endedChildrenCpuMillis(long pid) throws IOException {
        // cutime and cstime
        return millis(pid, 16, 17);
    }

    /** Processor time that the compiler threads of a JVM took, in milliseconds. */
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
        // what follows the name, which may hold spaces, begins with field 3
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        return (Long.parseLong(fields[user - 3]) + Long.parseLong(fields[system - 3])) * MILLIS_PER_TICK;
    }

    private static Path path(long pid, String file) {
        return Path.of("/proc", Long.toString(pid), file);
    }
}
