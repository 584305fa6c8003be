package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** An HTTPS server of Go's standard library, with an HTTP/3 server of quic-go. */
public final class QuicGoServer implements AutoCloseable {
    private final ServerProcess process;
    private final int port;

    private QuicGoServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Builds the program. The test is skipped if Go is not installed or its modules are not available.
     *
     * @return its path
     */
    public static Path build(Path folder) throws IOException, InterruptedException {
        return GoProgram.build("quic-go", folder);
    }

    /**
     * Starts a server.
     *
     * @param program see {@link #build}
     * @param quic the certificate for HTTP/3
     * @param udpPort 0 for none
     * @param altSvc the Alt-Svc header; null for none
     */
    public static QuicGoServer start(
            Path program,
            Path folder,
            TestCa.Identity identity,
            TestCa.Identity quic,
            int port,
            int udpPort,
            @Nullable String altSvc)
            throws IOException {
        identity.writePem(folder);
        quic.writePem(Files.createDirectories(folder.resolve("quic")));
        return start(program, folder, port, udpPort, altSvc == null ? "none" : altSvc, List.of());
    }

    /**
     * Starts a server on a free port that sends these bytes in hexadecimal over HTTP/3, which it advertises.
     *
     * @param control the control stream, with its type
     * @param response the response to each request
     */
    public static QuicGoServer startSending(
            Path program, Path folder, TestCa.Identity identity, String control, String response) throws IOException {
        int port = FreePorts.next();
        identity.writePem(folder);
        identity.writePem(Files.createDirectories(folder.resolve("quic")));
        return start(program, folder, port, port, "h3=\":" + port + "\"", List.of(control, response));
    }

    private static QuicGoServer start(
            Path program, Path folder, int port, int udpPort, String altSvc, List<String> bytes) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                "sh",
                "-c",
                "cd \"$0\" && exec \"$@\"",
                folder.toString(),
                program.toString(),
                "127.0.0.1:" + port,
                udpPort == 0 ? "none" : "127.0.0.1:" + udpPort,
                altSvc));
        command.addAll(bytes);
        return new QuicGoServer(ServerProcess.start(folder.resolve("log"), port, command), port);
    }

    /** As above, on a free port for TCP and UDP, with one certificate. */
    public static QuicGoServer start(Path program, Path folder, TestCa.Identity identity, @Nullable String altSvc)
            throws IOException {
        int port = FreePorts.next();
        return start(program, folder, identity, identity, port, port, altSvc);
    }

    public String url() {
        return "https://127.0.0.1:" + port + "/";
    }

    @Override
    public void close() {
        process.close();
    }
}
