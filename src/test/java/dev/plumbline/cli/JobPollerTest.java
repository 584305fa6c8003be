package dev.plumbline.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServer;
import io.vertx.core.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

class JobPollerTest {
    private static final String FIRST = "job_0000000000000000000001";
    private static final String SECOND = "job_0000000000000000000002";

    /** The request that returns a completed job. */
    private static final Map<String, Integer> LAST_REQUEST = Map.of(FIRST, 4, SECOND, 3);

    private static final Map<String, Integer> PASSED_COUNT = Map.of(FIRST, 100, SECOND, 200);

    private final Vertx vertx = Vertx.vertx();
    private final Map<String, Integer> requests = new ConcurrentHashMap<>();

    @AfterEach
    void close() {
        Await.value(vertx.close());
    }

    /** Returns a job of 500 lines: at first without results, then with a part of them, then completed. */
    private String job(String token) {
        int request = requests.merge(token, 1, Integer::sum);
        boolean completed = request >= LAST_REQUEST.get(token);
        int passed = completed ? 500 : request == 1 ? 0 : PASSED_COUNT.get(token);
        return new JsonObject()
                .put("token", token)
                .put("state", completed ? "completed" : "running")
                .put("counts", new JsonObject().put("total", 500).put("pass", passed))
                .encode();
    }

    @Test
    void anInterruptionPrintsTheNextCommands() {
        JsonObject finished = new JsonObject().put("token", FIRST).put("state", "completed");
        JsonObject running = new JsonObject().put("token", SECOND).put("state", "running");
        ProgressBar progress = ProgressBar.onStderr(false);
        JobPoller.NextOptions options =
                new JobPoller.NextOptions("--server a ", "--output ndjson ", "--output csv --query 'a b' ");
        try (ServiceClient client = new ServiceClient("http://127.0.0.1:1", "key", notice -> {})) {
            JobOutput output = new JobOutput(client);
            assertThat(new JobPoller(List.of(finished, running), progress, output).interruption(options))
                    .isEqualTo(String.join(
                            "\n",
                            "plumbline: Interrupted. The job continues on the service.",
                            "Watch: plumbline job watch --server a --output ndjson " + SECOND,
                            "Download: plumbline job download --server a --output csv --query 'a b' " + FIRST + " "
                                    + SECOND,
                            "Cancel: plumbline job cancel --server a " + SECOND));
            assertThat(new JobPoller(List.of(finished), progress, output)
                            .interruption(new JobPoller.NextOptions("", "", "")))
                    .isEqualTo("plumbline: Interrupted.\nDownload: plumbline job download " + FIRST);
        }
    }

    @Test
    void theOptionsOfADownloadAreRepeated() {
        LineFilterOptions filters = new LineFilterOptions();
        new CommandLine(filters)
                .parseArgs(
                        "--verdict", "warn,fail", "--finding", "hsts/hsts_short", "--query", "it's", "--fields", "a,b");

        assertThat(filters.arguments())
                .isEqualTo("--verdict warn,fail --finding hsts/hsts_short --query 'it'\\''s' --fields a,b ");
        assertThat(LineFilterOptions.NONE.arguments()).isEmpty();
    }

    @Test
    @Timeout(60)
    void progressIsTheSumOfAllJobsAndResultsAreInTheOrderOfTheJobs() throws Exception {
        HttpServer server = Await.value(vertx.createHttpServer()
                .requestHandler(request -> {
                    String token = request.path().split("[/.]")[4];
                    request.response()
                            .end(request.path().endsWith(".csv") ? "index,job\r\n0," + token + "\r\n" : job(token));
                })
                .listen(0, "127.0.0.1"));
        ByteArrayOutputStream terminal = new ByteArrayOutputStream();
        AtomicLong nanos = new AtomicLong();
        ProgressBar progress = new ProgressBar(
                new PrintStream(terminal, true, StandardCharsets.UTF_8), true, () -> nanos.addAndGet(1_000_000_000));
        StringWriter out = new StringWriter();

        JobPoller poller;
        try (ServiceClient client = new ServiceClient("http://127.0.0.1:" + server.actualPort(), "key", notice -> {})) {
            poller = new JobPoller(
                    List.of(client.job(FIRST, 0), client.job(SECOND, 0)),
                    progress,
                    new JobResultJoiner(client, LineFilterOptions.NONE, JobResultJoiner.Format.CSV, out));
            poller.await();
        }

        assertThat(terminal.toString(StandardCharsets.UTF_8))
                .contains("300/1,000", "300 pass")
                .contains("600/1,000")
                .contains("1,000/1,000");
        assertThat(poller.counts()).hasToString("1,000 pass, 0 warn, 0 fail, 0 error");
        assertThat(poller.completed()).isTrue();
        assertThat(out.toString()).isEqualTo("index,job\r\n0," + FIRST + "\r\n500," + SECOND + "\r\n");
    }
}
