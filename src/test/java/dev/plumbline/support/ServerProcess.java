package dev.plumbline.support;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.opentest4j.TestAbortedException;

/** A third-party server as a process, which listens on a port of 127.0.0.1. */
public final class ServerProcess implements AutoCloseable {
    private final String program;
    private final Process process;
    private final int port;
    private final Path log;

    private ServerProcess(String program, Process process, int port, Path log) {
        this.program = program;
        this.process = process;
        this.port = port;
        this.log = log;
    }

    /** As {@link #start(Path, int, Map, List)}, with the environment of this process. */
    public static ServerProcess start(Path log, int port, List<String> command) throws IOException {
        return start(log, port, Map.of(), command);
    }

    /**
     * Starts a program that remains in the foreground, and waits until it listens. The test is skipped if the program
     * does not support its configuration.
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
        ServerProcess server = new ServerProcess(command.get(0), builder.start(), port, log);
        try {
            Await.until(server::listens);
        } catch (AssertionError | TestAbortedException failed) {
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
                DebianTool.requireSupport(program, output());
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
