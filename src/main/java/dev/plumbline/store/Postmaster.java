package dev.plumbline.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * The main process of a running server, as its {@code postmaster.pid} tells it.
 *
 * @param pid its process id
 */
record Postmaster(long pid) {
    private static final int PORT_LINE = 3;
    private static final int STATUS_LINE = 7;

    /**
     * The process that the file names, if it lives and really serves that folder: after a restart of
     * the machine the number may belong to a stranger.
     */
    static Optional<Postmaster> of(Path cluster) {
        Path file = cluster.resolve("postmaster.pid");
        try {
            List<String> lines = Files.readAllLines(file);
            Postmaster named = new Postmaster(Long.parseLong(lines.get(0).strip()));
            return named.serves(cluster) ? Optional.of(named) : Optional.empty();
        } catch (NoSuchFileException none) {
            return Optional.empty();
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException broken) {
            return Optional.empty();
        }
    }

    /** The port of the server that serves that folder; empty while it takes no connections. */
    static Optional<Integer> readyPort(Path cluster) {
        if (of(cluster).isEmpty()) {
            return Optional.empty();
        }
        try {
            List<String> lines = Files.readAllLines(cluster.resolve("postmaster.pid"));
            return lines.size() > STATUS_LINE && lines.get(STATUS_LINE).strip().equals("ready")
                    ? Optional.of(Integer.parseInt(lines.get(PORT_LINE).strip()))
                    : Optional.empty();
        } catch (IOException | NumberFormatException changing) {
            return Optional.empty();
        }
    }

    private boolean serves(Path cluster) {
        try {
            return alive() && Files.isSameFile(Path.of("/proc", Long.toString(pid), "cwd"), cluster);
        } catch (IOException gone) {
            return false;
        }
    }

    /** Whether it runs; one that nobody has reaped yet (as under a JVM with pid 1) does not. */
    boolean alive() {
        try {
            String stat = Files.readString(Path.of("/proc", Long.toString(pid), "stat"));
            char state = stat.charAt(stat.lastIndexOf(')') + 2);
            return state != 'Z' && state != 'X';
        } catch (IOException gone) {
            return false;
        }
    }

    /** Asks it to end, which it does at once while it is still starting. */
    void terminate() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroy);
    }

    void kill() {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }
}
