package dev.plumbline.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The main process of a server, from {@code postmaster.pid}.
 *
 * @param pid process ID
 */
record Postmaster(long pid) {
    private static final int PORT_LINE = 3;
    private static final int STATUS_LINE = 7;

    /** The process in the file if it runs and serves this cluster; after a reboot another process can have the ID. */
    static Optional<Postmaster> of(Path cluster) {
        Path file = cluster.resolve("postmaster.pid");
        try {
            List<String> lines = Files.readAllLines(file);
            Postmaster process = new Postmaster(Long.parseLong(lines.get(0).strip()));
            return process.serves(cluster) ? Optional.of(process) : Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
            return Optional.empty();
        }
    }

    /** The port of the server of this cluster; empty if it does not accept connections. */
    static Optional<Integer> readyPort(Path cluster) {
        if (of(cluster).isEmpty()) {
            return Optional.empty();
        }
        try {
            List<String> lines = Files.readAllLines(cluster.resolve("postmaster.pid"));
            return lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready")
                    ? Optional.of(Integer.parseInt(lines.get(PORT_LINE).strip()))
                    : Optional.empty();
        } catch (IOException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    private boolean serves(Path cluster) {
        try {
            return alive() && Files.isSameFile(Path.of("/proc", Long.toString(pid), "cwd"), cluster);
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the process runs. A zombie process does not. */
    boolean alive() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (IOException e) {
            return false;
        }
    }

    /** Sends SIGTERM. */
    void terminate() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    }

    void kill() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
