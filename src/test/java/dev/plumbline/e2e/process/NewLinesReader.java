package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Reads the lines of a job as they finish, from all nodes in turn, until the job is final. A request without a response
 * is repeated at the next node with the same cursor. Returns the lines in the order in which it received them.
 */
final class NewLinesReader implements Callable<List<JsonObject>> {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(2))
            .build();
    private final List<String> nodes;
    private final String path;
    private final String key;
    private final Random random;

    /** @param nodes base URLs; some of them can stop to respond */
    NewLinesReader(List<String> nodes, String token, String key, long seed) {
        this.nodes = nodes;
        this.path = "/api/v1/jobs/" + token;
        this.key = key;
        this.random = new Random(seed);
    }

    @Override
    public List<JsonObject> call() {
        List<JsonObject> lines = new ArrayList<>();
        String cursor = "";
        long end = System.nanoTime() + TIMEOUT.toNanos();
        for (int poll = 0; ; poll++) {
            assertThat(System.nanoTime())
                    .as("%s has ended, %d lines", path, lines.size())
                    .isLessThan(end);
            int limit = 1 + random.nextInt(200);
            JsonObject page = get(nodes.get(poll % nodes.size()), "?limit=" + limit + "&since=" + cursor);
            if (page == null) {
                LockSupport.parkNanos(PAUSE_NANOS);
                continue;
            }
            JsonArray results = page.getJsonArray("results");
            results.forEach(line -> lines.add((JsonObject) line));
            cursor = page.getString("since");
            if (page.getString("finished_at") != null && results.size() < limit) {
                return lines;
            }
        }
    }

    /** Null if the node did not respond or was not available. */
    private @Nullable JsonObject get(String node, String query) {
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(node + path + query))
                            .timeout(Duration.ofSeconds(10))
                            .header("X-Api-Key", key)
                            .header("Prefer", "wait=" + random.nextInt(3))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() == 503) {
                return null;
            }
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
            return new JsonObject(response.body());
        } catch (IOException noResponse) {
            return null;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    /** Verifies that each line of the job was received once, as it is stored. */
    static void assertEachOnce(List<JsonObject> received, JsonObject job) {
        assertThat(received.stream()
                        .sorted(Comparator.comparing(line -> line.getInteger("index")))
                        .map(JsonObject::encode)
                        .toList())
                .isEqualTo(job.getJsonArray("results").stream()
                        .map(line -> ((JsonObject) line).encode())
                        .toList());
    }
}
