package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The embedded PostgreSQL of a running service, measured by its files and processes. */
final class Postgres {
    private static final int PID_LINE = 0;
    private static final int PORT_LINE = 3;

    private final Path data;

    /** @param data data directory of the service */
    Postgres(Path data) {
        this.data = data;
    }

    /** The connection URL with the password. */
    String url() throws IOException {
        String password = Files.readString(data.resolve("database-password")).strip();
        return "postgresql://plumbline:"
                + password
                + "@127.0.0.1:"
                + pidFile().get(PORT_LINE).strip()
                + "/plumbline";
    }

    /** CPU time of all processes so far, including ended processes, in milliseconds. */
    long cpuMillis() throws IOException {
        long main = main();
        long sum = ProcFiles.cpuMillis(main) + ProcFiles.endedChildrenCpuMillis(main);
        for (long child : children(main)) {
            try {
                sum += ProcFiles.cpuMillis(child);
            } catch (NoSuchFileException ended) {
                // the process has ended; the next call includes its time
            }
        }
        return sum;
    }

    /** Resident memory of all processes in KiB; shared memory is counted once (Pss). */
    long residentKib() throws IOException {
        long main = main();
        long sum = ProcFiles.kib(main, "smaps_rollup", "Pss:");
        for (long child : children(main)) {
            try {
                sum += ProcFiles.kib(child, "smaps_rollup", "Pss:");
            } catch (NoSuchFileException ended) {
                // the process has ended
            }
        }
        return sum;
    }

    private long main() throws IOException {
        return Long.parseLong(pidFile().get(PID_LINE).strip());
    }

    private List<String> pidFile() throws IOException {
        return Files.readAllLines(data.resolve("postgres/cluster/postmaster.pid"));
    }

    private static List<Long> children(long main) {
        return ProcessHandle.of(main).stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .toList();
    }
}
