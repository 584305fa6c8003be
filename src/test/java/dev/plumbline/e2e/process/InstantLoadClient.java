package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.TestReporter;

/**
 * Continuous instant checks of a {@link CountingTarget} through several nodes. Each response is either correct or a
 * 503; everything else is recorded as wrong, except missing responses of nodes that a test breaks.
 */
final class InstantLoadClient implements AutoCloseable {
    private static final int CLIENTS = 4;

    /** Some requests are in progress at each moment, without using the CPU that the nodes of the test need. */
    private static final int PAUSE_MS = 100;

    /** Longer than a check and its deadline. */
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
    private final CountingTarget target;
    private final String prefix;
    private final List<String> addresses = new CopyOnWriteArrayList<>();
    private final AtomicInteger next = new AtomicInteger();
    private final AtomicLong correct = new AtomicLong();
    private final AtomicLong unavailable = new AtomicLong();
    private final AtomicLong withoutResponse = new AtomicLong();
    private final AtomicLong correctInSequence = new AtomicLong();
    private final Queue<String> wrong = new ConcurrentLinkedQueue<>();
    private volatile boolean stopped;

    private InstantLoadClient(CountingTarget target, String prefix, List<String> addresses) {
        this.target = target;
        this.prefix = prefix;
        this.addresses.addAll(addresses);
    }

    /**
     * Starts the load.
     *
     * @param prefix distinguishes the paths of this client from those of others
     * @param addresses the base URLs of the nodes
     */
    static InstantLoadClient start(CountingTarget target, String prefix, String... addresses) {
        InstantLoadClient load = new InstantLoadClient(target, prefix, List.of(addresses));
        for (int i = 0; i < CLIENTS; i++) {
            load.threads.execute(load::run);
        }
        return load;
    }

    /** Sends no more requests to a node. */
    void removeNode(String address) {
        addresses.remove(address);
    }

    void addNode(String address) {
        addresses.add(address);
    }

    private void run() {
        while (!stopped) {
            int number = next.incrementAndGet();
            check(addresses.get(number % addresses.size()), number);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MS));
        }
    }

    private void check(String address, int number) {
        boolean missing = number % 5 == 0;
        String url = target.url((missing ? "/missing/" : number % 7 == 0 ? "/slow/" : "/ok/") + prefix + "/" + number);
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(address + ServiceUnderTest.instantPath("http-status", url)))
                            .timeout(TIMEOUT)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 503) {
                unavailable.incrementAndGet();
                correctInSequence.set(0);
            } else if (isCorrect(response, missing ? 404 : 200)) {
                correct.incrementAndGet();
                correctInSequence.incrementAndGet();
            } else {
                wrong.add(address + " " + url + " " + response.statusCode() + " " + response.body());
            }
        } catch (IOException failed) {
            correctInSequence.set(0);
            if (addresses.contains(address)) {
                wrong.add(address + " " + url + " " + failed);
            } else {
                withoutResponse.incrementAndGet();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static boolean isCorrect(HttpResponse<String> response, int expected) {
        if (response.statusCode() != 200) {
            return false;
        }
        JsonObject body = new JsonObject(response.body());
        return body.getValue("error") == null
                && body.getJsonObject("fields").getInteger("status", 0) == expected
                && (expected == 404) == body.getString("verdict").equals("fail");
    }

    /** The number of 200 responses with the right verdict. */
    long correct() {
        return correct.get();
    }

    /** Waits until many responses in sequence are correct. */
    void awaitRecovery(Duration within) {
        long end = System.nanoTime() + within.toNanos();
        correctInSequence.set(0);
        while (correctInSequence.get() < 100) {
            assertThat(System.nanoTime())
                    .as("recovers within %s: %s", within, this)
                    .isLessThan(end);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
    }

    /** Ends the load, reports its counters and verifies that no response was wrong. */
    void stopAndVerify(TestReporter reporter) throws InterruptedException {
        close();
        reporter.publishEntry("instant checks", toString());
        assertThat(wrong).as(toString()).isEmpty();
        assertThat(correct.get()).isPositive();
    }

    @Override
    public void close() throws InterruptedException {
        stopped = true;
        threads.shutdown();
        assertThat(threads.awaitTermination(TIMEOUT.toSeconds() + 10, TimeUnit.SECONDS))
                .isTrue();
    }

    @Override
    public String toString() {
        return "correct=" + correct + " unavailable=" + unavailable + " withoutResponse=" + withoutResponse + " wrong="
                + wrong.stream().limit(3).toList();
    }
}
