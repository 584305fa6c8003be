package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Request framing and unread bodies (RFC 9112, 6 and 7). */
@Tag("integration")
class RequestFramingTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Vertx VERTX = Vertx.vertx();
    private static final int MAX_BODY_BYTES = 8 << 20;
    private static final String TOOLS = "/api/v1/tools HTTP/1.1\r\nHost: a\r\n";
    private static final AtomicInteger TARGETS = new AtomicInteger();

    private static HttpLab lab;
    private static ServiceUnderTest service;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(VERTX));
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_BODY_TIMEOUT", "1s", "LIMITS_FRESH_PER_HOUR", "1000"));
    }

    @AfterAll
    static void stop() {
        service.close();
        Await.value(VERTX.close());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: a\r\nHost: a\r\n",
                "",
                "Host: a\r\nTransfer-Encoding: gzip\r\n",
                "Host: a\r\nTransfer-Encoding: gzip, chunked\r\n",
                "Host: a\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "Host: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                "Host: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "Host: a\r\nContent-Length: 5\r\nContent-Length: 6\r\n",
                "Host: a\r\nContent-Length: +5\r\n",
            })
    void ambiguousHeadIsRejectedAndConnectionClosed(String fields) throws IOException {
        try (RawHttpClient client = connect()) {
            client.send("GET /api/v1/tools HTTP/1.1\r\n" + fields + "\r\n");

            assertThat(client.response().status()).isEqualTo(400);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void requestAfterAmbiguousOneIsNotServed() throws IOException {
        try (RawHttpClient client = connect()) {
            client.send("POST "
                    + TOOLS
                    + "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET "
                    + TOOLS
                    + "\r\n");

            assertThat(client.response().status()).isEqualTo(400);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void transferEncodingInHttp10IsRejected() throws IOException {
        try (RawHttpClient client = connect()) {
            client.send("GET /api/v1/tools HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");

            assertThat(client.response().status()).isEqualTo(400);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\nhello", "5\r\nhelloworld\r\n", "-1\r\n"})
    void malformedChunksAreRejectedAndNotCharged(String chunks) throws IOException {
        int before = remaining();
        String target = target();
        try (RawHttpClient client = connect()) {
            client.send("GET " + check(target) + "Transfer-Encoding: chunked\r\n\r\n" + chunks);

            assertProblem(client.response(), 400);
            assertThat(client.isEnded()).isTrue();
        }
        assertThat(remaining()).isEqualTo(before - 1);
    }

    @Test
    void chunkedBodyOfGetIsIgnored() throws IOException {
        try (RawHttpClient client = connect()) {
            for (int i = 0; i < 3; i++) {
                client.send("GET " + check(target()) + "Transfer-Encoding: chunked\r\n\r\n");
                client.send("5\r\nhello\r\n0\r\n\r\n");

                assertThat(client.response().status()).isEqualTo(200);
            }
        }
    }

    @Test
    void getWithBodyKeepsConnectionUsable() throws IOException {
        try (RawHttpClient client = connect()) {
            client.send("GET " + TOOLS + "Content-Length: 5\r\n\r\nhe");
            client.send("lloGET " + TOOLS + "\r\n");

            assertThat(client.response().status()).isEqualTo(200);
            assertThat(client.response().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "POST", "DELETE", "BREW"})
    void declaredLengthOverLimitIsRejectedImmediately(String method) throws IOException {
        try (RawHttpClient client = connect()) {
            client.send(method + " " + TOOLS + "Content-Length: " + (MAX_BODY_BYTES + 1) + "\r\n\r\n");

            if (method.equals("HEAD")) {
                assertThat(client.headOnly().status()).isEqualTo(413);
            } else {
                RawHttpClient.RawResponse answer = client.response();
                assertProblem(answer, 413);
                assertThat(new JsonObject(answer.body()).getString("instance")).isEqualTo("/api/v1/tools");
            }
            assertThat(client.isEnded()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE"})
    void chunkedUnreadBodyOverLimitIsRejected(String method) throws IOException {
        try (RawHttpClient client = connect()) {
            client.send(method + " " + TOOLS + "Transfer-Encoding: chunked\r\n\r\n");
            String piece = "10000\r\n" + "x".repeat(1 << 16) + "\r\n";
            for (int i = 0; i <= MAX_BODY_BYTES >> 16; i++) {
                client.send(piece);
            }

            assertProblem(client.response(), 413);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource({"GET, Transfer-Encoding: chunked", "DELETE, Transfer-Encoding: chunked", "GET, Content-Length: 50"})
    void slowBodyTimesOut(String method, String framing) throws IOException {
        try (RawHttpClient client = connect()) {
            client.send(method + " " + TOOLS + framing + "\r\n\r\n5\r\nhel");

            assertProblem(client.response(), 408);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void rejectionFollowsEarlierPipelinedResponses() throws IOException {
        try (RawHttpClient client = connect()) {
            client.send("GET " + check(target()) + "\r\nGET /api/v1/tools HTTP/1.1\r\n\r\nGET / HTTP");

            assertThat(client.response().status()).isEqualTo(200);
            assertThat(client.response().status()).isEqualTo(400);
            assertThat(client.isEnded()).isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /api/v1/tools HT",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nX: y",
                "GET /api/v1/tools HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
            })
    void halfClosedConnectionInsideRequestIsClosed(String part) throws IOException {
        try (RawHttpClient client = connect()) {
            client.send(part);
            client.finish();

            RawHttpClient.RawResponse answer = client.response();
            if (answer != null) {
                assertThat(answer.status()).isEqualTo(400);
                assertThat(client.isEnded()).isTrue();
            }
        }
    }

    @Test
    void emptyConnectionIsClosed() throws IOException {
        try (RawHttpClient client = connect()) {
            client.finish();

            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void h2cUpgradeIsIgnored() throws IOException {
        try (RawHttpClient client = connect()) {
            for (String settings : new String[] {"AAMAAABkAAQAAP__", "%%%", "A"}) {
                client.send("GET "
                        + TOOLS
                        + "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: "
                        + settings
                        + "\r\n\r\n");

                assertThat(client.response().status()).isEqualTo(200);
            }
        }
    }

    private static int remaining() throws IOException {
        try (RawHttpClient client = connect()) {
            client.send("GET " + check(target()) + "\r\n");
            String head = client.response().head();
            String remaining =
                    head.substring(head.toLowerCase(java.util.Locale.ROOT).indexOf(";r=") + 3);
            return Integer.parseInt(remaining.substring(0, remaining.indexOf(';')));
        }
    }

    private static String target() {
        return lab.http("/ok?" + TARGETS.incrementAndGet());
    }

    private static String check(String target) {
        return ServiceUnderTest.instantPath("http-status", target) + " HTTP/1.1\r\nHost: a\r\n";
    }

    private static RawHttpClient connect() throws IOException {
        return RawHttpClient.connect(service.uri("/").getPort());
    }

    private static void assertProblem(RawHttpClient.RawResponse answer, int status) {
        assertThat(answer).as("a response").isNotNull();
        assertThat(answer.status()).as(answer.head()).isEqualTo(status);
        assertThat(answer.closes()).isTrue();
        JsonObject problem = new JsonObject(answer.body());
        assertThat(problem.getInteger("status")).isEqualTo(status);
        assertThat(problem.getString("detail")).isNotBlank();
    }
}
