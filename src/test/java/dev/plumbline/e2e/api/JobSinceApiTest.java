package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.lines;
import static dev.plumbline.support.JobsApiClient.states;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Lines in the order in which they finish: each once per chain of cursors. */
@Tag("integration")
class JobSinceApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private final JobsApiClient jobs = FIXTURE.client();
    private final CountingTarget target = new CountingTarget(FIXTURE.database().vertx());

    private static JsonObject json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private JsonObject since(String token, String cursor, String more, String... headers) {
        JsonObject job = json(jobs.get("/" + token + "?since=" + cursor + more, headers));
        assertThat(job.fieldNames()).contains("since", "results", "matched").doesNotContain("next_cursor");
        return job;
    }

    private static List<Integer> indexes(JsonObject job) {
        return lines(job).stream().map(line -> line.getInteger("index")).toList();
    }

    private String create(String... items) {
        return token(jobs.create(
                List.of(items), new JsonObject().put("method", "get").put("timeout_ms", 30_000)));
    }

    @Test
    void theEntityTagsOfAllAndOfNewLinesDiffer() {
        String token = create("not a target");
        String all = header(jobs.get("/" + token, "Prefer", "wait=20"), "ETag");

        assertThat(jobs.get("/" + token + "?since=", "If-None-Match", all).statusCode())
                .isEqualTo(200);
    }

    @Test
    void onlyNewLinesAreReturned() {
        String token = create(target.url("/gate/a"), "not a target", target.url("/gate/a"), target.url("/gate/b"));
        JsonObject first = since(token, "", "", "Prefer", "wait=20");
        assertThat(indexes(first)).containsExactly(1);
        assertThat(first.getInteger("matched")).isEqualTo(4);
        assertThat(indexes(since(token, first.getString("since"), ""))).isEmpty();

        target.openGate();
        jobs.finished(token);

        JsonObject rest = since(token, first.getString("since"), "");
        assertThat(indexes(rest)).containsExactlyInAnyOrder(0, 2, 3);
        assertThat(states(rest)).containsOnly("done");
        JsonObject end = since(token, rest.getString("since"), "", "Prefer", "wait=20");
        assertThat(indexes(end)).isEmpty();
        assertThat(end.getString("since")).isEqualTo(rest.getString("since"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "&q=T", "&verdict=error", "&q=targ&verdict=error"})
    void pagesEndInTheMiddleOfAVersion(String filter) {
        String token = create(
                "not a target", "neither", "nor this", "not a target", target.url("/ok/target"), "a b", "one target");
        jobs.finished(token);

        List<Integer> seen = new ArrayList<>();
        String cursor = "";
        JsonObject page;
        do {
            page = since(token, cursor, "&limit=2" + filter);
            seen.addAll(indexes(page));
            cursor = page.getString("since");
        } while (lines(page).size() == 2);

        assertThat(seen).hasSizeGreaterThan(2).doesNotHaveDuplicates();
        assertThat(seen).isEqualTo(indexes(since(token, "", filter)));
        assertThat(seen)
                .containsExactlyInAnyOrderElementsOf(
                        indexes(json(jobs.get("/" + token + (filter.isEmpty() ? "" : "?" + filter.substring(1))))));
    }

    @Test
    void aRequestWaitsForALineThatMatches() throws Exception {
        String token = create("not a target", target.url("/gate/pass"), target.url("/held/fail"));
        String cursor = since(token, "", "", "Prefer", "wait=20").getString("since");
        ServiceUnderTest service = FIXTURE.service();
        List<CompletableFuture<JsonObject>> held = new ArrayList<>();
        for (String filter : List.of("&verdict=fail", "&finding=status_client_error", "&q=/FAIL")) {
            held.add(CompletableFuture.supplyAsync(() -> json(service.get(
                    JobsApiClient.PATH + "/" + token + "?since=" + cursor + filter,
                    "X-Api-Key",
                    FIXTURE.key(),
                    "Prefer",
                    "wait=30"))));
        }
        String etag = header(jobs.get("/" + token), "ETag");
        target.openGate();
        Await.until(() -> jobs.get("/" + token, "If-None-Match", etag).statusCode() == 200
                && json(jobs.get("/" + token)).getJsonObject("counts").getInteger("pass") == 1);
        assertThat(held).noneMatch(CompletableFuture::isDone);

        target.releaseHeld();

        for (CompletableFuture<JsonObject> one : held) {
            assertThat(indexes(one.get())).containsExactly(2);
        }
        assertThat(held.get(0).get().getInteger("matched")).isEqualTo(1);
        assertThat(held.get(1).get().getInteger("matched")).isNull();
        // lines that did not match are not returned with the next cursor either
        assertThat(indexes(since(token, held.get(2).get().getString("since"), "&q=/FAIL")))
                .isEmpty();
    }

    @Test
    void cancelledLinesAreReturnedOnceAtTheEnd() {
        String token = create(target.url("/gate/a"), "not a target", target.url("/gate/b"), target.url("/gate/c"));
        JsonObject first = since(token, "", "", "Prefer", "wait=20");
        assertThat(indexes(first)).containsExactly(1);

        assertThat(jobs.delete(token, FIXTURE.key()).statusCode()).isEqualTo(200);

        JsonObject rest = since(token, first.getString("since"), "&limit=2", "Prefer", "wait=20");
        assertThat(indexes(rest)).containsExactly(0, 2);
        assertThat(states(rest)).containsOnly("cancelled");
        JsonObject last = since(token, rest.getString("since"), "&limit=2");
        assertThat(indexes(last)).containsExactly(3);
        assertThat(indexes(since(token, last.getString("since"), ""))).isEmpty();
        assertThat(indexes(since(token, "", ""))).containsExactly(1, 0, 2, 3);
        assertThat(indexes(since(token, "", "&q=gate/b"))).containsExactly(2);
        assertThat(indexes(since(token, "", "&verdict=error"))).containsExactly(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/results.ndjson?", "?format=ndjson&", "/results.ndjson?verdict=error&fields=status&"})
    void filesLinkToTheLinesThatFinishLater(String path) {
        String token = create(target.url("/gate/a"), "not a target", target.url("/gate/b"));
        since(token, "", "", "Prefer", "wait=20");

        HttpResponse<String> first = jobs.get("/" + token + path + "since=");
        target.openGate();
        jobs.finished(token);
        String link = header(first, "Link");
        assertThat(link)
                .startsWith("<https://checks.example.org/api/v1/jobs/" + token)
                .endsWith(">; rel=\"next\"");
        URI next = URI.create(link.substring(1, link.indexOf('>')));
        HttpResponse<String> second =
                jobs.get(next.getRawPath().substring(JobsApiClient.PATH.length()) + "?" + next.getRawQuery());

        assertThat(first.body().lines().map(line -> new JsonObject(line).getInteger("index")))
                .containsExactly(1);
        assertThat(second.headers().firstValue("Link"))
                .as("the job is finished")
                .isEmpty();
        assertThat(second.body().lines().map(line -> new JsonObject(line).getInteger("index")))
                .doesNotContain(1)
                .hasSize(path.contains("verdict") ? 0 : 2);
    }

    @Test
    void eachLineIsReturnedOnceByAnyNode() {
        List<String> items = IntStream.range(0, 400)
                .mapToObj(i -> i % 9 == 0
                        ? "not a target " + i % 4
                        : target.url((i % 5 == 0 ? "/slow/" : i % 7 == 0 ? "/missing/" : "/ok/") + i % 311))
                .toList();
        try (ServiceUnderTest other = ServiceUnderTest.start(FIXTURE.database().url(), Map.of())) {
            List<JobsApiClient> nodes = List.of(jobs, new JobsApiClient(other, FIXTURE.key()));
            String token = token(jobs.create(items, new JsonObject()));
            List<Integer> seen = new ArrayList<>();
            List<Integer> failed = new ArrayList<>();
            String all = "";
            String fails = "";
            boolean ended = false;
            for (int poll = 0; !ended; poll++) {
                JobsApiClient node = nodes.get(poll % 2);
                JsonObject page = json(node.get("/" + token + "?limit=40&since=" + all, "Prefer", "wait=" + poll % 3));
                seen.addAll(indexes(page));
                all = page.getString("since");
                ended = page.getString("finished_at") != null && lines(page).size() < 40;
                JsonObject selected =
                        json(nodes.get(poll / 2 % 2).get("/" + token + "?finding=status_client_error&since=" + fails));
                failed.addAll(indexes(selected));
                fails = selected.getString("since");
            }
            failed.addAll(indexes(json(jobs.get("/" + token + "?finding=status_client_error&since=" + fails))));

            assertThat(seen)
                    .doesNotHaveDuplicates()
                    .hasSize(items.size())
                    .isEqualTo(indexes(json(jobs.get("/" + token + "?since="))));
            assertThat(failed)
                    .doesNotHaveDuplicates()
                    .containsExactlyInAnyOrderElementsOf(
                            indexes(json(jobs.get("/" + token + "?finding=status_client_error"))))
                    .isNotEmpty();
        }
    }

    @Test
    void aCursorOfAnotherJobIsRejected() {
        String token = create("not a target");
        String other = create("not a target");
        String cursor = json(jobs.get("/" + other + "?since=")).getString("since");

        HttpResponse<String> response = jobs.get("/" + token + "?since=" + cursor, "Prefer", "wait=30");

        assertProblem(response, 422, "invalid-parameter");
        assertThat(new JsonObject(response.body()).getString("detail"))
                .isEqualTo("Parameter since: is a cursor of another job. Remove since, or send the since value of the"
                        + " last response.");
        assertProblem(jobs.get("/" + token + "/results.csv?since=" + cursor), 422, "invalid-parameter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "20"})
    void aCursorThatTheJobHasNotReachedIsRejected(String waitSeconds) {
        String token = create("not a target");
        jobs.finished(token);
        String last = since(token, "", "").getString("since");
        String plain = new String(Base64.getUrlDecoder().decode(last), StandardCharsets.US_ASCII);
        int dot = plain.lastIndexOf('.') + 1;
        String forged = plain.substring(0, dot) + (Long.parseLong(plain.substring(dot)) + 1);
        String cursor =
                Base64.getUrlEncoder().withoutPadding().encodeToString(forged.getBytes(StandardCharsets.US_ASCII));

        for (String path : List.of("?since=", "/results.csv?since=", "?format=ndjson&since=")) {
            HttpResponse<String> response = jobs.get("/" + token + path + cursor, "Prefer", "wait=" + waitSeconds);

            assertProblem(response, 422, "invalid-parameter");
            assertThat(new JsonObject(response.body()).getString("detail"))
                    .isEqualTo("Parameter since: is a cursor that this job has not reached. Remove since, or send"
                            + " the since value of the last response.");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "?since=x, 400, bad-request",
        "?since=bDE, 400, bad-request",
        "/results.ndjson?since=x, 400, bad-request",
        "?since=&cursor=bDE, 422, invalid-parameter",
        "?since=&results=false, 422, invalid-parameter",
        "?since=&format=csv&limit=1, 422, invalid-parameter",
        "/results.csv?since=&limit=1, 422, invalid-parameter",
        "?since=&since=, 422, invalid-parameter"
    })
    void invalidCombinationsAreRejected(String query, int status, String code) {
        String token = create("not a target", "neither");

        HttpResponse<String> response = jobs.get("/" + token + query);

        assertProblem(response, status, code);
        assertThat(new JsonObject(response.body())
                        .getJsonArray("errors")
                        .getJsonObject(0)
                        .getString("detail"))
                .containsAnyOf("Remove ", "must not be repeated", "is not a parameter of this operation");
    }

    @Test
    void anotherAccountIsNotFound() {
        String token = create("not a target");
        String stranger = FIXTURE.accounts().key().secret();

        assertProblem(jobs.get("/" + token + "?since=", "X-Api-Key", stranger), 404, "no-such-job");
    }
}
