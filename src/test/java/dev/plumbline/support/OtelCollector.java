package dev.plumbline.support;

import dev.plumbline.lab.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The OpenTelemetry Collector with its OTLP receiver and exporter. */
public final class OtelCollector implements AutoCloseable {
    private final ServerProcess process;
    private final int port;

    private OtelCollector(ServerProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a collector. The test is skipped if Go is not installed or its modules are not available.
     *
     * @param folder an empty folder
     * @param next the URL of the receiver of its traces
     */
    public static OtelCollector start(Path folder, String next) throws IOException, InterruptedException {
        Path program = GoProgram.build("otel-collector", folder);
        int port = FreePorts.next();
        Path config = Files.writeString(
                folder.resolve("config.yaml"),
                """
                receivers:
                  otlp:
                    protocols:
                      http:
                        endpoint: 127.0.0.1:%d
                exporters:
                  otlp_http:
                    traces_endpoint: %s
                service:
                  telemetry:
                    metrics:
                      level: none
                  pipelines:
                    traces:
                      receivers: [otlp]
                      exporters: [otlp_http]
                """
                        .formatted(port, next));
        return new OtelCollector(
                ServerProcess.start(
                        folder.resolve("log"), port, List.of(program.toString(), "--config", "file:" + config)),
                port);
    }

    public String endpoint() {
        return "http://127.0.0.1:" + port + "/v1/traces";
    }

    @Override
    public void close() {
        process.close();
    }
}
