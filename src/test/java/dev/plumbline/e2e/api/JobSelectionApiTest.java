package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.cursor;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.lines;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
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
import org.junit.jupiter.params.provider.ValueSource;

/** Filters of the lines of a job, and selection of their fields. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobSelectionApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private JobsApiClient jobs;
    private String token;

    /** Lines 0, 3 and 6 pass, 1 and 4 fail (one target), 2 and 5 are not valid. */
    @BeforeAll
    void create() {
        jobs = FIXTURE.client();
        CountingTarget target = new CountingTarget(FIXTURE.database().vertx());
        token = token(jobs.create(
                List.of(
                        target.url("/ok/Alpha"),
                        target.url("/missing/beta"),
                        "not a target",
                        target.url("/ok/gamma"),
                        target.url("/missing/beta"),
                        "not an ALPHA target",
                        target.url("/ok/delta")),
                new JsonObject()));
        jobs.finished(token);
    }

    private JsonObject read(String query) {
        HttpResponse<String> response = jobs.get("/" + token + "?" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static List<Integer> indexes(JsonObject job) {
        return lines(job).stream().map(line -> line.getInteger("index")).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "verdict=                                       | 0 1 2 3 4 5 6",
                "verdict=fail                                   | 1 4",
                "verdict=error,fail                             | 1 2 4 5",
                "verdict=warn                                   | ",
                "finding=status_client_error                    | 1 4",
                "finding=status_client_error,plain_http         | 0 1 3 4 6",
                "finding=no_such_finding                        | ",
                "finding=http-status/status_client_error        | ",
                "finding=invalid_target                         | 2 5",
                "q=ALPHA                                        | 0 5",
                "q=alpha&verdict=error                          | 5",
                "q=beta&finding=status_client_error&verdict=fail | 1 4",
                "q=alpha;verdict=error                          | ",
                "q=                                             | 0 1 2 3 4 5 6",
                "q=nowhere                                      | "
            })
    void linesAreSelected(String query, String expected) {
        List<Integer> indexes = expected == null
                ? List.of()
                : List.of(expected.split(" ")).stream().map(Integer::valueOf).toList();

        JsonObject job = read(query);

        assertThat(indexes(job)).isEqualTo(indexes);
        assertThat(job.getInteger("matched")).isEqualTo(indexes.size());
        assertThat(job.getJsonObject("counts").getInteger("total")).isEqualTo(7);
        assertThat(job.getJsonObject("counts").getInteger("fail")).isEqualTo(2);
        assertThat(job.getString("next_cursor")).isNull();
        JsonObject summary = read(query + "&results=false");
        assertThat(summary.getInteger("matched")).isEqualTo(indexes.size());
        assertThat(summary.fieldNames()).doesNotContain("results", "next_cursor");
        assertThat(jobs.get("/" + token + "/results.ndjson?" + query)
                        .body()
                        .lines()
                        .map(line -> new JsonObject(line).getInteger("index")))
                .isEqualTo(indexes);
        assertThat(csv(query))
                .extracting(line -> Integer.valueOf(line.getField("index")))
                .isEqualTo(indexes);
    }

    private List<NamedCsvRecord> csv(String query) {
        return CsvReader.builder()
                .ofNamedCsvRecord(
                        jobs.get("/" + token + "/results.csv?" + query).body())
                .stream()
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"verdict=fail,error", "q=t&verdict=fail,error", "finding=status_client_error", "q=a"})
    void pagesFollowTheIndex(String query) {
        JsonObject all = read(query);
        List<Integer> seen = new ArrayList<>();
        String cursor = null;
        do {
            HttpResponse<String> page =
                    jobs.get("/" + token + "?limit=1&" + query + (cursor == null ? "" : "&cursor=" + cursor));
            JsonObject job = new JsonObject(page.body());
            assertThat(lines(job)).hasSize(1);
            assertThat(job.getInteger("matched")).isEqualTo(all.getInteger("matched"));
            seen.addAll(indexes(job));
            cursor = cursor(page);
        } while (cursor != null);

        assertThat(seen).isEqualTo(indexes(all)).hasSizeGreaterThan(1);
    }

    @Test
    void onlyTheSelectedFieldsAreReturned() {
        JsonObject all = lines(read("")).get(1);
        JsonObject some = lines(read("fields=final_url,status,final_url")).get(1);

        assertThat(some.getJsonObject("fields"))
                .isEqualTo(new JsonObject()
                        .put("status", 404)
                        .put("final_url", all.getJsonObject("fields").getString("final_url")));
        all.remove("fields");
        some.remove("fields");
        assertThat(some).isEqualTo(all);
        assertThat(csv("fields=final_url,status").get(0).getHeader())
                .containsExactly(
                        "index",
                        "input",
                        "target",
                        "state",
                        "verdict",
                        "error_code",
                        "error_message",
                        "duration_ms",
                        "cached",
                        "checked_at",
                        "final_url",
                        "status",
                        "finding_codes",
                        "top_finding");
        assertThat(new JsonObject(jobs.get("/" + token + "?format=ndjson&fields=status")
                                .body()
                                .lines()
                                .findFirst()
                                .orElseThrow())
                        .getJsonObject("fields")
                        .fieldNames())
                .containsExactly("status");
    }

    @Test
    void theEntityTagDependsOnTheSelection() {
        List<String> etags = new ArrayList<>();
        for (String query : List.of(
                "",
                "?verdict=fail",
                "?verdict=warn",
                "?finding=redirected",
                "?q=a",
                "?q=b",
                "?fields=status",
                "?fields=final_url",
                "?results=false",
                "?results=false&verdict=fail",
                "?q=fail",
                "?finding=a&q=b")) {
            String etag = header(jobs.get("/" + token + query), "ETag");
            assertThat(jobs.get("/" + token + query, "If-None-Match", etag).statusCode())
                    .isEqualTo(304);
            etags.add(etag);
        }
        assertThat(etags).doesNotHaveDuplicates();
        assertThat(header(jobs.get("/" + token + "?verdict=warn,fail"), "ETag"))
                .isEqualTo(header(jobs.get("/" + token + "?verdict=fail,warn"), "ETag"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "?verdict=bad             | verdict | 'bad' is not a verdict. Use pass, warn, fail or error.",
                "?verdict=warn,           | verdict | '' is not a verdict.",
                "?verdict=FAIL            | verdict | 'FAIL' is not a verdict.",
                "?finding=Not%20Found     | finding | 'Not Found' is not a valid finding code.",
                "?finding=a/b/c           | finding | 'a/b/c' is not a valid finding code.",
                "?fields=status,color     | fields  | 'color' is not a field of http-status. Fields: status, ",
                "?verdict=%1B             | verdict | '\ufffd' is not a verdict.",
                "?finding=%E2%80%AEa      | finding | '\ufffda' is not a valid finding code. Use CODE or PART/CODE, for"
                        + " example status_client_error or hsts/hsts_short.",
                "?fields=%7F              | fields  | '\ufffd' is not a field of http-status.",
                "?fields=x,status,y       | fields  | 'x', 'y' are not fields of http-status. Fields: status, ",
                "?fields=a,b,c,d,e        | fields  | 'a', 'b', 'c' and 2 more are not fields of http-status. Fields: status, ",
                "?fields=status,          | fields  | '' is not a field of http-status.",
                "?results=false&fields=x  | fields  | 'x' is not a field of http-status.",
                "?format=csv&fields=x     | fields  | 'x' is not a field of http-status.",
                "/results.csv?fields=x    | fields  | 'x' is not a field of http-status.",
                "/results.ndjson?verdict=x | verdict | 'x' is not a verdict.",
                "?limit=1&limit=2         | limit   | must not be repeated",
                "?verdict=warn&verdict=fail | verdict | must not be repeated",
                "/results.csv?raw=true&raw=false | raw | must not be repeated",
                "?verdct=fail             | verdct  | is not a parameter of this operation. Parameters: limit, cursor, ",
                "?Verdict=fail            | Verdict | is not a parameter of this operation.",
                "/results.csv?limit=1     | limit   | is not a parameter of this operation. Parameters: raw, verdict, ",
                "/results.xlsx?fild=x     | fild    | is not a parameter of this operation.",
                "/summary?fields=status   | fields  | is not a parameter of this operation. Parameters: verdict, finding, q, policy, expect.",
                "/diff?against=x&chnge=x  | chnge   | is not a parameter of this operation. Parameters: against, change, ",
                "/diff.csv?agianst=x      | agianst | is not a parameter of this operation."
            })
    void invalidParametersAreNamed(String query, String parameter, String detail) {
        HttpResponse<String> response = jobs.get("/" + token + query, "Prefer", "wait=1");

        assertProblem(response, 422, "invalid-parameter");
        assertThat(new JsonObject(response.body()).getJsonArray("errors")).hasSize(1);
        JsonObject error =
                new JsonObject(response.body()).getJsonArray("errors").getJsonObject(0);
        assertThat(error.getString("parameter")).isEqualTo(parameter);
        assertThat(error.getString("detail")).startsWith(detail);
        assertThat(new JsonObject(response.body()).getString("detail"))
                .startsWith("Parameter " + parameter + ": " + detail);
    }

    @Test
    void unknownFieldsAreReportedWithoutWaiting() {
        CountingTarget target = new CountingTarget(FIXTURE.database().vertx());
        String running = token(jobs.create(List.of(target.url("/gate/fields")), new JsonObject()));

        HttpResponse<String> response = jobs.get("/" + running + "?fields=x", "Prefer", "wait=30");

        assertProblem(response, 422, "invalid-parameter");
        assertThat(target.responses()).isZero();
        target.openGate();
        jobs.finished(running);
    }

    @Test
    void theListOfJobsRejectsRepeatedParameters() {
        assertProblem(jobs.get("?limit=1&limit=2"), 422, "invalid-parameter");
    }

    @Test
    void allUnknownParametersAreNamed() {
        HttpResponse<String> response = jobs.get("?limt=1&after=x");

        assertProblem(response, 422, "invalid-parameter");
        assertThat(new JsonObject(response.body()).getJsonArray("errors"))
                .extracting(error -> ((JsonObject) error).getString("parameter"))
                .containsExactly("after", "limt");
    }

    @Test
    void aSemicolonIsAPartOfTheValue() {
        String separated = token(jobs.create(List.of("one;two", "one", "two"), new JsonObject()));

        for (String query : List.of("?q=one;two", "?results=true&q=e;t", "?q=one%3Btwo", "?q=;")) {
            assertThat(indexes(new JsonObject(jobs.get("/" + separated + query).body())))
                    .as(query)
                    .containsExactly(0);
        }
    }

    @Test
    void linesWithoutResultMatchByTheirInput() {
        CountingTarget target = new CountingTarget(FIXTURE.database().vertx());
        String running =
                token(jobs.create(List.of(target.url("/gate/one"), target.url("/gate/two")), new JsonObject()));

        JsonObject byInput = new JsonObject(jobs.get("/" + running + "?q=TWO").body());
        JsonObject byVerdict = new JsonObject(
                jobs.get("/" + running + "?verdict=pass,warn,fail,error").body());

        assertThat(indexes(byInput)).containsExactly(1);
        assertThat(byInput.getInteger("matched")).isEqualTo(1);
        assertThat(indexes(byVerdict)).isEmpty();
        assertThat(byVerdict.getInteger("matched")).isZero();
        target.openGate();
        jobs.finished(running);
    }
}
