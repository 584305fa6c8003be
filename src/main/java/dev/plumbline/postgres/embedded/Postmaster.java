package dev.plumbline.postgres.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

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
        return read(cluster, lines -> new Postmaster(Long.parseLong(lines.get(0).strip())))
                .filter(process -> process.serves(cluster));
    }

    /** The port of the server of this cluster; empty if it does not accept connections. */
    static Optional<Integer> readyPort(Path cluster) {
        return of(cluster)
                .flatMap(running -> read(
                        cluster,
                        lines -> lines.get(STATUS_LINE).strip().equals("ready")
                                ? Integer.parseInt(lines.get(PORT_LINE).strip())
                                : null));
    }

    /** The server can be writing the file, so that it is incomplete. */
    private static <T> Optional<T> read(Path cluster, Function<List<String>, @Nullable T> value) {
        try {
            return Optional.ofNullable(value.apply(Files.readAllLines(cluster.resolve("postmaster.pid"))));
        } catch (IOException | NumberFormatException | IndexOutOfBoundsException e) {
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
