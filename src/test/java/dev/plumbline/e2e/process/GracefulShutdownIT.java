package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Graceful shutdown of the jar under load. */
@Tag("integration")
class GracefulShutdownIT {
    private static final int CLIENTS_OF_A_KIND = 30;
    private static final int ANSWERS_BEFORE_THE_END = 600;
    private static final Map<String, String> SETTINGS = Map.of(
            "LIMITS_FRESH_PER_HOUR", "0",
            // a loaded machine must not cause a database timeout
            "DATABASE_TIMEOUT", "5s",
            "TARGETS_PER_IP_PER_SECOND", "0",
            "TARGETS_PER_IP_CONCURRENT", "0");
    private static final Vertx VERTX = Vertx.vertx();

    @TempDir
    static Path folder;

    @TempDir
    Path delayedFolder;

    private static HttpLab lab;

    private final AtomicInteger targets = new AtomicInteger();
    private final Queue<String> answered = new ConcurrentLinkedQueue<>();
    private final Queue<String> dropped = new ConcurrentLinkedQueue<>();
    private final CountDownLatch inFullSwing = new CountDownLatch(ANSWERS_BEFORE_THE_END);

    @BeforeAll
    static void startLab() {
        lab = Await.value(HttpLab.start(VERTX));
    }

    @AfterAll
    static void stopLab() {
        Await.value(VERTX.close());
    }

    @Test
    void shutdownUnderLoadLosesNoRequestOrResult() throws Exception {
        ExecutorService crowd = Executors.newFixedThreadPool(2 * CLIENTS_OF_A_KIND);
        try {
            try (ServiceProcess service = ServiceProcess.start(folder, SETTINGS)) {
                List<Future<?>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS_OF_A_KIND; i++) {
                    clients.add(crowd.submit(() -> requestUntilConnectionRefused(service.port(), true)));
                    clients.add(crowd.submit(() -> requestUntilConnectionRefused(service.port(), false)));
                }
                assertThat(inFullSwing.await(60, TimeUnit.SECONDS))
                        .as("a response")
                        .isTrue();

                service.terminate();

                int status = service.awaitExit(40);
                for (Future<?> client : clients) {
                    client.get(30, TimeUnit.SECONDS);
                }
                assertThat(dropped).isEmpty();
                assertThat(status).isZero();
                assertThat(service.log())
                        .contains("stopped")
                        .doesNotContain("shutdown step failed", " WARN ", " ERROR ");
            }
            try (ServiceProcess service = ServiceProcess.start(folder, SETTINGS)) {
                assertThat(answered).hasSizeGreaterThanOrEqualTo(ANSWERS_BEFORE_THE_END);
                assertThat(notCached(crowd, service)).isEmpty();
            }
        } finally {
            crowd.shutdownNow();
        }
    }

    @Test
    void requestsAreAcceptedDuringTheShutdownDelay() throws Exception {
        Map<String, String> settings = new HashMap<>(SETTINGS);
        settings.put("HTTP_SHUTDOWN_DELAY", "5s");
        try (ServiceProcess service = ServiceProcess.start(delayedFolder, settings)) {
            assertThat(service.ready().statusCode()).isEqualTo(200);

            service.terminate();
            Await.until(() -> service.ready().statusCode() == 503);

            try (RawHttpClient client = RawHttpClient.connect(service.port())) {
                client.send("GET /api/v1/tools HTTP/1.1\r\nHost: a\r\n\r\n");
                RawHttpClient.RawResponse response = client.response();
                assertThat(response).isNotNull();
                assertThat(response.status()).isEqualTo(200);
                // the drain would close the connection
                assertThat(response.closes()).isFalse();
            }
            assertThat(service.awaitExit(40)).isZero();
        }
    }

    /** Sends requests until connections are refused. */
    private void requestUntilConnectionRefused(int port, boolean keptAlive) {
        try {
            while (true) {
                try (RawHttpClient client = RawHttpClient.connect(port)) {
                    boolean first = true;
                    boolean goOn = true;
                    while (goOn) {
                        goOn = ask(client, keptAlive, first);
                        first = false;
                    }
                }
            }
        } catch (java.net.ConnectException nobodyListens) {
            // expected
        } catch (java.io.IOException broken) {
            dropped.add("could neither connect nor was refused: " + broken);
        }
    }

    private boolean ask(RawHttpClient client, boolean keptAlive, boolean first) {
        String target = lab.http("/ok?" + targets.incrementAndGet());
        RawHttpClient.RawResponse answer;
        try {
            client.send("GET "
                    + ServiceUnderTest.instantPath("http-status", target)
                    + " HTTP/1.1\r\nHost: a\r\n"
                    + (keptAlive ? "\r\n" : "Connection: close\r\n\r\n"));
            answer = client.response();
        } catch (java.io.IOException broken) {
            // not safe to retry: the client cannot know whether the request was processed
            dropped.add((first ? "first " : "later ") + broken);
            return false;
        }
        if (answer == null) {
            if (first) {
                dropped.add("closed before the first answer");
            }
            return false;
        }
        if (answer.status() == 200) {
            answered.add(target);
            inFullSwing.countDown();
        } else if (answer.status() != 503) {
            dropped.add("status " + answer.status());
        }
        return keptAlive && !answer.closes();
    }

    private List<String> notCached(ExecutorService crowd, ServiceProcess service) throws Exception {
        List<Future<String>> asked = new ArrayList<>();
        for (String target : answered) {
            asked.add(crowd.submit(() ->
                    new JsonObject(service.instant("http-status", target).body()).getBoolean("cached") ? "" : target));
        }
        List<String> missing = new ArrayList<>();
        for (Future<String> each : asked) {
            String target = each.get(30, TimeUnit.SECONDS);
            if (!target.isEmpty()) {
                missing.add(target);
            }
        }
        return missing;
    }
}
