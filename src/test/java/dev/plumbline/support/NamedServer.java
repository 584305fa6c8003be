package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import java.io.File;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Debian's bind9 on loopback as a recursive DNS server. */
public final class NamedServer implements AutoCloseable {
    private final Process process;
    private final int port;

    private NamedServer(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts the server as the authority of some zones. It resolves no other zones except those to which these zones
     * delegate, at other loopback addresses and the same port. The test is skipped if named is not installed.
     *
     * @param folder its working directory
     * @param zones the records of each zone by its name, in the form of a zone file; SOA and NS are added
     */
    public static NamedServer start(Path folder, Map<String, String> zones) throws IOException {
        Map<String, String> files = new LinkedHashMap<>();
        for (Map.Entry<String, String> zone : zones.entrySet()) {
            String file = zone.getKey() + ".zone";
            Files.writeString(
                    folder.resolve(file),
                    """
          $TTL 300
          @ IN SOA ns1.%1$s. hostmaster.%1$s. 7 3600 600 604800 60
          @ IN NS ns1.%1$s.
          @ IN NS ns2.%1$s.
          ns1 IN A 127.0.0.1
          ns2 IN A 127.0.0.1
          %2$s
          """
                            .formatted(zone.getKey(), zone.getValue()));
            files.put(zone.getKey(), file);
        }
        return serve(folder, files);
    }

    /**
     * Starts the server as the authority of zones in complete files.
     *
     * @param folder its working directory
     * @param files the files in this folder by the name of the zone
     */
    public static NamedServer serve(Path folder, Map<String, String> files) throws IOException {
        Path program = DebianTool.require("named");
        int port = FreePorts.next();
        StringBuilder configuration = new StringBuilder(
                """
            options {
              directory "%1$s";
              pid-file none;
              session-keyfile none;
              managed-keys-directory "%1$s";
              port %2$d; // of the servers that it asks as well
              listen-on port %2$d { 127.0.0.1; };
              listen-on-v6 { none; };
              recursion yes;
              empty-zones-enable no;
              dnssec-validation no;
              check-names primary ignore;
            };
            controls { };
            """
                        .formatted(folder, port));
        files.forEach((zone, file) -> configuration.append(
                "zone \"%s\" { type primary; file \"%s\"; check-names ignore; check-mx ignore; };\n"
                        .formatted(zone, file)));
        if (!files.containsKey(".")) {
            configuration.append("zone \".\" { type hint; file \"/dev/null\"; };\n");
        }
        Path file = Files.writeString(folder.resolve("named.conf"), configuration);
        File log = folder.resolve("log").toFile();
        Process process = new ProcessBuilder(program.toString(), "-g", "-n", "1", "-c", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(log)
                .start();
        NamedServer named = new NamedServer(process, port);
        try {
            named.awaitListening(log);
        } catch (IOException | AssertionError failed) {
            process.destroyForcibly();
            throw failed;
        }
        return named;
    }

    public int port() {
        return port;
    }

    /** In the format of {@code dns.servers}. */
    public String address() {
        return "127.0.0.1:" + port;
    }

    private void awaitListening(File log) throws IOException {
        for (int i = 0; i < 200 && process.isAlive(); i++) {
            try (Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port)) {
                if (socket.isConnected() && Files.readString(log.toPath()).contains("running")) {
                    return;
                }
            } catch (ConnectException notYet) {
                // not started yet
            }
            LockSupport.parkNanos(50_000_000);
        }
        throw new AssertionError("named did not start: " + Files.readString(log.toPath()));
    }

    @Override
    public void close() throws InterruptedException {
        process.destroy();
        process.waitFor(10, TimeUnit.SECONDS);
    }
}
