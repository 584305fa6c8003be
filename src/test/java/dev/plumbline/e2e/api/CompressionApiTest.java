package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Content coding of JSON responses. */
@Tag("integration")
class CompressionApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final HttpClient CLIENT = HttpClient.newHttpClient();

    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static String key;
    private static JobsApiClient jobs;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        key = new TestAccounts(DATABASE.open()).key().secret();
        service = ServiceUnderTest.start(DATABASE.url(), Map.of());
        jobs = new JobsApiClient(service, key);
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /** The first response is fresh, the second comes from memory by its target, the third by its path. */
    @Test
    void instantCheckIsCompressedWhetherCachedOrFresh() {
        String target = lab.http("/ok?compressed");
        String path = ServiceUnderTest.instantPath("security-headers", target);

        HttpResponse<byte[]> fresh = send("GET", path, "Accept-Encoding", "gzip, deflate, br");
        HttpResponse<byte[]> memory = send("GET", path + "?timeout_ms=10000", "Accept-Encoding", "gzip");
        HttpResponse<byte[]> byPath = send("GET", path, "Accept-Encoding", "gzip");
        HttpResponse<byte[]> identity = send("GET", path);

        JsonObject expected = new JsonObject(text(identity));
        assertThat(identity.body().length).isGreaterThan(1024);
        assertThat(identity.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(header(identity, "Vary")).isEqualTo("Accept-Encoding");
        for (HttpResponse<byte[]> compressed : List.of(fresh, memory, byPath)) {
            assertThat(header(compressed, "Content-Encoding")).isEqualTo("gzip");
            assertThat(header(compressed, "Vary")).isEqualTo("Accept-Encoding");
            assertThat(header(compressed, "ETag")).isEqualTo(header(identity, "ETag"));
            assertThat(compressed.body().length).isLessThan(identity.body().length);
            assertThat(new JsonObject(unzipped(compressed)).put("cached", true).putNull("waited_ms"))
                    .isEqualTo(expected);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip;q=0", "br", "identity", "gzip;q=0.000, br"})
    void unacceptableCodingIsNotUsed(String codings) {
        HttpResponse<byte[]> response = send("GET", "/api/v1/tools", "Accept-Encoding", codings);

        assertThat(response.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(header(response, "Vary")).isEqualTo("Accept-Encoding");
        assertThat(text(response)).startsWith("{");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/tools", "/api/v1/tools/http-status", "/openapi.json", "/api/v1/openapi.json"})
    void documentsAreCompressed(String path) {
        HttpResponse<byte[]> identity = send("GET", path);
        HttpResponse<byte[]> compressed = send("GET", path, "Accept-Encoding", "gzip");
        HttpResponse<byte[]> head = send("HEAD", path, "Accept-Encoding", "gzip");

        assertThat(unzipped(compressed)).isEqualTo(text(identity));
        assertThat(compressed.body().length).isLessThan(identity.body().length / 2);
        assertThat(header(compressed, "ETag")).startsWith("W/\"").isEqualTo(header(identity, "ETag"));
        for (String name : List.of("Content-Encoding", "Content-Length", "ETag", "Vary")) {
            assertThat(header(head, name)).as(name).isEqualTo(header(compressed, name));
        }
        assertThat(head.body()).isEmpty();
    }

    @Test
    void notModifiedHasVary() {
        String etag = header(send("GET", "/api/v1/tools", "Accept-Encoding", "gzip"), "ETag");

        HttpResponse<byte[]> unchanged = send("GET", "/api/v1/tools", "If-None-Match", etag);

        assertThat(unchanged.statusCode()).isEqualTo(304);
        assertThat(header(unchanged, "Vary")).isEqualTo("Accept-Encoding");
    }

    /** 500 lines are streamed in several chunks, one line is sent at once. */
    @ParameterizedTest
    @CsvSource({"'', 500", "/results.csv, 500", "/results.ndjson, 500", "'', 4", "/results.csv, 40"})
    void jobResultsAreCompressed(String view, int lines) {
        List<String> items =
                IntStream.range(0, lines).mapToObj(i -> "not a target " + i).toList();
        String path = "/api/v1/jobs/" + JobsApiClient.token(jobs.create(items, new JsonObject()));
        jobs.finished(path.substring(path.lastIndexOf('/') + 1));

        HttpResponse<byte[]> identity = send("GET", path + view, "X-Api-Key", key);
        HttpResponse<byte[]> compressed = send("GET", path + view, "X-Api-Key", key, "Accept-Encoding", "gzip");

        assertThat(header(compressed, "Content-Encoding")).isEqualTo("gzip");
        assertThat(header(compressed, "Vary")).isEqualTo("Authorization, X-Api-Key, Accept, Accept-Encoding");
        assertThat(unzipped(compressed)).isEqualTo(text(identity));
        assertThat(compressed.body().length).isLessThan(identity.body().length / 2);
    }

    @Test
    void shortResponseIsNotCompressed() {
        String path = "/api/v1/jobs/" + JobsApiClient.token(jobs.create(List.of("a b"), new JsonObject()));

        HttpResponse<byte[]> summary =
                send("GET", path + "?results=false", "X-Api-Key", key, "Accept-Encoding", "gzip");

        assertThat(summary.headers().firstValue("Content-Encoding")).isEmpty();
        assertThat(text(summary)).startsWith("{");
    }

    @Test
    void longProblemIsCompressed() {
        String body = JobsApiClient.body(List.of(), new JsonObject())
                .put("items", Collections.nCopies(100, 1))
                .encode();
        HttpRequest request = request("/api/v1/jobs", "X-Api-Key", key, "Accept-Encoding", "gzip")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();

        HttpResponse<byte[]> problem = send(request);

        assertThat(problem.statusCode()).isEqualTo(422);
        assertThat(header(problem, "Content-Encoding")).isEqualTo("gzip");
        assertThat(new JsonObject(unzipped(problem)).getJsonArray("errors")).hasSize(100);
    }

    private static HttpResponse<byte[]> send(String method, String path, String... headers) {
        return send(request(path, headers)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build());
    }

    private static HttpRequest.Builder request(String path, String... headers) {
        HttpRequest.Builder request = HttpRequest.newBuilder(service.uri(path));
        return headers.length == 0 ? request : request.headers(headers);
    }

    private static HttpResponse<byte[]> send(HttpRequest request) {
        try {
            return CLIENT.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow(() -> new AssertionError(name + " is missing"));
    }

    private static String text(HttpResponse<byte[]> response) {
        return new String(response.body(), StandardCharsets.UTF_8);
    }

    private static String unzipped(HttpResponse<byte[]> response) {
        try (GZIPInputStream in = new GZIPInputStream(new ByteArrayInputStream(response.body()))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
