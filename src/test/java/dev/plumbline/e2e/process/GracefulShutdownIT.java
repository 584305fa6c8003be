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
import java.util.Collection;
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
    private static final int CLIENTS_PER_MODE = 30;
    private static final int MIN_RESPONSES = 600;
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
    private final Queue<String> checked = new ConcurrentLinkedQueue<>();
    private final Queue<String> dropped = new ConcurrentLinkedQueue<>();
    private final Queue<String> reset = new ConcurrentLinkedQueue<>();
    private final CountDownLatch pendingResponses = new CountDownLatch(MIN_RESPONSES);

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
        ExecutorService executor = Executors.newFixedThreadPool(2 * CLIENTS_PER_MODE);
        try {
            try (ServiceProcess service = ServiceProcess.start(folder, SETTINGS)) {
                List<Future<?>> clients = new ArrayList<>();
                for (int i = 0; i < CLIENTS_PER_MODE; i++) {
                    clients.add(executor.submit(() -> requestUntilConnectionRefused(service.port(), true)));
                    clients.add(executor.submit(() -> requestUntilConnectionRefused(service.port(), false)));
                }
                assertThat(pendingResponses.await(60, TimeUnit.SECONDS))
                        .as("responses before the shutdown")
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
                assertThat(checked).hasSizeGreaterThanOrEqualTo(MIN_RESPONSES);
                assertThat(notCached(executor, service, checked)).isEmpty();
                // the kernel resets connections that the service has not accepted when it closes the listening socket
                assertThat(notCached(executor, service, reset))
                        .as("no request on a connection that was reset was processed")
                        .containsExactlyInAnyOrderElementsOf(reset);
            }
        } finally {
            executor.shutdownNow();
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
                    boolean open = true;
                    while (open) {
                        open = sendRequest(client, keptAlive, first);
                        first = false;
                    }
                }
            }
        } catch (java.net.ConnectException refused) {
            // expected
        } catch (java.io.IOException broken) {
            dropped.add("could neither connect nor was refused: " + broken);
        }
    }

    private boolean sendRequest(RawHttpClient client, boolean keptAlive, boolean first) {
        String target = lab.http("/ok?" + targets.incrementAndGet());
        RawHttpClient.RawResponse response;
        try {
            client.send("GET "
                    + ServiceUnderTest.instantPath("http-status", target)
                    + " HTTP/1.1\r\nHost: a\r\n"
                    + (keptAlive ? "\r\n" : "Connection: close\r\n\r\n"));
            response = client.response();
        } catch (java.io.IOException broken) {
            if (first) {
                reset.add(target);
            } else {
                // not safe to retry: the client cannot know whether the request was processed
                dropped.add(broken.toString());
            }
            return false;
        }
        if (response == null) {
            if (first) {
                dropped.add("closed before the first response");
            }
            return false;
        }
        if (response.status() == 200) {
            checked.add(target);
            pendingResponses.countDown();
        } else if (response.status() != 503) {
            dropped.add("status " + response.status());
        }
        return keptAlive && !response.closes();
    }

    private static List<String> notCached(ExecutorService executor, ServiceProcess service, Collection<String> targets)
            throws Exception {
        List<Future<String>> responses = new ArrayList<>();
        for (String target : targets) {
            responses.add(executor.submit(() ->
                    new JsonObject(service.instant("http-status", target).body()).getBoolean("cached") ? "" : target));
        }
        List<String> missing = new ArrayList<>();
        for (Future<String> each : responses) {
            String target = each.get(30, TimeUnit.SECONDS);
            if (!target.isEmpty()) {
                missing.add(target);
            }
        }
        return missing;
    }
}
