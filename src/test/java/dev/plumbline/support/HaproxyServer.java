package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Debian's HAProxy on loopback with the configuration of {@code src/deploy} and other servers. */
public final class HaproxyServer implements AutoCloseable {
    private final ServerProcess process;
    private final int port;

    private HaproxyServer(ServerProcess process, int port) {
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
        ServerProcess process = ServerProcess.start(
                folder.resolve("haproxy.log"),
                port,
                Map.of("BIND", "127.0.0.1:" + port),
                List.of(program.toString(), "-db", "-f", file.toString()));
        return new HaproxyServer(process, port);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}
