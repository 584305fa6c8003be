package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Summaries of jobs. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobSummaryApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private JobsApiClient jobs;
    private CountingTarget target;
    private String token;

    /** Lines 0 and 3 pass, 1 and 4 fail (one target), 2 is not valid. */
    @BeforeAll
    void create() {
        jobs = FIXTURE.client();
        target = new CountingTarget(FIXTURE.database().vertx());
        token = token(jobs.create(
                List.of(
                        target.url("/ok/Alpha"),
                        target.url("/missing/beta"),
                        "not a target",
                        target.url("/ok/gamma"),
                        target.url("/missing/beta")),
                new JsonObject()));
        jobs.finished(token);
    }

    private JsonObject summary(String query) {
        HttpResponse<String> response = jobs.get("/" + token + "/summary" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static JsonObject member(JsonObject summary, String list, String name, String value) {
        return summary.getJsonArray(list).stream()
                .map(JsonObject.class::cast)
                .filter(each -> value.equals(each.getString(name)))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void findingsAndValuesAreCounted() {
        JsonObject summary = summary("");

        assertThat(summary.getString("token")).isEqualTo(token);
        assertThat(summary.getString("module")).isEqualTo("http-status");
        assertThat(summary.getString("state")).isEqualTo("completed");
        assertThat(summary.getJsonObject("counts"))
                .isEqualTo(new JsonObject(jobs.get("/" + token).body()).getJsonObject("counts"));
        assertThat(summary.getInteger("matched")).isEqualTo(5);
        JsonObject first = summary.getJsonArray("findings").getJsonObject(0);
        assertThat(first)
                .isEqualTo(new JsonObject()
                        .putNull("part")
                        .put("code", "status_client_error")
                        .put("level", "fail")
                        .put("title", "HTTP client error (4xx)")
                        .put("count", 2)
                        .put("indexes", new JsonArray().add(1).add(4)));
        assertThat(member(summary, "errors", "code", "invalid_target").getJsonArray("indexes"))
                .containsExactly(2);
        JsonObject status = member(summary, "fields", "name", "status");
        assertThat(status.getInteger("null_count")).isEqualTo(1);
        assertThat(status.getInteger("min")).isEqualTo(200);
        assertThat(status.getInteger("max")).isEqualTo(404);
        assertThat(status.getInteger("distinct_count")).isEqualTo(2);
        assertThat(status.getJsonArray("values"))
                .containsExactly(
                        new JsonObject().put("value", "200").put("count", 2),
                        new JsonObject().put("value", "404").put("count", 2));
        JsonArray declared = new JsonObject(
                        FIXTURE.service().get("/api/v1/tools/http-status").body())
                .getJsonArray("fields");
        assertThat(names(summary.getJsonArray("fields"))).isEqualTo(names(declared));
        assertThat(summary.getJsonArray("areas")).isEmpty();
    }

    private static List<String> names(JsonArray fields) {
        return fields.stream()
                .map(field -> ((JsonObject) field).getString("name"))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "verdict=fail                | 2 | 1 4",
                "verdict=pass,error          | 3 | ",
                "finding=status_client_error | 2 | 1 4",
                "finding=no_such_finding     | 0 | ",
                "q=BETA                      | 2 | 1 4",
                "q=alpha&verdict=fail        | 0 | ",
                "q=                          | 5 | 1 4"
            })
    void filtersSelectLines(String query, int matched, String indexes) {
        JsonObject summary = summary("?" + query);

        assertThat(summary.getInteger("matched")).isEqualTo(matched);
        assertThat(summary.getJsonObject("counts").getInteger("total")).isEqualTo(5);
        List<String> withFinding = summary.getJsonArray("findings").stream()
                .map(JsonObject.class::cast)
                .filter(finding -> finding.getString("code").equals("status_client_error"))
                .flatMap(finding -> finding.getJsonArray("indexes").stream().map(Object::toString))
                .toList();
        assertThat(withFinding).isEqualTo(indexes == null ? List.of() : List.of(indexes.split(" ")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "?verdict=bad                | verdict | 'bad' is not a verdict. Use pass, warn, fail or error.",
                "?finding=a/b/c              | finding | 'a/b/c' is not a valid finding code.",
                "?verdict=warn&verdict=fail  | verdict | must not be repeated"
            })
    void invalidParametersAreNamed(String query, String parameter, String detail) {
        HttpResponse<String> response = jobs.get("/" + token + "/summary" + query);

        assertProblem(response, 422, "invalid-parameter");
        JsonObject error =
                new JsonObject(response.body()).getJsonArray("errors").getJsonObject(0);
        assertThat(error.getString("parameter")).isEqualTo(parameter);
        assertThat(error.getString("detail")).startsWith(detail);
    }

    @Test
    void onlyTheAccountOfTheJobCanReadIt() {
        String other = FIXTURE.accounts().key().secret();

        assertProblem(jobs.get("/" + token + "/summary", "X-Api-Key", other), 404, "no-such-job");
        assertProblem(jobs.get("/job_x/summary"), 404, "no-such-job");
        assertProblem(jobs.get("/job_4kJ0mZ3tQbW9xYcR1nLp7s/summary"), 404, "no-such-job");
        assertProblem(FIXTURE.service().get(JobsApiClient.PATH + "/" + token + "/summary"), 401, "no-key");
        String writeOnly = FIXTURE.accounts()
                .key(FIXTURE.accounts().account(Plan.PRO), Scope.JOBS_WRITE)
                .secret();
        assertProblem(jobs.get("/" + token + "/summary", "X-Api-Key", writeOnly), 403, "insufficient-scope");
        assertProblem(jobs.get("/" + token + "/summary", "Accept", "text/csv"), 406, "not-acceptable");
    }

    @Test
    void theEntityTagDependsOnTheFilters() {
        List<String> etags = new ArrayList<>();
        for (String query : List.of("", "?verdict=fail", "?verdict=warn", "?finding=redirected", "?q=a", "?q=b")) {
            HttpResponse<String> response = jobs.get("/" + token + "/summary" + query);
            String etag = header(response, "ETag");
            HttpResponse<String> again = jobs.get("/" + token + "/summary" + query, "If-None-Match", etag);
            assertThat(again.statusCode()).isEqualTo(304);
            assertThat(response.headers().firstValue("Retry-After")).isEmpty();
            assertThat(header(response, "Cache-Control")).isEqualTo("private, no-cache");
            etags.add(etag);
        }
        assertThat(etags).doesNotHaveDuplicates();
        assertThat(header(jobs.get("/" + token), "ETag")).isNotIn(etags);
    }

    @Test
    void headHasTheHeadersOfGet() {
        HttpResponse<String> get = jobs.get("/" + token + "/summary");
        HttpResponse<String> head = FIXTURE.service()
                .send(
                        "HEAD",
                        FIXTURE.service().uri(JobsApiClient.PATH + "/" + token + "/summary"),
                        "X-Api-Key",
                        FIXTURE.key());

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(header(head, "ETag")).isEqualTo(header(get, "ETag"));
    }

    @Test
    void aRunningJobIsSummarized() {
        CountingTarget held = new CountingTarget(FIXTURE.database().vertx());
        String running = token(
                jobs.create(List.of("not a target", held.url("/gate/one"), held.url("/gate/two")), new JsonObject()));
        String etag = null;
        JsonObject summary;
        do {
            HttpResponse<String> response = jobs.get("/" + running + "/summary");
            summary = new JsonObject(response.body());
            etag = header(response, "ETag");
            assertThat(header(response, "Retry-After")).isEqualTo("2");
        } while (summary.getJsonObject("counts").getInteger("error") == 0);

        assertThat(summary.getString("state")).isEqualTo("running");
        assertThat(summary.getInteger("matched")).isEqualTo(3);
        assertThat(member(summary, "fields", "name", "status").getInteger("null_count"))
                .isEqualTo(1);
        JsonObject waiting =
                new JsonObject(jobs.get("/" + running + "/summary?q=gate").body());
        assertThat(waiting.getInteger("matched")).isEqualTo(2);
        assertThat(member(waiting, "fields", "name", "status").getInteger("null_count"))
                .isZero();
        held.openGate();
        jobs.finished(running);
        HttpResponse<String> finished = jobs.get("/" + running + "/summary", "If-None-Match", etag);
        assertThat(finished.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(finished.body()).getJsonObject("counts").getInteger("pass"))
                .isEqualTo(2);
    }

    @Test
    void cancelledLinesAreCounted() {
        CountingTarget held = new CountingTarget(FIXTURE.database().vertx());
        String cancelled = token(jobs.create(List.of(held.url("/gate/a"), held.url("/gate/b")), new JsonObject()));
        jobs.delete(cancelled, FIXTURE.key());
        jobs.finished(cancelled);

        JsonObject summary =
                new JsonObject(jobs.get("/" + cancelled + "/summary").body());

        assertThat(summary.getString("state")).isEqualTo("cancelled");
        assertThat(summary.getJsonObject("counts").getInteger("cancelled")).isEqualTo(2);
        assertThat(summary.getInteger("matched")).isEqualTo(2);
        assertThat(summary.getJsonArray("findings")).isEmpty();
        held.openGate();
    }
}
