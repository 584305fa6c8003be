package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.support.Await;
import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Comparisons of jobs. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class JobDiffApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private static final String UNKNOWN = "job_4kJ0mZ3tQbW9xYcR1nLp7s";
    private static final String ALL = "&change=new,gone,worse,better,changed,unchanged";
    private static final JsonObject GET = new JsonObject().put("method", "get");

    private JobsApiClient jobs;
    private CountingTarget target;
    private String earlier;
    private String later;

    /** {@code /held/b} first returns 404 after more than 300 ms, then 200 at once. */
    @BeforeAll
    void create() {
        jobs = FIXTURE.client();
        target = new CountingTarget(FIXTURE.database().vertx());
        earlier = token(jobs.create(
                List.of(
                        target.url("/ok/a"),
                        target.url("/held/b"),
                        target.url("/slow/c"),
                        "not a target",
                        target.url("/ok/a")),
                GET));
        Await.until(() -> target.requests("/held/b") == 1 && target.responses() == 2);
        target.releaseHeld();
        jobs.finished(earlier);
        later = token(jobs.create(
                List.of(target.url("/ok/a"), target.url("/ok/new"), "not a target", target.url("/held/b")),
                GET.copy().put("fresh", true)));
        jobs.finished(later);
    }

    private HttpResponse<String> get(String job, String against, String more, String... headers) {
        return jobs.get("/" + job + "/diff?against=" + against + more, headers);
    }

    private JsonObject diff(String job, String against, String more) {
        HttpResponse<String> response = get(job, against, more);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static List<JsonObject> lines(JsonObject diff) {
        return diff.getJsonArray("lines").stream().map(JsonObject.class::cast).toList();
    }

    private static List<String> changes(JsonObject diff) {
        return lines(diff).stream()
                .map(line -> line.getString("change") + " " + line.getInteger("index") + " "
                        + line.getInteger("against_index"))
                .toList();
    }

    @Test
    void linesAreMatchedByTarget() {
        JsonObject diff = diff(later, earlier, ALL);

        assertThat(diff.getString("token")).isEqualTo(later);
        assertThat(diff.getString("against")).isEqualTo(earlier);
        assertThat(diff.getString("module")).isEqualTo("http-status");
        assertThat(diff.getJsonArray("options_differ"))
                .containsExactly(
                        new JsonObject().put("name", "fresh").put("value", true).put("against_value", false));
        assertThat(changes(diff))
                .containsExactly(
                        "unchanged 0 0", "new 1 null", "unchanged 2 3", "better 3 1", "gone null 2", "gone null 4");
        assertThat(diff.getJsonObject("counts"))
                .isEqualTo(new JsonObject(
                        "{\"new\":1,\"gone\":2,\"worse\":0,\"better\":1,\"changed\":0,\"unchanged\":2}"));
        assertThat(diff.getString("next_cursor")).isNull();
        JsonObject better = lines(diff).get(3);
        assertThat(better.getString("target")).isEqualTo(target.url("/held/b"));
        assertThat(better.getString("against_verdict")).isEqualTo("fail");
        assertThat(better.getJsonArray("findings_added")).isEmpty();
        assertThat(better.getJsonArray("findings_removed"))
                .extracting(finding -> ((JsonObject) finding).getString("code"))
                .containsExactly("status_client_error");
        assertThat(better.getJsonArray("fields"))
                .contains(
                        new JsonObject().put("name", "status").put("value", 200).put("against_value", 404));
    }

    @Test
    void theOtherDirectionIsWorse() {
        JsonObject diff = diff(earlier, later, "");

        assertThat(changes(diff)).containsExactly("worse 1 3", "new 2 null", "new 4 null", "gone null 1");
        assertThat(lines(diff).get(0).getJsonArray("findings_added")).hasSize(1);
        assertThat(diff.getJsonObject("counts").getInteger("unchanged")).isEqualTo(2);
    }

    @Test
    void aJobDoesNotDifferFromItself() {
        JsonObject diff = diff(later, later, "");

        assertThat(lines(diff)).isEmpty();
        assertThat(diff.getJsonArray("options_differ")).isEmpty();
        assertThat(diff.getJsonObject("counts").getInteger("unchanged")).isEqualTo(4);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "&change=gone           | gone null 2, gone null 4",
                "&change=better,new     | new 1 null, better 3 1",
                "&change=worse          | ",
                "&change=unchanged      | unchanged 0 0, unchanged 2 3",
                "&change=               | new 1 null, better 3 1, gone null 2, gone null 4"
            })
    void changesAreSelected(String query, String expected) {
        List<String> selected = expected == null ? List.of() : List.of(expected.split(", "));

        JsonObject diff = diff(later, earlier, query);

        assertThat(changes(diff)).isEqualTo(selected);
        assertThat(diff.getJsonObject("counts").getInteger("gone")).isEqualTo(2);
        assertThat(jobs.get("/" + later + "/diff.ndjson?against=" + earlier + query)
                        .body()
                        .lines()
                        .map(JsonObject::new))
                .isEqualTo(lines(diff));
        assertThat(csv(later, earlier, query))
                .extracting(row -> row.getField("change"))
                .isEqualTo(lines(diff).stream()
                        .map(line -> line.getString("change"))
                        .toList());
    }

    private List<NamedCsvRecord> csv(String job, String against, String query) {
        HttpResponse<String> response = jobs.get("/" + job + "/diff.csv?against=" + against + query);
        assertThat(header(response, "Content-Disposition")).isEqualTo("attachment; filename=\"" + job + "-diff.csv\"");
        return CsvReader.builder().ofNamedCsvRecord(response.body()).stream().toList();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 6})
    void pagesContainEachChangeOnce(int limit) {
        List<JsonObject> seen = new ArrayList<>();
        String cursor = null;
        do {
            JsonObject page =
                    diff(later, earlier, ALL + "&limit=" + limit + (cursor == null ? "" : "&cursor=" + cursor));
            assertThat(lines(page)).hasSizeBetween(1, limit);
            assertThat(page.getJsonObject("counts").getInteger("unchanged")).isEqualTo(2);
            seen.addAll(lines(page));
            cursor = page.getString("next_cursor");
        } while (cursor != null);

        assertThat(seen).isEqualTo(lines(diff(later, earlier, ALL))).hasSize(6);
    }

    @Test
    void theLastPageWithFilterHasNoCursor() {
        JsonObject first = diff(later, earlier, "&change=new,better&limit=1");
        JsonObject second = diff(later, earlier, "&change=new,better&limit=1&cursor=" + first.getString("next_cursor"));

        assertThat(changes(first)).containsExactly("new 1 null");
        assertThat(changes(second)).containsExactly("better 3 1");
        assertThat(second.getString("next_cursor")).isNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "&change=new,gone,worse,better,changed,unchanged | 1 | 6",
                "&change=new,gone,worse,better,changed,unchanged | 4 | 2",
                "&change=new,gone,worse,better,changed,unchanged | 6 | 1",
                "''                                              | 3 | 2",
                "''                                              | 4 | 1",
                "&change=new,better&volatile=true                | 1 | 2",
                "&change=new                                     | 1 | 1",
                "&change=worse                                   | 1 | 1",
                "&change=unchanged&expect=status+%3D%3D+200      | 1 | 2",
                // the only better line is changed: its earlier status is the expected one
                "&change=new,better&expect=status+%3D%3D+404     | 1 | 1"
            })
    void linkedPagesContainEachChangeOnce(String view, int limit, int pages) {
        List<JsonObject> seen = new ArrayList<>();
        String query = "against=" + earlier + view + "&limit=" + limit;
        String next = query;
        for (int i = 1; i <= pages; i++) {
            String path = "/" + later + "/diff?" + next;
            HttpResponse<String> page = jobs.get(path);
            JsonObject diff = new JsonObject(page.body());
            next = "cursor=" + diff.getString("next_cursor") + "&" + query.replace(",", "%2C");
            List<String> link = i == pages
                    ? List.of()
                    : List.of("<https://checks.example.org" + JobsApiClient.PATH + "/" + later + "/diff?" + next
                            + ">; rel=\"next\"");
            assertThat(page.headers().allValues("Link")).as("page %d", i).isEqualTo(link);
            assertThat(head(path).headers().allValues("Link"))
                    .as("HEAD of page %d", i)
                    .isEqualTo(link);
            assertThat(diff.containsKey("next_cursor")).isTrue();
            assertThat(diff.getString("next_cursor") == null).isEqualTo(link.isEmpty());
            seen.addAll(lines(diff));
        }

        assertThat(seen).isEqualTo(lines(diff(later, earlier, view)));
    }

    private static HttpResponse<String> head(String path) {
        return FIXTURE.service()
                .send("HEAD", FIXTURE.service().uri(JobsApiClient.PATH + path), "X-Api-Key", FIXTURE.key());
    }

    @Test
    void volatileFieldsAreIncludedOnRequest() {
        assertThat(fields(diff(later, earlier, "&change=better")))
                .contains("status")
                .doesNotContain("response_time_ms");
        assertThat(fields(diff(later, earlier, "&change=better&volatile=true"))).contains("status", "response_time_ms");
        assertThat(diff(later, earlier, "&volatile=true").getJsonObject("counts"))
                .isEqualTo(diff(later, earlier, "").getJsonObject("counts"));
    }

    private static List<String> fields(JsonObject diff) {
        return lines(diff).get(0).getJsonArray("fields").stream()
                .map(field -> ((JsonObject) field).getString("name"))
                .toList();
    }

    @Test
    void csvHasOneRowPerLine() {
        List<NamedCsvRecord> rows = csv(later, earlier, ALL);

        assertThat(rows).hasSize(6);
        assertThat(rows.get(0).getHeader())
                .containsExactly(
                        "target",
                        "change",
                        "index",
                        "against_index",
                        "verdict",
                        "against_verdict",
                        "findings_added",
                        "findings_removed",
                        "fields",
                        "rules",
                        "against_rules",
                        "rules_changed",
                        "error_code",
                        "against_error_code");
        NamedCsvRecord better = rows.get(3);
        assertThat(better.getField("index")).isEqualTo("3");
        assertThat(better.getField("against_index")).isEqualTo("1");
        assertThat(better.getField("findings_removed")).isEqualTo("status_client_error");
        assertThat(new JsonArray(better.getField("fields")))
                .isEqualTo(lines(diff(later, earlier, ALL)).get(3).getJsonArray("fields"));
        assertThat(rows.get(2).getField("error_code")).isEqualTo("invalid_target");
    }

    @Test
    void formulasInCsvAreEscaped() {
        String formula = token(jobs.create(List.of("=1+1"), new JsonObject()));
        jobs.finished(formula);

        assertThat(csv(formula, later, "&change=new").get(0).getField("target")).isEqualTo("'=1+1");
        assertThat(csv(formula, later, "&change=new&raw=true").get(0).getField("target"))
                .isEqualTo("=1+1");
    }

    @Test
    void ndjsonLinesMatchContract() {
        ContractValidator contract = new ContractValidator();

        assertThat(jobs.get("/" + later + "/diff.ndjson?against=" + earlier + ALL)
                        .body()
                        .lines())
                .hasSize(6)
                .allMatch(line -> contract.validate("ComparisonLine", line).getValid());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "/diff                                  | 400 | bad-request       | against  | ",
                "/diff.csv                              | 400 | bad-request       | against  | ",
                "/diff.ndjson?against=                  | 400 | bad-request       | against  | ",
                "/diff?against=x                        | 404 | no-such-job       | against  | 'x' is not the token of a job",
                "/diff?against=UNKNOWN                  | 404 | no-such-job       | against  | 'UNKNOWN' is not the token of a job",
                "/diff.csv?against=UNKNOWN              | 404 | no-such-job       | against  | 'UNKNOWN' is not the token of a job",
                "/diff?against=EARLIER&against=EARLIER  | 422 | invalid-parameter | against  | must not be repeated",
                "/diff?against=EARLIER&change=bad       | 422 | invalid-parameter | change   | 'bad' is not a kind of change. Use one of new, gone, worse, better, changed, unchanged.",
                "/diff?against=EARLIER&change=worse,    | 422 | invalid-parameter | change   | '' is not a kind of change.",
                "/diff.csv?against=EARLIER&change=NEW   | 422 | invalid-parameter | change   | 'NEW' is not a kind of change.",
                "/diff?against=EARLIER&volatile=maybe   | 400 | bad-request       | volatile | ",
                "/diff?against=EARLIER&limit=0          | 400 | bad-request       | limit    | ",
                "/diff?against=EARLIER&limit=501        | 400 | bad-request       | limit    | ",
                "/diff?against=EARLIER&cursor=x         | 400 | bad-request       | cursor   | is not a next_cursor value",
                "/diff?against=EARLIER&cursor=bDE       | 400 | bad-request       | cursor   | is not a next_cursor value",
                "/diff?against=LATER&cursor=CURSOR      | 422 | invalid-parameter | cursor   | is a cursor of another comparison.",
                "/diff?against=EARLIER&cursor=BEHIND    | 400 | bad-request       | cursor   | is not a next_cursor value"
            })
    void invalidParametersAreNamed(String query, int status, String code, String parameter, String detail) {
        String cursor = diff(later, earlier, "&limit=1").getString("next_cursor");
        String behind = Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(("c" + later + "." + earlier + ".6").getBytes(StandardCharsets.US_ASCII));
        String path = query.replace("EARLIER", earlier)
                .replace("LATER", later)
                .replace("UNKNOWN", UNKNOWN)
                .replace("CURSOR", cursor)
                .replace("BEHIND", behind);

        HttpResponse<String> response = jobs.get("/" + later + path);

        assertProblem(response, status, code);
        JsonObject error =
                new JsonObject(response.body()).getJsonArray("errors").getJsonObject(0);
        assertThat(error.getString("parameter")).isEqualTo(parameter);
        if (detail != null) {
            assertThat(error.getString("detail")).startsWith(detail.replace("UNKNOWN", UNKNOWN));
        }
    }

    @Test
    void jobsOfOtherAccountsDoNotExist() {
        String key = FIXTURE.accounts().key().secret();
        String others = token(jobs.create(key, List.of("not a target"), new JsonObject()));
        jobs.finished(others, key);

        HttpResponse<String> against = get(later, others, "");
        assertProblem(against, 404, "no-such-job");
        assertThat(new JsonObject(against.body()).getString("detail"))
                .isEqualTo("Parameter against: your account does not have a job with the token '" + others
                        + "'. GET /api/v1/jobs lists your jobs.");
        assertProblem(get(others, later, ""), 404, "no-such-job");
        HttpResponse<String> unknown = get(UNKNOWN, later, "");
        assertProblem(unknown, 404, "no-such-job");
        assertThat(new JsonObject(unknown.body()).getString("detail"))
                .isEqualTo("Your account does not have a job with the token '" + UNKNOWN
                        + "'. GET /api/v1/jobs lists your jobs.");
        assertProblem(get(others, later, "", "X-Api-Key", key), 404, "no-such-job");
        assertThat(get(others, others, "", "X-Api-Key", key).statusCode()).isEqualTo(200);
        assertProblem(
                FIXTURE.service().get(JobsApiClient.PATH + "/" + later + "/diff?against=" + earlier), 401, "no-key");
        String writeOnly = FIXTURE.accounts()
                .key(FIXTURE.accounts().account(Plan.PRO), Scope.JOBS_WRITE)
                .secret();
        assertProblem(get(later, earlier, "", "X-Api-Key", writeOnly), 403, "insufficient-scope");
    }

    @Test
    void anotherModuleCannotBeCompared() {
        String other = token(jobs.post(JobsApiClient.body(List.of("not a target"), new JsonObject())
                .put("module", "robots-txt")
                .encode()));
        jobs.finished(other);

        HttpResponse<String> response = get(later, other, "");

        assertProblem(response, 422, "invalid-parameter");
        assertThat(new JsonObject(response.body()).getString("detail"))
                .isEqualTo("Parameter against: the module of the job " + other
                        + " is robots-txt, not http-status. Compare jobs of the same module.");
    }

    @ParameterizedTest
    @CsvSource({"/diff, text/csv", "/diff.csv, application/json", "/diff.ndjson, text/csv"})
    void otherMediaTypesAreNotAcceptable(String path, String accept) {
        assertProblem(jobs.get("/" + later + path + "?against=" + earlier, "Accept", accept), 406, "not-acceptable");
    }

    @Test
    void theEntityTagDependsOnTheView() {
        List<String> etags = new ArrayList<>();
        for (String view : List.of(
                "/diff?against=" + earlier,
                "/diff?against=" + later,
                "/diff?against=" + earlier + "&change=worse",
                "/diff?against=" + earlier + "&volatile=true",
                "/diff?against=" + earlier + "&limit=1",
                "/diff.csv?against=" + earlier,
                "/diff.csv?raw=true&against=" + earlier,
                "/diff.ndjson?against=" + earlier)) {
            HttpResponse<String> response = jobs.get("/" + later + view);
            String etag = header(response, "ETag");
            assertThat(response.headers().firstValue("Retry-After")).isEmpty();
            assertThat(jobs.get("/" + later + view, "If-None-Match", etag).statusCode())
                    .isEqualTo(304);
            etags.add(etag);
        }
        assertThat(etags).doesNotHaveDuplicates();
        assertThat(header(get(later, earlier, "&change=worse,new"), "ETag"))
                .isEqualTo(header(get(later, earlier, "&change=new,worse"), "ETag"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/diff", "/diff.csv", "/diff.ndjson"})
    void headHasTheHeadersOfGet(String path) {
        String view = "/" + later + path + "?against=" + earlier;

        HttpResponse<String> head = head(view);

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(header(head, "ETag")).isEqualTo(header(jobs.get(view), "ETag"));
    }

    @Test
    void aRunningJobIsCompared() {
        CountingTarget held = new CountingTarget(FIXTURE.database().vertx());
        List<String> items = List.of(held.url("/ok/a"), held.url("/gate/b"), "not a target");
        String running = token(jobs.create(items, new JsonObject()));
        JsonObject diff;
        do {
            HttpResponse<String> response = get(running, later, ALL);
            diff = new JsonObject(response.body());
            assertThat(header(response, "Retry-After")).isEqualTo("2");
        } while (lines(diff).stream()
                        .filter(line -> line.getString("verdict") != null)
                        .count()
                < 2);

        assertThat(changes(diff))
                .containsExactly(
                        "new 0 null", "new 1 null", "unchanged 2 2", "gone null 0", "gone null 1", "gone null 3");
        assertThat(lines(diff).get(1).getString("verdict")).isNull();
        assertThat(lines(diff).get(1).getString("target")).isEqualTo(held.url("/gate/b"));
        String etag = header(get(running, later, ALL), "ETag");
        held.openGate();
        jobs.finished(running);
        String again = token(jobs.create(items, new JsonObject().put("fresh", true)));
        jobs.finished(again);
        assertThat(get(running, later, ALL, "If-None-Match", etag).statusCode()).isEqualTo(200);
        assertThat(lines(diff(again, running, ""))).isEmpty();
    }

    @Test
    void cancelledLinesAreNotCompared() {
        CountingTarget held = new CountingTarget(FIXTURE.database().vertx());
        List<String> items = List.of(held.url("/missing/a"), held.url("/gate/b"));
        String cancelled = token(jobs.create(items, new JsonObject()));
        Await.until(() -> new JsonObject(jobs.get("/" + cancelled).body())
                        .getJsonObject("counts")
                        .getInteger("fail")
                == 1);
        jobs.delete(cancelled, FIXTURE.key());
        jobs.finished(cancelled);
        held.openGate();
        String complete = token(jobs.create(items, new JsonObject()));
        jobs.finished(complete);

        JsonObject diff = diff(cancelled, complete, "");

        assertThat(changes(diff)).containsExactly("changed 1 1");
        assertThat(lines(diff).get(0).getString("verdict")).isNull();
        assertThat(lines(diff).get(0).getString("against_verdict")).isEqualTo("pass");
        assertThat(diff.getJsonObject("counts").getInteger("unchanged")).isEqualTo(1);
    }
}
