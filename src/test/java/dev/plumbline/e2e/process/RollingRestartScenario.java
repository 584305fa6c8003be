package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.HaproxyServer;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.Vertx;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** All nodes of a cluster behind HAProxy are restarted, one after another, under constant load. */
@Tag("scenario")
class RollingRestartScenario {
    private static final int CLIENTS = 8;

    /** The number of requests, at least. */
    private static final int REQUESTS = 20_000;

    private static final int PAUSE_MS = 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    @RegisterExtension
    final ClusterProcesses cluster = new ClusterProcesses();

    @TempDir
    Path folder;

    private final Vertx vertx = Vertx.vertx();
    private final CountingTarget target = CountingTarget.atAddresses(vertx, "127.1.3");
    private final long seed = System.nanoTime();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong succeeded = new AtomicLong();
    private final Queue<String> lost = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    @Test
    void rollingRestartLosesNoRequest(TestReporter reporter) throws Exception {
        ExecutorService clients = Executors.newFixedThreadPool(CLIENTS);
        Map<String, String> roles =
                new TreeMap<>(Map.of("one", "http,run", "two", "http,run,coordinate", "three", "http,coordinate"));
        Set<String> nodes = roles.keySet();
        try (CrashableDatabase database = CrashableDatabase.start(folder.resolve("database"));
                cluster) {
            cluster.open(folder, database.url());
            // as the configuration of HAProxy requires
            cluster.set("HTTP_SHUTDOWN_DELAY", "7s").set("HTTP_TRUSTED_PROXIES", "127.0.0.1");
            List<HaproxyServer.Backend> backends = new ArrayList<>();
            for (String node : nodes) {
                cluster.add(node, roles.get(node));
                backends.add(new HaproxyServer.Backend(
                        cluster.port(node, "HTTP_PORT"), cluster.port(node, "MANAGEMENT_PORT")));
            }
            try (HaproxyServer proxy = HaproxyServer.start(folder, backends)) {
                cluster.start("one", "two", "three");
                JobLoadClient load = new JobLoadClient(target, seed, new JsonObject().put("method", "get"));
                String key = database.accounts().key().secret();
                String address = "http://127.0.0.1:" + proxy.port();
                Await.until(() -> status(proxy.port(), "/api/v1/tools") == 200);
                List<Future<?>> running = new ArrayList<>();
                for (int i = 0; i < CLIENTS; i++) {
                    running.add(clients.submit(() -> request(proxy.port())));
                }
                for (String node : nodes) {
                    awaitMore(500);
                    for (int i = 0; i < 3; i++) {
                        assertThat(load.send(address, load.newJob(key, 200))).isNotNull();
                    }
                    cluster.stop(node);
                    cluster.start(node);
                    awaitMore(500);
                }
                awaitMore(REQUESTS - succeeded.get());
                stopped = true;
                for (Future<?> client : running) {
                    client.get(60, TimeUnit.SECONDS);
                }
                reporter.publishEntry(Map.of("requests", "" + succeeded, "lost", "" + lost.size()));
                assertThat(lost).isEmpty();
                load.assertAllJobsCompleted(address, TIMEOUT);
                load.assertNoDuplicates(address);
                database.assertAllJobsFinal();
            }
        } finally {
            stopped = true;
            clients.shutdownNow();
            Await.value(vertx.close());
        }
    }

    private void awaitMore(long requests) {
        long enough = succeeded.get() + requests;
        Await.until(() -> succeeded.get() >= enough || !lost.isEmpty());
    }

    private static int status(int port, String path) {
        try (RawHttpClient client = RawHttpClient.connect(port)) {
            RawHttpClient.RawResponse response = exchange(client, path);
            return response == null ? 0 : response.status();
        } catch (IOException failed) {
            return 0;
        }
    }

    private static RawHttpClient.@Nullable RawResponse exchange(RawHttpClient client, String path) throws IOException {
        client.send("GET " + path + " HTTP/1.1\r\nHost: a\r\n\r\n");
        return client.response();
    }

    /** Sends requests on kept-alive connections until the end of the test. */
    private void request(int port) {
        while (!stopped) {
            try (RawHttpClient client = RawHttpClient.connect(port)) {
                for (boolean open = true; open && !stopped; ) {
                    String path = nextPath();
                    RawHttpClient.RawResponse response = exchange(client, path);
                    if (response == null) {
                        lost.add(path + " no response");
                    } else if (response.status() == 200) {
                        succeeded.incrementAndGet();
                    } else {
                        lost.add(path + " " + response.head() + response.body());
                    }
                    open = response != null && !response.closes();
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
                }
            } catch (IOException broken) {
                lost.add(broken.toString());
            }
        }
    }

    /** Mostly results that may be cached; every tenth is a new check, and some of those take longer. */
    private String nextPath() {
        int number = next.incrementAndGet();
        int page = number % 10 == 0 ? number : number % 100;
        return ServiceUnderTest.instantPath(
                "http-status", target.url((number % 30 == 0 ? "/slow/" : "/ok/") + seed + "/" + page));
    }
}
