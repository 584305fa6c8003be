package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import java.io.File;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Debian's HAProxy on loopback with the configuration of {@code src/deploy} and other servers. */
public final class HaproxyServer implements AutoCloseable {
    private final Process process;
    private final int port;

    private HaproxyServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /** A server behind the proxy: ports of HTTP and of the health check on 127.0.0.1. */
    public record Backend(int httpPort, int managementPort) {}

    /**
     * Starts the proxy. The test is skipped if haproxy is not installed.
     *
     * @param folder for the configuration and the log
     */
    public static HaproxyServer start(Path folder, List<Backend> backends) throws IOException {
        Path program = DebianTool.require("haproxy");
        int port = FreePorts.next();
        StringBuilder configuration = new StringBuilder();
        Files.readAllLines(Path.of("src/deploy/haproxy/haproxy.cfg")).stream()
                .filter(line -> !line.startsWith("  server "))
                // the limit of open files may be lower in tests
                .map(line -> line.replace("maxconn 20000", "maxconn 1000"))
                .forEach(line -> configuration.append(line).append('\n'));
        for (Backend backend : backends) {
            configuration.append(
                    "  server node%1$d 127.0.0.1:%1$d port %2$d\n".formatted(backend.httpPort, backend.managementPort));
        }
        Path file = Files.writeString(folder.resolve("haproxy.cfg"), configuration);
        File log = folder.resolve("haproxy.log").toFile();
        ProcessBuilder builder = new ProcessBuilder(program.toString(), "-db", "-f", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(log);
        builder.environment().put("BIND", "127.0.0.1:" + port);
        Process process = builder.start();
        HaproxyServer server = new HaproxyServer(process, port);
        Await.until(server::listens);
        return server;
    }

    public int port() {
        return port;
    }

    private boolean listens() {
        try (Socket socket = new Socket("127.0.0.1", port)) {
            return socket.isConnected();
        } catch (IOException notYet) {
            if (!process.isAlive()) {
                throw new AssertionError("haproxy did not start: " + process.exitValue(), notYet);
            }
            return false;
        }
    }

    @Override
    public void close() throws InterruptedException {
        process.destroyForcibly();
        process.waitFor(10, TimeUnit.SECONDS);
    }
}
