package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.XlsxFile;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The results of a job as a workbook. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WorkbookApiTest {
    private static final String TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";

    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private final HttpClient http = HttpClient.newHttpClient();
    private JobsApiClient jobs;
    private String token;

    /** Line 0 passes, 1 and 3 fail, 2 is not valid and begins like a formula. */
    @BeforeAll
    void create() {
        jobs = FIXTURE.client();
        CountingTarget target = new CountingTarget(FIXTURE.database().vertx());
        token = token(jobs.create(
                List.of(target.url("/ok/Alpha"), target.url("/missing/beta"), "=1+1", target.url("/missing/gamma")),
                new JsonObject()));
        jobs.finished(token);
    }

    private HttpResponse<byte[]> get(String rest, String... headers) {
        List<String> all = new ArrayList<>(List.of(headers));
        Collections.addAll(all, "X-Api-Key", FIXTURE.key());
        HttpRequest request = HttpRequest.newBuilder(FIXTURE.service().uri(JobsApiClient.PATH + "/" + token + rest))
                .headers(all.toArray(String[]::new))
                .build();
        try {
            return http.send(request, HttpResponse.BodyHandlers.ofByteArray());
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    private XlsxFile workbook(String query) {
        HttpResponse<byte[]> response = get("/results.xlsx?" + query);
        assertThat(response.statusCode()).isEqualTo(200);
        return XlsxFile.read(response.body());
    }

    @Test
    void theWorkbookHasTheLinesAndColumnsOfCsv() {
        String csv = jobs.get("/" + token + "/results.csv").body();

        XlsxFile workbook = workbook("");

        XlsxFile.Sheet lines = workbook.sheet("Lines");
        assertThat(String.join(",", lines.header()))
                .isEqualTo(csv.lines().findFirst().orElseThrow());
        assertThat(lines.column("index")).containsExactly("0", "1", "2", "3");
        assertThat(lines.column("verdict")).containsExactly("pass", "fail", "error", "fail");
        assertThat(lines.column("error_code")).containsExactly(null, null, "invalid_target", null);
        assertThat(lines.rows().get(2).get("input")).isEqualTo(new XlsxFile.Cell("inlineStr", "=1+1", "@"));
        assertThat(lines.rows().get(1).get("status").number()).isEqualTo(404);
        assertThat(lines.rows().get(1).get("checked_at").format()).isNotNull();
        XlsxFile.Sheet findings = workbook.sheet("Findings");
        assertThat(findings.column("code"))
                .filteredOn("status_client_error"::equals)
                .hasSize(2);
        XlsxFile.Sheet summary = workbook.sheet("Summary");
        assertThat(summary.rows())
                .anySatisfy(row -> {
                    assertThat(row.get("code").text()).isEqualTo("status_client_error");
                    assertThat(row.get("count").number()).isEqualTo(2);
                    assertThat(row.get("indexes").text()).isEqualTo("1 3");
                })
                .anySatisfy(row -> {
                    assertThat(row.get("kind").text()).isEqualTo("error");
                    assertThat(row.get("code").text()).isEqualTo("invalid_target");
                });
    }

    @Test
    void theWorkbookHasColumnsForThePolicy() {
        String expectation = "expect=status%20%3D%3D%20404";
        String csv = jobs.get("/" + token + "/results.csv?" + expectation).body();

        XlsxFile.Sheet lines = workbook(expectation).sheet("Lines");

        assertThat(lines.header()).contains("policy_name", "policy_version");
        assertThat(String.join(",", lines.header()))
                .isEqualTo(csv.lines().findFirst().orElseThrow());
        assertThat(lines.rows())
                .extracting(row -> row.get("policy_met_count").number())
                .containsExactly(0.0, 1.0, 0.0, 1.0);
        assertThat(lines.column("policy_rule_count")).containsOnly("1");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "verdict=fail                             | 1 3",
                "finding=status_client_error&q=BETA       | 1",
                "q=alpha                                  | 0",
                "q=nowhere                                | ",
                "verdict=warn                             | ",
                "since=&verdict=error                     | 2"
            })
    void theFiltersSelectTheRowsOfAllSheets(String query, String expected) {
        List<String> indexes = expected == null ? List.of() : List.of(expected.split(" "));

        XlsxFile workbook = workbook(query);

        assertThat(workbook.sheet("Lines").column("index")).isEqualTo(indexes);
        assertThat(indexes).containsAll(workbook.sheet("Findings").column("index"));
        assertThat(workbook.sheet("Summary").rows().get(0).get("count").number())
                .isEqualTo(indexes.size());
    }

    @Test
    void onlyTheSelectedFieldsHaveColumns() {
        XlsxFile workbook = workbook("fields=final_url,status");

        assertThat(workbook.sheet("Lines").header())
                .hasSize(14)
                .endsWith("checked_at", "final_url", "status", "finding_codes", "top_finding");
    }

    @Test
    void theResponseIsAFileWithAnEntityTag() {
        HttpResponse<byte[]> response = get("/results.xlsx", "Accept-Encoding", "gzip");

        assertThat(header(response, "Content-Type")).isEqualTo(TYPE);
        assertThat(header(response, "Content-Disposition")).isEqualTo("attachment; filename=\"" + token + ".xlsx\"");
        assertThat(header(response, "Cache-Control")).startsWith("private");
        // the file is compressed
        assertThat(response.headers().firstValue("Content-Encoding")).isEmpty();
        String etag = header(response, "ETag");
        assertThat(etag).isNotEqualTo(header(get("/results.csv"), "ETag"));
        assertThat(get("/results.xlsx", "If-None-Match", etag).statusCode()).isEqualTo(304);
        assertThat(get("/results.xlsx?verdict=fail", "If-None-Match", etag).statusCode())
                .isEqualTo(200);
        HttpResponse<String> head = FIXTURE.service()
                .send(
                        "HEAD",
                        FIXTURE.service().uri(JobsApiClient.PATH + "/" + token + "/results.xlsx"),
                        "X-Api-Key",
                        FIXTURE.key());
        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.headers().firstValue("Content-Type")).contains(TYPE);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void theJobIsAWorkbookByFormatOrAcceptHeader() {
        assertThat(XlsxFile.read(get("?format=xlsx").body()).names()).hasSize(3);
        assertThat(header(get("", "Accept", TYPE), "Content-Type")).isEqualTo(TYPE);
        assertThat(header(get("", "Accept", "*/*"), "Content-Type")).isEqualTo("application/json");
        assertThat(header(get("?limit=2&format=xlsx"), "Content-Type")).isEqualTo(TYPE);
        assertThat(XlsxFile.read(get("?limit=2&format=xlsx").body())
                        .sheet("Lines")
                        .column("index"))
                .containsExactly("0", "1");
    }

    /** Some generated clients list all media types of the contract and process only the generic one. */
    @Test
    void theMediaTypeIsGenericForClientsThatPreferIt() {
        String both = TYPE + ", application/octet-stream, application/problem+json";

        assertThat(header(get("/results.xlsx", "Accept", both), "Content-Type")).isEqualTo("application/octet-stream");
        assertThat(header(get("/results.xlsx", "Accept", both.replace("stream", "stream;q=0.9")), "Content-Type"))
                .isEqualTo(TYPE);
        assertThat(header(get("/results.xlsx", "Accept", "*/*"), "Content-Type"))
                .isEqualTo(TYPE);
        assertThat(header(get("/results.xlsx", "Accept", "application/problem+json"), "Content-Type"))
                .isEqualTo(TYPE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"text/csv", "text/plain", "application/json", TYPE + ";q=0"})
    void anotherMediaTypeIsNotAcceptable(String accept) {
        HttpResponse<String> response = jobs.get("/" + token + "/results.xlsx", "Accept", accept);

        assertProblem(response, 406, "not-acceptable");
        assertThat(response.body()).contains(TYPE);
    }

    @Test
    void rejectionsAreThoseOfCsv() {
        String other = FIXTURE.accounts().key().secret();
        assertProblem(jobs.get("/" + token + "/results.xlsx", "X-Api-Key", other), 404, "no-such-job");
        assertProblem(jobs.get("/job_0/results.xlsx"), 404, "no-such-job");
        assertThat(jobs.get("/" + token + "/results.xlsx", "X-Api-Key", "plk_x").statusCode())
                .isEqualTo(401);
        assertProblem(jobs.get("/" + token + "/results.xlsx?fields=color"), 422, "invalid-parameter");
        assertProblem(jobs.get("/" + token + "/results.xlsx?verdict=red"), 422, "invalid-parameter");
        assertProblem(jobs.get("/" + token + "/results.xlsx?since=x"), 400, "bad-request");
    }
}
