package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.support.Await;
import dev.plumbline.support.InMemoryJobs;
import dev.plumbline.support.JobApiServer;
import dev.plumbline.support.JobApiServerClient;
import dev.plumbline.support.JobApiServerFixture;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Summaries and comparisons of large jobs and with failures, with {@link InMemoryJobs}. */
@Tag("integration")
class JobPortfolioReadingTest {
    @RegisterExtension
    static final JobApiServerFixture FIXTURE = new JobApiServerFixture();

    private static final int LARGE = 64 * 1024;
    private static final int LINES = 500;

    /** Pages per job: 8 lines with 64 KiB each. */
    private static final int PAGES = LINES / 8 + 1;

    /** The pages that find the link of a short page: the first one of each job, and the one that is read ahead. */
    private static final int LINK_PAGES = 4;

    private static final InMemoryJobs JOBS = FIXTURE.jobs();

    private final TestAccounts.Key key = FIXTURE.accounts().key();
    private final JobApiServerClient client = new JobApiServerClient(FIXTURE.server(), key);

    private String large(int bytes) {
        return JOBS.add(key.accountId(), JobState.COMPLETED, LINES, InMemoryJobs.result(bytes));
    }

    @Test
    void largeJobsAreComparedAndSummarized() {
        String earlier = large(LARGE);
        String later = large(LARGE - 1);

        JsonObject diff = new JsonObject(
                client.get("/" + later + "/diff?limit=1&against=" + earlier).body());
        JsonObject summary = new JsonObject(client.get("/" + later + "/summary").body());

        assertThat(diff.getJsonObject("counts").getInteger("changed")).isEqualTo(LINES);
        assertThat(diff.getJsonArray("lines")).hasSize(1);
        assertThat(diff.getString("next_cursor")).isNotNull();
        assertThat(summary.getInteger("matched")).isEqualTo(LINES);
        assertThat(resultPages())
                .as("the diff reads each result of both jobs once after its link, and so does the summary of one")
                .isLessThanOrEqualTo(3 * PAGES + LINK_PAGES);
    }

    @Test
    void aSlowReaderStopsPageReads() throws IOException {
        String earlier = large(LARGE);
        String later = large(LARGE - 1);

        try (Socket reader = client.open("HTTP/1.1", "/" + later + "/diff.ndjson?against=" + earlier)) {
            assertThat(reader.getInputStream().read()).isEqualTo('H');
            for (int i = 0; i < 50; i++) {
                assertThat(client.status("/" + later + "?results=false")).isEqualTo(200);
            }
            int whileBlocked = resultPages();
            assertThat(whileBlocked).isLessThan(LINES / 8);

            String body = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(body).endsWith("\r\n0\r\n\r\n");
            assertThat(body.length()).isGreaterThan(2 * LINES * LARGE);
            assertThat(resultPages()).isGreaterThan(2 * whileBlocked);
        }
    }

    private static int resultPages() {
        return (int) JOBS.received(JobMessage.ReadResults.class).stream()
                .filter(read -> read.version() > 0)
                .count();
    }

    /** Readers that do not read hold their memory. Others are refused; none of them delays reads without lines. */
    @Test
    void concurrentReadersAreLimitedByTheMemory() throws IOException {
        String earlier = large(LARGE);
        String later = large(LARGE - 1);
        String diff = "/" + later + "/diff.ndjson?against=" + earlier;
        List<Socket> readers = new ArrayList<>();
        try {
            List<String> statuses = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                readers.add(client.open("HTTP/1.1", diff));
            }
            for (Socket reader : readers) {
                statuses.add(new String(reader.getInputStream().readNBytes(12), StandardCharsets.US_ASCII));
            }
            assertThat(statuses).containsOnly("HTTP/1.1 200", "HTTP/1.1 503");
            HttpResponse<String> refused = client.get("/" + later + "/summary");
            assertThat(refused.statusCode()).isIn(200, 503);

            HttpResponse<String> oneMore = client.get("/" + later + "/diff?against=" + earlier);

            assertThat(oneMore.statusCode()).isEqualTo(503);
            assertThat(new JsonObject(oneMore.body()).getString("code")).isEqualTo("overloaded");
            assertThat(oneMore.headers().firstValue("Retry-After")).contains("1");
            assertThat(oneMore.headers().firstValue("ETag")).isEmpty();
            assertThat(client.status("/" + later + "?results=false")).isEqualTo(200);
        } finally {
            for (Socket reader : readers) {
                reader.close();
            }
        }
        Await.until(() -> client.status(diff.replace(".ndjson", "") + "&change=worse") == 200);
    }

    @Test
    void twentyReadersAtOnceReceiveTheSummaryOrARejection() {
        String token = large(LARGE);
        List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            responses.add(client.getAsync("/" + token + "/summary"));
        }

        List<Integer> statuses =
                responses.stream().map(response -> response.join().statusCode()).toList();

        assertThat(statuses).contains(200).isSubsetOf(200, 503);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/summary", "/diff?against=SAME", "/diff.csv?against=SAME", "/diff.ndjson?against=SAME"})
    void failuresBeforeTheFirstByteAreProblems(String view) {
        String token = large(10);
        String path = "/" + token + view.replace("SAME", token);
        JOBS.failRequests(order -> order instanceof JobMessage.ReadResults results && results.version() > 0);
        HttpResponse<String> noResults = client.get(path);
        JOBS.failRequests(order -> order instanceof JobMessage.ReadResults);
        HttpResponse<String> noLines = client.get(path);
        JOBS.failRequests(order -> true);
        HttpResponse<String> noJob = client.get(path);

        for (HttpResponse<String> response : List.of(noResults, noLines, noJob)) {
            assertThat(response.statusCode()).isEqualTo(503);
            assertThat(new JsonObject(response.body()).getString("code")).isEqualTo("unavailable");
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
            assertThat(response.headers().firstValue("ETag")).isEmpty();
            assertThat(response.headers().firstValue("Content-Disposition")).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"/diff", "/diff.csv", "/diff.ndjson"})
    void aFailedStreamIsAborted(String view) throws IOException {
        String earlier = large(LARGE);
        String later = large(LARGE - 1);
        JOBS.failRequests(order -> order instanceof JobMessage.ReadResults results
                && results.version() > 0
                && results.indexes().get(0) >= 400);

        try (Socket reader = client.open("HTTP/1.1", "/" + later + view + "?against=" + earlier)) {
            String response = new String(reader.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
            assertThat(response).startsWith("HTTP/1.1 200 OK\r\n").doesNotEndWith("\r\n0\r\n\r\n");
            assertThat(response.length()).isGreaterThan(300 * LARGE);
        }
    }

    @Test
    void aStalledReaderIsDisconnected() throws IOException {
        String earlier = large(LARGE);
        String later = large(LARGE - 1);
        try (JobApiServer withShortTimeout = FIXTURE.start(Map.of("HTTP_IDLE_TIMEOUT", "1s"));
                Socket reader = new JobApiServerClient(withShortTimeout, key)
                        .open("HTTP/1.1", "/" + later + "/diff?against=" + earlier)) {
            Await.until(() -> withShortTimeout.active() == 1);

            Await.until(() -> withShortTimeout.active() == 0);

            assertThat(resultPages()).isLessThan(LINES / 8);
        }
    }
}
