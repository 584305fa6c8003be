package dev.plumbline.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.RequestOptions;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RequestBodyReaderTest {
    private static final int MAX_BYTES = 4 << 20;
    private static final String JSON = "Content-Type: application/json\r\n";
    private static final int TIMEOUT_MS = 20_000;

    private Vertx vertx;
    private HttpServer server;
    private RequestBodyReader bodies;
    private final AtomicInteger readAttempts = new AtomicInteger();
    private final AtomicInteger readAfterDisconnect = new AtomicInteger();

    @BeforeAll
    void start() {
        vertx = Vertx.vertx();
        ProblemResponder problems = new ProblemResponder("http://localhost", (ctx, problem) -> ctx.fail(500));
        bodies = new RequestBodyReader(problems);
        Router router = Router.router(vertx);
        router.route().handler(ctx -> {
            RequestBodyReader.pause(ctx);
            ctx.next();
        });
        // simulates asynchronous authentication before the body is read
        router.post("/length").handler(ctx -> vertx.setTimer(20, timer -> length(ctx, Duration.ofSeconds(15))));
        router.post("/short-timeout").handler(ctx -> length(ctx, Duration.ofMillis(200)));
        router.post("/after-disconnect").handler(ctx -> ctx.request()
                .connection()
                .closeHandler(closed -> vertx.runOnContext(next -> readAfterDisconnect(ctx))));
        router.post("/unauthorized")
                .handler(ctx -> vertx.setTimer(
                        20,
                        timer ->
                                problems.send(ctx, Problem.of(401, "no-key", "API key required", "Send an API key."))));
        server = Await.value(vertx.createHttpServer().requestHandler(router).listen(0, "127.0.0.1"));
    }

    private void length(RoutingContext ctx, Duration timeout) {
        bodies.readJson(ctx, MAX_BYTES, timeout, body -> ctx.response().end("length " + body.length()));
    }

    private void readAfterDisconnect(RoutingContext ctx) {
        bodies.readJson(
                ctx, MAX_BYTES, Duration.ofSeconds(15), body -> readAfterDisconnect.addAndGet(1 + body.length()));
        vertx.runOnContext(delivered -> readAttempts.incrementAndGet());
    }

    @AfterAll
    void stop() {
        Await.value(vertx.close());
    }

    @Test
    void bodyIsReadAndConnectionStaysOpen() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 3000000\r\n\r\n");
            client.send("x".repeat(3_000_000));
            assertThat(client.response()).startsWith("HTTP/1.1 200").endsWith("length 3000000");
            client.send("POST /length HTTP/1.1\r\nHost: a\r\n"
                    + JSON
                    + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 200").endsWith("length 5");
        }
        assertNothingBuffered();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"application/json", "Application/JSON; charset=UTF-8", "application/json;charset=\"utf-8\""})
    void jsonContentTypesAreAccepted(String type) throws IOException {
        assertThat(exchange("/length", "Content-Type: " + type + "\r\n", "{}")).startsWith("HTTP/1.1 200");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Content-Type: text/plain\r\n",
                "Content-Type: application/x-www-form-urlencoded\r\n",
                "Content-Type: application/json; charset=iso-8859-1\r\n",
                "Content-Type: application/jsonp\r\n",
                "Content-Type: application/json\r\nContent-Encoding: gzip\r\n"
            })
    void otherContentTypesAreRejected(String headers) throws IOException {
        assertThat(exchange("/length", headers, "{}"))
                .startsWith("HTTP/1.1 415")
                .contains("unsupported-media-type");
    }

    @Test
    void declaredLengthOverLimitIsRejectedWithoutReading() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 4194305\r\n\r\n");
            assertThat(client.response())
                    .startsWith("HTTP/1.1 413")
                    .containsIgnoringCase("connection: close")
                    .contains("4,194,304 bytes");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void chunkedBodyOverLimitIsRejected() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Transfer-Encoding: chunked\r\n\r\n");
            for (int i = 0; i < 5; i++) {
                client.send("100000\r\n" + "x".repeat(1 << 20) + "\r\n");
            }
            assertThat(client.response()).startsWith("HTTP/1.1 413");
            assertThat(client.isClosed()).isTrue();
        }
        assertNothingBuffered();
    }

    @Tag("integration")
    @Test
    void slowBodyTimesOut() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /short-timeout HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 10\r\n\r\n12");
            assertThat(client.response()).startsWith("HTTP/1.1 408").contains("request-timeout");
            assertThat(client.isClosed()).isTrue();
        }
        assertNothingBuffered();
    }

    @Test
    void disconnectReleasesMemory() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 100000\r\n\r\n");
            client.send("x".repeat(50_000));
            await(() -> bodies.bufferedBytes() == 50_000);
        }
        assertNothingBuffered();
    }

    @Test
    void disconnectBeforeReadReleasesMemory() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /after-disconnect HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 2000\r\n\r\n");
            client.send("x".repeat(1_000));
        }
        await(() -> readAttempts.get() == 1);
        assertThat(bodies.bufferedBytes()).isZero();
        assertThat(readAfterDisconnect).hasValue(0);
    }

    @Test
    void totalMemoryOfBodiesIsLimited() throws IOException {
        List<Client> clients = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            Client client = new Client();
            clients.add(client);
            client.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 4194304\r\n\r\n");
            client.send("x".repeat(MAX_BYTES - 1));
        }
        await(() -> bodies.bufferedBytes() == 5L * (MAX_BYTES - 1));

        try (Client one = new Client();
                Client tooMany = new Client()) {
            one.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 4000000\r\n\r\n");
            one.send("x".repeat(3_999_999));
            await(() -> bodies.bufferedBytes() == 5L * (MAX_BYTES - 1) + 3_999_999);
            tooMany.send("POST /length HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 4000000\r\n\r\n");
            tooMany.send("x".repeat(1_000_000));
            assertThat(tooMany.response()).startsWith("HTTP/1.1 503").containsIgnoringCase("retry-after");
        }
        for (Client client : clients) {
            client.send("x");
            assertThat(client.response()).endsWith("length " + MAX_BYTES);
            client.close();
        }
        assertNothingBuffered();
    }

    @Test
    void expectContinueGets100() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /length HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    + JSON
                    + "Content-Length: 2\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 100");
            client.send("{}");
            assertThat(client.response()).endsWith("length 2");
        }
    }

    @Test
    void rejectionIsSentBeforeBodyIsRead() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /unauthorized HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
                    + JSON
                    + "Content-Length: 4000000\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 401").containsIgnoringCase("connection: close");
            assertThat(client.isClosed()).isTrue();
        }
    }

    @Test
    void smallUnreadBodyKeepsConnectionOpen() throws IOException {
        try (Client client = new Client()) {
            for (int i = 0; i < 3; i++) {
                client.send("POST /unauthorized HTTP/1.1\r\nHost: a\r\n" + JSON + "Content-Length: 2\r\n\r\n{}");
                assertThat(client.response())
                        .startsWith("HTTP/1.1 401")
                        .doesNotContainIgnoringCase("connection: close");
            }
        }
    }

    @Test
    void endlessUnreadBodyClosesConnection() throws IOException {
        try (Client client = new Client()) {
            client.send("POST /unauthorized HTTP/1.1\r\nHost: a\r\n" + JSON);
            client.send("Transfer-Encoding: chunked\r\n\r\n");
            assertThat(client.response()).startsWith("HTTP/1.1 401");
            assertThat(client.sendUntilClosed()).isTrue();
        }
    }

    @Test
    void http2BodyIsRead() {
        assertThat(overHttp2("/length", Buffer.buffer("x".repeat(1_000_000)))).isEqualTo("200 length 1000000");
        assertThat(overHttp2("/length", Buffer.buffer())).isEqualTo("200 length 0");
        assertThat(overHttp2("/length", Buffer.buffer("x".repeat(MAX_BYTES + 1))))
                .startsWith("413 ");
        assertThat(overHttp2("/unauthorized", Buffer.buffer("{}"))).startsWith("401 ");
        assertThat(overHttp2("/unauthorized", Buffer.buffer("x".repeat(1_000_000))))
                .startsWith("401 ");
        assertNothingBuffered();
    }

    private String overHttp2(String path, Buffer body) {
        HttpClientAgent client = vertx.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
        RequestOptions options = new RequestOptions()
                .setMethod(HttpMethod.POST)
                .setHost("127.0.0.1")
                .setPort(server.actualPort())
                .setURI(path)
                .putHeader("Content-Type", "application/json");
        return Await.value(client.request(options)
                .compose(request -> request.send(body).compose(response -> response.body()
                        .map(text -> response.statusCode() + " " + text.toString())))
                .eventually(client::close));
    }

    private String exchange(String path, String headers, String body) throws IOException {
        try (Client client = new Client()) {
            client.send("POST "
                    + path
                    + " HTTP/1.1\r\nHost: a\r\n"
                    + headers
                    + "Content-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body);
            return client.response();
        }
    }

    private void assertNothingBuffered() {
        await(() -> bodies.bufferedBytes() == 0);
    }

    private interface Condition {
        boolean holds();
    }

    private static void await(Condition condition) {
        long end = System.nanoTime() + TIMEOUT_MS * 1_000_000L;
        while (!condition.holds()) {
            assertThat(System.nanoTime()).as("condition within the timeout").isLessThan(end);
            Thread.onSpinWait();
        }
    }

    /** A raw HTTP/1.1 client. */
    private final class Client implements AutoCloseable {
        private final Socket socket;
        private final InputStream in;

        Client() throws IOException {
            socket = new Socket(InetAddress.getLoopbackAddress(), server.actualPort());
            socket.setSoTimeout(TIMEOUT_MS);
            in = socket.getInputStream();
        }

        void send(String text) throws IOException {
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
        }

        /** Reads one complete response. */
        String response() throws IOException {
            StringBuilder text = new StringBuilder();
            while (text.indexOf("\r\n\r\n") < 0) {
                int next = in.read();
                assertThat(next).as("incomplete response: " + text).isNotNegative();
                text.append((char) next);
            }
            int length = 0;
            for (String line : text.toString().split("\r\n")) {
                if (line.toLowerCase(java.util.Locale.ROOT).startsWith("content-length:")) {
                    length = Integer.parseInt(line.substring(15).strip());
                }
            }
            return text.append(new String(in.readNBytes(length), StandardCharsets.UTF_8))
                    .toString();
        }

        boolean isClosed() throws IOException {
            return in.read() < 0;
        }

        boolean sendUntilClosed() throws IOException {
            long end = System.nanoTime() + TIMEOUT_MS * 1_000_000L;
            try {
                while (System.nanoTime() < end) {
                    send("1000\r\n" + "x".repeat(4096) + "\r\n");
                }
                return false;
            } catch (SocketTimeoutException e) {
                return false;
            } catch (IOException e) {
                return true;
            }
        }

        @Override
        public void close() throws IOException {
            socket.close();
        }
    }
}
