package dev.plumbline.support;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A third-party server as a process, which listens on a port of 127.0.0.1. */
public final class ServerProcess implements AutoCloseable {
    private final Process process;
    private final int port;
    private final Path log;

    private ServerProcess(Process process, int port, Path log) {
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** As {@link #start(Path, int, Map, List)}, with the environment of this process. */
    public static ServerProcess start(Path log, int port, List<String> command) throws IOException {
        return start(log, port, Map.of(), command);
    }

    /**
     * Starts a program that remains in the foreground, and waits until it listens.
     *
     * @param log receives its output
     * @param environment additional variables
     * @throws AssertionError with its output if the program ends
     */
    public static ServerProcess start(Path log, int port, Map<String, String> environment, List<String> command)
            throws IOException {
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(log.toFile());
        builder.environment().putAll(environment);
        ServerProcess server = new ServerProcess(builder.start(), port, log);
        try {
            Await.until(server::listens);
        } catch (AssertionError failed) {
            server.close();
            throw failed;
        }
        return server;
    }

    private boolean listens() {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            if (!process.isAlive()) {
                throw new AssertionError("the server did not start: " + output(), notYet);
            }
            return false;
        }
    }

    private String output() {
        try {
            return Files.readString(log);
        } catch (IOException unreadable) {
            return unreadable.toString();
        }
    }

    /** Stops the program and its child processes. */
    @Override
    public void close() {
        List<ProcessHandle> children = process.descendants().toList();
        process.destroy();
        try {
            if (!process.waitFor(10, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
        children.forEach(ProcessHandle::destroyForcibly);
    }
}
