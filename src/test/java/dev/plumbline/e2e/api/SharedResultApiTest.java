package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobState;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceFixture;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Shared results: creation, reading without a key, deletion, and their limits. */
@Tag("integration")
class SharedResultApiTest {
    @RegisterExtension
    static final ServiceFixture FIXTURE = new ServiceFixture(Map.of(
            "HTTP_PUBLIC_URL", "https://checks.example.org",
            "HTTP_TRUSTED_PROXIES", "127.0.0.1",
            "LIMITS_FRESH_PER_HOUR", "0",
            "RESULTS_PER_ACCOUNT", "3",
            "RESULTS_MAX_MIB", "64",
            "DATABASE_TIMEOUT", "4s"));

    private static final String RESULTS = "/api/v1/results";
    private static final AtomicInteger CLIENTS = new AtomicInteger();

    private static CountingTarget target;
    private static TestAccounts accounts;

    private final ServiceUnderTest service = FIXTURE.service();

    @BeforeAll
    static void start() {
        target = new CountingTarget(FIXTURE.database().vertx());
        accounts = new TestAccounts(FIXTURE.database().open());
    }

    /** A client with its own address. */
    private static String[] client() {
        return new String[] {"X-Forwarded-For", "192.0.2." + CLIENTS.incrementAndGet()};
    }

    private HttpResponse<String> share(JsonObject body, String... headers) {
        return service.post(RESULTS, body.encode(), headers);
    }

    private static JsonObject check(String url) {
        return new JsonObject().put("module", "http-status").put("target", url);
    }

    private static JsonObject created(HttpResponse<String> response) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        return new JsonObject(response.body());
    }

    /** Runs a check and shares its result. */
    private JsonObject sharedCheck(String path) {
        String url = target.url(path);
        assertThat(service.instant("http-status", url).statusCode()).isEqualTo(200);
        return created(share(check(url), client()));
    }

    /** With empty options, as generated clients send them. */
    private static JsonObject job(String token) {
        return new JsonObject().put("job", token).put("options", new JsonObject());
    }

    private String finishedJob(String key, String... items) {
        JobsApiClient jobs = new JobsApiClient(service, key);
        String token = token(jobs.create(List.of(items), new JsonObject()));
        jobs.finished(token);
        return token;
    }

    private HttpResponse<String> read(String id) {
        return service.get(RESULTS + "/" + id);
    }

    private HttpResponse<String> delete(String id, String... headers) {
        return service.send("DELETE", service.uri(RESULTS + "/" + id), headers);
    }

    @Test
    void checkIsSharedWithoutKeyAndReadByAnyone() {
        String url = target.url("/ok/shared");
        JsonObject fresh = new JsonObject(service.instant("http-status", url).body());

        HttpResponse<String> response = share(check(url), client());

        JsonObject created = created(response);
        String id = created.getString("id");
        assertThat(id).matches("[0-9A-Za-z]{22}");
        assertThat(created.getString("kind")).isEqualTo("check");
        assertThat(created.getString("delete_token")).matches("[0-9A-Za-z]{32}");
        assertThat(created.getJsonObject("links").getString("web"))
                .isEqualTo("https://checks.example.org/results/" + id);
        assertThat(header(response, "Location")).isEqualTo("https://checks.example.org/api/v1/results/" + id);
        assertThat(header(response, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(header(response, "RateLimit-Policy")).isEqualTo("\"shares\";q=30;w=3600");
        assertThat(header(response, "RateLimit")).startsWith("\"shares\";r=29;t=");
        assertThat(Duration.between(
                        Instant.parse(created.getString("created_at")), Instant.parse(created.getString("expires_at"))))
                .isBetween(
                        Duration.ofDays(90).minusSeconds(1), Duration.ofDays(90).plusSeconds(1));

        long requests = target.requests();
        HttpResponse<String> shared = read(id);
        assertThat(shared.statusCode()).isEqualTo(200);
        assertThat(header(shared, "Cache-Control")).isEqualTo("public, max-age=600");
        assertThat(header(shared, "X-Robots-Tag")).isEqualTo("noindex");
        assertThat(shared.headers().firstValue("RateLimit")).isEmpty();
        JsonObject body = new JsonObject(shared.body());
        assertThat(body.getValue("job")).isNull();
        assertThat(body.containsKey("delete_token")).isFalse();
        JsonObject result = body.getJsonObject("result");
        for (String member :
                List.of("module", "target", "verdict", "fields", "findings", "checked_at", "duration_ms")) {
            assertThat(result.getValue(member)).as(member).isEqualTo(fresh.getValue(member));
        }
        assertThat(target.requests()).isEqualTo(requests);
        HttpResponse<String> again = service.get(RESULTS + "/" + id, "If-None-Match", header(shared, "ETag"));
        assertThat(again.statusCode()).isEqualTo(304);
        assertThat(service.send("HEAD", service.uri(RESULTS + "/" + id)).statusCode())
                .isEqualTo(200);
    }

    /** Two spellings of a target have one result. */
    @Test
    void resultIsFoundByItsNormalizedTargetAndOptions() {
        String url = target.url("/ok/spelling");
        service.instant("http-status", url);

        assertThat(share(check(url.replace("http://", "HTTP://")), client()).statusCode())
                .isEqualTo(201);
        // a default option does not change the check
        assertThat(share(check(url).put("options", new JsonObject().put("max_redirects", 10)), client())
                        .statusCode())
                .isEqualTo(201);
        assertProblem(
                share(check(url).put("options", new JsonObject().put("max_redirects", 0)), client()),
                404,
                "no-cached-result");
    }

    @Test
    void optionsOfAnyTypeSelectTheResult() {
        String url = target.url("/ok/options");
        service.get(ServiceUnderTest.instantPath("http-status", url) + "?max_redirects=0&method=get");

        JsonObject created = created(share(
                check(url)
                        .put("options", new JsonObject().put("max_redirects", 0).put("method", "get")),
                client()));

        assertThat(created.getString("kind")).isEqualTo("check");
    }

    /** The server that `connect_to` names can be another one than that of the target. */
    @Test
    void sharedResultsContainTheirOptions() {
        String url = target.url("/ok/connect");
        JsonObject options = new JsonObject().put("connect_to", "127.0.0.1").put("max_redirects", 0);
        service.get(ServiceUnderTest.instantPath("http-status", url) + "?connect_to=127.0.0.1&max_redirects=0");
        TestAccounts.Key owner = accounts.key();
        JobsApiClient jobs = new JobsApiClient(service, owner.secret());
        String token = token(jobs.create(List.of(url), options));
        jobs.finished(token);

        JsonObject check = new JsonObject(read(created(share(check(url).put("options", options), client()))
                        .getString("id"))
                .body());
        JsonObject sharedJob = new JsonObject(
                read(created(share(job(token), "X-Api-Key", owner.secret())).getString("id"))
                        .body());

        assertThat(check.getJsonObject("options")).isEqualTo(options);
        assertThat(sharedJob.getJsonObject("options")).isEqualTo(options);
        assertThat(sharedJob.getJsonObject("job").getJsonObject("options")).isEqualTo(options);
        assertThat(new JsonObject(read(sharedCheck("/ok/defaults").getString("id"))
                                .body())
                        .getJsonObject("options"))
                .isEmpty();
    }

    @Test
    void aFormatThatDoesNotExistIsExplained() {
        TestAccounts.Key owner = accounts.key();
        String token = finishedJob(owner.secret(), target.url("/ok/format"));
        String id = created(share(job(token), "X-Api-Key", owner.secret())).getString("id");

        HttpResponse<String> workbook = read(id + ".xlsx");

        assertProblem(workbook, 404, "no-such-result");
        assertThat(new JsonObject(workbook.body()).getString("detail"))
                .isEqualTo("A shared job is available as JSON without a file extension, and with the extensions .csv"
                        + " and .ndjson.");
    }

    /** A check does not require a key, but an invalid one is an error as elsewhere. */
    @Test
    void aKeyIsValidated() {
        String url = target.url("/ok/key");
        service.instant("http-status", url);
        String free = accounts.key(accounts.account(Plan.FREE), Scope.values()).secret();

        for (String invalid : List.of("plk_x", ApiKeySecret.generate(), "")) {
            assertProblem(share(check(url), "X-Api-Key", invalid), 401, "invalid-key");
        }
        assertThat(share(check(url), "X-Forwarded-For", client()[1], "X-Api-Key", free)
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void sharingNeverRunsACheck() {
        String url = target.url("/ok/never");

        HttpResponse<String> response = share(check(url), client());

        assertProblem(response, 404, "no-cached-result");
        assertThat(response.headers().firstValue("RateLimit")).isEmpty();
        assertThat(target.requests("/ok/never")).isZero();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "{}                                                               | 422 | /module",
                "{\"module\":\"http-status\"}                                     | 422 | /target",
                "{\"target\":\"https://example.com/\"}                            | 422 | /module",
                "{\"job\":\"job_1\",\"target\":\"https://example.com/\"}          | 422 | /target",
                "{\"job\":\"job_1\",\"module\":\"http-status\"}                   | 422 | /module",
                "{\"job\":\"job_1\",\"options\":{\"method\":\"get\"}}            | 422 | /options",
                "{\"job\":null}                                                   | 422 | /job",
                "{\"job\":7}                                                      | 422 | /job",
                "{\"token\":\"job_1\"}                                            | 422 | /token",
                "{\"module\":\"no-such\",\"target\":\"example.com\"}              | 422 | /module",
                "{\"module\":\"http-status\",\"target\":\"two words\"}            | 422 | /target",
                "{\"module\":\"http-status\",\"target\":\"http://10.1.2.3/\"}     | 422 | /target",
                "{\"module\":\"http-status\",\"target\":\"http://a.example/\",\"options\":{\"nope\":1}} | 422 | /options/nope",
                "{\"module\":\"http-status\",\"target\":\"http://a.example/\",\"options\":{\"method\":[]}} | 422 | /options/method",
                "[]                                                               | 422 |",
                "{\"job\":                                                        | 400 |",
                "{\"job\":\"job_1\",\"job\":\"job_2\"}                            | 400 |",
            })
    void invalidBodyIsRejected(String body, int status, String pointer) {
        HttpResponse<String> response = service.post(RESULTS, body, client());

        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        if (pointer != null) {
            assertThat(new JsonObject(response.body())
                            .getJsonArray("errors")
                            .getJsonObject(0)
                            .getString("pointer"))
                    .isEqualTo(pointer);
        }
    }

    @Test
    void bodyMustBeSmallJson() {
        assertProblem(
                service.post(RESULTS, "job=1", "Content-Type", "application/x-www-form-urlencoded"),
                415,
                "unsupported-media-type");
        assertProblem(service.post(RESULTS, check("x".repeat(20_000)).encode()), 413, "content-too-large");
        assertProblem(share(check("http://a.example/"), "Accept", "text/html"), 406, "not-acceptable");
    }

    @Test
    void jobIsSharedWithItsKey() {
        TestAccounts.Key owner = accounts.key();
        String token = finishedJob(owner.secret(), target.url("/ok/1"), target.url("/missing/2"), "not a target");
        JsonObject original = new JsonObject(service.get(JobsApiClient.PATH + "/" + token, "X-Api-Key", owner.secret())
                .body());

        HttpResponse<String> response = share(job(token), "X-Api-Key", owner.secret());

        JsonObject created = created(response);
        assertThat(created.getString("kind")).isEqualTo("job");
        assertThat(created.getValue("delete_token")).isNull();
        assertThat(response.headers().firstValue("RateLimit")).isEmpty();
        String id = created.getString("id");
        HttpResponse<String> shared = read(id);
        JsonObject body = new JsonObject(shared.body());
        assertThat(body.getValue("result")).isNull();
        JsonObject job = body.getJsonObject("job");
        for (String member : job.fieldNames()) {
            assertThat(job.getValue(member)).as(member).isEqualTo(original.getValue(member));
        }
        assertThat(job.getJsonArray("results")).hasSize(3);
        for (String format : List.of("csv", "ndjson")) {
            HttpResponse<String> file = read(id + "." + format);
            assertThat(file.statusCode()).isEqualTo(200);
            assertThat(file.body())
                    .isEqualTo(service.get(
                                    JobsApiClient.PATH + "/" + token + "/results." + format,
                                    "X-Api-Key",
                                    owner.secret())
                            .body());
            assertThat(header(file, "Content-Disposition"))
                    .isEqualTo("attachment; filename=\"" + id + "." + format + "\"");
            assertThat(header(file, "Cache-Control")).isEqualTo("public, max-age=600");
            assertThat(service.get(RESULTS + "/" + id + "." + format, "If-None-Match", header(file, "ETag"))
                            .statusCode())
                    .isEqualTo(304);
            assertProblem(
                    service.get(RESULTS + "/" + id + "." + format, "Accept", "application/json"),
                    406,
                    "not-acceptable");
            assertThat(service.send("HEAD", service.uri(RESULTS + "/" + id + "." + format))
                            .statusCode())
                    .isEqualTo(200);
        }
    }

    /** The same parameters as those of jobs. */
    @Test
    void linesOfASharedJobAreSelected() {
        TestAccounts.Key owner = accounts.key();
        String token = finishedJob(
                owner.secret(), target.url("/ok/select"), target.url("/missing/select"), "not a target", "missing");
        String id = created(share(job(token), "X-Api-Key", owner.secret())).getString("id");

        for (String query : List.of(
                "verdict=fail",
                "verdict=fail,error",
                "finding=status_client_error",
                "q=MISSING",
                "q=missing&verdict=error,pass",
                "verdict=warn",
                "fields=status&verdict=fail")) {
            for (String format : List.of("csv", "ndjson")) {
                assertThat(read(id + "." + format + "?" + query).body())
                        .as(query)
                        .isEqualTo(service.get(
                                        JobsApiClient.PATH + "/" + token + "/results." + format + "?" + query,
                                        "X-Api-Key",
                                        owner.secret())
                                .body());
            }
            JsonObject original = new JsonObject(
                    service.get(JobsApiClient.PATH + "/" + token + "?" + query, "X-Api-Key", owner.secret())
                            .body());
            assertThat(new JsonObject(read(id + "?" + query).body())
                            .getJsonObject("job")
                            .getJsonArray("results"))
                    .isEqualTo(original.getJsonArray("results"));
        }
        assertThat(read(id + ".ndjson?verdict=fail").body().lines()).hasSize(1);
        assertThat(header(read(id + ".csv?verdict=fail"), "ETag")).isNotEqualTo(header(read(id + ".csv"), "ETag"));
        for (String invalid : List.of("verdict=bad", "verdct=fail", "fields=color", "verdict=fail&verdict=pass")) {
            for (String format : List.of("", ".csv", ".ndjson")) {
                assertProblem(read(id + format + "?" + invalid), 422, "invalid-parameter");
            }
        }
        assertProblem(read(id + ".csv?raw=maybe"), 400, "bad-request");
    }

    @Test
    void linesOfACheckCannotBeSelected() {
        String id = sharedCheck("/ok/no-lines").getString("id");

        HttpResponse<String> response = read(id + "?verdict=pass");

        assertProblem(response, 422, "invalid-parameter");
        assertThat(new JsonObject(response.body()).getString("detail"))
                .isEqualTo("Parameter verdict: selects lines of a shared job, but this is the result of a check.");
    }

    @Test
    void csvEscapesFormulasUnlessRaw() {
        TestAccounts.Key owner = accounts.key();
        String id = created(share(job(finishedJob(owner.secret(), "=1+1")), "X-Api-Key", owner.secret()))
                .getString("id");

        assertThat(read(id + ".csv").body()).contains("0,'=1+1,");
        assertThat(service.get(RESULTS + "/" + id + ".csv?raw=true").body()).contains("0,=1+1,");
    }

    /** Each reader has memory for a page of lines. Without it, it is rejected. */
    @Test
    void twentyReadersOfLongLinesAreServedOrRejected() {
        TestAccounts.Key owner = accounts.key();
        String[] items =
                IntStream.range(0, 100).mapToObj(i -> "not a target " + i).toArray(String[]::new);
        String token = finishedJob(owner.secret(), items);
        accounts.sql(
                "update job_result set body = convert_to(replace(convert_from(body, 'UTF8'), '\"message\":\"',"
                        + " '\"message\":\"' || repeat('x', 64000)), 'UTF8')"
                        + " where job_id = (select id from job where token = $1)",
                token);
        String id = created(share(job(token), "X-Api-Key", owner.secret())).getString("id");
        ExecutorService readers = Executors.newFixedThreadPool(20);
        try {
            List<CompletableFuture<HttpResponse<String>>> responses = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                for (String file : List.of("", ".csv", ".ndjson?finding=invalid_target")) {
                    responses.add(CompletableFuture.supplyAsync(() -> read(id + file), readers));
                }
                responses.add(CompletableFuture.supplyAsync(() -> service.page("/results/" + id), readers));
            }
            for (CompletableFuture<HttpResponse<String>> each : responses) {
                HttpResponse<String> response = each.join();
                assertThat(response.statusCode()).isIn(200, 503);
                if (response.statusCode() == 503) {
                    assertThat(response.headers().firstValue("Retry-After")).isPresent();
                } else if (!response.uri().getPath().startsWith("/results/")) {
                    assertThat(response.body().length()).isGreaterThan(items.length * 64_000);
                }
            }
        } finally {
            readers.shutdownNow();
        }
        assertThat(read(id + ".csv").statusCode()).isEqualTo(200);
        assertThat(delete(id, "X-Api-Key", owner.secret()).statusCode()).isEqualTo(204);
    }

    /** Neither the account nor its job can be found with the link. */
    @Test
    void sharedJobDoesNotRevealTheAccount() {
        TestAccounts.Key owner = accounts.key();
        String email = accounts.row("select email from account where id = $1", owner.accountId())
                .getString(0);
        String token = finishedJob(owner.secret(), "not a target");
        String id = created(share(job(token), "X-Api-Key", owner.secret())).getString("id");

        for (String path : List.of("", ".csv", ".ndjson")) {
            HttpResponse<String> response = read(id + path);
            String all = response.headers().map() + response.body();
            assertThat(all).doesNotContain(email, token, owner.secret());
        }
    }

    @Test
    void runningJobIs409() {
        String key = accounts.key().secret();
        JobsApiClient jobs = new JobsApiClient(service, key);
        String token = token(jobs.create(List.of(target.url("/gate/shared")), new JsonObject()));

        HttpResponse<String> response = share(job(token), "X-Api-Key", key);

        assertProblem(response, 409, "job-not-finished");
        target.openGate();
        jobs.finished(token);
        assertThat(share(job(token), "X-Api-Key", key).statusCode()).isEqualTo(201);
    }

    @Test
    void jobRequiresAKeyOfItsAccount() {
        TestAccounts.Key owner = accounts.key();
        String token = finishedJob(owner.secret(), "not a target");

        assertProblem(share(job(token)), 401, "no-key");
        assertProblem(share(job(token), "X-Api-Key", accounts.key().secret()), 404, "no-such-job");
        assertProblem(share(job("job_" + "0".repeat(22)), "X-Api-Key", owner.secret()), 404, "no-such-job");
        String reader = accounts.key(owner.accountId(), Scope.JOBS_READ).secret();
        assertProblem(share(job(token), "X-Api-Key", reader), 403, "insufficient-scope");
        String free = accounts.key(accounts.account(Plan.FREE), Scope.values()).secret();
        assertProblem(share(job(token), "X-Api-Key", free), 403, "not-pro");
    }

    @Test
    void expiredJobIs410() {
        TestAccounts.Key owner = accounts.key();
        String token = finishedJob(owner.secret(), "not a target");
        accounts.sql("update job set expires_at = clock_timestamp() where token = $1", token);

        assertProblem(share(job(token), "X-Api-Key", owner.secret()), 410, "job-expired");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "0000000000000000000000",
                "0000000000000000000000.csv",
                "0000000000000000000000.ndjson",
                "short",
                "short.csv",
                "%00",
                "000000000000000000000%00",
                "0000000000000000000000.pdf",
                "job_0000000000000000000000"
            })
    void unknownIdIs404(String id) {
        assertProblem(read(id), 404, "no-such-result");
        assertProblem(delete(id, "Delete-Token", "x"), 404, "no-such-result");
        assertProblem(delete(id, "X-Api-Key", accounts.key().secret()), 404, "no-such-result");
    }

    @ParameterizedTest
    @ValueSource(strings = {".csv", ".ndjson", ".xml"})
    void checkHasNoFiles(String extension) {
        assertProblem(read(sharedCheck("/ok/no-files").getString("id") + extension), 404, "no-such-result");
    }

    @Test
    void deleteTokenDeletesACheck() {
        JsonObject created = sharedCheck("/ok/deleted");
        String id = created.getString("id");

        assertProblem(delete(id, "Delete-Token", "wrong"), 403, "wrong-delete-token");
        assertProblem(delete(id, "Delete-Token", ""), 403, "wrong-delete-token");
        assertProblem(delete(id), 401, "no-key");
        HttpResponse<String> byAccount = delete(id, "X-Api-Key", accounts.key().secret());
        assertProblem(byAccount, 404, "no-such-result");
        assertThat(new JsonObject(byAccount.body()).getString("detail")).contains("in the header Delete-Token");
        assertThat(read(id).statusCode()).isEqualTo(200);

        assertThat(delete(id, "Delete-Token", created.getString("delete_token")).statusCode())
                .isEqualTo(204);
        assertProblem(read(id), 404, "no-such-result");
        assertProblem(delete(id, "Delete-Token", created.getString("delete_token")), 404, "no-such-result");
    }

    @Test
    void accountListsAndDeletesItsJobs() {
        TestAccounts.Key owner = accounts.key();
        String token = finishedJob(owner.secret(), "not a target");
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            ids.add(0, created(share(job(token), "X-Api-Key", owner.secret())).getString("id"));
        }

        HttpResponse<String> first = service.get(RESULTS + "?limit=2", "X-Api-Key", owner.secret());
        JsonObject page = new JsonObject(first.body());
        assertThat(first.headers().firstValue("Link").orElseThrow())
                .endsWith(RESULTS + "?cursor=" + page.getString("next_cursor") + "&limit=2>; rel=\"next\"");
        List<String> seen = new ArrayList<>(idsOf(page));
        JsonObject last = new JsonObject(
                service.get(RESULTS + "?limit=2&cursor=" + page.getString("next_cursor"), "X-Api-Key", owner.secret())
                        .body());
        seen.addAll(idsOf(last));
        assertThat(seen).isEqualTo(ids);
        assertThat(last.getValue("next_cursor")).isNull();
        assertThat(page.getJsonArray("results").getJsonObject(0).getString("name"))
                .isEqualTo("not a target");

        TestAccounts.Key other = accounts.key();
        assertThat(idsOf(new JsonObject(
                        service.get(RESULTS, "X-Api-Key", other.secret()).body())))
                .isEmpty();
        assertProblem(delete(ids.get(0), "X-Api-Key", other.secret()), 404, "no-such-result");
        assertProblem(delete(ids.get(0), "Delete-Token", "x"), 403, "wrong-delete-token");
        String reader = accounts.key(owner.accountId(), Scope.JOBS_READ).secret();
        assertProblem(delete(ids.get(0), "X-Api-Key", reader), 403, "insufficient-scope");
        assertThat(delete(ids.get(0), "X-Api-Key", owner.secret()).statusCode()).isEqualTo(204);
        assertProblem(read(ids.get(0)), 404, "no-such-result");
        assertThat(idsOf(new JsonObject(
                        service.get(RESULTS, "X-Api-Key", owner.secret()).body())))
                .isEqualTo(ids.subList(1, 3));
    }

    private static List<String> idsOf(JsonObject page) {
        JsonArray results = page.getJsonArray("results");
        return results.stream()
                .map(result -> ((JsonObject) result).getString("id"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"?cursor=x", "?cursor=", "?cursor=ajE", "?cursor=cnh4", "?limit=0", "?limit=101", "?limit=ten"})
    void invalidListParameterIs400(String query) {
        assertProblem(service.get(RESULTS + query, "X-Api-Key", accounts.key().secret()), 400, "bad-request");
    }

    @Test
    void unknownListParameterIs422() {
        assertProblem(
                service.get(RESULTS + "?limt=2", "X-Api-Key", accounts.key().secret()), 422, "invalid-parameter");
    }

    @Test
    void listRequiresAKey() {
        assertProblem(service.get(RESULTS), 401, "no-key");
    }

    @Test
    void quotaOfTheClientAddressIs30() {
        String url = target.url("/ok/quota");
        service.instant("http-status", url);
        String[] client = client();
        // not charged
        assertProblem(share(check(target.url("/ok/not-cached")), client), 404, "no-cached-result");
        for (int i = 0; i < 30; i++) {
            assertThat(share(check(url), client).statusCode()).isEqualTo(201);
        }

        HttpResponse<String> rejected = share(check(url), client);

        assertProblem(rejected, 429, "quota-exceeded");
        assertThat(new JsonObject(rejected.body()).getJsonArray("violated-policies"))
                .containsExactly("shares");
        assertThat(header(rejected, "RateLimit")).startsWith("\"shares\";r=0;t=");
        assertThat(Integer.parseInt(header(rejected, "Retry-After"))).isBetween(3_500, 3_600);
        assertThat(share(check(url), client()).statusCode()).isEqualTo(201);
        // jobs do not use this quota
        String key = accounts.key().secret();
        assertThat(share(job(finishedJob(key, "not a target")), client[0], client[1], "X-Api-Key", key)
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void limitOfAccountIs503WithTheReason() {
        String key = accounts.key().secret();
        String token = finishedJob(key, "not a target");
        for (int i = 0; i < 3; i++) {
            created(share(job(token), "X-Api-Key", key));
        }

        HttpResponse<String> rejected = share(job(token), "X-Api-Key", key);

        assertProblem(rejected, 503, "results-limit");
        assertThat(new JsonObject(rejected.body()).getString("detail"))
                .contains("3 shared results", "results.per_account");
    }

    @Test
    void totalLimitIs503WithTheReasonAndNotCharged() {
        String url = target.url("/ok/total");
        service.instant("http-status", url);
        String[] client = client();
        accounts.sql("update shared_result_total set bytes = bytes + 67108864");
        try {
            HttpResponse<String> rejected = share(check(url), client);
            assertProblem(rejected, 503, "results-limit");
            assertThat(new JsonObject(rejected.body()).getString("detail")).contains("64 MiB", "results.max_mib");
        } finally {
            accounts.sql("update shared_result_total set bytes = bytes - 67108864");
        }
        assertThat(header(share(check(url), client), "RateLimit")).startsWith("\"shares\";r=29;");
    }

    @Test
    void responseIsNotCachedAfterExpiry() {
        String id = sharedCheck("/ok/expiring").getString("id");
        accounts.sql(
                "update shared_result set expires_at = clock_timestamp() + interval '100 seconds' where id = $1", id);

        String header = header(read(id), "Cache-Control");
        assertThat(Integer.parseInt(header.replace("public, max-age=", ""))).isBetween(80, 100);

        accounts.sql("update shared_result set expires_at = clock_timestamp() where id = $1", id);
        assertProblem(read(id), 404, "no-such-result");
    }

    /** Responses are not cached by nodes. */
    @Test
    void deletionIsEffectiveOnOtherNodes() {
        JsonObject created = sharedCheck("/ok/other-node");
        String path = RESULTS + "/" + created.getString("id");
        try (ServiceUnderTest other = ServiceUnderTest.start(FIXTURE.database().url(), Map.of())) {
            assertThat(other.get(path).statusCode()).isEqualTo(200);

            delete(created.getString("id"), "Delete-Token", created.getString("delete_token"));

            assertProblem(other.get(path), 404, "no-such-result");
        }
    }

    @Test
    void methodsOfTheResources() {
        for (String path : List.of(RESULTS, RESULTS + "/" + "0".repeat(22))) {
            HttpResponse<String> response = service.json("PUT", path, "{}", "Content-Type", "application/json");
            assertProblem(response, 405, "method-not-allowed");
            assertThat(header(response, "Allow"))
                    .isEqualTo(path.equals(RESULTS) ? "GET, HEAD, POST, OPTIONS" : "DELETE, GET, HEAD, OPTIONS");
        }
    }

    /** A shared job with all states of lines and a module that no longer exists can be read. */
    @Test
    void jobOfARemovedModuleIsReadable() {
        TestAccounts.Key owner = accounts.key();
        String id = created(share(job(finishedJob(owner.secret(), "not a target")), "X-Api-Key", owner.secret()))
                .getString("id");
        accounts.sql(
                "update shared_result set content = replace(content::text, 'http-status', 'removed')::json where id = $1",
                id);
        accounts.sql(
                "update shared_result_page set bodies = array[convert_to(replace(convert_from(bodies[1], 'UTF8'),"
                        + " 'http-status', 'removed'), 'UTF8')] where result_id = $1",
                id);

        JsonObject job = new JsonObject(read(id).body()).getJsonObject("job");

        assertThat(job.getString("module")).isEqualTo("removed");
        assertThat(job.getString("state")).isEqualTo(JobState.COMPLETED.name().toLowerCase(Locale.ROOT));
        assertThat(read(id + ".csv").body()).startsWith("index,input,target,state,verdict");
    }
}
