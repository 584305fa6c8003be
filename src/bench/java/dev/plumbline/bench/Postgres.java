package dev.plumbline.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;

/** The embedded PostgreSQL of a service that runs, as its files and its processes tell. */
final class Postgres {
    private static final int PID_LINE = 0;
    private static final int PORT_LINE = 3;

    private final Path data;

    /**
     * @param data the service's data directory
     */
    Postgres(Path data) {
        this.data = data;
    }

    /** Where it is reached, password included. */
    String url() throws IOException {
        String password = Files.readString(data.resolve("database-password")).strip();
        return "postgresql://plumbline:"
                + password
                + "@127.0.0.1:"
                + pidFile().get(PORT_LINE).strip()
                + "/plumbline";
    }

    /** Processor time that all its processes took so far, ended ones too, in milliseconds. */
    long cpuMillis() throws IOException {
        long main = main();
        long sum = ProcFiles.cpuMillis(main) + ProcFiles.endedChildrenCpuMillis(main);
        for (long child : children(main)) {
            try {
                sum += ProcFiles.cpuMillis(child);
            } catch (NoSuchFileException ended) {
                // its time is among that of the ended ones next time
            }
        }
        return sum;
    }

    /** Resident memory of all its processes in KiB; what they share counts once. */
    long residentKib() throws IOException {
        long main = main();
        long sum = ProcFiles.kib(main, "smaps_rollup", "Pss:");
        for (long child : children(main)) {
            try {
                sum += ProcFiles.kib(child, "smaps_rollup", "Pss:");
            } catch (NoSuchFileException ended) {
                // takes none
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
