package dev.plumbline.bench;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** The prometheus-blackbox-exporter of Debian. It probes a target for each {@code /probe} request. */
final class Blackbox implements AutoCloseable {
    private static final String CONF =
            """
      modules:
        http_2xx:
          prober: http
          http:
            preferred_ip_protocol: ip4
            tls_config:
              insecure_skip_verify: true
        tcp_tls:
          prober: tcp
          tcp:
            preferred_ip_protocol: ip4
            tls: true
            tls_config:
              insecure_skip_verify: true
      """;

    private final ChildProcess child;
    private final String address;

    private Blackbox(ChildProcess child, String address) {
        this.child = child;
        this.address = address;
    }

    static Blackbox start(Path parent) throws IOException, InterruptedException {
        String program = ProgramFinder.require("prometheus-blackbox-exporter", "prometheus-blackbox-exporter");
        Path folder = Files.createDirectory(parent.resolve("blackbox"));
        Path conf = folder.resolve("blackbox.yml");
        Files.writeString(conf, CONF);
        int port = ServiceUnderLoad.freePort();
        String listen = "127.0.0.1:" + port;
        ChildProcess child = ChildProcess.start(
                "blackbox",
                folder,
                List.of(program, "--config.file=" + conf, "--web.listen-address=" + listen, "--log.level=error"),
                Map.of());
        try {
            child.awaitPort(port, 10);
        } catch (IOException | InterruptedException failed) {
            child.close();
            throw failed;
        }
        return new Blackbox(child, "http://" + listen);
    }

    String address() {
        return address;
    }

    /** A side of a comparison: successful probes. */
    Comparison.Side probes(Wrk wrk, String path) {
        return new Comparison.Side(
                process(), duration -> wrk.checks(process(), address(), path, "", "probe_success 1", duration));
    }

    ChildProcess process() {
        return child;
    }

    /** The path of a probe of a URL with this prefix. The caller appends the rest of the URL. */
    static String probePath(String url) {
        return "/probe?module=http_2xx&target=" + URLEncoder.encode(url, StandardCharsets.UTF_8);
    }

    /** The path of a TCP+TLS probe. */
    static String handshakePath(String hostAndPort) {
        return "/probe?module=tcp_tls&target=" + URLEncoder.encode(hostAndPort, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        child.close();
    }
}
