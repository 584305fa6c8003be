package dev.plumbline.e2e.process;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CountingTarget;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A client that creates jobs across service failures and records them. Requests without a response are repeated with
 * the same Idempotency-Key. Thread-safe.
 */
final class JobLoadClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(15);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final CountingTarget target;
    private final JsonObject options;
    private final Random random;
    private final Queue<JobSpec> withoutResponse = new ConcurrentLinkedQueue<>();
    private final Map<String, JobSpec> accepted = new ConcurrentHashMap<>();
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicInteger sent = new AtomicInteger();
    private final AtomicInteger rejected = new AtomicInteger();

    /** A job to create: API key, lines and options. */
    record JobSpec(String name, String key, List<String> items, JsonObject options) {}

    JobLoadClient(CountingTarget target, long seed) {
        this(target, seed, new JsonObject());
    }

    /** @param options the options of jobs that are created without options */
    JobLoadClient(CountingTarget target, long seed, JsonObject options) {
        this.target = target;
        this.options = options;
        this.random = new Random(seed);
    }

    /** Returns a new job with the given number of lines of all kinds. */
    synchronized JobSpec newJob(String key, int lines) {
        int number = made.incrementAndGet();
        List<String> items = new ArrayList<>();
        for (int i = 0; i < lines; i++) {
            items.add(
                    switch (random.nextInt(24)) {
                        case 0 -> "not a target " + number;
                        case 1 -> "";
                        case 2 -> "http://10.1.2.3/";
                        case 3 -> target.url("/missing/" + number + "/" + i);
                        case 4 -> target.url("/slow/" + number + "/" + i);
                        case 5 -> items.isEmpty() ? "" : items.get(random.nextInt(items.size()));
                        default -> target.url("/ok/" + number + "/" + i);
                    });
        }
        return new JobSpec("job-" + number + "-" + UUID.randomUUID(), key, items, options);
    }

    /** Returns a new job with these lines. */
    JobSpec newJob(String key, List<String> items) {
        return newJob(key, items, options);
    }

    /**
     * Returns a new job with these lines, whose target responds on demand: each is requested once, with the longest
     * timeout of a check.
     */
    JobSpec slowTargetJob(String key, List<String> items) {
        return newJob(key, items, new JsonObject().put("method", "get").put("timeout_ms", 30_000));
    }

    /** Returns a new job with these lines and options. */
    JobSpec newJob(String key, List<String> items, JsonObject options) {
        String name = "job-" + made.incrementAndGet() + "-" + UUID.randomUUID();
        return new JobSpec(name, key, items, options);
    }

    /** The number of jobs sent, with or without a response. */
    int sent() {
        return sent.get();
    }

    int accepted() {
        return accepted.size();
    }

    long accepted(String key) {
        return accepted.values().stream().filter(spec -> spec.key.equals(key)).count();
    }

    /** The number of jobs rejected by a rate limit. */
    int rejected() {
        return rejected.get();
    }

    /**
     * Creates a job. A request without a final response is recorded.
     *
     * @return the token; null if the job was not accepted
     */
    @Nullable
    String send(String address, JobSpec spec) {
        sent.incrementAndGet();
        JsonObject body = new JsonObject()
                .put("module", "http-status")
                .put("items", new JsonArray(spec.items))
                .put("options", spec.options);
        try {
            HttpResponse<String> response = client.send(
                    HttpRequest.newBuilder(URI.create(address + "/api/v1/jobs"))
                            .timeout(TIMEOUT)
                            .header("Content-Type", "application/json")
                            .header("Authorization", "Bearer " + spec.key)
                            .header("Idempotency-Key", spec.name)
                            .POST(HttpRequest.BodyPublishers.ofString(body.encode()))
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
            return record(spec, response);
        } catch (IOException noResponse) {
            withoutResponse.add(spec);
            return null;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }

    private @Nullable String record(JobSpec spec, HttpResponse<String> response) {
        switch (response.statusCode()) {
            case 202 -> {
                String token = new JsonObject(response.body()).getString("token");
                JobSpec before = accepted.put(token, spec);
                assertThat(before == null || before.equals(spec))
                        .as("a token for each job")
                        .isTrue();
                return token;
            }
            case 429 -> rejected.incrementAndGet();
            case 503, 409 -> withoutResponse.add(spec);
            default -> throw new AssertionError(response.statusCode() + " " + response.body());
        }
        return null;
    }

    /** Repeats each request without a response once. */
    void resendWithoutResponse(String address) {
        for (JobSpec spec : pollWithoutResponse()) {
            send(address, spec);
        }
    }

    /** Repeats requests without a response until all have one. */
    void resendUntilAccepted(String address) {
        long end = System.nanoTime() + Duration.ofSeconds(60).toNanos();
        while (!withoutResponse.isEmpty()) {
            assertThat(System.nanoTime()).as("a response").isLessThan(end);
            resendWithoutResponse(address);
        }
    }

    private List<JobSpec> pollWithoutResponse() {
        List<JobSpec> all = new ArrayList<>();
        for (JobSpec spec = withoutResponse.poll(); spec != null; spec = withoutResponse.poll()) {
            all.add(spec);
        }
        return all;
    }

    /** Waits until every accepted job is final, and verifies its results. */
    void assertAllJobsCompleted(String address, Duration within) {
        long end = System.nanoTime() + within.toNanos();
        for (String token : accepted.keySet()) {
            JsonObject job = job(address, token, "?results=false", "wait=30");
            while (job.getValue("finished_at") == null) {
                assertThat(System.nanoTime())
                        .as("%s has ended: %s", token, job.encode())
                        .isLessThan(end);
                job = job(address, token, "?results=false", "wait=5");
            }
            assertCorrect(token, job(address, token, "", "wait=0"));
        }
    }

    private void assertCorrect(String token, JsonObject job) {
        JobSpec spec = accepted.get(token);
        assertThat(job.getString("state")).isEqualTo("completed");
        JsonObject counts = job.getJsonObject("counts");
        int lines = spec.items.size();
        assertThat(counts.getInteger("total")).isEqualTo(lines);
        assertThat(counts.getInteger("done")).isEqualTo(lines);
        assertThat(counts.getInteger("pass")
                        + counts.getInteger("warn")
                        + counts.getInteger("fail")
                        + counts.getInteger("error"))
                .isEqualTo(lines);
        JsonArray results = job.getJsonArray("results");
        assertThat(results).hasSize(lines);
        JsonObject told = new JsonObject();
        for (int i = 0; i < lines; i++) {
            JsonObject line = results.getJsonObject(i);
            String verdict = line.getString("verdict");
            told.put(verdict, told.getInteger(verdict, 0) + 1);
            assertThat(line.getInteger("index")).isEqualTo(i);
            assertThat(line.getString("input")).isEqualTo(spec.items.get(i));
            assertThat(outcome(line)).as(line.encode()).isEqualTo(expected(spec.items.get(i)));
        }
        for (String verdict : List.of("pass", "warn", "fail", "error")) {
            assertThat(counts.getInteger(verdict)).isEqualTo(told.getInteger(verdict, 0));
        }
    }

    private static String outcome(JsonObject line) {
        JsonObject error = line.getJsonObject("error");
        return error == null ? "" + line.getJsonObject("fields").getInteger("status") : error.getString("code");
    }

    private static String expected(String item) {
        if (!item.startsWith("http://")) {
            return "invalid_target";
        }
        if (item.startsWith("http://10.")) {
            return "target_blocked";
        }
        return item.contains("/missing/") ? "404" : "200";
    }

    /** Verifies that no line of an accepted job was requested more often. Valid for checks with the method GET only. */
    void assertAttempts(int most) {
        for (JobSpec spec : accepted.values()) {
            for (String item : spec.items) {
                if (item.startsWith("http://") && !item.startsWith("http://10.")) {
                    assertThat(target.requests(URI.create(item).getPath()))
                            .as(item)
                            .isBetween(1, most);
                }
            }
        }
    }

    /** Returns the job with its results. */
    String body(String address, String token) {
        return job(address, token, "", "wait=0").encode();
    }

    private JsonObject job(String address, String token, String query, String prefer) {
        String path = "/api/v1/jobs/" + token + query;
        return new JsonObject(getWhenAvailable(address, path, accepted.get(token).key, prefer));
    }

    /** Verifies that the account of these keys has the accepted jobs and no others. */
    void assertNoDuplicates(String address) {
        Set<String> there = new HashSet<>();
        String key = accepted.values().iterator().next().key;
        Queue<String> pages = new ArrayDeque<>(List.of("/api/v1/jobs?limit=100"));
        while (!pages.isEmpty()) {
            JsonObject page = new JsonObject(getWhenAvailable(address, pages.remove(), key, "wait=0"));
            page.getJsonArray("jobs").forEach(job -> there.add(((JsonObject) job).getString("token")));
            String next = page.getString("next_cursor");
            if (next != null) {
                pages.add("/api/v1/jobs?limit=100&cursor=" + next);
            }
        }
        assertThat(there).isEqualTo(accepted.keySet());
    }

    /** Sends a GET and repeats it while the service returns 503. */
    private String getWhenAvailable(String address, String path, String key, String prefer) {
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        HttpResponse<String> response = get(address, path, key, prefer);
        while (response.statusCode() == 503 && System.nanoTime() < end) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            response = get(address, path, key, prefer);
        }
        assertThat(response.statusCode()).as(path + " " + response.body()).isEqualTo(200);
        return response.body();
    }

    private HttpResponse<String> get(String address, String path, String key, String prefer) {
        try {
            return client.send(
                    HttpRequest.newBuilder(URI.create(address + path))
                            .timeout(Duration.ofSeconds(45))
                            .header("X-Api-Key", key)
                            .header("Prefer", prefer)
                            .build(),
                    HttpResponse.BodyHandlers.ofString());
        } catch (IOException failed) {
            throw new AssertionError(path + " has no response", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new AssertionError(interrupted);
        }
    }
}
