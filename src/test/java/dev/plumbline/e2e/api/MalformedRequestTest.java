package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A malformed request gets a response or a closed connection, no 5xx except 503, and never a stack trace. A complete
 * request gets a problem document; other input can get a 4xx response without a body.
 */
@Tag("integration")
class MalformedRequestTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int RANDOM_REQUESTS = 400;
    private static final String HOST = "\r\nHost: localhost\r\nConnection: close\r\n\r\n";
    private static ServiceUnderTest service;

    @BeforeAll
    static void start() {
        // all targets are denied, so that a mutation cannot contact one
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "TARGETS_ALLOW", "",
                        "DNS_SERVERS", "127.0.0.1:1",
                        "HTTP_HEADER_TIMEOUT", "1s",
                        "HTTP_MAX_CONCURRENT_REQUESTS", "40",
                        "HTTP_MAX_CONNECTIONS", "60"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    static Stream<String> malformedRequests() {
        String instant = "/api/v1/instant/http-status/";
        return Stream.of(
                "\u0001\u0002 not HTTP\r\n\r\n",
                "hello\r\n\r\n",
                "GET\r\n\r\n",
                "GET /\r\n\r\n",
                "GET / HTTP/1.2" + HOST,
                "GET / HTTP/2.0" + HOST,
                "GET / HTTP/0.9" + HOST,
                "GET / XTTP/1.1" + HOST,
                "GET / HTTP/1.1\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: a b\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nHost: ]\r\nConnection: close\r\n\r\n",
                "GET / HTTP/1.1\r\nNo colon\r\n\r\n",
                "GET / HTTP/1.1\r\n: empty\r\n\r\n",
                "GET / HTTP/1.1\r\nA\u0000B: c\r\nHost: x\r\nConnection: close\r\n\r\n",
                "GET * HTTP/1.1" + HOST,
                "OPTIONS * HTTP/1.1" + HOST,
                "GET http://elsewhere.example/api/v1/tools HTTP/1.1" + HOST,
                "CONNECT example.com:443 HTTP/1.1" + HOST,
                "TRACE /api/v1/tools HTTP/1.1" + HOST,
                "BREW /api/v1/tools HTTP/1.1" + HOST,
                "POST " + instant + "x HTTP/1.1\r\nHost: a\r\nContent-Length: -1\r\nConnection: close\r\n\r\n",
                "POST "
                        + instant
                        + "x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nContent-Length: 6"
                        + "\r\nConnection: close\r\n\r\nhello",
                "POST /api/v1/tools HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nConnection: close"
                        + "\r\n\r\nzz\r\nhello",
                "GET " + instant + "% HTTP/1.1" + HOST,
                "GET " + instant + "%zz HTTP/1.1" + HOST,
                "GET " + instant + "%ff HTTP/1.1" + HOST,
                "GET " + instant + "%00 HTTP/1.1" + HOST,
                "GET " + instant + "%0d%0aX:%20y HTTP/1.1" + HOST,
                "GET " + instant + "\u00ff\u00fe HTTP/1.1" + HOST,
                "GET " + instant + ".. HTTP/1.1" + HOST,
                "GET " + instant + "%2e%2e HTTP/1.1" + HOST,
                "GET " + instant + "../../.. HTTP/1.1" + HOST,
                "GET " + instant + "..%2f..%2f HTTP/1.1" + HOST,
                "GET " + instant + "a?% HTTP/1.1" + HOST,
                "GET " + instant + "a?%zz=%zz HTTP/1.1" + HOST,
                "GET " + instant + "a?=&=&& HTTP/1.1" + HOST,
                "GET " + instant + "a?options=%7B%7D HTTP/1.1" + HOST,
                "GET " + instant + "x".repeat(3000) + " HTTP/1.1" + HOST,
                "GET " + instant + "x".repeat(40_000) + " HTTP/1.1" + HOST,
                "GET /api/v1/instant/" + "m".repeat(3000) + "/x HTTP/1.1" + HOST,
                "GET /api/v1/instant/%00/x HTTP/1.1" + HOST,
                "GET /api/v1/instant//x HTTP/1.1" + HOST,
                "GET /api/v1/instant/http-status HTTP/1.1" + HOST,
                "GET /api/v1/tools/%2e%2e%2f HTTP/1.1" + HOST,
                "GET /api/v1/tools/%c3 HTTP/1.1" + HOST,
                "GET /api/v1/tools?%c3 HTTP/1.1" + HOST,
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nX-Request-Id: %zz\r\nConnection: close\r\n\r\n",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nIf-None-Match: %\r\nConnection: close\r\n\r\n",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nAccept: ;;;,/\r\nConnection: close\r\n\r\n",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nAccept: text/html;q=x\r\nConnection: close\r\n\r\n",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nBig: " + "x".repeat(20_000) + "\r\n\r\n",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                        + "Sec-WebSocket-Key: x\r\nSec-WebSocket-Version: 13\r\n\r\n",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nExpect: 200-ok\r\nConnection: close\r\n\r\n",
                "GET //////// HTTP/1.1" + HOST,
                "GET /\\..\\.. HTTP/1.1" + HOST,
                "GET /%00 HTTP/1.1" + HOST,
                "GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nRange: bytes=0-\r\n\r\n");
    }

    /** Valid requests with a few bytes changed, always the same ones. */
    static Stream<String> mutatedRequests() {
        String[] seeds = {
            "GET /api/v1/instant/http-status/https%3A%2F%2Flocalhost%2Fa%3Fb?max_redirects=1 HTTP/1.1" + HOST,
            "GET /api/v1/instant/ssl-certificate/localhost:443 HTTP/1.1" + HOST,
            "GET /api/v1/tools/http-status HTTP/1.1\r\nAccept: application/json" + HOST,
        };
        return IntStream.range(0, RANDOM_REQUESTS).mapToObj(i -> {
            Random random = new Random(i);
            StringBuilder request = new StringBuilder(seeds[i % seeds.length]);
            for (int n = 1 + random.nextInt(4); n > 0; n--) {
                int at = random.nextInt(request.length() - 4);
                switch (random.nextInt(3)) {
                    case 0 -> request.setCharAt(at, (char) random.nextInt(256));
                    case 1 -> request.insert(at, (char) random.nextInt(256));
                    default -> request.deleteCharAt(at);
                }
            }
            return request.toString();
        });
    }

    @ParameterizedTest
    @MethodSource("malformedRequests")
    void malformedRequestGetsProblem(String request) throws IOException {
        assertValidResponse(request);
    }

    @ParameterizedTest
    @MethodSource("mutatedRequests")
    void mutatedRequestGetsResponse(String request) throws IOException {
        assertValidResponse(request);
    }

    @ParameterizedTest
    @ValueSource(strings = {"Host: ]\r\n", "Host: a b\r\n", ""})
    void aMalformedHostIsTheReason(String host) throws IOException {
        String answer = exchange("GET /api/v1/tools HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n");

        assertProblem(answer, 400);
        assertThat(problem(answer).getString("detail")).contains("Host");
    }

    @Test
    void slowHeaderTimesOut() throws IOException {
        for (String part : new String[] {"P", "PRI * HTTP/2", "GET /api/v1/tools HTTP/1.1\r\nHo"}) {
            try (Socket socket = connect()) {
                socket.getOutputStream().write(part.getBytes(StandardCharsets.US_ASCII));

                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 408 ");
            }
        }
    }

    @Test
    void slowHeaderOnKeepAliveConnectionTimesOut() throws IOException {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("GET /api/v1/tools HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.response().status()).isEqualTo(200);
            client.send("GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nX: ");

            assertThat(client.response().status()).isEqualTo(408);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void idleKeepAliveConnectionIsNotTimedOut() throws IOException {
        try (Socket socket = connect()) {
            for (int i = 0; i < 3; i++) {
                socket.getOutputStream()
                        .write(("GET /none" + i + " HTTP/1.1\r\nHost: a\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
                byte[] head = socket.getInputStream().readNBytes("HTTP/1.1 404".length());
                assertThat(new String(head, StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 404");
                socket.getInputStream().readNBytes(socket.getInputStream().available());
            }
        }
    }

    @Test
    void connectionOverLimitGets503() throws IOException {
        List<Socket> crowd = new ArrayList<>();
        try {
            for (int i = 0; i < 60; i++) {
                Socket socket = connect();
                crowd.add(socket);
                // without a response, the server can have received no byte yet and replaces the connection
                socket.getOutputStream()
                        .write("GET /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                assertThat(socket.getInputStream().read()).isEqualTo('H');
            }
            assertThat(exchange("GET /api/v1/tools HTTP/1.1" + HOST))
                    .startsWith("HTTP/1.1 503 ")
                    .containsIgnoringCase("retry-after: 1");
        } finally {
            for (Socket socket : crowd) {
                socket.close();
            }
            // otherwise, the next test can be rejected
            Await.until(MalformedRequestTest::isAccepted);
        }
    }

    private static boolean isAccepted() {
        try {
            return exchange("GET /api/v1/tools HTTP/1.1" + HOST).startsWith("HTTP/1.1 200 ");
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Test
    void manyUnknownOptionsAreNotEchoed() throws IOException {
        StringBuilder options = new StringBuilder("?");
        for (int i = 0; i < 1_500; i++) {
            options.append("option").append(i).append("=x&");
        }
        String many = exchange("GET /api/v1/instant/http-status/example.com" + options + " HTTP/1.1" + HOST);
        String large =
                exchange("GET /api/v1/instant/http-status/example.com?" + "n".repeat(30_000) + "=x HTTP/1.1" + HOST);

        assertProblem(many, 422);
        assertThat(problem(many).getJsonArray("errors")).hasSize(100);
        assertProblem(large, 422);
        assertThat(large.length()).isLessThan(3_000);
    }

    @ParameterizedTest
    @CsvSource({
        "http-status/%ff, not valid UTF-8",
        "http-status/a%C3, not valid UTF-8",
        "http-status/a%, hexadecimal",
        "http-status/%zz, hexadecimal"
    })
    void undecodablePathGetsHelpfulProblem(String path, String words) throws IOException {
        String answer = exchange("GET /api/v1/instant/" + path + " HTTP/1.1" + HOST);

        assertProblem(answer, 400);
        assertThat(problem(answer).getString("detail")).contains(words);
    }

    @Test
    void headThatIsNotDecodedGetsAProblem() throws IOException {
        String line = exchange("GET /api/v1/tools?x=" + "x".repeat(33_000) + " HTTP/1.1" + HOST);
        String header = exchange("GET /api/v1/tools HTTP/1.1\r\nCookie: a=" + "x".repeat(20_000) + HOST);
        String malformed = exchange("GET /api/v1/tools HTTP/1.1\r\nno colon" + HOST);

        assertProblem(line, 414);
        assertThat(problem(line).getString("code")).isEqualTo("uri-too-long");
        assertProblem(header, 431);
        assertThat(problem(header).getString("code")).isEqualTo("header-too-large");
        assertProblem(malformed, 400);
        assertThat(problem(malformed).getString("detail")).contains("Send exactly one Host header");
        assertThat(problem(malformed).getString("instance")).isEqualTo("/api/v1/tools");
        // the path is unknown if the request line is not decoded
        assertThat(problem(line).getString("instance")).isEqualTo("/");
        for (String answer : List.of(line, header, malformed)) {
            assertThat(answer.toLowerCase(Locale.ROOT))
                    .contains("cache-control: no-store", "x-content-type-options: nosniff", "x-request-id: ")
                    .contains("connection: close");
        }
    }

    /** Each of these requests once leaked an active request; the limit is 40. */
    @Test
    void requestRejectedBeforeRoutingIsNotCountedAsActive() throws IOException {
        for (int i = 0; i < 50; i++) {
            assertThat(exchange("GET / HTTP/1.1\r\nConnection: close\r\n\r\n")).startsWith("HTTP/1.1 400");
            assertThat(exchange("OPTIONS * HTTP/1.1" + HOST)).startsWith("HTTP/1.1 404");
        }
        assertThat(exchange("GET /api/v1/tools HTTP/1.1" + HOST)).startsWith("HTTP/1.1 200");
    }

    private static void assertValidResponse(String request) throws IOException {
        String answer = exchange(request);
        if (answer.isEmpty()) {
            // the body is incomplete; the connection is closed
            assertThat(request).contains("Transfer-Encoding: chunked");
            return;
        }
        assertThat(answer).startsWith("HTTP/1.");
        int status = Integer.parseInt(answer.substring(9, 12));
        String body = answer.substring(answer.indexOf("\r\n\r\n") + 4);
        assertThat(status).isLessThan(504).isNotIn(500, 501, 502);
        assertThat(body).doesNotContain("\tat ", "Exception", "io.vertx", "dev.plumbline");
        if (status >= 400 && !body.isEmpty()) {
            assertProblem(answer, status);
        } else if (status >= 400) {
            assertThat(status).as(request).isIn(400, 408, 414, 431);
        } else if (status == 200) {
            assertThat(body).isNotEmpty();
        }
    }

    private static void assertProblem(String answer, int status) {
        assertThat(answer.toLowerCase(java.util.Locale.ROOT))
                .containsPattern("^http/1\\.[01] " + status + " ")
                .contains("content-type: application/problem+json");
        JsonObject problem = problem(answer);
        assertThat(problem.getInteger("status")).isEqualTo(status);
        assertThat(problem.getString("detail")).isNotBlank();
    }

    private static JsonObject problem(String answer) {
        return new JsonObject(answer.substring(answer.indexOf("\r\n\r\n") + 4));
    }

    private static Socket connect() throws IOException {
        Socket socket =
                new Socket(InetAddress.getLoopbackAddress(), service.uri("/").getPort());
        socket.setSoTimeout(20_000);
        return socket;
    }

    /** Returns one response; empty if the connection is closed without one. */
    private static String exchange(String request) throws IOException {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send(request);
            RawHttpClient.RawResponse answer = client.response();
            return answer == null ? "" : answer.head() + answer.body();
        }
    }
}
