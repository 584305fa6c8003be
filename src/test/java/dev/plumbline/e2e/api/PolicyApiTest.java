package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.lines;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.hash.Hashing;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.support.Await;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Policies and expectations of instant checks and jobs. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PolicyApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture(Map.of(
            "POLICIES_DIR",
            Path.of("src/test/resources/policies").toAbsolutePath().toString(),
            "LIMITS_FRESH_PER_HOUR",
            "0",
            "HTTP_TRUSTED_PROXIES",
            "127.0.0.0/8"));

    private CountingTarget target;
    private JobsApiClient jobs;
    private String token;

    /** Line 0 passes, line 1 has status 404, line 2 is not valid. */
    @BeforeAll
    void create() {
        jobs = FIXTURE.client();
        target = new CountingTarget(FIXTURE.database().vertx());
        token = token(
                jobs.create(List.of(target.url("/ok/a"), target.url("/missing/b"), "not a target"), new JsonObject()));
        jobs.finished(token);
    }

    private static String query(String... parameters) {
        List<String> pairs = new ArrayList<>();
        for (int i = 0; i < parameters.length; i += 2) {
            pairs.add(parameters[i] + '=' + URLEncoder.encode(parameters[i + 1], StandardCharsets.UTF_8));
        }
        return String.join("&", pairs);
    }

    private HttpResponse<String> instant(String path, String... parameters) {
        return FIXTURE.service()
                .get(ServiceUnderTest.instantPath("http-status", target.url(path)) + "?" + query(parameters));
    }

    private static JsonObject json(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static List<String> findings(JsonObject result) {
        return result.getJsonArray("findings").stream()
                .map(finding ->
                        ((JsonObject) finding).getString("level") + ' ' + ((JsonObject) finding).getString("code"))
                .toList();
    }

    @Test
    void expectationsAreAppliedToFreshAndCachedResults() {
        JsonObject plain = json(instant("/ok/instant"));
        long requests = target.requests();

        JsonObject met = json(instant("/ok/instant", "expect", "status == 200", "expect", "redirect_count < 2"));
        JsonObject notMet = json(instant("/ok/instant", "expect", "status == 201"));

        assertThat(target.requests()).isEqualTo(requests);
        assertThat(met.getString("verdict")).isEqualTo(plain.getString("verdict"));
        assertThat(met.getJsonArray("findings")).isEqualTo(plain.getJsonArray("findings"));
        assertThat(met.getJsonObject("policy").encode())
                .isEqualTo("{\"name\":null,\"version\":null,\"met_count\":2,\"rule_count\":2}");
        assertThat(notMet.getString("verdict")).isEqualTo("fail");
        assertThat(findings(notMet)).contains("fail expectation_failed");
        assertThat(notMet.getJsonObject("fields")).isEqualTo(plain.getJsonObject("fields"));
        assertThat(notMet.getBoolean("cached")).isTrue();
        assertThat(plain.containsKey("policy")).isFalse();
        // neither response is stored for the path of the other
        assertThat(json(instant("/ok/instant")))
                .isEqualTo(plain.copy().put("cached", true).put("waited_ms", null));
        JsonObject fresh = json(instant("/missing/instant", "expect", "status == 200"));
        assertThat(fresh.getBoolean("cached")).isFalse();
        assertThat(findings(fresh)).contains("fail expectation_failed");
    }

    @Test
    void aPolicyAddsFindingsAndChangesLevels() {
        JsonObject result = json(instant("/missing/policy", "policy", "lab-status"));

        assertThat(findings(result)).containsExactly("info status_client_error", "info plain_http", "warn lab_ok");
        assertThat(result.getString("verdict")).isEqualTo("warn");
        assertThat(result.getJsonObject("policy").encode())
                .isEqualTo("{\"name\":\"lab-status\",\"version\":\"2.1\",\"met_count\":1,\"rule_count\":2}");
    }

    @Test
    void theEntityTagDependsOnTheExpectations() {
        String plain = header(instant("/ok/tag"), "ETag");
        HttpResponse<String> first = instant("/ok/tag", "expect", "status == 200");
        String path = ServiceUnderTest.instantPath("http-status", target.url("/ok/tag")) + "?"
                + query("expect", "status == 200");

        assertThat(header(first, "ETag"))
                .isNotEqualTo(plain)
                .isEqualTo(header(instant("/ok/tag", "expect", "status == 200"), "ETag"))
                .isNotEqualTo(header(instant("/ok/tag", "expect", "status == 404"), "ETag"));
        assertThat(FIXTURE.service()
                        .get(path, "If-None-Match", header(first, "ETag"))
                        .statusCode())
                .isEqualTo(304);
        assertThat(FIXTURE.service().get(path, "If-None-Match", plain).statusCode())
                .isEqualTo(200);
    }

    /** White space in an expression includes line feeds. */
    @Test
    void theEntityTagDependsOnTheNumberOfExpectations() {
        String first = "1 in [[2], 1]";
        String second = "[0] in [[0], true]";
        String two = query("expect", first, "expect", second);
        String one = query("expect", first + '\n' + second);
        String path = ServiceUnderTest.instantPath("http-status", target.url("/ok/lines"));

        for (String resource :
                List.of(path, JobsApiClient.PATH + '/' + token, JobsApiClient.PATH + '/' + token + "/results.csv")) {
            String etag = header(FIXTURE.service().get(resource + '?' + two, "X-Api-Key", FIXTURE.key()), "ETag");
            HttpResponse<String> other =
                    FIXTURE.service().get(resource + '?' + one, "X-Api-Key", FIXTURE.key(), "If-None-Match", etag);
            assertThat(other.statusCode()).as(resource).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "expect | stauts == 200       | 'stauts == 200' is not valid. Column 1: 'stauts' is not a field of"
                        + " http-status. Did you mean 'status'?",
                "expect | status == 'ok'      | Column 8",
                "expect | status              | not a condition",
                "expect | status ==           | Column",
                "policy | lab-statu           | 'lab-statu' does not exist. Did you mean 'lab-status'? Policies:"
                        + " internet-nl-mail,",
                "policy | mozilla-intermediate | 'mozilla-intermediate' does not apply to http-status. Its modules:"
                        + " tls-protocols"
            })
    void invalidParametersAreRejectedBeforeAnythingIsSent(String name, String value, String detail) {
        long requests = target.requests();
        for (HttpResponse<String> rejected : List.of(
                instant("/ok/never", name, value),
                jobs.get("/" + token + "?" + query(name, value)),
                jobs.get("/" + token + "/results.csv?" + query(name, value)),
                jobs.get("/" + token + "/summary?" + query(name, value)),
                jobs.get("/" + token + "/diff?" + query("against", token, name, value)))) {
            assertProblem(rejected, 422, "invalid-parameter");
            assertThat(new JsonObject(rejected.body()).getString("detail")).contains(detail);
        }
        assertThat(target.requests()).isEqualTo(requests);
    }

    @Test
    void aSuggestionEndsTheDetail() {
        assertThat(new JsonObject(
                                instant("/ok/never", "expect", "stauts == 200").body())
                        .getString("detail"))
                .endsWith("Did you mean 'status'?");
    }

    @Test
    void repeatedPoliciesAndTooManyExpectationsAreRejected() {
        assertProblem(instant("/ok/never", "policy", "lab-status", "policy", "lab-status"), 422, "invalid-parameter");
        String[] many = IntStream.range(0, 21)
                .boxed()
                .flatMap(i -> List.of("expect", "status == 200").stream())
                .toArray(String[]::new);
        assertProblem(instant("/ok/never", many), 422, "invalid-parameter");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/results.ndjson"})
    void theLinesOfAJobAreEvaluated(String file) {
        long requests = target.requests();

        List<JsonObject> evaluated = read(file, query("expect", "status == 200"));

        assertThat(evaluated).extracting(line -> line.getString("verdict")).containsExactly("pass", "fail", "error");
        assertThat(evaluated)
                .extracting(line -> line.getJsonObject("policy").getInteger("met_count"))
                .containsExactly(1, 0, 0);
        List<JsonObject> withPolicy = read(file, query("policy", "lab-status"));
        assertThat(withPolicy).extracting(line -> line.getString("verdict")).containsExactly("pass", "warn", "error");
        List<JsonObject> stored = read(file, "");
        assertThat(withoutEvaluation(evaluated)).isEqualTo(withoutEvaluation(stored));
        assertThat(withoutEvaluation(withPolicy)).isEqualTo(withoutEvaluation(stored));
        assertThat(target.requests()).isEqualTo(requests);
    }

    private static List<JsonObject> withoutEvaluation(List<JsonObject> lines) {
        return lines.stream()
                .map(line -> {
                    JsonObject copy = line.copy();
                    List.of("policy", "verdict", "findings").forEach(copy::remove);
                    return copy;
                })
                .toList();
    }

    @Test
    void filesHaveColumnsForThePolicy() {
        String policy = query("policy", "lab-status", "expect", "status == 200", "fields", "status");
        List<String> header =
                List.of("status", "policy_name", "policy_version", "policy_met_count", "policy_rule_count");

        List<NamedCsvRecord> csv = csv("/" + token + "/results.csv?" + policy);
        List<NamedCsvRecord> expectation = csv("/" + token + "/results.csv?" + query("expect", "status == 404"));

        assertThat(csv.get(0).getHeader()).containsSubsequence(header).endsWith("finding_codes", "top_finding");
        assertThat(csv).extracting(line -> line.getField("policy_name")).containsOnly("lab-status");
        assertThat(csv).extracting(line -> line.getField("policy_version")).containsOnly("2.1");
        assertThat(csv).extracting(line -> line.getField("policy_met_count")).containsExactly("3", "1", "0");
        assertThat(csv).extracting(line -> line.getField("policy_rule_count")).containsExactly("3", "3", "3");
        assertThat(expectation).extracting(line -> line.getField("policy_name")).containsOnly("");
        assertThat(expectation)
                .extracting(line -> line.getField("policy_met_count"))
                .containsExactly("0", "1", "0");
        for (String stored : List.of("", "?policy=")) {
            assertThat(csv("/" + token + "/results.csv" + stored).get(0).getHeader())
                    .doesNotContain("policy_name", "policy_met_count");
        }
    }

    private List<NamedCsvRecord> csv(String path) {
        return CsvReader.builder().ofNamedCsvRecord(jobs.get(path).body()).stream()
                .toList();
    }

    private List<JsonObject> read(String file, String query) {
        HttpResponse<String> response = jobs.get("/" + token + file + "?" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return file.isEmpty()
                ? lines(new JsonObject(response.body()))
                : response.body().lines().map(JsonObject::new).toList();
    }

    @Test
    void filtersReadEvaluatedResults() {
        String policy = query("policy", "lab-status");

        JsonObject warned = json(jobs.get("/" + token + "?verdict=warn&" + policy));
        JsonObject found = json(jobs.get("/" + token + "?finding=lab_ok&" + policy));

        // the policy accepts plain HTTP, and expects status 200
        assertThat(lines(warned)).extracting(line -> line.getInteger("index")).containsExactly(1);
        assertThat(warned.getInteger("matched")).isEqualTo(1);
        assertThat(warned.getJsonObject("counts").getInteger("warn")).isEqualTo(0);
        assertThat(warned.getJsonObject("counts").getInteger("fail")).isEqualTo(1);
        assertThat(lines(found)).extracting(line -> line.getInteger("index")).containsExactly(1, 2);
        assertThat(CsvReader.builder()
                        .ofNamedCsvRecord(jobs.get("/" + token + "/results.csv?verdict=pass&" + policy)
                                .body())
                        .stream()
                        .map(line -> line.getField("index") + line.getField("verdict")))
                .containsExactly("0pass");
    }

    @Test
    void newLinesAreEvaluated() {
        String since =
                json(jobs.get("/" + token + "?since=&" + query("expect", "status == 404")))
                        .getJsonArray("results")
                        .stream()
                        .map(line -> ((JsonObject) line).getString("verdict"))
                        .sorted()
                        .toList()
                        .toString();

        assertThat(since).isEqualTo("[error, fail, fail]");
        assertThat(lines(json(jobs.get(
                        "/" + token + "?verdict=warn&since=&" + query("policy", "lab-status"), "Prefer", "wait=5"))))
                .extracting(line -> line.getInteger("index"))
                .containsExactly(1);
    }

    @Test
    void summariesAndComparisonsReadEvaluatedResults() {
        JsonObject summary = json(jobs.get("/" + token + "/summary?" + query("policy", "lab-status")));
        JsonObject diff = json(jobs.get(
                "/" + token + "/diff?" + query("against", token, "policy", "lab-status", "expect", "status == 200")));

        assertThat(summary.getJsonArray("findings").stream().map(finding -> ((JsonObject) finding).getString("code")))
                .contains("lab_ok");
        assertThat(diff.getJsonObject("counts").getInteger("unchanged")).isEqualTo(3);
    }

    private JsonObject body(@Nullable String policy, String... expectations) {
        JsonObject body = JobsApiClient.body(List.of(target.url("/ok/a"), target.url("/missing/b")), new JsonObject());
        return body.put("expect", new JsonArray(List.of(expectations)))
                .mergeIn(new JsonObject(policy == null ? Map.of() : Map.of("policy", policy)));
    }

    private static List<String> verdicts(JsonObject job) {
        return lines(job).stream().map(line -> line.getString("verdict")).toList();
    }

    @Test
    void theDefaultPolicyOfAJobIsAppliedWhenItIsRead() {
        HttpResponse<String> created = jobs.post(
                body("lab-status", "redirect_count == 0", "status == 200").encode());
        String evaluated = token(created);
        JsonObject job = jobs.finished(evaluated);

        assertThat(new JsonObject(created.body()).getJsonObject("policy").encode())
                .isEqualTo("{\"name\":\"lab-status\",\"missing\":false}");
        assertThat(job.getJsonObject("policy").encode()).isEqualTo("{\"name\":\"lab-status\",\"missing\":false}");
        assertThat(job.getJsonArray("expect").encode()).isEqualTo("[\"redirect_count == 0\",\"status == 200\"]");
        assertThat(verdicts(job)).containsExactly("pass", "fail");
        assertThat(findings(lines(job).get(1))).contains("warn lab_ok", "fail expectation_failed");
        // results are stored without it
        assertThat(job.getJsonObject("counts").getInteger("fail")).isEqualTo(1);
        JsonObject other = json(jobs.get("/" + evaluated + "?" + query("policy", "lab-status")));
        assertThat(verdicts(other)).containsExactly("pass", "warn");
        JsonObject stored = json(jobs.get("/" + evaluated + "?" + query("policy", "")));
        assertThat(stored.getJsonArray("results").encode()).doesNotContain("\"policy\"");
        assertThat(findings(lines(stored).get(0))).containsExactly("info plain_http");
        assertThat(header(jobs.get("/" + evaluated), "ETag"))
                .isNotEqualTo(header(jobs.get("/" + evaluated + "?" + query("expect", "true")), "ETag"));
    }

    @Test
    void allViewsOfAJobUseItsDefaultPolicy() {
        String evaluated = token(jobs.post(body(null, "status == 500").encode()));
        jobs.finished(evaluated);

        assertThat(jobs.get("/" + evaluated + "/results.ndjson").body().lines().map(line -> new JsonObject(line)
                        .getString("verdict")))
                .containsExactly("fail", "fail");
        assertThat(lines(json(jobs.get("/" + evaluated + "?since=&verdict=fail", "Prefer", "wait=1"))))
                .hasSize(2);
        assertThat(json(jobs.get("/" + evaluated + "/summary"))
                        .getJsonArray("findings")
                        .encode())
                .contains("expectation_failed");
        JsonObject diff = json(jobs.get("/" + evaluated + "/diff?" + query("against", token, "change", "changed")));
        assertThat(diff.getJsonObject("counts").getInteger("changed")).isZero();
        assertThat(verdicts(new JsonObject(jobs.delete(evaluated, FIXTURE.key()).body())))
                .containsExactly("fail", "fail");
        assertThat(json(jobs.get("?limit=1"))
                        .getJsonArray("jobs")
                        .getJsonObject(0)
                        .getValue("policy"))
                .isNull();
    }

    @Test
    void anInvalidDefaultPolicyIsRejectedAtTheCreation() {
        HttpResponse<String> unknown =
                jobs.post(body("lab-statos", "status == 200", "staus == 200").encode());
        HttpResponse<String> tooLong = jobs.post(body(null, "x".repeat(501)).encode());

        assertProblem(unknown, 422, "invalid-job");
        assertThat(new JsonObject(unknown.body()).getJsonArray("errors").encode())
                .contains("\"pointer\":\"/policy\"", "'lab-statos' does not exist. Did you mean 'lab-status'?")
                .contains("\"pointer\":\"/expect/1\"", "Column 1: 'staus' is not a field");
        assertProblem(tooLong, 422, "invalid-job");
    }

    @Test
    void aJobIsReadWithoutAPolicyThatNoLongerExists() {
        String evaluated = token(jobs.post(body("lab-status", "status == 200").encode()));
        jobs.finished(evaluated);
        Await.value(FIXTURE.database()
                .open()
                .query(
                        "update job set evaluation = $2 where token = $1",
                        Tuple.of(
                                evaluated,
                                new JsonObject(
                                        "{\"policy\":\"removed\",\"expect\":[\"status == 200\",\"removed == 1\"]}"))));

        JsonObject job = json(jobs.get("/" + evaluated));

        assertThat(job.getJsonObject("policy").encode()).isEqualTo("{\"name\":\"removed\",\"missing\":true}");
        assertThat(findings(lines(job).get(0))).containsExactly("info plain_http", "fail expectation_failed");
        assertThat(lines(job).get(0).encode()).contains("is no longer valid for http-status");
        assertThat(lines(job).get(0).getJsonObject("policy").encode())
                .isEqualTo("{\"name\":null,\"version\":null,\"met_count\":1,\"rule_count\":2}");
    }

    @Test
    void aRepeatedCreationHasTheSameResponseWithoutThePolicy() {
        String key = "replay-" + System.nanoTime();
        JsonObject body = body(null, "status == 200");
        HttpResponse<String> created = jobs.post(body.encode(), "Idempotency-Key", key);
        // as if the expression had been valid in the version that created the job
        String invalid =
                body.copy().put("expect", new JsonArray().add("removed == 1")).encode();
        Await.value(FIXTURE.database()
                .open()
                .query(
                        "update job_request set body_hash = $2 where idempotency_key = $1",
                        Tuple.of(
                                key,
                                Base64.getUrlEncoder()
                                        .withoutPadding()
                                        .encodeToString(Hashing.sha256()
                                                .hashString(invalid, StandardCharsets.UTF_8)
                                                .asBytes()))));

        HttpResponse<String> replayed = jobs.post(invalid, "Idempotency-Key", key);
        HttpResponse<String> other = jobs.post(body.encode(), "Idempotency-Key", key);

        assertThat(replayed.statusCode()).as(replayed.body()).isEqualTo(202);
        assertThat(header(replayed, "Idempotency-Replayed")).isEqualTo("true");
        assertThat(token(replayed)).isEqualTo(token(created));
        assertProblem(other, 422, "idempotency-mismatch");
        assertProblem(jobs.post(invalid, "Idempotency-Key", key + "-new"), 422, "invalid-job");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/results.csv", "/summary", "/diff"})
    void aNotModifiedResponseRequiresNoCompilation(String view) {
        String client = "192.0.2." + (100 + view.length());
        String path = "/" + token + view + (view.equals("/diff") ? "?against=" + token + "&" : "?");
        for (int request = 0; request < 3; request++) {
            List<String> used = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                used.add("expect");
                used.add("status != " + (20_000 + 100 * view.length() + 20 * request + i));
            }
            HttpResponse<String> response =
                    jobs.get(path + query(used.toArray(String[]::new)), "X-Forwarded-For", client);
            assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        }
        String expression = query("expect", "status != 30000 && status != " + view.length());

        assertProblem(jobs.get(path + expression, "X-Forwarded-For", client), 429, "quota-exceeded");
        HttpResponse<String> unmodified = jobs.get(path + expression, "X-Forwarded-For", client, "If-None-Match", "*");

        assertThat(unmodified.statusCode()).as(unmodified.body()).isEqualTo(304);
        String etag = header(unmodified, "ETag");
        assertThat(header(jobs.get(path + expression), "ETag")).isEqualTo(etag);
        assertThat(jobs.get(path + expression, "If-None-Match", etag).statusCode())
                .isEqualTo(304);
    }

    @Test
    void theEntityTagDependsOnWhetherThePolicyOfTheJobExists() {
        String evaluated = token(jobs.post(body("lab-status").encode()));
        jobs.finished(evaluated);
        List<String> paths = List.of("/" + evaluated, "/" + evaluated + "?expect=true", "/" + evaluated + "?policy=");
        List<String> before =
                paths.stream().map(path -> header(jobs.get(path), "ETag")).toList();
        Await.value(FIXTURE.database()
                .open()
                .query(
                        "update job set evaluation = $2 where token = $1",
                        Tuple.of(evaluated, new JsonObject("{\"policy\":\"removed\",\"expect\":[]}"))));

        for (int i = 0; i < paths.size(); i++) {
            HttpResponse<String> missing = jobs.get(paths.get(i), "If-None-Match", before.get(i));
            assertThat(missing.statusCode()).isEqualTo(200);
            assertThat(new JsonObject(missing.body()).getJsonObject("policy").getBoolean("missing"))
                    .isTrue();
            assertThat(jobs.get(paths.get(i), "If-None-Match", header(missing, "ETag"))
                            .statusCode())
                    .isEqualTo(304);
        }
    }

    @Test
    void newExpressionsAreLimited() {
        List<HttpResponse<String>> responses = new ArrayList<>();
        for (int request = 0; request < 4; request++) {
            List<String> parameters = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                parameters.add("expect");
                parameters.add("status != " + (10_000 + 20 * request + i));
            }
            responses.add(FIXTURE.service()
                    .get(
                            ServiceUnderTest.instantPath("http-status", target.url("/ok/limit")) + "?"
                                    + query(parameters.toArray(String[]::new)),
                            "X-Forwarded-For",
                            "192.0.2.77"));
        }
        HttpResponse<String> last = responses.get(3);

        assertThat(responses.subList(0, 3)).extracting(HttpResponse::statusCode).containsOnly(200);
        assertProblem(last, 429, "quota-exceeded");
        assertThat(new JsonObject(last.body()).getJsonArray("violated-policies"))
                .containsExactly("expressions");
        assertThat(Integer.parseInt(header(last, "Retry-After"))).isBetween(1, 60);
        assertThat(header(last, "RateLimit-Policy")).isEqualTo("\"expressions\";q=60;w=60");
        assertThat(header(last, "RateLimit")).isEqualTo("\"expressions\";r=0;t=" + header(last, "Retry-After"));
        // expressions that are known are not limited
        assertThat(FIXTURE.service()
                        .get(
                                ServiceUnderTest.instantPath("http-status", target.url("/ok/limit")) + "?"
                                        + query("expect", "status != 10000"),
                                "X-Forwarded-For",
                                "192.0.2.77")
                        .statusCode())
                .isEqualTo(200);
    }

    /** About 150,000 steps. */
    private static String costly(int different) {
        String list = "[1" + ",1".repeat(79) + "]";
        return list + ".all(a," + list + ".all(b,a==b&&a==b&&a<" + different + "))";
    }

    private static String costly(int from, int count) {
        return query(IntStream.range(from, from + count)
                .boxed()
                .flatMap(i -> List.of("expect", costly(i)).stream())
                .toArray(String[]::new));
    }

    @Test
    void theEvaluationsForAResponseAreLimited() throws Exception {
        List<String> items = Collections.nCopies(500, target.url("/ok/costly"));
        String lines = token(jobs.create(items, new JsonObject()));
        jobs.finished(lines);
        String simple = "/" + lines + "/results.ndjson?" + query("expect", "status == 200", "policy", "lab-status");
        assertThat(jobs.get(simple).body().lines()).hasSize(500);
        instant("/ok/costly");

        CompletableFuture<HttpResponse<String>> costly = CompletableFuture.supplyAsync(
                () -> jobs.get("/" + lines + "?" + costly(2, 20), "X-Forwarded-For", "192.0.2.201"));
        List<Long> waits = new ArrayList<>();
        while (!costly.isDone()) {
            long start = System.nanoTime();
            json(FIXTURE.service()
                    .get(
                            ServiceUnderTest.instantPath("http-status", target.url("/ok/costly")) + "?"
                                    + query("expect", "status < " + (600 + waits.size() % 20)),
                            "X-Forwarded-For",
                            "192.0.2.202"));
            waits.add(Duration.ofNanos(System.nanoTime() - start).toMillis());
        }

        HttpResponse<String> rejected = costly.get();
        assertProblem(rejected, 422, "evaluation-limit");
        assertThat(new JsonObject(rejected.body()).getString("detail"))
                .isEqualTo("The policy and the expectations need more than 200,000,000 steps for the results of this"
                        + " request. Use simpler expressions, or request fewer lines. An empty parameter `policy`"
                        + " returns the stored results.");
        assertThat(waits).hasSizeGreaterThan(1).allSatisfy(wait -> assertThat(wait)
                .isLessThan(2_000));
        // fewer lines with the same expressions
        assertThat(jobs.get("/" + lines + "?limit=10&" + costly(2, 20)).statusCode())
                .isEqualTo(200);
        // the response has begun
        assertThatThrownBy(() -> jobs.get("/" + lines + "/results.ndjson?" + costly(2, 3)))
                .hasRootCauseInstanceOf(IOException.class);
    }

    @Test
    void manyClientsWithHostileExpressionsGetAResultOr503() throws Exception {
        instant("/ok/hostile");
        String nested = "(redirects.exists(a, redirects.exists(b, a == b)) || " + "!".repeat(20) + "true)";
        String regex = "(status_text.matches('(a?){20}a{20}') || status == 200)";
        ExecutorService threads = Executors.newFixedThreadPool(50);
        try {
            List<Future<HttpResponse<String>>> responses = new ArrayList<>();
            for (int client = 0; client < 50; client++) {
                String address = "198.51.100." + client;
                List<String> parameters = new ArrayList<>();
                for (int i = 0; i < 20; i++) {
                    String different = " && status < " + (50_000 + 20 * client + i);
                    parameters.add("expect");
                    parameters.add((i % 2 == 0 ? nested : regex) + different);
                }
                String path = ServiceUnderTest.instantPath("http-status", target.url("/ok/hostile")) + "?"
                        + query(parameters.toArray(String[]::new));
                responses.add(threads.submit(() -> FIXTURE.service().get(path, "X-Forwarded-For", address)));
            }
            for (Future<HttpResponse<String>> response : responses) {
                assertThat(response.get().statusCode())
                        .as(response.get().body())
                        .isIn(200, 503);
            }
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void policiesAreListedWithTheirRules() {
        HttpResponse<String> list = FIXTURE.service().get("/api/v1/policies");
        JsonArray policies = json(list).getJsonArray("policies");
        JsonObject own = policies.stream()
                .map(JsonObject.class::cast)
                .filter(policy -> policy.getString("name").equals("lab-status"))
                .findFirst()
                .orElseThrow();

        assertThat(own.encode())
                .isEqualTo("{\"name\":\"lab-status\",\"title\":\"Rules for the laboratory\",\"version\":\"2.1\","
                        + "\"source\":{\"title\":\"Laboratory\",\"url\":null,\"date\":\"2026-11-26\"},"
                        + "\"modules\":[\"http-status\"],\"rule_count\":2}");
        JsonObject policy = json(FIXTURE.service().get("/api/v1/policies/lab-status"));
        assertThat(policy.getJsonArray("rules").getJsonObject(0).encode())
                .isEqualTo("{\"id\":\"lab_ok\",\"title\":\"Status 200\",\"clause\":\"1\",\"module\":\"http-status\","
                        + "\"expect\":\"status == 200\",\"level\":\"warn\",\"message\":\"The status is not 200.\","
                        + "\"action\":\"Return status 200.\"}");
        assertProblem(FIXTURE.service().get("/api/v1/policies/lab"), 404, "unknown-policy");
    }

    private Document page(String path) {
        HttpResponse<String> response = FIXTURE.service().page(path);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Jsoup.parse(response.body());
    }

    @Test
    void pagesShowPoliciesAndEvaluatedReports() {
        Document list = page("/policies");
        Document policy = page("/policies/lab-status");
        String report = "/check/http-status/" + URLEncoder.encode(target.url("/missing/page"), StandardCharsets.UTF_8);

        assertThat(list.select("main a[href=/policies/lab-status]").text()).isEqualTo("Rules for the laboratory");
        assertThat(policy.select("main").text())
                .contains("Status 200", "lab_ok", "status == 200", "Return status 200.", "Laboratory, 1")
                .doesNotContain("plumbline check");
        assertThat(FIXTURE.service().page("/policies/lab").statusCode()).isEqualTo(404);
        page(report);
        for (int repeated = 0; repeated < 2; repeated++) {
            Document evaluated = page(report + "?" + query("policy", "lab-status"));
            assertThat(evaluated.select(".policy").text()).isEqualTo("Meets 1 of 2 rules. Policy: lab-status 2.1.");
            assertThat(evaluated.select(".verdict").hasClass("warn")).isTrue();
            assertThat(evaluated.select(".findings h3").eachText()).contains("Warning Status 200");
            assertThat(evaluated.select("link[rel=canonical]").attr("href")).endsWith("?policy=lab-status");
            assertThat(page(report).select(".policy")).isEmpty();
        }
        assertThat(page(report + "?" + query("expect", "status == 200"))
                        .select(".policy")
                        .text())
                .isEqualTo("Meets 0 of 1 expectation.");
        assertThat(FIXTURE.service()
                        .page(report + "?" + query("expect", "stauts == 200"))
                        .statusCode())
                .isEqualTo(422);
    }
}
