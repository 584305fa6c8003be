package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Debian's openssl as a TLS server on its own loopback port. */
public final class OpensslServer implements AutoCloseable {
    private final Process process;
    private final int port;

    private OpensslServer(Process process, int port) {
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
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        OpensslServer server = new OpensslServer(process, port);
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
                throw new AssertionError("openssl did not start: " + process.exitValue(), notYet);
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
