package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.support.Await;
import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.InMemoryJobs;
import dev.plumbline.support.JobApiServer;
import dev.plumbline.support.JobApiServerClient;
import dev.plumbline.support.JobApiServerFixture;
import dev.plumbline.support.XlsxFile;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpClientAgent;
import io.vertx.core.http.HttpClientOptions;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpClientResponse;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.http.PoolOptions;
import io.vertx.core.http.StreamResetException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading large jobs and reading with failures, with {@link InMemoryJobs}. */
@Tag("integration")
class JobReadingApiTest {
    @RegisterExtension
    static final JobApiServerFixture FIXTURE = new JobApiServerFixture();

    private static final int LARGE = 64 * 1024;
    private static final int LINES = 500;

    /** Lines per page of the store, each with 64 KiB, and pages per job. */
    private static final int PAGES = LINES / 8 + 1;

    private static final InMemoryJobs JOBS = FIXTURE.jobs();
    private static final ContractValidator CONTRACT = new ContractValidator();

    private final TestAccounts.Key key = FIXTURE.accounts().key();
    private final JobApiServerClient client = new JobApiServerClient(FIXTURE.server(), key);

    @ParameterizedTest
    @CsvSource({"'', 1", "/results.csv, 500", "/results.ndjson, 499"})
    void slowReaderStopsPageReads(String view, int lineEnds) throws IOException {
        String token = large();

        try (Socket reader = client.open("HTTP/1.1", "/" + token + view)) {
            reader.getInputStream().read();
            // the event loop serves other requests meanwhile
            for (int i = 0; i < 50; i++) {
                assertThat(client.get("/" + token + "?results=false").statusCode())
                        .isEqualTo(200);
            }
            assertThat(pages()).hasSizeLessThan(PAGES / 2);

            String body = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            String whole = unchunked(body.substring(body.indexOf("\r\n\r\n") + 4));
            assertThat(whole.length()).isGreaterThan(LINES * LARGE);
            assertThat(whole.chars().filter(c -> c == '\n').count()).isGreaterThanOrEqualTo(lineEnds - 1);
            if (view.isEmpty()) {
                JsonObject job = new JsonObject(whole);
                assertThat(job.getJsonArray("results")).hasSize(LINES);
            }
        }

        assertThat(pages()).extracting(JobMessage.ReadResults::version).containsOnly(1L);
        assertThat(pages()).hasSize(PAGES);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/results.csv", "/results.ndjson"})
    void stalledReaderIsDisconnected(String view) throws IOException {
        String token = large();
        try (JobApiServer withShortTimeout = FIXTURE.start(Map.of("HTTP_IDLE_TIMEOUT", "1s"));
                Socket reader = new JobApiServerClient(withShortTimeout, key).open("HTTP/1.1", "/" + token + view)) {
            Await.until(() -> withShortTimeout.active() == 1);

            Await.until(() -> withShortTimeout.active() == 0);

            assertThat(pages()).hasSizeLessThan(PAGES / 2);
            // the connection is closed although the client has not read the body
            Await.until(() -> isReset(reader));
        }
    }

    private static boolean isReset(Socket socket) {
        try {
            socket.getOutputStream().write(' ');
            return false;
        } catch (IOException reset) {
            return true;
        }
    }

    @Test
    void concurrentReadersAreLimited() throws IOException {
        String token = large();
        List<Socket> readers = new ArrayList<>();
        try {
            for (int i = 0; i < 64; i++) {
                Socket reader = client.open("HTTP/1.1", "/" + token + "/results.ndjson");
                readers.add(reader);
                assertThat(reader.getInputStream().read()).isEqualTo('H');
            }

            HttpResponse<String> oneMore = client.get("/" + token);

            assertThat(oneMore.statusCode()).isEqualTo(503);
            assertThat(new JsonObject(oneMore.body()).getString("code")).isEqualTo("overloaded");
            assertThat(detail(oneMore)).isEqualTo("The memory for job results is exhausted. Retry shortly.");
            assertThat(header(oneMore, "Retry-After")).isEqualTo("1");
            assertThat(client.status("/" + token + "?results=false")).isEqualTo(200);
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
        String small = JOBS.add(key.accountId(), JobState.COMPLETED, 1, InMemoryJobs.result(10));
        Await.until(() -> client.status("/" + small) == 200);
    }

    /** Over HTTP/2, other streams can keep the connection busy. */
    @Test
    void stalledHttp2StreamIsReset() {
        String token = large();
        Vertx vertx = Vertx.vertx();
        try (JobApiServer withShortTimeout = FIXTURE.start(Map.of("HTTP_IDLE_TIMEOUT", "1s"))) {
            HttpClientAgent client = vertx.createHttpClient(
                    new HttpClientOptions()
                            .setProtocolVersion(HttpVersion.HTTP_2)
                            .setHttp2ClearTextUpgrade(false),
                    new PoolOptions().setHttp2MaxSize(1));
            Promise<Throwable> reset = Promise.promise();
            Await.value(client.request(HttpMethod.GET, withShortTimeout.port(), "127.0.0.1", path(token))
                    .compose(request -> request.putHeader("X-Api-Key", key.secret())
                            .send()
                            .onSuccess(response -> response.exceptionHandler(reset::tryComplete)
                                    .pause())));

            Await.until(() -> {
                int status = Await.value(
                        client.request(HttpMethod.GET, withShortTimeout.port(), "127.0.0.1", "/api/v1/tools")
                                .compose(HttpClientRequest::send)
                                .map(HttpClientResponse::statusCode));
                assertThat(status).isEqualTo(404);
                return reset.future().isComplete();
            });

            assertThat(reset.future().result()).isInstanceOf(StreamResetException.class);
            assertThat(pages()).hasSizeLessThan(PAGES / 2);
        } finally {
            Await.value(vertx.close());
        }
    }

    private static String path(String token) {
        return "/api/v1/jobs/" + token + "/results.ndjson";
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/results.csv", "/results.ndjson"})
    void failedStreamIsAborted(String view) throws IOException {
        String token = large();
        JOBS.failRequests(order -> order instanceof JobMessage.ReadResults results
                && results.indexes().get(0) >= 400);

        try (Socket reader = client.open("HTTP/1.1", "/" + token + view)) {
            String response = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(response).startsWith("HTTP/1.1 200 OK\r\n").doesNotEndWith("\r\n0\r\n\r\n");
            assertThat(response.length()).isGreaterThan(300 * LARGE);
        }
    }

    @Test
    void failureBeforeFirstByteIsProblem() {
        String token = large();
        JOBS.failRequests(order -> order instanceof JobMessage.ReadResults);
        HttpResponse<String> noLines = client.get("/" + token + "/results.csv");
        JOBS.failRequests(order -> true);
        HttpResponse<String> noJob = client.get("/" + token);

        for (HttpResponse<String> response : List.of(noLines, noJob, client.get(""))) {
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(new JsonObject(response.body()).getString("code")).isEqualTo("unavailable");
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
            assertThat(response.headers().firstValue("ETag")).isEmpty();
            assertThat(response.headers().firstValue("Content-Disposition")).isEmpty();
        }
    }

    @Test
    void missingCoordinatorIs503() {
        InMemoryJobs elsewhere = new InMemoryJobs();
        try (JobApiServer alone = new JobApiServer(FIXTURE.database(), elsewhere, Map.of())) {
            alone.unregisterCoordinator();

            HttpResponse<String> response = new JobApiServerClient(alone, key).get("/job_4kJ0mZ3tQbW9xYcR1nLp7s");

            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(detail(response)).contains("starting or stopping").doesNotContain("database");
        }
    }

    @Test
    void internalErrorIsNotReportedAsDatabaseOutage() {
        String token = JOBS.add(key.accountId(), JobState.COMPLETED, 1, null);
        JOBS.failRequests(order -> {
            throw new IllegalStateException("simulated failure");
        });

        HttpResponse<String> response = client.get("/" + token);

        assertThat(response.statusCode()).isEqualTo(500);
        assertThat(new JsonObject(response.body()).getString("code")).isEqualTo("internal");
        assertThat(detail(response)).contains("See the log").doesNotContain("database", "simulated");
    }

    private static String detail(HttpResponse<String> response) {
        return new JsonObject(response.body()).getString("detail");
    }

    @Test
    void http10ResponseEndsWithConnection() throws IOException {
        String token = large();

        try (Socket reader = client.open("HTTP/1.0", "/" + token + "/results.ndjson")) {
            String response = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);

            String body = response.substring(response.indexOf("\r\n\r\n") + 4);
            assertThat(body.lines()).hasSize(LINES).allMatch(line -> line.endsWith("}"));
        }
    }

    @Test
    void ndjsonLinesMatchContract() {
        String token = JOBS.add(key.accountId(), JobState.RUNNING, 3, null);

        client.get("/" + token + "/results.ndjson").body().lines().forEach(line -> assertThat(
                        CONTRACT.validate("JobLine", line).getValid())
                .as(line)
                .isTrue());
    }

    /** Each line is read for the sheet of lines and for that of findings. */
    @Test
    void aWorkbookIsWrittenAsFastAsItIsRead() throws IOException {
        String token = incompressible();

        try (Socket reader = client.open("HTTP/1.1", "/" + token + "/results.xlsx")) {
            reader.getInputStream().read();
            for (int i = 0; i < 50; i++) {
                assertThat(client.get("/" + token + "?results=false").statusCode())
                        .isEqualTo(200);
            }
            assertThat(pages()).hasSizeLessThan(PAGES / 2);

            String body = new String(reader.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            XlsxFile workbook = XlsxFile.read(
                    unchunked(body.substring(body.indexOf("\r\n\r\n") + 4)).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(workbook.sheet("Lines").rows()).hasSize(LINES);
            assertThat(workbook.sheet("Summary").rows().get(0).get("count").number())
                    .isEqualTo(LINES);
        }
        assertThat(pages()).extracting(JobMessage.ReadResults::version).containsOnly(1L);
        assertThat(pages()).hasSize(2 * PAGES);
    }

    @Test
    void aWorkbookOfACancelledJobHasItsLines() throws IOException {
        String token = JOBS.add(key.accountId(), JobState.CANCELLED, 3, null);

        try (Socket reader = client.open("HTTP/1.1", "/" + token + "/results.xlsx")) {
            String response = new String(reader.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            XlsxFile workbook = XlsxFile.read(
                    response.substring(response.indexOf("\r\n\r\n") + 4).getBytes(StandardCharsets.ISO_8859_1));
            assertThat(workbook.sheet("Lines").column("state")).containsExactly("cancelled", "cancelled", "cancelled");
            assertThat(workbook.sheet("Findings").rows()).isEmpty();
        }
    }

    @Test
    void anIncompleteWorkbookIsAborted() throws IOException {
        String token = incompressible();
        JOBS.failRequests(order -> order instanceof JobMessage.ReadResults results
                && results.indexes().get(0) >= 400);

        try (Socket reader = client.open("HTTP/1.1", "/" + token + "/results.xlsx")) {
            String response = new String(reader.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
            assertThat(response).startsWith("HTTP/1.1 200 OK\r\n").doesNotEndWith("\r\n0\r\n\r\n");
        }
    }

    @Test
    void concurrentWorkbooksAreLimited() throws IOException {
        String token = incompressible();
        List<Socket> readers = new ArrayList<>();
        try {
            // 4 MiB each; an eighth of 32 MiB is reserved for small holders
            for (int i = 0; i < 7; i++) {
                Socket reader = client.open("HTTP/1.1", "/" + token + "/results.xlsx");
                readers.add(reader);
                assertThat(reader.getInputStream().read()).isEqualTo('H');
            }

            HttpResponse<String> oneMore = client.get("/" + token + "/results.xlsx");

            assertThat(oneMore.statusCode()).isEqualTo(503);
            assertThat(new JsonObject(oneMore.body()).getString("code")).isEqualTo("overloaded");
            assertThat(detail(oneMore)).isEqualTo("The memory for job results is exhausted. Retry shortly.");
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
        String small = JOBS.add(key.accountId(), JobState.COMPLETED, 1, InMemoryJobs.result(10));
        Await.until(() -> client.status("/" + small + "/results.xlsx") == 200);
    }

    /** A job with a text of 32 KiB in each line, with 6 random bits per character. */
    private String incompressible() {
        byte[] noise = new byte[LARGE * 3 / 8];
        new Random(1).nextBytes(noise);
        String text = Base64.getEncoder().encodeToString(noise);
        String result = new String(InMemoryJobs.result(LARGE), StandardCharsets.US_ASCII)
                .replace("x".repeat(text.length()), text);
        return JOBS.add(key.accountId(), JobState.COMPLETED, LINES, result.getBytes(StandardCharsets.US_ASCII));
    }

    private String large() {
        return JOBS.add(key.accountId(), JobState.COMPLETED, LINES, InMemoryJobs.result(LARGE));
    }

    private static List<JobMessage.ReadResults> pages() {
        return JOBS.received(JobMessage.ReadResults.class);
    }

    /** RFC 9112, 7.1. */
    private static String unchunked(String body) {
        StringBuilder whole = new StringBuilder(body.length());
        int at = 0;
        while (true) {
            int end = body.indexOf("\r\n", at);
            int length = Integer.parseInt(body.substring(at, end), 16);
            if (length == 0) {
                assertThat(body.substring(end)).isEqualTo("\r\n\r\n");
                return whole.toString();
            }
            whole.append(body, end + 2, end + 2 + length);
            at = end + 2 + length + 2;
        }
    }

    private static String header(HttpResponse<String> response, String name) {
        return response.headers().firstValue(name).orElseThrow();
    }
}
