package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigLoader;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.ops.HealthCheck;
import dev.plumbline.ops.HttpSelfProbe;
import dev.plumbline.support.Await;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Readiness during start and shutdown. */
@Tag("integration")
class ReadinessTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int UNREACHABLE = 0;

    private final HttpClient client = HttpClient.newHttpClient();
    private final int http = FreePorts.next();
    private final int management = FreePorts.next();

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "0.0.0.0"})
    void readyServiceRespondsToHttpRequests(String host) throws Exception {
        CompletableFuture<ServiceUnderTest> starting = CompletableFuture.supplyAsync(() -> start(host));
        List<Integer> before = new ArrayList<>();

        Await.until(() -> {
            before.add(readiness());
            return before.get(before.size() - 1) == 200;
        });
        int response = status("http://127.0.0.1:" + http + "/api/v1/tools");

        starting.get().close();
        assertThat(response).isEqualTo(200);
        assertThat(before).as("the readiness before").doesNotContain(500);
    }

    @Test
    void nodeWithoutHttpServerIsNotReady() throws Exception {
        Vertx vertx = DATABASE.vertx();
        Config config = ConfigLoader.load(null, Map.of("PLUMBLINE_HTTP_PORT", Integer.toString(http)));
        HealthCheck health = new HealthCheck().addHttp(new HttpSelfProbe(vertx, config.http()));

        HealthCheck.Report before = TestDatabase.await(health.check());
        HttpServer server = TestDatabase.await(vertx.createHttpServer()
                .requestHandler(request -> request.response().setStatusCode(404).end())
                .listen(http, "127.0.0.1"));
        HealthCheck.Report after = TestDatabase.await(health.check());
        TestDatabase.await(server.close());

        assertThat(before.ready()).isFalse();
        assertThat(before.components().getString("http")).isEqualTo("down");
        assertThat(after.ready()).isTrue();
        assertThat(after.components().getString("http")).isEqualTo("up");
    }

    @Test
    void drainingServiceIsNotReadyWhileItRespondsToHttpRequests() {
        ServiceUnderTest service = start("127.0.0.1");
        assertThat(readiness()).isEqualTo(200);

        CompletableFuture<Void> stopping = CompletableFuture.runAsync(service::close);
        Await.until(() -> readiness() != 200);
        int response = status("http://127.0.0.1:" + http + "/api/v1/tools");

        assertThat(response).isEqualTo(200);
        while (!stopping.isDone()) {
            assertThat(readiness()).isIn(503, UNREACHABLE);
        }
    }

    private ServiceUnderTest start(String host) {
        return ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "HTTP_HOST",
                        host,
                        "HTTP_PORT",
                        Integer.toString(http),
                        "HTTP_SHUTDOWN_TIMEOUT",
                        "5s",
                        "MANAGEMENT_PORT",
                        Integer.toString(management)));
    }

    private int readiness() {
        return status("http://127.0.0.1:" + management + "/health/ready");
    }

    private int status(String url) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(url)).build();
            return client.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
        } catch (IOException unreachable) {
            return UNREACHABLE;
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }
}
