package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.body;
import static dev.plumbline.support.JobsApiClient.header;
import static dev.plumbline.support.JobsApiClient.lines;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Job creation: accepted and rejected requests. */
@Tag("integration")
class JobCreationApiTest {
    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture();

    private static final String JOBS = JobsApiClient.PATH;
    private final ServiceUnderTest service = FIXTURE.service();
    private final TestAccounts accounts = FIXTURE.accounts();
    private final String key = FIXTURE.key();
    private final JobsApiClient jobs = FIXTURE.client();

    @ParameterizedTest
    @ValueSource(strings = {"//job_4kJ0mZ3tQbW9xYcR1nLp7s", "/job_4kJ0mZ3tQbW9xYcR1nLp7s//results.csv"})
    void emptyPathSegmentIs404(String path) {
        assertProblem(jobs.get(path), 404, "not-found");
        assertThat(service.send("HEAD", service.uri(JOBS + path)).statusCode()).isEqualTo(404);
    }

    /** A query is percent-decoded once. */
    @ParameterizedTest
    @CsvSource({"limit=%31, 200", "limit=%2531, 400", "cursor=%25, 400", "cursor=a%2525, 400"})
    void queryIsDecodedOnce(String query, int status) {
        HttpResponse<String> response = jobs.get("?" + query);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(response.body()).doesNotContain("decode");
    }

    @Test
    void allErrorsOfBodyAreReported() {
        HttpResponse<String> refused = jobs.post(
                """
            {"module": "http-status", "items": ["a", 5], "extra": 1,
             "options": {"timeout_ms": 1, "nope": true}}""");

        assertProblem(refused, 422, "invalid-job");
        assertThat(new JsonObject(refused.body()).getJsonArray("errors"))
                .extracting(error -> ((JsonObject) error).getString("pointer"))
                .containsExactlyInAnyOrder("/items/1", "/extra", "/options/timeout_ms", "/options/nope");
        assertThat(refused.headers().firstValue("RateLimit")).isEmpty();
    }

    @Test
    void nullOptionWithoutDefaultIsNotGiven() {
        HttpResponse<String> created = jobs.post(
                """
            {"module": "ssl-certificate", "items": ["a"], "options": {"warn_days": null, "sni": null}}""");

        assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
        assertThat(new JsonObject(created.body()).getJsonObject("options")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"null, null", "[], an array", "17, a number", "'\"job\"', a string"})
    void nonObjectBodyReportsExpectedType(String body, String what) {
        HttpResponse<String> refused = jobs.post(body);

        assertProblem(refused, 422, "invalid-job");
        assertThat(new JsonObject(refused.body()).getString("detail"))
                .isEqualTo("The request body must be an object with module (an identifier from /api/v1/tools), items"
                        + " (an array of 1 to 500 strings), optional options (an object) and an optional name (a string), not "
                        + what
                        + ". No job was created.");
    }

    @Test
    void unpairedSurrogateIsRejectedWithPointer() {
        HttpResponse<String> refused = jobs.post(
                """
            {"module": "http-status", "items": ["a", "\\ud800"],
             "options": {"contains": "\\udc00 \\ud83d\\ude00"}}""");

        assertProblem(refused, 422, "invalid-job");
        assertThat(new JsonObject(refused.body()).getJsonArray("errors"))
                .extracting(error -> ((JsonObject) error).getString("pointer"))
                .containsExactlyInAnyOrder("/items/1", "/options/contains");
    }

    @Test
    void unreadableBodyIsRejectedWithReason() {
        String body = body(List.of("a"), new JsonObject()).encode();

        assertProblem(jobs.post("{\"module\": oops}"), 400, "bad-request");
        assertThat(new JsonObject(jobs.post("{\"module\": oops}").body()).getString("detail"))
                .contains("line 1, column");
        assertProblem(jobs.post(""), 400, "bad-request");
        assertProblem(jobs.post(body, "Content-Type", "text/plain"), 415, "unsupported-media-type");
        assertProblem(
                jobs.post(body, "Content-Type", "application/json; charset=latin1"), 415, "unsupported-media-type");
        assertThat(jobs.post(body, "Content-Type", "application/json; charset=utf-8")
                        .statusCode())
                .isEqualTo(202);
        assertProblem(jobs.post(body, "Accept", "text/html"), 406, "not-acceptable");
        assertProblem(jobs.post("{\"x\":\"" + "y".repeat((8 << 20) - 7) + "\"}"), 413, "content-too-large");
    }

    @Test
    void largeBodyIsParsedOnWorkerThread() {
        HttpResponse<String> large = jobs.create(Collections.nCopies(500, "ö".repeat(1024)), new JsonObject());
        HttpResponse<String> refused = jobs.post("{\"items\":[\"" + "y".repeat((8 << 20) - 15) + "\"]}");

        assertThat(large.statusCode()).isEqualTo(202);
        assertThat(lines(new JsonObject(large.body()))).hasSize(500);
        assertProblem(refused, 422, "invalid-job");
    }

    @Test
    void concurrentLargeBodiesAreAllRead() throws IOException {
        byte[] body = ("{\"items\":[\"a\"" + ",\"a\"".repeat(300_000) + "]}").getBytes(StandardCharsets.US_ASCII);
        String head = "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
                + "Connection: close\r\nX-Api-Key: "
                + key
                + "\r\nContent-Length: "
                + body.length
                + "\r\n\r\n";
        List<Socket> clients = new ArrayList<>();
        try {
            for (int i = 0; i < 15; i++) {
                Socket client = new Socket("127.0.0.1", service.uri("/").getPort());
                clients.add(client);
                client.setSoTimeout(20_000);
                client.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
                client.getOutputStream().write(body, 0, body.length - 1);
            }
            for (Socket client : clients) {
                client.getOutputStream().write(body[body.length - 1]);
            }

            for (Socket client : clients) {
                assertThat(new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
                        .startsWith("HTTP/1.1 422 ");
            }
        } finally {
            for (Socket client : clients) {
                client.close();
            }
        }
    }

    @Test
    void repeatedIdempotencyKeyReplaysResponse() {
        String body = body(List.of("not a target"), new JsonObject().put("method", "get"))
                .encode();
        String owner = accounts.key().secret();

        HttpResponse<String> first = service.post(JOBS, body, "X-Api-Key", owner, "Idempotency-Key", "upload-1");
        jobs.finished(token(first), owner);
        HttpResponse<String> again = service.post(JOBS, body, "X-Api-Key", owner, "Idempotency-Key", "upload-1");
        HttpResponse<String> other = service.post(JOBS, body + " ", "X-Api-Key", owner, "Idempotency-Key", "upload-1");
        HttpResponse<String> elsewhere = service.post(JOBS, body, "X-Api-Key", key, "Idempotency-Key", "upload-1");

        assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
        assertThat(again.statusCode()).isEqualTo(202);
        assertThat(again.body()).isEqualTo(first.body());
        assertThat(header(again, "Location")).isEqualTo(header(first, "Location"));
        assertThat(header(again, "Idempotency-Replayed")).isEqualTo("true");
        assertThat(again.headers().firstValue("RateLimit")).isEmpty();
        assertProblem(other, 422, "idempotency-mismatch");
        assertThat(token(elsewhere)).isNotEqualTo(token(first));
        assertThat(new JsonObject(jobs.get("", "X-Api-Key", owner).body()).getJsonArray("jobs"))
                .hasSize(1);
    }

    @Test
    void nameIsInEveryRepresentation() {
        String owner = accounts.key().secret();
        JsonObject named = body(List.of("a b", "c d"), new JsonObject()).put("name", "Après la mise à jour");

        HttpResponse<String> created =
                service.post(JOBS, named.encode(), "X-Api-Key", owner, "Idempotency-Key", "name-1");
        HttpResponse<String> again =
                service.post(JOBS, named.encode(), "X-Api-Key", owner, "Idempotency-Key", "name-1");
        HttpResponse<String> renamed =
                service.post(JOBS, named.put("name", "x").encode(), "X-Api-Key", owner, "Idempotency-Key", "name-1");
        HttpResponse<String> unnamed = service.post(
                JOBS, body(List.of("a b"), new JsonObject()).encode(), "X-Api-Key", owner, "Prefer", "return=minimal");

        assertThat(name(created)).isEqualTo("Après la mise à jour");
        assertThat(again.body()).isEqualTo(created.body());
        assertProblem(renamed, 422, "idempotency-mismatch");
        assertThat(name(unnamed)).isEqualTo("a b");
        String path = "/" + token(created);
        assertThat(name(jobs.get(path, "X-Api-Key", owner))).isEqualTo("Après la mise à jour");
        assertThat(name(jobs.get(path + "?results=false", "X-Api-Key", owner))).isEqualTo("Après la mise à jour");
        assertThat(name(service.send("DELETE", service.uri(JOBS + path), "X-Api-Key", owner)))
                .isEqualTo("Après la mise à jour");
        assertThat(new JsonObject(jobs.get("", "X-Api-Key", owner).body()).getJsonArray("jobs"))
                .extracting(job -> ((JsonObject) job).getString("name"))
                .containsExactly("a b", "Après la mise à jour");
    }

    private static String name(HttpResponse<String> response) {
        return new JsonObject(response.body()).getString("name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a b", "ä"})
    void idempotencyKeyMustBeVisibleAscii(String name) throws Exception {
        assertThat(rawCreate(name).status()).isEqualTo(400);
        assertThat(rawCreate(name).body()).contains("1 to 255 visible ASCII characters");
        assertThat(rawCreate("x".repeat(256)).status()).isEqualTo(400);
        assertThat(rawCreate("x".repeat(255)).status()).isEqualTo(202);
    }

    /** Header values are not percent-decoded, and a plus sign is not a space. */
    @Test
    void idempotencyKeyIsNotDecoded() {
        List<String> tokens = new ArrayList<>();
        for (String name : List.of("100%", "a+b", "a%2Bb", "%zz", "%C3", "%20")) {
            String body = body(List.of("not a target"), new JsonObject()).encode();
            tokens.add(token(jobs.post(body, "Idempotency-Key", name)));
        }

        assertThat(tokens).doesNotHaveDuplicates();
    }

    private RawHttpClient.RawResponse rawCreate(String idempotencyKey) throws Exception {
        String body = "{\"module\":\"http-status\",\"items\":[\"a b\"]}";
        try (RawHttpClient client = RawHttpClient.connect(service.uri("/").getPort())) {
            client.send("POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nX-Api-Key: "
                    + key
                    + "\r\nContent-Type: application/json\r\nPrefer: return=minimal\r\nIdempotency-Key: "
                    + idempotencyKey
                    + "\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n"
                    + body);
            return client.response();
        }
    }

    @Test
    void keyIsLimitedTo60JobsPerHour() {
        String owner = accounts.key().secret();
        String body = body(List.of("not a target"), new JsonObject()).encode();
        for (int i = 0; i < 60; i++) {
            HttpResponse<String> created = service.post(JOBS, body, "X-Api-Key", owner, "Prefer", "return=minimal");
            assertThat(created.statusCode()).isEqualTo(202);
            assertThat(header(created, "RateLimit"))
                    .startsWith("\"jobs\";r=" + (59 - i) + ";t=")
                    .contains("\"jobs-account\";r=" + (599 - i) + ";t=");
        }

        HttpResponse<String> refused = service.post(JOBS, body, "X-Api-Key", owner);

        assertProblem(refused, 429, "quota-exceeded");
        assertThat(new JsonObject(refused.body()).getJsonArray("violated-policies"))
                .containsExactly("jobs");
        assertThat(header(refused, "RateLimit")).startsWith("\"jobs\";r=0;t=");
        assertThat(Integer.parseInt(header(refused, "Retry-After"))).isBetween(3500, 3600);
    }

    /** Records 597 job creations of this hour, by keys that can be revoked. */
    @Test
    void accountIsLimitedTo600JobsPerHour() {
        TestAccounts.Key first = accounts.key();
        TestAccounts.Key second = accounts.key(first.accountId(), Scope.values());
        accounts.row(
                """
        select count(*) from charge_quotas(array['jobs-account'], array[$1], array[597], array[600],
          array[3600000000::bigint], null)""",
                Long.toString(first.accountId()));
        String body = body(List.of("not a target"), new JsonObject()).encode();

        List<CompletableFuture<HttpResponse<String>>> atOnce = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            String secret = (i % 2 == 0 ? first : second).secret();
            atOnce.add(CompletableFuture.supplyAsync(
                    () -> service.post(JOBS, body, "X-Api-Key", secret, "Prefer", "return=minimal")));
        }
        List<HttpResponse<String>> answers =
                atOnce.stream().map(CompletableFuture::join).collect(Collectors.toList());

        assertThat(answers).filteredOn(answer -> answer.statusCode() == 202).hasSize(3);
        for (HttpResponse<String> refused : answers) {
            if (refused.statusCode() != 202) {
                assertProblem(refused, 429, "quota-exceeded");
                assertThat(new JsonObject(refused.body()).getJsonArray("violated-policies"))
                        .containsExactly("jobs-account");
            }
        }
        assertThat(accounts.row("select count(*) from job where account_id = $1", first.accountId())
                        .getLong(0))
                .isEqualTo(3);
    }

    @Test
    void concurrentIdempotencyKeyIs409() {
        TestAccounts.Key owner = accounts.key();
        String body = body(List.of("not a target"), new JsonObject()).encode();
        Promise<Void> firstIsDone = Promise.promise();
        Promise<Void> firstIsUnderWay = Promise.promise();
        Future<Void> first = FIXTURE.database().open().inTransaction(transaction -> transaction
                .preparedQuery("select pg_advisory_xact_lock(hashtextextended($1, 0))")
                .execute(Tuple.of(owner.keyId() + " again"))
                .onSuccess(locked -> firstIsUnderWay.complete())
                .compose(locked -> firstIsDone.future()));
        Await.value(firstIsUnderWay.future());

        HttpResponse<String> early = service.post(JOBS, body, "X-Api-Key", owner.secret(), "Idempotency-Key", "again");
        HttpResponse<String> other =
                service.post(JOBS, body, "X-Api-Key", owner.secret(), "Idempotency-Key", "another");
        firstIsDone.complete();
        Await.value(first);

        assertProblem(early, 409, "idempotency-pending");
        assertThat(header(early, "Retry-After")).isEqualTo("1");
        assertThat(other.statusCode()).isEqualTo(202);
        assertThat(service.post(JOBS, body, "X-Api-Key", owner.secret(), "Idempotency-Key", "again")
                        .statusCode())
                .isEqualTo(202);
    }

    @Test
    void keyRevokedDuringBodyCreatesNoJob() throws IOException {
        TestAccounts.Key owner = accounts.key();
        String body = body(List.of("not a target"), new JsonObject()).encode();
        try (RawHttpClient slow = RawHttpClient.connect(service.uri("/").getPort())) {
            slow.send("POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Expect: 100-continue\r\nX-Api-Key: "
                    + owner.secret()
                    + "\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n");
            // the key is valid, so the body is requested
            assertThat(slow.response().status()).isEqualTo(100);
            slow.send(body.substring(0, 10));
            accounts.sql("update api_key set revoked_at = now() where id = $1", owner.keyId());
            Await.until(() -> jobs.get("", "X-Api-Key", owner.secret()).statusCode() == 401);

            slow.send(body.substring(10));

            assertThat(slow.response().status()).isEqualTo(401);
        }
        assertThat(accounts.row("select count(*) from job where account_id = $1", owner.accountId())
                        .getLong(0))
                .isZero();
    }
}
