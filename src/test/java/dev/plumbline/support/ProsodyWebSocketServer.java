package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;

/** Debian's Prosody with XMPP over WebSocket (RFC 7395) on loopback. */
public final class ProsodyWebSocketServer implements AutoCloseable {
    private final ServerProcess process;
    private final int port;

    private ProsodyWebSocketServer(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /** Starts one server. The test is skipped if Prosody is not installed. */
    public static ProsodyWebSocketServer start(Path folder) throws IOException {
        Path program = DebianTool.require("prosody");
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
        int port = FreePorts.next();
        Path configuration = Files.writeString(
                folder.resolve("prosody.cfg.lua"),
                """
                run_as_root = true
                daemonize = false
                data_path = "%1$s"
                pidfile = "%1$s/pid"
                log = { info = "*console" }
                modules_enabled = { "websocket" }
                modules_disabled = { "s2s", "offline", "tls" }
                c2s_ports = { }
                c2s_direct_tls_ports = { }
                legacy_ssl_ports = { }
                http_ports = { %2$d }
                http_interfaces = { "127.0.0.1" }
                https_ports = { }
                http_default_host = "lab.test"
                VirtualHost "lab.test"
                """
                        .formatted(folder, port));
        ServerProcess process = ServerProcess.start(
                folder.resolve("log"), port, List.of(program.toString(), "--config", configuration.toString(), "-F"));
        return new ProsodyWebSocketServer(process, port);
    }

    public String url(String scheme) {
        return scheme + "://127.0.0.1:" + port + "/xmpp-websocket";
    }

    @Override
    public void close() {
        process.close();
    }
}
