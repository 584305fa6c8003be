package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Clients that request a long document and do not read it. Streams of jobs: {@link JobReadingApiTest}. */
@Tag("integration")
class StalledReaderTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    /** Several hundred KiB. */
    private static final String LONG = "/api/v1/openapi.json";

    private static ServiceUnderTest service;

    @BeforeAll
    static void start() {
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_IDLE_TIMEOUT", "1s"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void connectionIsClosedAfterTheIdleTimeout() throws IOException {
        try (Socket reader = new Socket()) {
            reader.setReceiveBufferSize(4 * 1024);
            reader.connect(new InetSocketAddress("127.0.0.1", service.uri("/").getPort()));
            String request = "GET " + LONG + " HTTP/1.1\r\nHost: a\r\n\r\n";
            // pipelined, so that the responses exceed the socket buffers
            reader.getOutputStream().write(request.repeat(60).getBytes(StandardCharsets.US_ASCII));

            assertThat(service.get(LONG).statusCode()).as("others are served").isEqualTo(200);
            Await.until(() -> !isEstablished(reader.getLocalPort()));
        }
        assertThat(service.get(LONG).statusCode()).isEqualTo(200);
    }

    /** Whether the connection is open at the side of the server. The client cannot tell without reading or writing. */
    private static boolean isEstablished(int clientPort) {
        try (Stream<String> v4 = Files.lines(Path.of("/proc/net/tcp"));
                Stream<String> v6 = Files.lines(Path.of("/proc/net/tcp6"))) {
            String remote = String.format(":%04X", clientPort);
            return Stream.concat(v4, v6)
                    .map(line -> line.strip().split("\\s+"))
                    .anyMatch(columns -> columns[2].endsWith(remote) && columns[3].equals("01"));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** The client fills all streams of the connection and never opens their windows. */
    @Test
    void http2ConnectionIsClosedAfterTheIdleTimeout() {
        Vertx vertx = Vertx.vertx();
        try {
            HttpClientAgent client = vertx.createHttpClient(
                    new HttpClientOptions()
                            .setProtocolVersion(HttpVersion.HTTP_2)
                            .setHttp2ClearTextUpgrade(false)
                            .setInitialSettings(new Http2Settings().setInitialWindowSize(0)),
                    new PoolOptions().setHttp2MaxSize(1));
            List<Future<Throwable>> ends = new ArrayList<>();
            for (int i = 0; i < 100; i++) {
                Promise<Throwable> end = Promise.promise();
                ends.add(end.future());
                Await.value(request(client, LONG).onSuccess(response -> response.exceptionHandler(end::tryComplete)));
            }

            assertThat(service.get(LONG).statusCode()).as("others are served").isEqualTo(200);
            Await.value(Future.all(ends));
        } finally {
            Await.value(vertx.close());
        }
        assertThat(service.get(LONG).statusCode()).isEqualTo(200);
    }

    private static Future<HttpClientResponse> request(HttpClientAgent client, String path) {
        return client.request(HttpMethod.GET, service.uri("/").getPort(), "127.0.0.1", path)
                .compose(HttpClientRequest::send);
    }
}
