package dev.plumbline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Accounts;
import dev.plumbline.account.EmailAddress;
import dev.plumbline.account.Passwords;
import dev.plumbline.account.Plan;
import dev.plumbline.lab.Await;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.store.Database;
import dev.plumbline.store.TestDatabase;
import dev.plumbline.store.Valve;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** People sign in and out, and nobody else does it in their place. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignInApiTest {
  @RegisterExtension static final TestDatabase DATABASE = new TestDatabase();

  private static final String PASSWORD = "a long enough password";
  private static final String SESSION = "/api/v1/session";
  private static int people;

  private Database database;
  private Accounts accounts;
  private ServiceUnderTest service;

  @BeforeAll
  void start() {
    database = DATABASE.open();
    accounts = new Accounts(database, new Passwords(DATABASE.vertx()));
    service =
        ServiceUnderTest.start(
            DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "CHECKS_CONCURRENT", "8"));
  }

  @AfterAll
  void stop() {
    service.close();
  }

  private String somebody() {
    String email = "person" + people++ + "@plumbline.example";
    Await.value(accounts.create(EmailAddress.parse(email), Plan.PRO, PASSWORD));
    return email;
  }

  private Browser signedIn(String email) {
    Browser browser = new Browser(service);
    assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
    return browser;
  }

  private static String code(HttpResponse<String> response) {
    return new JsonObject(response.body()).getString("code");
  }

  @Test
  void whoSignsInIsKnownUntilTheySignOut() {
    String email = somebody();
    Browser browser = new Browser(service);
    assertThat(browser.get(SESSION).statusCode()).isEqualTo(401);

    HttpResponse<String> welcome =
        browser.signIn(email.toUpperCase(java.util.Locale.ROOT), PASSWORD);

    assertThat(welcome.statusCode()).isEqualTo(200);
    assertThat(welcome.headers().firstValue("Cache-Control")).contains("private, no-store");
    JsonObject account = new JsonObject(welcome.body()).getJsonObject("account");
    assertThat(account.getString("email")).isEqualTo(email);
    assertThat(account.getString("plan")).isEqualTo("pro");
    HttpResponse<String> known = browser.get(SESSION);
    assertThat(known.statusCode()).isEqualTo(200);
    assertThat(new JsonObject(known.body())).isEqualTo(new JsonObject(welcome.body()));
    assertThat(known.headers().firstValue("Set-Cookie")).isEmpty();

    String cookie = browser.cookie();
    assertThat(browser.delete(SESSION).statusCode()).isEqualTo(204);
    assertThat(browser.hasCookies()).isFalse();
    assertThat(service.get(SESSION, "Cookie", cookie).statusCode()).isEqualTo(401);
    assertThat(browser.delete(SESSION).statusCode()).isEqualTo(204);
  }

  @Test
  void theCookieIsOutOfReachOfScriptsAndOtherSites() {
    HttpResponse<String> welcome = new Browser(service).signIn(somebody(), PASSWORD);

    assertThat(welcome.headers().firstValue("Set-Cookie").orElseThrow())
        .startsWith("plumbline=")
        .endsWith("; Path=/; HttpOnly; SameSite=Lax")
        .containsPattern("; Max-Age=60[0-9]{4};");
  }

  @Test
  void overTlsTheCookieIsTiedToTheHost() {
    try (ServiceUnderTest secure =
        ServiceUnderTest.start(
            DATABASE.url(),
            Map.of(
                "HTTP_TRUSTED_PROXIES", "127.0.0.1",
                "HTTP_PUBLIC_URL", "https://checks.example/plumbline"))) {
      Browser browser = new Browser(secure, "https://checks.example");

      HttpResponse<String> welcome = browser.signIn(somebody(), PASSWORD);

      assertThat(welcome.headers().firstValue("Set-Cookie").orElseThrow())
          .startsWith("__Host-plumbline=")
          .endsWith("; Path=/; HttpOnly; SameSite=Lax; Secure");
      assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);
      assertThat(secure.get(SESSION, "Cookie", "plumbline=" + browser.token()).statusCode())
          .isEqualTo(401);
      // signed with the same secret, for another address of the service
      assertThat(service.get(SESSION, "Cookie", "plumbline=" + browser.token()).statusCode())
          .isEqualTo(401);
    }
  }

  @Test
  void nobodyLearnsWhetherThereIsSuchAnAccount() {
    HttpResponse<String> wrong = new Browser(service).signIn(somebody(), PASSWORD + "!");
    HttpResponse<String> unknown =
        new Browser(service).signIn("nobody@plumbline.example", PASSWORD);
    HttpResponse<String> noAddress = new Browser(service).signIn("nobody", PASSWORD);

    assertThat(List.of(wrong.statusCode(), unknown.statusCode(), noAddress.statusCode()))
        .containsOnly(401);
    assertThat(withoutId(unknown)).isEqualTo(withoutId(wrong)).isEqualTo(withoutId(noAddress));
    assertThat(unknown.headers().map().keySet())
        .isEqualTo(wrong.headers().map().keySet())
        .contains("www-authenticate")
        .doesNotContain("set-cookie");
  }

  private static JsonObject withoutId(HttpResponse<String> response) {
    JsonObject problem = new JsonObject(response.body());
    problem.remove("request_id");
    return problem;
  }

  @Test
  void anAccountThatIsDisabledIsToldSoToWhoKnowsItsPassword() {
    String email = somebody();
    Browser browser = signedIn(email);
    Await.value(accounts.setDisabled(EmailAddress.parse(email), true));

    assertThat(browser.get(SESSION).statusCode()).isEqualTo(401);
    HttpResponse<String> refused = browser.signIn(email, PASSWORD);
    assertThat(refused.statusCode()).isEqualTo(403);
    assertThat(code(refused)).isEqualTo("account-disabled");
    assertThat(code(browser.signIn(email, "something else"))).isEqualTo("wrong-credentials");
  }

  @Test
  void aPasswordHashedWithWeakerParametersIsHashedAnewWhenItIsShown() {
    String email = somebody();
    String weaker =
        "$argon2id$v=19$m=256,t=1,p=1$YSBzYWx0IGZvciB0ZXN0cw"
            + "$r5J4//UfeDWG2R5FsDuntC3J6icEvz6Ri0V1CmBtih0";
    Await.value(
        database.query(
            "update account set password_hash = $1 where email = $2", Tuple.of(weaker, email)));

    assertThat(new Browser(service).signIn(email, PASSWORD + "!").statusCode()).isEqualTo(401);
    assertThat(hashOf(email)).isEqualTo(weaker);
    assertThat(new Browser(service).signIn(email, PASSWORD).statusCode()).isEqualTo(200);

    assertThat(hashOf(email)).startsWith("$argon2id$v=19$m=19456,t=2,p=1$");
    assertThat(new Browser(service).signIn(email, PASSWORD).statusCode()).isEqualTo(200);
  }

  private String hashOf(String email) {
    return Await.value(
            database.query("select password_hash from account where email = $1", Tuple.of(email)))
        .iterator()
        .next()
        .getString(0);
  }

  @Test
  void failuresAreSlowedDownAndSuccessesAreNot() {
    String email = somebody();
    Browser browser = new Browser(service);
    for (int i = 0; i < 10; i++) {
      assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
    }
    for (int i = 0; i < 8; i++) {
      assertThat(browser.signIn(email, PASSWORD + i).statusCode()).isEqualTo(401);
    }

    HttpResponse<String> slowed = browser.signIn(email, PASSWORD);

    assertThat(slowed.statusCode()).isEqualTo(429);
    assertThat(code(slowed)).isEqualTo("quota-exceeded");
    assertThat(Integer.parseInt(slowed.headers().firstValue("Retry-After").orElseThrow()))
        .isBetween(1, 15 * 60);
    assertThat(browser.signIn(somebody(), PASSWORD).statusCode()).isEqualTo(200);
    assertThat(new Browser(service).signIn(email, PASSWORD).statusCode()).isEqualTo(200);
  }

  @Test
  void oneAddressCannotTryManyAccounts() {
    Browser browser = new Browser(service);
    for (int i = 0; i < 30; i++) {
      assertThat(browser.signIn("guess" + i + "@plumbline.example", PASSWORD).statusCode())
          .isEqualTo(401);
    }

    assertThat(browser.signIn(somebody(), PASSWORD).statusCode()).isEqualTo(429);
  }

  @Test
  void strangersAtManyAddressesAreSlowedDownTooButNotWhoIsAtHome() {
    String email = somebody();
    Browser home = signedIn(email);
    for (int stranger = 0; stranger < 5; stranger++) {
      Browser browser = new Browser(service);
      for (int i = 0; i < 8; i++) {
        assertThat(browser.signIn(email, PASSWORD + i).statusCode()).isEqualTo(401);
      }
    }

    assertThat(new Browser(service).signIn(email, PASSWORD).statusCode()).isEqualTo(429);
    assertThat(new Browser(service).at(home).signIn(email, PASSWORD).statusCode()).isEqualTo(200);
    assertThat(home.get(SESSION).statusCode()).isEqualTo(200);
  }

  @Test
  void aTokenIsReplacedNowAndThen() {
    Browser browser = signedIn(somebody());
    String first = browser.token();
    age("16 minutes");

    assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);

    assertThat(browser.token()).isNotEqualTo(first);
    assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);
    Await.value(database.query("update session set former_until = clock_timestamp()"));
    assertThat(service.get(SESSION, "Cookie", "plumbline=" + first).statusCode()).isEqualTo(401);
    assertThat(browser.get(SESSION).statusCode()).isEqualTo(401);
    assertThat(browser.hasCookies()).isFalse();
  }

  private void age(String interval) {
    Await.value(
        database.query("update session set renewed_at = renewed_at - interval '" + interval + "'"));
  }

  @Test
  void sessionsAreListedAndEndedEverywhere() {
    String email = somebody();
    Browser one = signedIn(email);
    Browser other = signedIn(email);
    Browser stranger = signedIn(somebody());

    JsonArray list = new JsonObject(one.get("/api/v1/sessions").body()).getJsonArray("sessions");
    assertThat(list).hasSize(2);
    assertThat(list.getJsonObject(0).getBoolean("current")).isFalse();
    assertThat(list.getJsonObject(1).getBoolean("current")).isTrue();
    assertThat(list.getJsonObject(1).getString("client")).startsWith("Java-http-client");
    assertThat(list.getJsonObject(1).getString("address")).startsWith("198.51.");

    assertThat(one.delete("/api/v1/sessions").statusCode()).isEqualTo(204);

    assertThat(one.hasCookies()).isFalse();
    assertThat(other.get(SESSION).statusCode()).isEqualTo(401);
    assertThat(stranger.get(SESSION).statusCode()).isEqualTo(200);
  }

  Stream<List<String>> fromElsewhere() {
    String own = service.uri("").toString();
    String port = own.substring(own.lastIndexOf(':'));
    return Stream.of(
        List.of(),
        List.of("Origin", "https://elsewhere.example"),
        List.of("Origin", "null"),
        List.of("Origin", ""),
        List.of("Origin", own.replace("http:", "https:")),
        List.of("Origin", "http://127.0.0.1"),
        List.of("Origin", "http://localhost" + port),
        List.of("Origin", "http://127.0.0.1.elsewhere.example" + port),
        List.of("Origin", own + "@elsewhere.example"),
        List.of("Origin", own, "Origin", "https://elsewhere.example"),
        List.of("Origin", own, "Sec-Fetch-Site", "cross-site"),
        List.of("Sec-Fetch-Site", "cross-site"),
        List.of("Sec-Fetch-Site", "same-site"),
        List.of("Sec-Fetch-Site", "nonsense"),
        List.of("Sec-Fetch-Site", "same-origin", "Origin", "https://elsewhere.example"),
        List.of("Referer", "https://elsewhere.example/" + own),
        List.of("Referer", "about:blank"));
  }

  @ParameterizedTest
  @MethodSource("fromElsewhere")
  void aPageElsewhereCanDoNothingWithTheCookie(List<String> headers) {
    Browser browser = signedIn(somebody());
    List<String> all = new ArrayList<>(browser.headers());
    all.addAll(headers);
    String[] sent = all.toArray(String[]::new);

    List<String> withBody = new ArrayList<>(all);
    withBody.addAll(List.of("Content-Type", "application/json"));
    String[] sentWithBody = withBody.toArray(String[]::new);
    for (HttpResponse<String> refused :
        List.of(
            service.json("DELETE", SESSION, "", sent),
            service.json("DELETE", "/api/v1/sessions", "", sent),
            service.json("DELETE", "/api/v1/keys/1", "", sent),
            service.json("POST", SESSION, "{}", sentWithBody),
            service.json("POST", "/api/v1/keys", "{\"name\":\"x\"}", sentWithBody),
            service.json("PUT", "/api/v1/account/password", "{}", sentWithBody))) {
      assertThat(refused.statusCode()).isEqualTo(403);
      assertThat(code(refused)).isEqualTo("cross-origin");
    }
    assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);
  }

  Stream<List<String>> fromHere() {
    String own = service.uri("").toString();
    return Stream.of(
        List.of("Origin", own),
        List.of("Origin", own.toUpperCase(java.util.Locale.ROOT)),
        List.of("Sec-Fetch-Site", "same-origin"),
        List.of("Sec-Fetch-Site", "none"),
        List.of("Referer", own + "/account"));
  }

  @ParameterizedTest
  @MethodSource("fromHere")
  void aPageOfOursCan(List<String> headers) {
    Browser browser = signedIn(somebody());
    List<String> all = new ArrayList<>(browser.headers());
    all.addAll(headers);

    assertThat(service.json("DELETE", SESSION, "", all.toArray(String[]::new)).statusCode())
        .isEqualTo(204);
  }

  @Test
  void aPageElsewhereCannotSignAnybodyIn() {
    String body = new JsonObject().put("email", somebody()).put("password", PASSWORD).encode();

    assertThat(
            service
                .json(
                    "POST",
                    SESSION,
                    body,
                    "Content-Type",
                    "application/json",
                    "Origin",
                    "https://elsewhere.example")
                .statusCode())
        .isEqualTo(403);
    assertThat(service.json("POST", SESSION, body, "Content-Type", "application/json").statusCode())
        .isEqualTo(200);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "plumbline=",
        "plumbline",
        "plumbline=x",
        "plumbline=a.b.c",
        "plumbline=\"a.b.c\"",
        "plumbline=a.b.c; plumbline=d.e.f",
        "=;=;;;=plumbline",
        "plumbline=\u00e9\u00ff",
        "__Host-plumbline=a.b.c"
      })
  void aCookieThatIsNoneOfOursIsNobodys(String cookie) {
    assertThat(service.get(SESSION, "Cookie", cookie).statusCode()).isEqualTo(401);
  }

  @Test
  void hugeAndManyCookiesAreNobodys() {
    String huge = "x".repeat(8_000);
    assertThat(service.get(SESSION, "Cookie", "plumbline=" + huge).statusCode()).isEqualTo(401);
    assertThat(service.get(SESSION, "Cookie", "plumbline=a; ".repeat(900)).statusCode())
        .isEqualTo(401);
    Browser browser = signedIn(somebody());
    String many = "c=1; ".repeat(1_000) + browser.cookie();
    assertThat(service.get(SESSION, "Cookie", many).statusCode()).isEqualTo(200);
    // which of the two is ours cannot be known
    assertThat(service.get(SESSION, "Cookie", "plumbline=a; " + browser.cookie()).statusCode())
        .isEqualTo(401);
    assertThat(
            service.get(SESSION, "Cookie", browser.cookie() + "; " + browser.cookie()).statusCode())
        .isEqualTo(200);
  }

  @Test
  void headIsAnsweredAsGetIs() {
    Browser browser = signedIn(somebody());

    HttpResponse<String> head =
        service.send("HEAD", service.uri(SESSION), browser.headers().toArray(String[]::new));

    assertThat(head.statusCode()).isEqualTo(200);
    assertThat(head.body()).isEmpty();
  }

  @Test
  void aBodyThatIsNoneIsToldWhatItShouldBe() {
    Browser browser = new Browser(service);

    assertFaults(browser.send("POST", SESSION, "[]"), "");
    assertFaults(browser.send("POST", SESSION, "null"), "");
    assertThat(new JsonObject(browser.send("POST", SESSION, "null").body()).getString("detail"))
        .startsWith("It must be an object with email and password, not null;");
    assertFaults(browser.send("POST", SESSION, "{}"), "/email", "/password");
    assertFaults(
        browser.send("POST", SESSION, "{\"email\":1,\"password\":null,\"a/b~c\":[]}"),
        "/email",
        "/password",
        "/a~1b~0c");
    assertFaults(browser.signIn("", "x".repeat(1_025)), "/email", "/password");
    assertFaults(
        browser.send("POST", SESSION, "{\"email\":\"a\\ud800\",\"password\":\"\\udc00\\ud800\"}"),
        "/email",
        "/password");
  }

  private static void assertFaults(HttpResponse<String> response, String... pointers) {
    assertThat(response.statusCode()).isEqualTo(422);
    JsonObject problem = new JsonObject(response.body());
    assertThat(problem.getString("code")).isEqualTo("invalid-body");
    assertThat(problem.getJsonArray("errors"))
        .extracting(fault -> ((JsonObject) fault).getString("pointer"))
        .containsExactlyInAnyOrder(pointers);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{",
        "{\"email\":\"a\",\"email\":\"b\",\"password\":\"hidden-in-here\"}",
        "{\"email\":\"a\",\"password\":\"hidden-in-here\"} {}",
        "{\"email\":\"a\",\"password\":hidden-in-here}",
        "{\"email\":\"a\",\"password\":\"hidden-in-here}",
        "hidden-in-here"
      })
  void whatIsNoJsonIsNotRepeated(String body) {
    HttpResponse<String> refused = new Browser(service).send("POST", SESSION, body);

    assertThat(refused.statusCode()).isEqualTo(400);
    assertThat(refused.body()).contains("no JSON").doesNotContain("hidden");
  }

  @Test
  void deepAndLargeBodiesAreRefused() {
    Browser browser = new Browser(service);

    assertThat(browser.send("POST", SESSION, "[".repeat(5_000)).statusCode()).isEqualTo(400);
    assertThat(browser.send("POST", SESSION, " ".repeat(16_385)).statusCode()).isEqualTo(413);
    assertThat(
            service
                .json("POST", SESSION, "{}", "Content-Type", "text/plain", "X-Forwarded-For", "::1")
                .statusCode())
        .isEqualTo(415);
  }

  @Test
  void aFloodOfSignInsIsRefusedAndHoldsUpNoCachedCheck() {
    HttpLab lab = Await.value(HttpLab.start(DATABASE.vertx()));
    String known = lab.http("/ok?flood");
    assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
    ExecutorService clients = Executors.newFixedThreadPool(80);
    try {
      List<CompletableFuture<Integer>> flood = new ArrayList<>();
      for (int i = 0; i < 80; i++) {
        String email = "flood" + i + "@plumbline.example";
        flood.add(
            CompletableFuture.supplyAsync(
                () -> new Browser(service).signIn(email, PASSWORD).statusCode(), clients));
      }
      CompletableFuture.anyOf(flood.toArray(CompletableFuture[]::new)).join();

      for (int i = 0; i < 5; i++) {
        assertThat(service.instant("http-status", known).statusCode()).isEqualTo(200);
      }

      assertThat(flood).as("the flood is not over").anyMatch(answer -> !answer.isDone());
      List<Integer> answers = flood.stream().map(CompletableFuture::join).toList();
      assertThat(answers).containsOnly(401, 503).contains(401, 503);
    } finally {
      clients.shutdownNow();
    }
  }

  @Test
  void withoutTheDatabaseNobodyIsKnownAndNobodyIsSignedOut() {
    URI real = URI.create(DATABASE.url());
    Valve valve = new Valve(DATABASE.vertx(), real.getPort());
    String email = somebody();
    try (ServiceUnderTest behind =
        ServiceUnderTest.start(
            DATABASE.url().replace(":" + real.getPort() + "/", ":" + valve.port() + "/"),
            Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1"))) {
      Browser browser = new Browser(behind);
      assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
      valve.shut();

      for (HttpResponse<String> answer :
          List.of(
              browser.get(SESSION),
              browser.delete(SESSION),
              browser.get("/api/v1/sessions"),
              browser.get("/api/v1/keys"),
              browser.send("POST", "/api/v1/keys", "{\"name\":\"x\"}"),
              new Browser(behind).signIn(email, PASSWORD))) {
        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(code(answer)).isEqualTo("unavailable");
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.headers().firstValue("Set-Cookie")).isEmpty();
      }
      // a token that is not ours is told so at any time
      assertThat(behind.get(SESSION, "Cookie", "plumbline=a.b.c").statusCode()).isEqualTo(401);

      valve.open();
      long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
      while (browser.get(SESSION).statusCode() != 200) {
        assertThat(System.nanoTime()).as("it never came back").isLessThan(end);
      }
    } finally {
      valve.shut();
    }
  }
}
