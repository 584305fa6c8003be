package dev.plumbline.bench;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The nginx of Debian with a configuration of the benchmark: the target of all fresh checks. */
final class NginxTarget implements AutoCloseable {
    private static final String CONF =
            """
      daemon off;
      worker_processes auto;
      pid %1$s/nginx.pid;
      error_log stderr error;
      events { worker_connections 8192; }
      http {
        access_log off;
        default_type text/html;
        client_body_temp_path %1$s/body;
        proxy_temp_path %1$s/proxy;
        fastcgi_temp_path %1$s/fastcgi;
        uwsgi_temp_path %1$s/uwsgi;
        scgi_temp_path %1$s/scgi;
        server {
          listen 127.0.0.1:%2$d backlog=4096;
          listen 127.0.0.1:%3$d ssl backlog=4096;
          ssl_certificate %1$s/certificate.pem;
          ssl_certificate_key %1$s/key.pem;
          ssl_session_cache off;
          ssl_session_tickets off;
          location = /counts { stub_status; }
          location /moved/ { return 301 /arrived$uri; }
          location / {
            return 200 "<!doctype html><title>bench</title><p>a small static page\\n";
          }
        }
      }
      """;

    /** The output of stub_status: accepted connections, handled connections, requests. */
    private static final Pattern COUNTS = Pattern.compile("(?m)^ (\\d+) \\d+ (\\d+) ?\r?$");

    private final ChildProcess child;
    private final int httpPort;
    private final int httpsPort;
    private final Path certificate;

    private NginxTarget(ChildProcess child, int httpPort, int httpsPort, Path certificate) {
        this.child = child;
        this.httpPort = httpPort;
        this.httpsPort = httpsPort;
        this.certificate = certificate;
    }

    static NginxTarget start(Path parent) throws IOException, InterruptedException {
        String program = ProgramFinder.require("nginx", "nginx");
        Path folder = Files.createDirectory(parent.resolve("nginx"));
        Path certificate = TestCertificate.write(folder);
        int http = ServiceUnderLoad.freePort();
        int https = ServiceUnderLoad.freePort();
        Path conf = folder.resolve("nginx.conf");
        Files.writeString(conf, CONF.formatted(folder, http, https));
        ChildProcess child = ChildProcess.start(
                "nginx",
                folder,
                List.of(program, "-p", folder.toString(), "-c", conf.toString(), "-e", "stderr"),
                Map.of());
        try {
            child.awaitPort(http, 10);
            child.awaitPort(https, 10);
        } catch (IOException | InterruptedException failed) {
            child.close();
            throw failed;
        }
        return new NginxTarget(child, http, https, certificate);
    }

    int httpsPort() {
        return httpsPort;
    }

    /** The URL of the site without a path. */
    String site(boolean tls) {
        return tls ? "https://127.0.0.1:" + httpsPort : "http://127.0.0.1:" + httpPort;
    }

    /**
     * The counters since the start.
     *
     * @param connections accepted connections
     * @param requests received requests
     */
    record Counts(long connections, long requests) {
        Counts since(Counts earlier) {
            return new Counts(connections - earlier.connections, requests - earlier.requests);
        }
    }

    /** Reads the counters over a new connection, which is included. */
    Counts counts() throws IOException {
        String output;
        try (Socket socket = new Socket("127.0.0.1", httpPort)) {
            socket.getOutputStream()
                    .write("GET /counts HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            output = new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        }
        Matcher counts = COUNTS.matcher(output);
        if (!counts.find()) {
            throw new IOException("unexpected stub_status response of nginx: " + output);
        }
        return new Counts(Long.parseLong(counts.group(1)), Long.parseLong(counts.group(2)));
    }

    /** The certificate in PEM. It is also the root. */
    Path certificate() {
        return certificate;
    }

    @Override
    public void close() {
        child.close();
    }
}
