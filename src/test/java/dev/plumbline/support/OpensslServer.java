package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Debian's openssl as a TLS server on its own loopback port. */
public final class OpensslServer implements AutoCloseable {
    private final ServerProcess process;
    private final int port;

    private OpensslServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts the server. The test is skipped if openssl is not installed.
     *
     * @param folder for the certificate and key
     * @param options for example {@code -tls1_2}
     */
    public static OpensslServer start(Path folder, TestCa.Identity identity, String... options) throws IOException {
        Path openssl = DebianTool.require("openssl");
        Path certificate = Files.writeString(folder.resolve("s_server.pem"), identity.pem());
        Path key = Files.writeString(folder.resolve("s_server.key"), identity.keyPem());
        int port = FreePorts.next();
        List<String> command = new ArrayList<>(List.of(
                openssl.toString(),
                "s_server",
                "-accept",
                "127.0.0.1:" + port,
                "-cert",
                certificate.toString(),
                "-key",
                key.toString(),
                "-www",
                "-quiet"));
        command.addAll(List.of(options));
        return new OpensslServer(ServerProcess.start(folder.resolve("s_server.log"), port, command), port);
    }

    public int port() {
        return port;
    }

    @Override
    public void close() {
        process.close();
    }
}
