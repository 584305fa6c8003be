package dev.plumbline.http.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.Http2Settings;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.net.NetClient;
import io.vertx.core.net.NetSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnreadResponsesTest {
    private static final int BODY_BYTES = 100_000;
    private static final int STREAMS = 100;
    private static final long MEMORY_BYTES = 2 << 20;
    private static final int ENHANCE_YOUR_CALM = 0xb;

    private final int port = FreePorts.next();

    /** With one event loop, so that responses do not arrive on another one before their handlers are set. */
    private final Vertx clients = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    // held: Vert.x closes a client that is not reachable
    private final NetClient connector = clients.createNetClient();

    private Vertx vertx;
    private MemoryBudget memory;

    private void start(long memoryBytes) throws Exception {
        Config.HttpSettings config = ConfigLoader.load(
                        null,
                        Map.of("PLUMBLINE_HTTP_PORT", Integer.toString(port), "PLUMBLINE_HTTP_IDLE_TIMEOUT", "1h"))
                .http();
        ConnectionRegistry registry = new ConnectionRegistry(config, HttpServerSettings.of(config));
        vertx = Vertx.builder().withTransport(registry.transport()).build();
        memory = new MemoryBudget(vertx, memoryBytes, 1);
        registry.limitUnreadResponses(memory);
        Await.value(vertx.createHttpServer(HttpServerSettings.of(config))
                .connectionHandler(ConnectionRegistry::configured)
                .requestHandler(UnreadResponsesTest::respond)
                .listen());
    }

    @AfterEach
    void stop() {
        Await.value(clients.close());
        Await.value(vertx.close());
    }

    private static void respond(HttpServerRequest request) {
        if (request.path().equals("/silent")) {
            return;
        }
        request.response().endHandler(ended -> ConnectionRegistry.responseEnded(request));
        request.response().end(Buffer.buffer(new byte[BODY_BYTES]));
    }

    @Test
    void memoryIsReleasedWhenResponsesAreRead() throws Exception {
        start(MEMORY_BYTES);
        HttpClientAgent client = client(new HttpClientOptions());
        for (int i = 0; i < 3 * MEMORY_BYTES / BODY_BYTES; i++) {
            assertThat(Await.value(request(client, HttpClientResponse::body)).length())
                    .isEqualTo(BODY_BYTES);
        }
        // the connection is still open
        Await.until(() -> memory.held() == 0);
    }

    @Test
    void streamsWithoutMemoryAreReset() throws Exception {
        start(MEMORY_BYTES);
        HttpClientAgent client =
                client(new HttpClientOptions().setInitialSettings(new Http2Settings().setInitialWindowSize(0)));
        List<Promise<Throwable>> ends = new ArrayList<>();
        for (int i = 0; i < STREAMS; i++) {
            Promise<Throwable> end = Promise.promise();
            ends.add(end);
            request(client, response -> Future.succeededFuture(response.exceptionHandler(end::tryComplete)))
                    .onFailure(end::tryComplete);
        }
        long most = MEMORY_BYTES / (BODY_BYTES + UnreadResponses.STREAM_BYTES);
        Await.until(() -> ends.stream().filter(end -> end.future().isComplete()).count() >= STREAMS - most);
        assertThat(ends).filteredOn(end -> end.future().isComplete()).allSatisfy(end -> assertThat(
                        end.future().result())
                .isInstanceOfSatisfying(StreamResetException.class, reset -> assertThat(reset.getCode())
                        .isEqualTo(ENHANCE_YOUR_CALM)));
        assertThat(memory.held()).isBetween((long) BODY_BYTES, MEMORY_BYTES);

        Await.value(client.close());
        Await.until(() -> memory.held() == 0);
    }

    @Test
    void connectionsWithTooManyPipelinedRequestsAreClosed() throws Exception {
        start(10 * UnreadResponses.STREAM_BYTES);
        NetSocket socket = Await.value(connector.connect(port, "127.0.0.1"));
        Promise<Void> closed = Promise.promise();
        socket.closeHandler(closed::tryComplete);

        // few enough for one segment and one read, because the server does not read on while requests wait
        socket.write(pipelined("/silent", 40));

        Await.value(closed.future());
        Await.until(() -> memory.held() == 0);
    }

    @Test
    void pipelinedRequestsReleaseTheirMemory() throws Exception {
        start(MEMORY_BYTES);
        NetSocket socket = Await.value(connector.connect(port, "127.0.0.1"));
        AtomicLong received = new AtomicLong();
        socket.handler(bytes -> received.addAndGet(bytes.length()));

        socket.write(pipelined("/", 10));

        Await.until(() -> received.get() > 10L * BODY_BYTES);
        Await.until(() -> memory.held() == 0);
    }

    private static String pipelined(String path, int count) {
        return ("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n").repeat(count);
    }

    private HttpClientAgent client(HttpClientOptions options) {
        return clients.createHttpClient(
                options.setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false),
                new PoolOptions().setHttp2MaxSize(1));
    }

    /** @param handler sets the handlers of a response on the event loop, before its body arrives */
    private <T> Future<T> request(HttpClientAgent client, Function<HttpClientResponse, Future<T>> handler) {
        return client.request(HttpMethod.GET, port, "127.0.0.1", "/")
                .compose(request -> request.send().compose(handler));
    }
}
