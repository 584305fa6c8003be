package dev.plumbline.bench;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/** A client of the job API with an API key. */
final class JobsClient {
    /** Maximum number of lines of a job. */
    static final int MAX_LINES = 500;

    private static final String JOBS = "/api/v1/jobs";
    private static final int POSTS_AT_ONCE = 8;
    private static final int ATTEMPTS = 50;
    private static final int UNAVAILABLE = 503;
    private static final long PAUSE_MS = 100;
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(5))
            .build();
    private final String address;
    private final String key;
    private final AtomicLong refusals = new AtomicLong();

    JobsClient(ServiceUnderLoad service, String key) {
        this.address = service.address();
        this.key = key;
    }

    /** The path of a job. */
    static String path(String token) {
        return JOBS + "/" + token;
    }

    /** The body of a request for an {@code http-status} job. */
    static String body(List<String> items, JsonObject options) {
        return body("http-status", items, options);
    }

    /** The body of a request for a job. */
    static String body(String module, List<String> items, JsonObject options) {
        return new JsonObject()
                .put("module", module)
                .put("items", new JsonArray(items))
                .put("options", options)
                .encode();
    }

    /** Request bodies of {@link #MAX_LINES} lines each. */
    static List<String> bodies(String module, List<String> items, JsonObject options) {
        List<String> bodies = new ArrayList<>();
        for (int from = 0; from < items.size(); from += MAX_LINES) {
            bodies.add(body(module, items.subList(from, Math.min(items.size(), from + MAX_LINES)), options));
        }
        return bodies;
    }

    /** Creates a job and returns its token. */
    String create(String body) throws IOException, InterruptedException {
        return createAll(List.of(body)).get(0);
    }

    /** Creates jobs concurrently and returns their tokens in order. */
    List<String> createAll(List<String> bodies) throws IOException, InterruptedException {
        Semaphore permits = new Semaphore(POSTS_AT_ONCE);
        List<CompletableFuture<String>> tokens = new ArrayList<>();
        for (String body : bodies) {
            permits.acquire();
            tokens.add(post(body, ATTEMPTS)
                    .whenComplete((response, failure) -> permits.release())
                    .thenApply(JobsClient::token));
        }
        try {
            return tokens.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException failed) {
            throw new IOException(String.valueOf(failed.getCause()), failed);
        }
    }

    /** Retries after 503 and counts the retries. */
    private CompletableFuture<HttpResponse<String>> post(String body, int attempts) {
        return client.sendAsync(post(body), HttpResponse.BodyHandlers.ofString())
                .thenCompose(response -> {
                    if (response.statusCode() != UNAVAILABLE || attempts == 1) {
                        return CompletableFuture.completedFuture(response);
                    }
                    refusals.incrementAndGet();
                    return CompletableFuture.supplyAsync(
                                    () -> body, CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS))
                            .thenCompose(again -> post(again, attempts - 1));
                });
    }

    /** Number of 503 responses so far. */
    long refusals() {
        return refusals.get();
    }

    private static String token(HttpResponse<String> response) {
        if (response.statusCode() != 202) {
            throw new CompletionException(
                    new IOException("job not created: " + response.statusCode() + " " + response.body()));
        }
        return new JsonObject(response.body()).getString("token");
    }

    /**
     * Reads a job.
     *
     * @param query for example {@code ?results=false}
     * @param headers alternating names and values
     */
    HttpResponse<String> read(String token, String query, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path(token) + query).GET();
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    /** The state of a job without its lines. */
    JsonObject head(String token) throws IOException, InterruptedException {
        HttpResponse<String> response = read(token, "?results=false");
        for (int i = 1; i < ATTEMPTS && response.statusCode() == UNAVAILABLE; i++) {
            refusals.incrementAndGet();
            Thread.sleep(PAUSE_MS);
            response = read(token, "?results=false");
        }
        if (response.statusCode() != 200) {
            throw new IOException("job not readable: " + response.statusCode() + " " + response.body());
        }
        return new JsonObject(response.body());
    }

    /** Polls until a job has ended, at a low rate. */
    JsonObject awaitEnd(String token, Duration timeout) throws IOException, InterruptedException {
        long end = System.nanoTime() + timeout.toNanos();
        JsonObject job = head(token);
        while (job.getString("finished_at") == null) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("a job did not end within " + timeout.toSeconds() + " s: " + job);
            }
            Thread.sleep(PAUSE_MS);
            job = head(token);
        }
        return job;
    }

    /** The error of the first failed line; empty if no line failed. */
    String firstError(String token) throws IOException, InterruptedException {
        for (Object each : new JsonObject(read(token, "?limit=500").body()).getJsonArray("results")) {
            JsonObject error = ((JsonObject) each).getJsonObject("error");
            if (error != null) {
                return error.getString("code") + ": " + error.getString("message");
            }
        }
        return "";
    }

    /** The time at which the last result of a job was stored (database clock). */
    static Instant finishedAt(JsonObject job) {
        return Instant.parse(job.getString("finished_at"));
    }

    void cancel(String token) throws IOException, InterruptedException {
        send(request(path(token)).DELETE().build());
    }

    private HttpRequest post(String body) {
        return request(JOBS)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path))
                .timeout(TIMEOUT)
                .header("X-Api-Key", key);
    }

    private HttpResponse<String> send(HttpRequest request) throws IOException, InterruptedException {
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }
}
