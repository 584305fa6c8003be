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

/** A holder of a key that has bulk jobs done. */
final class JobsClient {
    /** Lines that a job may have. */
    static final int MOST_LINES = 500;

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

    private static String body(String module, List<String> items, JsonObject options) {
        return new JsonObject()
                .put("module", module)
                .put("items", new JsonArray(items))
                .put("options", options)
                .encode();
    }

    /** Bodies for these lines, {@link #MOST_LINES} each. */
    static List<String> bodies(String module, List<String> items, JsonObject options) {
        List<String> bodies = new ArrayList<>();
        for (int from = 0; from < items.size(); from += MOST_LINES) {
            bodies.add(body(module, items.subList(from, Math.min(items.size(), from + MOST_LINES)), options));
        }
        return bodies;
    }

    /** Has a job done; its token. */
    String create(String body) throws IOException, InterruptedException {
        return createAll(List.of(body)).get(0);
    }

    /** Has these done, in their order but several posted at once; their tokens. */
    List<String> createAll(List<String> bodies) throws IOException, InterruptedException {
        Semaphore room = new Semaphore(POSTS_AT_ONCE);
        List<CompletableFuture<String>> tokens = new ArrayList<>();
        for (String body : bodies) {
            room.acquire();
            tokens.add(post(body, ATTEMPTS)
                    .whenComplete((answer, failure) -> room.release())
                    .thenApply(JobsClient::token));
        }
        try {
            return tokens.stream().map(CompletableFuture::join).toList();
        } catch (CompletionException failed) {
            throw new IOException(String.valueOf(failed.getCause()), failed);
        }
    }

    /** Comes again after a 503, and counts it. */
    private CompletableFuture<HttpResponse<String>> post(String body, int attempts) {
        return client.sendAsync(post(body), HttpResponse.BodyHandlers.ofString())
                .thenCompose(answer -> {
                    if (answer.statusCode() != UNAVAILABLE || attempts == 1) {
                        return CompletableFuture.completedFuture(answer);
                    }
                    refusals.incrementAndGet();
                    return CompletableFuture.supplyAsync(
                                    () -> body, CompletableFuture.delayedExecutor(PAUSE_MS, TimeUnit.MILLISECONDS))
                            .thenCompose(again -> post(again, attempts - 1));
                });
    }

    /** How often the service asked to come again so far. */
    long refusals() {
        return refusals.get();
    }

    private static String token(HttpResponse<String> answer) {
        if (answer.statusCode() != 202) {
            throw new CompletionException(new IOException("no job: " + answer.statusCode() + " " + answer.body()));
        }
        return new JsonObject(answer.body()).getString("token");
    }

    /**
     * Asks for a job.
     *
     * @param query such as {@code ?results=false}
     * @param headers names and values in turn
     */
    HttpResponse<String> read(String token, String query, String... headers) throws IOException, InterruptedException {
        HttpRequest.Builder request = request(path(token) + query).GET();
        if (headers.length > 0) {
            request.headers(headers);
        }
        return send(request.build());
    }

    /** How a job stands, without its lines. */
    JsonObject head(String token) throws IOException, InterruptedException {
        HttpResponse<String> answer = read(token, "?results=false");
        for (int i = 1; i < ATTEMPTS && answer.statusCode() == UNAVAILABLE; i++) {
            refusals.incrementAndGet();
            Thread.sleep(PAUSE_MS);
            answer = read(token, "?results=false");
        }
        if (answer.statusCode() != 200) {
            throw new IOException("no job to read: " + answer.statusCode() + " " + answer.body());
        }
        return new JsonObject(answer.body());
    }

    /** Waits until a job has ended, asking rarely enough to be no load. */
    JsonObject awaitEnd(String token, Duration most) throws IOException, InterruptedException {
        long end = System.nanoTime() + most.toNanos();
        JsonObject job = head(token);
        while (job.getString("finished_at") == null) {
            if (System.nanoTime() - end > 0) {
                throw new IOException("a job did not end within " + most.toSeconds() + " s: " + job);
            }
            Thread.sleep(PAUSE_MS);
            job = head(token);
        }
        return job;
    }

    /** What the first line without a verdict says; empty when each has one. */
    String firstError(String token) throws IOException, InterruptedException {
        for (Object each : new JsonObject(read(token, "?limit=500").body()).getJsonArray("results")) {
            JsonObject error = ((JsonObject) each).getJsonObject("error");
            if (error != null) {
                return error.getString("code") + ": " + error.getString("message");
            }
        }
        return "";
    }

    /** When a job's last result was stored, by the clock of the database on this machine. */
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
