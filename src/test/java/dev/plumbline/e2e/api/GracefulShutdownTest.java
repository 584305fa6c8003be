package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.GoAway;
import io.vertx.core.http.HttpClient;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Graceful shutdown during a request, from the client's side. */
@Tag("integration")
class GracefulShutdownTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private final Vertx vertx = Vertx.vertx();
    private HttpLab lab;
    private ServiceUnderTest service;
    private CompletableFuture<Void> stopping;

    @BeforeEach
    void start() {
        lab = Await.value(HttpLab.start(vertx));
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_SHUTDOWN_TIMEOUT", "30s"));
    }

    @AfterEach
    void stop() throws Exception {
        if (stopping == null) {
            service.close();
        } else {
            stopping.get(20, TimeUnit.SECONDS);
        }
        Await.value(vertx.close());
    }

    @Test
    void http1ResponseClosesConnectionDuringDrain() throws Exception {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort());
                RawHttpClient idle = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("GET " + slow() + " HTTP/1.1\r\nHost: a\r\n\r\n");
            idle.send("GET /api/v1/tools HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(idle.response().closes()).isFalse();
            awaitInProgress();

            stopping = CompletableFuture.runAsync(service::close);

            RawHttpClient.RawResponse answer = client.response();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.closes()).isTrue();
            assertThat(client.isEnded()).isTrue();
            assertThat(idle.isEnded()).isTrue();
        }
    }

    @Test
    void pipelinedRequestsAreCompletedDuringDrain() throws Exception {
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("GET " + slow() + " HTTP/1.1\r\nHost: a\r\n\r\nGET /api/v1/tools HTTP/1.1\r\nHost: a\r\n\r\n");
            awaitInProgress();

            stopping = CompletableFuture.runAsync(service::close);

            RawHttpClient.RawResponse first = client.response();
            assertThat(first.status()).isEqualTo(200);
            assertThat(first.closes()).isFalse();
            RawHttpClient.RawResponse second = client.response();
            assertThat(second.status()).isEqualTo(200);
            assertThat(second.closes()).isTrue();
            assertThat(client.isEnded()).isTrue();
        }
    }

    @Test
    void http2StreamsCompleteAfterGoAway() throws Exception {
        Promise<GoAway> goAway = Promise.promise();
        Promise<Void> closed = Promise.promise();
        HttpClient client = vertx.httpClientBuilder()
                .with(new HttpClientOptions()
                        .setProtocolVersion(HttpVersion.HTTP_2)
                        .setHttp2ClearTextUpgrade(false))
                .withConnectHandler(connection -> {
                    connection.goAwayHandler(goAway::tryComplete);
                    connection.closeHandler(closed::tryComplete);
                })
                .build();
        Future<Integer> underWay = client.request(
                        HttpMethod.GET, service.uri("/").getPort(), "127.0.0.1", slow())
                .compose(request ->
                        request.send().compose(response -> response.body().map(body -> response.statusCode())));
        awaitInProgress();

        stopping = CompletableFuture.runAsync(service::close);

        assertThat(Await.value(goAway.future()).getErrorCode()).isZero();
        assertThat(Await.value(underWay)).isEqualTo(200);
        Await.value(closed.future());
    }

    private String slow() {
        return ServiceUnderTest.instantPath("http-status", lab.http("/slow"));
    }

    private void awaitInProgress() {
        while (lab.requestsFor("/slow").isEmpty()) {
            Thread.onSpinWait();
        }
    }
}
