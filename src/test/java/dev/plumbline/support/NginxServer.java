package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import dev.plumbline.lab.TestCa;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Debian's nginx on loopback. */
public final class NginxServer implements AutoCloseable {
    private static final Path BROTLI = Path.of("/usr/lib/nginx/modules/ngx_http_brotli_filter_module.so");

    private final ServerProcess process;
    private final int plainPort;
    private final int tlsPort;

    private NginxServer(ServerProcess process, int plainPort, int tlsPort) {
        this.process = process;
        this.plainPort = plainPort;
        this.tlsPort = tlsPort;
    }

    /**
     * Starts one server over HTTP and HTTPS. The test is skipped if nginx is not installed.
     *
     * @param folder its working directory, to which {@code FOLDER} in the configuration refers
     * @param server the content of the server block; {@code TLS} is the port of HTTPS, {@code PLAIN} the port of HTTP
     */
    public static NginxServer start(Path folder, TestCa.Identity identity, String server) throws IOException {
        Path program = DebianTool.require("nginx");
        identity.writePem(folder);
        int plainPort = FreePorts.next();
        int tlsPort = FreePorts.next();
        Path configuration = folder.resolve("nginx.conf");
        Files.writeString(
                configuration,
                configuration(
                        folder,
                        plainPort,
                        tlsPort,
                        server.replaceAll("\\bTLS\\b", "" + tlsPort)
                                .replaceAll("\\bPLAIN\\b", "" + plainPort)
                                .replace("FOLDER", folder.toString())));
        ServerProcess process = ServerProcess.start(
                folder.resolve("log"),
                tlsPort,
                List.of(program.toString(), "-p", folder.toString(), "-c", configuration.toString()));
        return new NginxServer(process, plainPort, tlsPort);
    }

    public String http(String path) {
        return "http://127.0.0.1:" + plainPort + path;
    }

    /** The same page over TLS, with HTTP/2 by ALPN. */
    public String https(String path) {
        return "https://127.0.0.1:" + tlsPort + path;
    }

    private static String configuration(Path folder, int plainPort, int tlsPort, String server) {
        return (Files.exists(BROTLI) ? "load_module " + BROTLI + ";\n" : "")
                + """
        daemon off;
        master_process off;
        pid %1$s/pid;
        error_log stderr;
        events { worker_connections 64; }
        http {
          access_log off;
          client_body_temp_path %1$s;
          proxy_temp_path %1$s;
          fastcgi_temp_path %1$s;
          uwsgi_temp_path %1$s;
          scgi_temp_path %1$s;
          absolute_redirect off;
          default_type text/plain;
          server {
            listen 127.0.0.1:%2$d;
            listen 127.0.0.1:%3$d ssl http2;
            ssl_certificate %1$s/chain.pem;
            ssl_certificate_key %1$s/key.pem;
            %4$s
          }
        }
        """
                        .formatted(folder, plainPort, tlsPort, server);
    }

    @Override
    public void close() {
        process.close();
    }
}
