package dev.plumbline.http.server.internal;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.http.HttpServerSettings;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The limits of open connections, with clients at several loopback addresses. */
class ConnectionLimitTest {
    private static final int MAX = 8;
    private static final int MAX_PER_CLIENT = 3;
    private static final String REQUEST = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String FIRST = "127.0.0.1";
    private static final String SECOND = "127.0.0.2";

    private final int port = FreePorts.next();
    private final List<Socket> sockets = new ArrayList<>();
    private ConnectionRegistry registry;
    private Vertx vertx;

    @AfterEach
    void stop() throws Exception {
        for (Socket socket : sockets) {
            socket.close();
        }
        Await.value(vertx.close());
    }

    @Test
    void clientOverItsLimitIsRejectedAndOtherClientsAreNot() throws Exception {
        start(Map.of());
        List<Socket> first = connections(FIRST, MAX_PER_CLIENT);

        assertThat(status(connect(FIRST))).isEqualTo(503);
        assertThat(status(connect(SECOND))).isEqualTo(200);
        assertThat(registry.rejections()).isEqualTo(1);

        int open = registry.open();
        first.get(0).close();
        Await.until(() -> registry.open() < open);
        assertThat(status(connect(FIRST))).isEqualTo(200);
    }

    @Test
    void trustedProxyIsNotLimited() throws Exception {
        start(Map.of("HTTP_TRUSTED_PROXIES", FIRST));
        connections(FIRST, MAX_PER_CLIENT);

        assertThat(status(connect(FIRST))).isEqualTo(200);
    }

    @Test
    void limitOfClientsCanBeDisabled() throws Exception {
        start(Map.of("HTTP_MAX_CONNECTIONS_PER_CLIENT", "0"));
        connections(FIRST, MAX - 1);

        assertThat(status(connect(FIRST))).isEqualTo(200);
    }

    @Test
    void oldestSilentConnectionIsClosedWhenAllAreInUse() throws Exception {
        start(Map.of());
        Socket active = connect(FIRST);
        assertThat(status(active)).isEqualTo(200);
        List<Socket> silent = new ArrayList<>();
        for (int i = 0; i < MAX - 1; i++) {
            silent.addAll(connections("127.0.0." + (10 + i), 1));
        }

        Socket next = connect(SECOND);

        assertThat(status(next)).isEqualTo(200);
        assertThat(silent.get(0).getInputStream().read()).as("the oldest is closed").isEqualTo(-1);
        assertThat(status(silent.get(1))).isEqualTo(200);
        assertThat(status(active)).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(strings = {REQUEST, "G", "\r\n"})
    void connectionThatHasSentByteIsNotClosed(String sent) throws Exception {
        start(Map.of());
        List<Socket> all = new ArrayList<>();
        for (int i = 0; i < MAX; i++) {
            Socket socket = connections("127.0.0." + (10 + i), 1).get(0);
            send(socket, sent);
            all.add(socket);
            Await.until(() -> registry.silent() == 0);
        }

        assertThat(status(connect(SECOND))).isEqualTo(503);
        if (sent.equals(REQUEST)) {
            for (Socket socket : all) {
                assertThat(answer(socket)).isEqualTo(200);
            }
        }
    }

    /** The number of rejected connections is also limited. */
    @Test
    void rejectedConnectionsDoNotAccumulate() throws Exception {
        start(Map.of());
        connections(FIRST, MAX_PER_CLIENT);
        for (int i = 0; i < 400; i++) {
            connect(FIRST);
        }

        Await.until(() -> registry.rejections() == 400);
        Await.until(() -> registry.open() < 300);
        assertThat(status(connect(SECOND))).isEqualTo(200);
    }

    private void start(Map<String, String> settings) throws Exception {
        Map<String, String> all = new TreeMap<>(Map.of(
                "PLUMBLINE_HTTP_PORT", Integer.toString(port),
                "PLUMBLINE_HTTP_MAX_CONNECTIONS", Integer.toString(MAX),
                "PLUMBLINE_HTTP_MAX_CONNECTIONS_PER_CLIENT", Integer.toString(MAX_PER_CLIENT)));
        settings.forEach((name, value) -> all.put("PLUMBLINE_" + name, value));
        Config.HttpSettings config = ConfigLoader.load(null, all).http();
        registry = new ConnectionRegistry(config, HttpServerSettings.of(config));
        vertx = Vertx.builder().withTransport(registry.transport()).build();
        Await.value(vertx.createHttpServer(HttpServerSettings.of(config))
                .connectionHandler(ConnectionRegistry::configured)
                .requestHandler(request -> request.response().end())
                .listen());
    }

    /** Opens silent connections and waits until the server has accepted them. */
    private List<Socket> connections(String from, int count) throws IOException {
        int before = registry.silent();
        List<Socket> opened = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            opened.add(connect(from));
        }
        Await.until(() -> registry.silent() == before + count);
        return opened;
    }

    private Socket connect(String from) throws IOException {
        Socket socket = new Socket(InetAddress.getByName(FIRST), port, InetAddress.getByName(from), 0);
        socket.setSoTimeout(20_000);
        sockets.add(socket);
        return socket;
    }

    private static int status(Socket socket) throws IOException {
        send(socket, REQUEST);
        return answer(socket);
    }

    private static void send(Socket socket, String text) throws IOException {
        socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
    }

    /** Reads a response without body. */
    private static int answer(Socket socket) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            int next = socket.getInputStream().read();
            assertThat(next).as("the connection ends after " + head).isNotNegative();
            head.append((char) next);
        }
        return Integer.parseInt(head.substring(9, 12));
    }
}
