package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.DebianTool;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Broken, large and endless requests over HTTP/2, in clear text and with prior knowledge. */
@Tag("integration")
class MalformedHttp2RequestTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    /** One event loop, so that a response and its reader run on the same thread. */
    private static final Vertx VERTX = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));

    private static final String TOOLS = "/api/v1/tools";

    private static ServiceUnderTest service;
    private static HttpClient client;

    private record ReceivedResponse(int status, JsonObject body) {}

    @BeforeAll
    static void start() {
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("TARGETS_ALLOW", ""));
        client = VERTX.createHttpClient(
                new HttpClientOptions().setProtocolVersion(HttpVersion.HTTP_2).setHttp2ClearTextUpgrade(false));
    }

    @AfterAll
    static void stop() {
        service.close();
        Await.value(VERTX.close());
    }

    @Test
    void targetOverLimitGetsProblem() {
        String path = ServiceUnderTest.instantPath("http-status", "x".repeat(30_000));

        assertProblem(request(HttpMethod.GET, path, request -> request.send()), 422);
    }

    /** The HTTP/2 codec sends the response; no request is created. */
    @Test
    void headerListOverLimitIsRejected() throws Exception {
        assertThat(curl("--header", "X: " + "y".repeat(60_000))).containsPattern("(431|000) $");
        assertThat(curl()).contains("200 application/json");
    }

    @ParameterizedTest
    @ValueSource(strings = {"BREW", "TRACE", "get"})
    void unknownMethodGetsProblem(String method) {
        assertProblem(request(HttpMethod.valueOf(method), TOOLS, request -> request.send()), 405);
    }

    /** Client libraries cannot send an invalid method; curl can. */
    @Test
    void invalidMethodTokenIsRejected() throws Exception {
        assertThat(curl("--request", "B(D")).containsPattern("(400|000) $");
        assertThat(curl()).contains("200 application/json");
    }

    /** The body, then the status (000 without a response) and the media type. */
    private static String curl(String... options) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                DebianTool.require("curl").toString(),
                "--silent",
                "--max-time",
                "20",
                "--http2-prior-knowledge",
                "--write-out",
                "\n%{http_code} %{content_type}"));
        command.addAll(List.of(options));
        command.add(service.uri(TOOLS).toString());
        Process curl = new ProcessBuilder(command).start();
        String output = new String(curl.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(curl.waitFor()).as("28 is a timeout").isNotEqualTo(28);
        return output;
    }

    @Test
    void declaredLengthOverLimitGetsProblem() {
        ReceivedResponse response = request(HttpMethod.GET, TOOLS, request -> {
            request.putHeader("Content-Length", Integer.toString((8 << 20) + 1));
            request.write(Buffer.buffer("x"));
            return request.response();
        });

        assertProblem(response, 413);
        assertThat(response.body().getString("instance")).isEqualTo(TOOLS);
    }

    /**
     * The body is not read, so it need not end. Open streams would reach the limit of the connection, and its next
     * request would wait forever.
     */
    @ParameterizedTest
    @CsvSource({TOOLS + ",,200", TOOLS + ",8388609,413", "no-slash,,404"})
    void unfinishedBodyGetsResponseAndReset(String path, @Nullable String contentLength, int status) {
        Future<Void> closed = client.request(HttpMethod.GET, service.uri("/").getPort(), "127.0.0.1", path)
                .compose(request -> {
                    Future<Void> ended = Future.future(end -> request.exceptionHandler(reset -> end.tryComplete()));
                    if (contentLength != null) {
                        request.putHeader("Content-Length", contentLength);
                    }
                    request.setChunked(contentLength == null).write(Buffer.buffer("x"));
                    return request.response().compose(response -> {
                        assertThat(response.statusCode()).isEqualTo(status);
                        return ended;
                    });
                });

        Await.value(closed);
    }

    private static ReceivedResponse request(
            HttpMethod method,
            String path,
            java.util.function.Function<HttpClientRequest, Future<HttpClientResponse>> send) {
        // on the event loop, so that the handler is set before the body ends
        return Await.value(client.request(method, service.uri("/").getPort(), "127.0.0.1", path)
                .compose(request -> send.apply(request).compose(response -> response.body()
                        .map(body -> new ReceivedResponse(response.statusCode(), body.toJsonObject())))));
    }

    private static void assertProblem(ReceivedResponse response, int status) {
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.body().getInteger("status")).isEqualTo(status);
        assertThat(response.body().getString("detail")).isNotBlank();
    }
}
