package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.RequestOptions;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients that request documents on many connections and never read the responses, with the JVM options for production.
 * The connections do not become idle.
 */
@Tag("scenario")
class UnreadResponsesScenario {
    /** The number of HTTP/2 connections. */
    private static final int CONNECTIONS = 150;

    private static final int STREAMS = 100;
    private static final int REQUESTS_AT_ONCE = 1_000;
    private static final int PIPELINING_CONNECTIONS = 20;
    private static final int PIPELINED = 1_000;
    private static final double MAX_HEAP_BYTES = 150 << 20;

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final CountingTarget site = new CountingTarget(vertx);
    private ServiceProcess service;

    @BeforeEach
    void start() throws IOException {
        service = ServiceProcess.launchForProduction(List.of(), folder, Map.of("HTTP_IDLE_TIMEOUT", "1h"), List.of())
                .awaitReady();
    }

    @AfterEach
    void stop() throws InterruptedException {
        service.close();
        Await.value(vertx.close());
    }

    /** The page is rendered for each request. */
    @Test
    void pagesForClosedWindowsDoNotExhaustMemory() throws Exception {
        requestWithClosedWindows("/");
    }

    /** All responses share the document, so that only many streams use much memory. */
    @Test
    void documentsForClosedWindowsDoNotExhaustMemory() throws Exception {
        requestWithClosedWindows("/api/v1/openapi.json");
    }

    /** Opens all streams with windows of 0 bytes, and asserts that other clients still receive responses. */
    private void requestWithClosedWindows(String path) throws Exception {
        HttpClientAgent client = vertx.createHttpClient(
                new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false)
                        .setHttp2MultiplexingLimit(STREAMS)
                        .setInitialSettings(new Http2Settings().setInitialWindowSize(0)),
                new PoolOptions().setHttp2MaxSize(CONNECTIONS));
        int reset = 0;
        for (int sent = 0; sent < CONNECTIONS * STREAMS; sent += REQUESTS_AT_ONCE) {
            List<Future<Boolean>> heads = new ArrayList<>();
            for (int i = 0; i < REQUESTS_AT_ONCE; i++) {
                heads.add(client.request(
                                new RequestOptions().setMethod(HttpMethod.GET).setAbsoluteURI(service.address() + path))
                        .compose(HttpClientRequest::send)
                        .map(response -> {
                            // a reset is not logged
                            response.exceptionHandler(ended -> {});
                            return true;
                        })
                        .otherwise(false));
            }
            for (Future<Boolean> head : heads) {
                reset += Await.value(head) ? 0 : 1;
            }
        }

        assertOthersAreServed();
        assertThat(reset).as("streams without a response").isLessThan(CONNECTIONS * STREAMS);
    }

    @Test
    void pipelinedRequestsDoNotExhaustMemory() throws Exception {
        List<Socket> readers = new ArrayList<>();
        byte[] requests = "GET / HTTP/1.1\r\nHost: a\r\n\r\n".repeat(PIPELINED).getBytes(StandardCharsets.US_ASCII);
        try {
            for (int i = 0; i < PIPELINING_CONNECTIONS; i++) {
                Socket reader = new Socket();
                readers.add(reader);
                reader.setReceiveBufferSize(4 * 1024);
                reader.connect(new InetSocketAddress("127.0.0.1", service.port()));
                send(reader, requests);
            }
            assertOthersAreServed();
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
    }

    /** The service can close the connection before it has read all requests. */
    private static void send(Socket reader, byte[] requests) {
        try {
            reader.getOutputStream().write(requests);
        } catch (IOException closed) {
            assertThat(closed).isInstanceOf(SocketException.class);
        }
    }

    private void assertOthersAreServed() throws IOException {
        for (int i = 0; i < 20; i++) {
            String url = site.url("/ok/" + i);
            // 503 while the event loops are busy with the requests
            Await.until(() -> service.instant("http-status", url).statusCode() == 200);
        }
        assertThat(service.isAlive()).isTrue();
        assertThat(service.log()).doesNotContain("OutOfMemoryError", "OutOfDirectMemoryError", " ERROR ");
        assertThat(liveHeapBytes()).isLessThan(MAX_HEAP_BYTES);
    }

    private double liveHeapBytes() {
        double[] used = {Double.MAX_VALUE};
        // the least of several values: the last collection was recent then
        Await.until(() -> {
            used[0] = Math.min(
                    used[0],
                    service.metrics()
                            .body()
                            .lines()
                            .filter(line -> line.startsWith("jvm_memory_used_bytes{area=\"heap\""))
                            .mapToDouble(
                                    line -> Double.parseDouble(line.substring(line.indexOf(' ', line.indexOf('}')))))
                            .sum());
            return used[0] < MAX_HEAP_BYTES;
        });
        return used[0];
    }
}
