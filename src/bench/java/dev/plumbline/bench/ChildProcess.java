package dev.plumbline.bench;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A process of the benchmark and its output. {@link #close} stops it. */
final class ChildProcess implements AutoCloseable {
    // longer than the maximum duration of a check, for which the shutdown of the service waits
    private static final long STOP_SECONDS = 45;
    private static final long POLL_MS = 10;

    private final String name;
    private final Process process;
    private final Path out;
    private final Path err;

    private ChildProcess(String name, Process process, Path out, Path err) {
        this.name = name;
        this.process = process;
        this.out = out;
        this.err = err;
    }

    static ChildProcess start(String name, Path folder, List<String> command, Map<String, String> environment)
            throws IOException {
        Path out = Files.createTempFile(folder, name, ".out");
        Path err = Files.createTempFile(folder, name, ".err");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().putAll(environment);
        return new ChildProcess(name, builder.start(), out, err);
    }

    /** Waits until the output matches and returns the first group. */
    String await(Pattern printed, long seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            Matcher matcher = printed.matcher(Files.readString(out));
            if (matcher.find()) {
                return matcher.group(1);
            }
            requireAlive();
            Thread.sleep(POLL_MS);
        }
        throw failed("was not ready within " + seconds + " s");
    }

    /** Waits until the error output contains a text. */
    void awaitError(String text, long seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (!Files.readString(err).contains(text)) {
            requireAlive();
            if (System.nanoTime() > end) {
                throw failed("was not ready within " + seconds + " s");
            }
            Thread.sleep(POLL_MS);
        }
    }

    /** Waits until a process listens on a loopback port. */
    void awaitPort(int port, long seconds) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() < end) {
            try (Socket socket = new Socket()) {
                socket.connect(new InetSocketAddress("127.0.0.1", port), 500);
                return;
            } catch (IOException notYet) {
                requireAlive();
                Thread.sleep(POLL_MS);
            }
        }
        throw failed("did not listen on port " + port + " within " + seconds + " s");
    }

    /** Resident memory in KiB. */
    long residentKib() throws IOException {
        return ProcFiles.kib(process.pid(), "status", "VmRSS:");
    }

    /** CPU time used so far, without children, in milliseconds. */
    long cpuMillis() throws IOException {
        return ProcFiles.cpuMillis(process.pid());
    }

    /** CPU time of the JIT compiler of a JVM, in milliseconds; 0: not a JVM. */
    long compilerMillis() throws IOException {
        return ProcFiles.compilerMillis(process.pid());
    }

    private void requireAlive() throws IOException {
        if (!process.isAlive()) {
            throw failed("ended with " + process.exitValue());
        }
    }

    private IOException failed(String what) throws IOException {
        String output = Files.readString(err) + Files.readString(out);
        return new IOException(name + " " + what + ": " + output.strip());
    }

    @Override
    public void close() {
        process.destroy();
        try {
            if (!process.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException interrupted) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
