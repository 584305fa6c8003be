package dev.plumbline;

import static org.assertj.core.api.Assertions.assertThat;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.Await;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.store.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.io.IOException;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs as a client sees them, done by the whole service. */
class JobsApiTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final String JOBS = "/api/v1/jobs";
  private static ServiceUnderTest service;
  private static HttpLab lab;
  private static TestAccounts accounts;
  private static String key;

  @BeforeAll
  static void start() {
    lab = Await.value(HttpLab.start(DATABASE.vertx()));
    accounts = new TestAccounts(DATABASE.open());
    key = accounts.key().secret();
    service =
        ServiceUnderTest.start(
            DATABASE.url(),
            Map.of(
                "HTTP_PUBLIC_URL",
                "https://checks.example.org",
                "HTTP_DRAIN",
                "1s",
                // a busy machine is no outage
                "DATABASE_TIMEOUT",
                "4s"));
  }

  @AfterAll
  static void stop() {
    service.close();
  }

  @Test
  void aJobIsCreatedWaitedForAndRead() {
    List<String> items =
        List.of(lab.http("/ok"), "not a target", lab.http("/ok"), "", lab.http("/missing"));

    HttpResponse<String> created = create(items, new JsonObject());
    JsonObject job = new JsonObject(created.body());
    JsonObject done = finished(job.getString("token"));

    assertThat(created.statusCode()).isEqualTo(202);
    String self = "https://checks.example.org/api/v1/jobs/" + job.getString("token");
    assertThat(header(created, "Location")).isEqualTo(self);
    assertThat(header(created, "Cache-Control")).isEqualTo("private, no-cache");
    assertThat(header(created, "Vary")).isEqualTo("Authorization, X-Api-Key, Accept");
    assertThat(header(created, "RateLimit-Policy"))
        .isEqualTo("\"jobs\";q=60;w=3600, \"jobs-account\";q=600;w=3600");
    assertThat(job.getString("token")).matches("job_[0-9A-Za-z]{22}");
    assertThat(job.getString("state")).isEqualTo("queued");
    assertThat(states(job)).containsOnly("pending").hasSize(5);
    assertThat(job.getJsonObject("links"))
        .isEqualTo(
            new JsonObject()
                .put("self", self)
                .put("csv", self + "/results.csv")
                .put("ndjson", self + "/results.ndjson")
                .put("web", "https://checks.example.org/jobs/" + job.getString("token")));

    assertThat(done.getString("state")).isEqualTo("completed");
    assertThat(done.getDouble("progress")).isEqualTo(1.0);
    assertThat(done.getString("expires_at")).isNotNull();
    assertThat(lines(done)).extracting(line -> line.getString("input")).isEqualTo(items);
    assertThat(lines(done))
        .extracting(line -> line.getInteger("index"))
        .containsExactly(0, 1, 2, 3, 4);
    assertThat(states(done)).containsOnly("done");
    assertThat(lines(done).get(0).getJsonObject("fields").getInteger("status")).isEqualTo(200);
    assertThat(lines(done).get(1).getJsonObject("error").getString("code"))
        .isEqualTo("invalid_target");
    assertThat(lines(done).get(3).getJsonObject("error").getString("code"))
        .isEqualTo("invalid_target");
    JsonObject counts = done.getJsonObject("counts");
    assertThat(counts.getInteger("total")).isEqualTo(5);
    assertThat(counts.getInteger("done")).isEqualTo(5);
    assertThat(
            counts.getInteger("pass")
                + counts.getInteger("warn")
                + counts.getInteger("fail")
                + counts.getInteger("error"))
        .isEqualTo(5);
  }

  @Test
  void bothFormsOfAKeyWillDo() {
    String body = body(List.of("not a target"), new JsonObject()).encode();

    assertThat(service.post(JOBS, body, "X-Api-Key", key).statusCode()).isEqualTo(202);
    assertThat(service.post(JOBS, body, "Authorization", "Bearer " + key).statusCode())
        .isEqualTo(202);
    assertThat(service.post(JOBS, body).statusCode()).isEqualTo(401);
    assertThat(service.get(JOBS).statusCode()).isEqualTo(401);
  }

  @Test
  void aKeyMayDoWhatItsScopesSayAndAStrangerNothing() {
    TestAccounts.Key reader = accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ);
    String free = accounts.key(accounts.account(Plan.FREE), Scope.values()).secret();
    String token = token(create(List.of("not a target"), new JsonObject()));
    String body = body(List.of("a"), new JsonObject()).encode();

    assertThat(service.post(JOBS, body, "X-Api-Key", reader.secret()).statusCode()).isEqualTo(403);
    assertThat(service.post(JOBS, body, "X-Api-Key", free).statusCode()).isEqualTo(403);
    for (String path :
        List.of(
            JOBS + "/" + token,
            JOBS + "/" + token + "/results.csv",
            JOBS + "/" + token + "/results.ndjson")) {
      HttpResponse<String> strange = service.get(path, "X-Api-Key", reader.secret());
      assertProblem(strange, 404, "no-such-job");
    }
    String other = accounts.key().secret();
    assertProblem(delete(token, other), 404, "no-such-job");
    assertThat(get("/" + token).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "job_",
        "job_123",
        "job_4kJ0mZ3tQbW9xYcR1nLp7s",
        "JOB_4kJ0mZ3tQbW9xYcR1nLp7s",
        "job_4kJ0mZ3tQbW9xYcR1nLp7%C3%A9",
        "4kJ0mZ3tQbW9xYcR1nLp7s"
      })
  void whatIsNoJobIsA404(String token) {
    assertProblem(get("/" + token), 404, "no-such-job");
    assertProblem(get("/" + token + "/results.csv"), 404, "no-such-job");
    assertProblem(delete(token, key), 404, "no-such-job");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"//job_4kJ0mZ3tQbW9xYcR1nLp7s", "/job_4kJ0mZ3tQbW9xYcR1nLp7s//results.csv"})
  void aPathWithAnEmptySegmentIsNoPath(String path) {
    assertProblem(get(path), 404, "not-found");
    assertThat(service.send("HEAD", service.uri(JOBS + path)).statusCode()).isEqualTo(404);
  }

  @Test
  void allFaultsOfABodyAreNamedAtOnce() {
    HttpResponse<String> refused =
        post(
            """
            {"module": "http-status", "items": ["a", 5], "extra": 1,
             "options": {"timeout_ms": 1, "nope": true}}""");

    assertProblem(refused, 422, "invalid-job");
    assertThat(new JsonObject(refused.body()).getJsonArray("errors"))
        .extracting(error -> ((JsonObject) error).getString("pointer"))
        .containsExactlyInAnyOrder("/items/1", "/extra", "/options/timeout_ms", "/options/nope");
    assertThat(refused.headers().firstValue("RateLimit")).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"null, null", "[], a list", "17, a number", "'\"job\"', a string"})
  void whatIsNoObjectIsToldWhatItShouldBe(String body, String what) {
    HttpResponse<String> refused = post(body);

    assertProblem(refused, 422, "invalid-job");
    assertThat(new JsonObject(refused.body()).getString("detail"))
        .isEqualTo(
            "The body must be an object with module (a name from /api/v1/tools), items (a list of 1"
                + " to 500 strings) and, if wanted, options (an object), not "
                + what
                + ". Nothing was created.");
  }

  @Test
  void textThatUtf8CannotSayIsRefusedWhereItStands() {
    HttpResponse<String> refused =
        post(
            """
            {"module": "http-status", "items": ["a", "\\ud800"],
             "options": {"contains": "\\udc00 \\ud83d\\ude00"}}""");

    assertProblem(refused, 422, "invalid-job");
    assertThat(new JsonObject(refused.body()).getJsonArray("errors"))
        .extracting(error -> ((JsonObject) error).getString("pointer"))
        .containsExactlyInAnyOrder("/items/1", "/options/contains");
  }

  @Test
  void whatCannotBeReadIsRefusedForWhatItIs() {
    String body = body(List.of("a"), new JsonObject()).encode();

    assertProblem(post("{\"module\": oops}"), 400, "bad-request");
    assertThat(new JsonObject(post("{\"module\": oops}").body()).getString("detail"))
        .contains("line 1, column");
    assertProblem(post(""), 400, "bad-request");
    assertProblem(post(body, "Content-Type", "text/plain"), 415, "unsupported-media-type");
    assertProblem(
        post(body, "Content-Type", "application/json; charset=latin1"),
        415,
        "unsupported-media-type");
    assertThat(post(body, "Content-Type", "application/json; charset=utf-8").statusCode())
        .isEqualTo(202);
    assertProblem(post(body, "Accept", "text/html"), 406, "not-acceptable");
    assertProblem(post("{\"x\":\"" + "y".repeat((8 << 20) - 7) + "\"}"), 413, "content-too-large");
  }

  @Test
  void aLargeBodyIsReadBesideTheEventLoops() {
    HttpResponse<String> large =
        create(Collections.nCopies(500, "ö".repeat(1024)), new JsonObject());
    HttpResponse<String> refused = post("{\"items\":[\"" + "y".repeat((8 << 20) - 15) + "\"]}");

    assertThat(large.statusCode()).isEqualTo(202);
    assertThat(lines(new JsonObject(large.body()))).hasSize(500);
    assertProblem(refused, 422, "invalid-job");
  }

  @Test
  void severalLargeBodiesAtOnceAreAllRead() throws IOException {
    byte[] body =
        ("{\"items\":[\"a\"" + ",\"a\"".repeat(300_000) + "]}").getBytes(StandardCharsets.US_ASCII);
    String head =
        "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n"
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
  void aRequestThatIsRepeatedIsAnsweredLikeTheFirst() {
    String body = body(List.of("not a target"), new JsonObject().put("method", "get")).encode();
    String owner = accounts.key().secret();

    HttpResponse<String> first =
        service.post(JOBS, body, "X-Api-Key", owner, "Idempotency-Key", "upload-1");
    finished(token(first), owner);
    HttpResponse<String> again =
        service.post(JOBS, body, "X-Api-Key", owner, "Idempotency-Key", "upload-1");
    HttpResponse<String> other =
        service.post(JOBS, body + " ", "X-Api-Key", owner, "Idempotency-Key", "upload-1");
    HttpResponse<String> elsewhere =
        service.post(JOBS, body, "X-Api-Key", key, "Idempotency-Key", "upload-1");

    assertThat(first.headers().firstValue("Idempotency-Replayed")).isEmpty();
    assertThat(again.statusCode()).isEqualTo(202);
    assertThat(again.body()).isEqualTo(first.body());
    assertThat(header(again, "Location")).isEqualTo(header(first, "Location"));
    assertThat(header(again, "Idempotency-Replayed")).isEqualTo("true");
    assertThat(again.headers().firstValue("RateLimit")).isEmpty();
    assertProblem(other, 422, "idempotency-mismatch");
    assertThat(token(elsewhere)).isNotEqualTo(token(first));
    assertThat(new JsonObject(get("", "X-Api-Key", owner).body()).getJsonArray("jobs")).hasSize(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"a b", "ä"})
  void anIdempotencyKeyIsVisibleAscii(String name) throws Exception {
    assertThat(rawCreate(name).status()).isEqualTo(400);
    assertThat(rawCreate(name).body()).contains("1 to 255 visible ASCII characters");
    assertThat(rawCreate("x".repeat(256)).status()).isEqualTo(400);
    assertThat(rawCreate("x".repeat(255)).status()).isEqualTo(202);
  }

  private static RawClient.Answer rawCreate(String idempotencyKey) throws Exception {
    String body = "{\"module\":\"http-status\",\"items\":[\"a b\"]}";
    try (RawClient client = RawClient.connect(service.uri("/").getPort())) {
      client.send(
          "POST /api/v1/jobs HTTP/1.1\r\nHost: a\r\nX-Api-Key: "
              + key
              + "\r\nContent-Type: application/json\r\nPrefer: return=minimal\r\nIdempotency-Key: "
              + idempotencyKey
              + "\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n"
              + body);
      return client.answer();
    }
  }

  @Test
  void sixtyJobsAnHourAreEnough() {
    String owner = accounts.key().secret();
    String body = body(List.of("not a target"), new JsonObject()).encode();
    for (int i = 0; i < 60; i++) {
      HttpResponse<String> created =
          service.post(JOBS, body, "X-Api-Key", owner, "Prefer", "return=minimal");
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

  /** As if 597 had been created in this hour already, by keys that may be gone. */
  @Test
  void sixHundredJobsAnHourAreEnoughForAnAccountWhateverItsKeys() {
    TestAccounts.Key first = accounts.key();
    TestAccounts.Key second = accounts.key(first.accountId(), Scope.values());
    accounts.row(
        """
        select count(*) from take_quotas(array['jobs-account'], array[$1], array[597], array[600],
          array[3600000000::bigint], null)""",
        Long.toString(first.accountId()));
    String body = body(List.of("not a target"), new JsonObject()).encode();

    List<CompletableFuture<HttpResponse<String>>> atOnce = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      String secret = (i % 2 == 0 ? first : second).secret();
      atOnce.add(
          CompletableFuture.supplyAsync(
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
    assertThat(
            accounts
                .row("select count(*) from job where account_id = $1", first.accountId())
                .getLong(0))
        .isEqualTo(3);
  }

  @Test
  void aRequestThatIsRepeatedTooSoonIsAConflict() {
    TestAccounts.Key owner = accounts.key();
    String body = body(List.of("not a target"), new JsonObject()).encode();
    Promise<Void> firstIsDone = Promise.promise();
    Promise<Void> firstIsUnderWay = Promise.promise();
    Future<Void> first =
        DATABASE
            .open()
            .inTransaction(
                transaction ->
                    transaction
                        .preparedQuery("select pg_advisory_xact_lock(hashtextextended($1, 0))")
                        .execute(Tuple.of(owner.keyId() + " again"))
                        .onSuccess(locked -> firstIsUnderWay.complete())
                        .compose(locked -> firstIsDone.future()));
    Await.value(firstIsUnderWay.future());

    HttpResponse<String> early =
        service.post(JOBS, body, "X-Api-Key", owner.secret(), "Idempotency-Key", "again");
    HttpResponse<String> other =
        service.post(JOBS, body, "X-Api-Key", owner.secret(), "Idempotency-Key", "another");
    firstIsDone.complete();
    Await.value(first);

    assertProblem(early, 409, "idempotency-pending");
    assertThat(header(early, "Retry-After")).isEqualTo("1");
    assertThat(other.statusCode()).isEqualTo(202);
    assertThat(
            service
                .post(JOBS, body, "X-Api-Key", owner.secret(), "Idempotency-Key", "again")
                .statusCode())
        .isEqualTo(202);
  }

  @Test
  void aKeyThatIsRevokedWhileTheBodyComesMakesNoJob() throws IOException {
    TestAccounts.Key owner = accounts.key();
    String body = body(List.of("not a target"), new JsonObject()).encode();
    try (RawClient slow = RawClient.connect(service.uri("/").getPort())) {
      slow.send(
          "POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
              + "Expect: 100-continue\r\nX-Api-Key: "
              + owner.secret()
              + "\r\nContent-Length: "
              + body.length()
              + "\r\n\r\n");
      // the key was good, and the body is asked for
      assertThat(slow.answer().status()).isEqualTo(100);
      slow.send(body.substring(0, 10));
      accounts.sql("update api_key set revoked_at = now() where id = $1", owner.keyId());
      Await.until(() -> get("", "X-Api-Key", owner.secret()).statusCode() == 401);

      slow.send(body.substring(10));

      assertThat(slow.answer().status()).isEqualTo(401);
    }
    assertThat(
            accounts
                .row("select count(*) from job where account_id = $1", owner.accountId())
                .getLong(0))
        .isZero();
  }

  @Test
  void whoWantsLittleGetsLittle() {
    HttpResponse<String> created =
        post(body(List.of("not a target"), new JsonObject()).encode(), "Prefer", "return=minimal");

    JsonObject job = new JsonObject(created.body());
    assertThat(header(created, "Preference-Applied")).isEqualTo("return=minimal");
    assertThat(job.fieldNames()).contains("token", "counts").doesNotContain("results");
    JsonObject without =
        new JsonObject(get("/" + job.getString("token") + "?results=false").body());
    assertThat(without.fieldNames()).isEqualTo(job.fieldNames());
  }

  @Test
  void theEntityTagStandsForTheVersionAndTheView() {
    String token = token(create(List.of("not a target", "neither"), new JsonObject()));
    finished(token);
    String etag = header(get("/" + token), "ETag");

    HttpResponse<String> same = get("/" + token, "If-None-Match", "\"x\", " + etag);
    assertThat(same.statusCode()).isEqualTo(304);
    assertThat(same.body()).isEmpty();
    assertThat(header(same, "ETag")).isEqualTo(etag);
    assertThat(get("/" + token, "If-None-Match", "*").statusCode()).isEqualTo(304);
    for (String view :
        List.of(
            "?limit=1",
            "?limit=1&cursor=" + cursor(get("/" + token + "?limit=1")),
            "?results=false",
            "?format=csv",
            "?format=csv&raw=true",
            "?format=ndjson")) {
      HttpResponse<String> other = get("/" + token + view, "If-None-Match", etag);
      assertThat(other.statusCode()).as(view).isEqualTo(200);
      HttpResponse<String> again = get("/" + token + view, "If-None-Match", header(other, "ETag"));
      assertThat(again.statusCode()).as(view).isEqualTo(304);
    }
  }

  @Test
  void aPageLeadsToTheNext() {
    List<String> items = new ArrayList<>();
    for (int i = 0; i < 7; i++) {
      items.add("not a target " + i);
    }
    String token = token(create(items, new JsonObject()));
    finished(token);

    List<String> seen = new ArrayList<>();
    String cursor = null;
    do {
      HttpResponse<String> page =
          get("/" + token + "?limit=3" + (cursor == null ? "" : "&cursor=" + cursor));
      lines(new JsonObject(page.body())).forEach(line -> seen.add(line.getString("input")));
      cursor = cursor(page);
    } while (cursor != null);

    assertThat(seen).isEqualTo(items);
  }

  @Test
  void theListGoesFromTheNewestToTheOldest() {
    String owner = accounts.key().secret();
    List<String> tokens = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      tokens.add(0, token(create(owner, List.of("not a target"), new JsonObject())));
    }

    List<String> seen = new ArrayList<>();
    String cursor = null;
    do {
      HttpResponse<String> page =
          get("?limit=2" + (cursor == null ? "" : "&cursor=" + cursor), "X-Api-Key", owner);
      assertThat(page.statusCode()).isEqualTo(200);
      new JsonObject(page.body())
          .getJsonArray("jobs")
          .forEach(job -> seen.add(((JsonObject) job).getString("token")));
      cursor = cursor(page);
    } while (cursor != null);

    assertThat(seen).isEqualTo(tokens);
    assertThat(new JsonObject(get("", "X-Api-Key", owner).body()).getString("next_cursor"))
        .isNull();
  }

  /** How many jobs there are is nobody's business. */
  @Test
  void aCursorTellsNothingThatItsOwnerDoesNotKnow() {
    String owner = accounts.key().secret();
    create(owner, List.of("not a target"), new JsonObject());
    String second = token(create(owner, List.of("not a target"), new JsonObject()));
    String cursor = cursor(get("?limit=1", "X-Api-Key", owner));

    String plain = new String(Base64.getUrlDecoder().decode(cursor), StandardCharsets.ISO_8859_1);

    assertThat(plain).isEqualTo("j" + second);
    create(List.of("not a target"), new JsonObject());
    // nor does it lead anybody else anywhere
    assertProblem(get("?cursor=" + cursor), 400, "bad-request");
    assertThat(get("?cursor=" + cursor, "X-Api-Key", owner).statusCode()).isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?cursor=x",
        "?cursor=bDE",
        // a number, as cursors once were
        "?cursor=ajE",
        // a job that there is not
        "?cursor=am9iXzRrSjBtWjN0UWJXOXhZY1IxbkxwN3M",
        "?cursor=ampvYl80a0owbVozdFFiVzl4WWNSMW5McDdz",
        "?limit=0",
        "?limit=101",
        "?limit=ten",
        "?limit=1.5",
        "?limit=",
        "?limit=-1",
        "?cursor="
      })
  void aPageOfTheListThatCannotBeIsA400(String query) {
    assertProblem(get(query), 400, "bad-request");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.0",
        "1e0",
        "+1",
        "01",
        "%201",
        "%2B1",
        "1%20",
        "",
        "ten",
        "999999999999999999999999"
      })
  void aLimitIsDigitsAlone(String limit) {
    String token = token(create(List.of("not a target", "neither"), new JsonObject()));

    for (String path : List.of("?limit=", "/" + token + "?limit=")) {
      JsonObject page = new JsonObject(get(path + "1").body());
      assertThat(page.getJsonArray(path.startsWith("/") ? "results" : "jobs")).hasSize(1);

      HttpResponse<String> refused = get(path + limit);
      assertProblem(refused, 400, "bad-request");
      assertThat(new JsonObject(refused.body()).getString("detail"))
          .startsWith("The parameter limit is no whole number; write it in digits alone");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "?cursor=x",
        "?cursor=ajE",
        "?cursor=bDE",
        "?limit=0",
        "?limit=501",
        "?results=maybe"
      })
  void aPageOfAJobThatCannotBeIsA400(String query) {
    String token = token(create(List.of("not a target"), new JsonObject()));

    assertProblem(get("/" + token + query), 400, "bad-request");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "                 | application/json                            | application/json",
        "                 | text/csv                                    | text/csv; charset=utf-8; header=present",
        "                 | application/x-ndjson                        | application/x-ndjson",
        "                 | text/*;q=0.9, application/json;q=0.5        | text/csv; charset=utf-8; header=present",
        "                 | text/html, */*;q=0.1                        | application/json",
        "                 | application/json;q=0, */*                   | text/csv; charset=utf-8; header=present",
        "?format=csv      | application/json                            | text/csv; charset=utf-8; header=present",
        "?format=ndjson   | text/html                                   | application/x-ndjson",
        "/results.csv     | */*                                         | text/csv; charset=utf-8; header=present",
        "/results.ndjson  | */*                                         | application/x-ndjson",
        "                 | text/html                                   |",
        "?format=xml      | */*                                         |",
        "/results.csv     | application/json                            |",
      })
  void aJobHasSeveralForms(String view, String accept, String type) {
    String token = token(create(List.of("not a target"), new JsonObject()));

    HttpResponse<String> answer = get("/" + token + (view == null ? "" : view), "Accept", accept);

    if (type == null) {
      assertProblem(answer, 406, "not-acceptable");
    } else {
      assertThat(answer.statusCode()).isEqualTo(200);
      assertThat(header(answer, "Content-Type")).isEqualTo(type);
      assertThat(answer.headers().firstValue("Content-Disposition").isPresent())
          .isEqualTo(!type.equals("application/json"));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "?results=false", "/results.csv", "/results.ndjson"})
  void headHasTheHeadersOfGet(String view) {
    String token = token(create(List.of("not a target"), new JsonObject()));
    finished(token);

    HttpResponse<String> head =
        service.send("HEAD", service.uri(JOBS + "/" + token + view), "X-Api-Key", key);

    HttpResponse<String> get = get("/" + token + view);
    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
    for (String name : List.of("ETag", "Content-Type", "Vary", "Cache-Control")) {
      assertThat(header(head, name)).isEqualTo(header(get, name));
    }
    head.headers()
        .firstValueAsLong("Content-Length")
        .ifPresent(length -> assertThat(length).isEqualTo(get.body().length()));
  }

  @Test
  void aCancelledJobKeepsWhatIsDoneAndStaysCancelled() {
    List<String> items = new ArrayList<>();
    items.add("not a target");
    for (int i = 0; i < 80; i++) {
      items.add(lab.http("/silent?" + i));
    }
    String token = token(create(items, new JsonObject()));

    HttpResponse<String> cancelled = delete(token, key);
    HttpResponse<String> again = delete(token, key);

    JsonObject job = new JsonObject(again.body());
    assertThat(cancelled.statusCode()).isEqualTo(200);
    assertThat(again.statusCode()).isEqualTo(200);
    assertThat(job.getString("state")).isEqualTo("cancelled");
    assertThat(again.body()).isEqualTo(cancelled.body());
    assertThat(states(job)).contains("cancelled").doesNotContain("pending", "running");
    assertThat(new JsonObject(get("/" + token).body())).isEqualTo(job);
    assertThat(
            new JsonObject(
                    service
                        .send(
                            "DELETE",
                            service.uri(JOBS + "/" + token),
                            "X-Api-Key",
                            key,
                            "Prefer",
                            "return=minimal")
                        .body())
                .fieldNames())
        .doesNotContain("results");
  }

  @Test
  void aJobWhoseResultsAreDeletedIsGone() {
    String token = token(create(List.of("not a target"), new JsonObject()));
    finished(token);
    accounts.sql("update job set expires_at = now() where token = $1", token);

    assertProblem(get("/" + token), 410, "job-expired");
    assertProblem(get("/" + token + "/results.csv"), 410, "job-expired");
    assertProblem(delete(token, key), 410, "job-expired");
  }

  @Test
  void freshIsTakenFromTheOptionsAndForcesARun() {
    String target = lab.http("/ok?forced");
    finished(token(create(List.of(target), new JsonObject())));

    JsonObject known = finished(token(create(List.of(target), new JsonObject())));
    JsonObject fresh =
        finished(token(create(List.of(target), new JsonObject().put("fresh", true))));

    assertThat(lines(known).get(0).getBoolean("cached")).isTrue();
    assertThat(known.getJsonObject("options")).isEmpty();
    assertThat(lines(fresh).get(0).getBoolean("cached")).isFalse();
    assertThat(fresh.getJsonObject("options")).isEqualTo(new JsonObject().put("fresh", true));
  }

  @Test
  void whatAJobFoundIsToldAgainToWhoeverAsksForOneTarget() {
    String target = lab.http("/ok?shared");
    JsonObject line = lines(finished(token(create(List.of(target), new JsonObject())))).get(0);

    JsonObject instant = new JsonObject(service.instant("http-status", target).body());

    assertThat(instant.getBoolean("cached")).isTrue();
    assertThat(instant.getJsonObject("fields")).isEqualTo(line.getJsonObject("fields"));
    assertThat(instant.getString("checked_at")).isEqualTo(line.getString("checked_at"));
  }

  @Test
  void fiveHundredLinesOfAllKindsComeBackInOrder() throws IOException {
    int refusing;
    try (ServerSocket closed = new ServerSocket(0)) {
      refusing = closed.getLocalPort();
    }
    List<String> kinds =
        List.of(
            lab.http("/ok"),
            lab.http("/status/404"),
            "",
            "   ",
            "not a target",
            "=HYPERLINK(\"http://evil.example\",\"x\")",
            "@SUM(1+1)*cmd|' /C calc'!A0",
            "\t=1+1",
            "＝1",
            "a\u0000b",
            "http://10.0.0.1/",
            "http://localhost/",
            "ftp://example.com/",
            "http://127.0.0.1:" + refusing + "/",
            "http://nowhere.invalid/",
            lab.http("/never"),
            lab.http("/endless/headers"),
            lab.http("/drip/head"),
            lab.http("/no-reason"),
            "http://exa mple.com/",
            "x".repeat(2048));
    List<String> items = new ArrayList<>();
    for (int i = 0; items.size() < 500; i++) {
      items.add(kinds.get(i % kinds.size()));
    }
    String token = token(create(items, new JsonObject().put("timeout_ms", 1000)));

    JsonObject job = finished(token);

    assertThat(job.getString("state")).isEqualTo("completed");
    assertThat(lines(job)).extracting(line -> line.getString("input")).isEqualTo(items);
    for (int i = 0; i < 500; i++) {
      assertThat(lines(job).get(i).getInteger("index")).isEqualTo(i);
    }
    JsonObject counts = job.getJsonObject("counts");
    assertThat(counts.getInteger("done")).isEqualTo(500);
    for (String verdict : List.of("pass", "warn", "fail", "error")) {
      assertThat(lines(job))
          .filteredOn(line -> line.getString("verdict").equals(verdict))
          .as(verdict)
          .hasSize(counts.getInteger(verdict));
    }
    List<String> separate = get("/" + token + "/results.ndjson").body().lines().toList();
    assertThat(separate).hasSize(500);
    for (int i = 0; i < 500; i++) {
      assertThat(new JsonObject(separate.get(i))).isEqualTo(lines(job).get(i));
    }
    List<NamedCsvRecord> records =
        CsvReader.builder().ofNamedCsvRecord(get("/" + token + "/results.csv").body()).stream()
            .toList();
    assertThat(records).hasSize(500);
    assertThat(records)
        .flatExtracting(NamedCsvRecord::getFields)
        .allSatisfy(cell -> assertThat(cell).doesNotMatch("(?s)[=+@＝＋－＠\t\r\n-].*"));
    assertThat(records.get(5).getField("input")).isEqualTo("'" + kinds.get(5));
    List<NamedCsvRecord> raw =
        CsvReader.builder()
            .ofNamedCsvRecord(get("/" + token + "/results.csv?raw=true").body())
            .stream()
            .toList();
    assertThat(raw).extracting(line -> line.getField("input")).isEqualTo(items);
  }

  @Test
  void theScriptOfTheDocumentsTurnsAFileIntoCsv(@TempDir Path dir) throws Exception {
    List<String> lines =
        List.of(
            lab.http("/ok?script"), "=1+1", "a \"b\" \\c", "tab\there", "", lab.http("/ok?script"));
    Path file = Files.writeString(dir.resolve("lines"), String.join("\r\n", lines) + "\r\n");

    String csv = script(0, "http-status", file.toString());

    List<NamedCsvRecord> records = CsvReader.builder().ofNamedCsvRecord(csv).stream().toList();
    assertThat(records)
        .extracting(line -> line.getField("input"))
        .containsExactly(lines.get(0), "'=1+1", "a \"b\" \\c", "tab\there", "", lines.get(5));
    assertThat(records).extracting(line -> line.getField("state")).containsOnly("done");
    assertThat(records.get(0).getField("status")).isEqualTo("200");
    assertThat(records.get(1).getField("error_code")).isEqualTo("invalid_target");
    assertThat(script(1, "nonsense", file.toString())).contains("invalid-job", "/module");
  }

  /** Runs it as its reader would, and gives what it prints. */
  private static String script(int exit, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("bash", "src/docs/bulk.sh"));
    Collections.addAll(command, arguments);
    command.add("http://127.0.0.1:" + service.uri("/").getPort());
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("PLUMBLINE_KEY", key);
    Process process = builder.start();
    process.getOutputStream().close();
    String printed = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(printed).isEqualTo(exit);
    return printed;
  }

  private static HttpResponse<String> create(List<String> items, JsonObject options) {
    return create(key, items, options);
  }

  private static HttpResponse<String> create(String owner, List<String> items, JsonObject options) {
    return service.post(JOBS, body(items, options).encode(), "X-Api-Key", owner);
  }

  private static HttpResponse<String> post(String body, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    Collections.addAll(all, "X-Api-Key", key);
    return service.post(JOBS, body, all.toArray(String[]::new));
  }

  private static JsonObject body(List<String> items, JsonObject options) {
    return new JsonObject()
        .put("module", "http-status")
        .put("items", new JsonArray(items))
        .put("options", options);
  }

  private static HttpResponse<String> get(String rest, String... headers) {
    List<String> all = new ArrayList<>(List.of(headers));
    if (!all.contains("X-Api-Key")) {
      Collections.addAll(all, "X-Api-Key", key);
    }
    return service.get(JOBS + rest, all.toArray(String[]::new));
  }

  private static HttpResponse<String> delete(String token, String owner) {
    return service.send("DELETE", service.uri(JOBS + "/" + token), "X-Api-Key", owner);
  }

  private static JsonObject finished(String token) {
    return finished(token, key);
  }

  private static JsonObject finished(String token, String owner) {
    HttpResponse<String> answer = get("/" + token, "X-Api-Key", owner, "Prefer", "wait=30");
    JsonObject job = new JsonObject(answer.body());
    assertThat(job.getString("finished_at")).as(answer.body()).isNotNull();
    assertThat(answer.headers().firstValue("Retry-After")).isEmpty();
    return job;
  }

  private static String token(HttpResponse<String> created) {
    assertThat(created.statusCode()).as(created.body()).isEqualTo(202);
    return new JsonObject(created.body()).getString("token");
  }

  private static String cursor(HttpResponse<String> page) {
    assertThat(page.statusCode()).isEqualTo(200);
    return new JsonObject(page.body()).getString("next_cursor");
  }

  private static List<JsonObject> lines(JsonObject job) {
    return job.getJsonArray("results").stream().map(JsonObject.class::cast).toList();
  }

  private static List<String> states(JsonObject job) {
    return lines(job).stream().map(line -> line.getString("state")).toList();
  }

  private static String header(HttpResponse<String> answer, String name) {
    return answer.headers().firstValue(name).orElseThrow();
  }

  private static void assertProblem(HttpResponse<String> answer, int status, String code) {
    assertThat(answer.statusCode()).as(answer.body()).isEqualTo(status);
    assertThat(new JsonObject(answer.body()).getString("code")).isEqualTo(code);
  }
}
