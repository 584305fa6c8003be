package dev.plumbline.http.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.HttpServerSettings;
import io.netty.channel.ChannelHandler;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.impl.ConnectionBase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * What this package assumes about Vert.x and Netty. If an upgrade of either makes this test fail, adapt the package
 * before anything else.
 */
class VertxInternalsTest {
    /** The handlers of the last connection by name, at the end of the connection handler. */
    private final AtomicReference<Map<String, ChannelHandler>> handlers = new AtomicReference<>();

    private ConnectionRegistry registry;
    private Vertx vertx;
    private HttpServer server;

    @BeforeEach
    void start() throws Exception {
        int port;
        try (ServerSocket free = new ServerSocket(0)) {
            port = free.getLocalPort();
        }
        Config.HttpSettings config = ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PORT", Integer.toString(port)))
                .http();
        registry = new ConnectionRegistry(config, HttpServerSettings.of(config));
        vertx = Vertx.builder().withTransport(registry.transport()).build();
        server = await(vertx.createHttpServer(HttpServerSettings.of(config))
                .connectionHandler(connection -> {
                    ConnectionRegistry.configured(connection);
                    handlers.set(
                            ((ConnectionBase) connection).channel().pipeline().toMap());
                })
                .requestHandler(request -> request.response().end("ok"))
                .listen());
    }

    @AfterEach
    void stop() throws Exception {
        await(vertx.close());
    }

    @Test
    void anHttp1ConnectionHasTheStrictDecoderBeforeItsFirstRequest() throws Exception {
        assertThat(exchange("GET / HTTP/1.1\r\nHost: a\r\n\r\n")).startsWith("HTTP/1.1 200");

        assertThat(handlers.get().get(AcceptedConnection.DECODER)).isInstanceOf(StrictRequestDecoder.class);
        assertThat(handlers.get().keySet())
                .containsSubsequence(AcceptedConnection.DECODER, AcceptedConnection.ENCODER, "handler");
        assertThat(exchange("GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")).startsWith("HTTP/1.1 400");
        assertThat(exchange("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
                .startsWith("HTTP/1.1 400");
    }

    @Test
    void acceptedConnectionsAreCountedBeforeTheirFirstByte() throws Exception {
        try (Socket socket = connect()) {
            while (registry.open() < 1) {
                Thread.onSpinWait();
            }
            assertThat(socket.isConnected()).isTrue();
        }
        while (registry.open() > 0) {
            Thread.onSpinWait();
        }
    }

    @Test
    void anHttp2ConnectionIsReportedWithoutTheHttp1Codec() throws Exception {
        var client = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        int status = await(client.request(HttpMethod.GET, server.actualPort(), "127.0.0.1", "/")
                .compose(request -> request.send().map(response -> response.statusCode())));

        assertThat(status).isEqualTo(200);
        assertThat(handlers.get()).doesNotContainKey(AcceptedConnection.ENCODER);
    }

    private String exchange(String request) throws Exception {
        try (Socket socket = connect()) {
            socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readNBytes("HTTP/1.1 200".length()), StandardCharsets.US_ASCII);
        }
    }

    private Socket connect() throws Exception {
        Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), server.actualPort());
        socket.setSoTimeout(10_000);
        return socket;
    }

    private static <T> T await(Future<T> future) throws Exception {
        return future.toCompletionStage().toCompletableFuture().get(20, TimeUnit.SECONDS);
    }
}
