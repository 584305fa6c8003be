package dev.plumbline.e2e.api;

import static dev.plumbline.support.CookieClient.code;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.RawHttpClient;
import dev.plumbline.support.SecretScanner;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Account operations: sign-up, password change, API keys. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccountApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static final String NEXT = "another password, longer";
    private static final String ACCOUNT = "/api/v1/account";
    private static final String KEYS = "/api/v1/keys";
    private static final String SESSION = "/api/v1/session";
    private static int accountCount;

    private TestAccounts accounts;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        Database database = DATABASE.open();
        accounts = new TestAccounts(database);
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "ACCOUNTS_SIGNUP", "open"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private static String fresh() {
        return "owner" + accountCount++ + "@plumbline.example";
    }

    private CookieClient signedUp(Plan plan) {
        String email = fresh();
        accounts.account(email, plan, PASSWORD);
        CookieClient browser = new CookieClient(service);
        assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        return browser;
    }

    private static JsonObject credentials(String email, String password) {
        return new JsonObject().put("email", email).put("password", password);
    }

    private static JsonObject change(String current, String next) {
        return new JsonObject().put("current_password", current).put("new_password", next);
    }

    @Test
    void signUpCreatesFreeAccountAndSession() {
        String email = fresh();
        CookieClient browser = new CookieClient(service);

        HttpResponse<String> made = browser.send("POST", ACCOUNT, credentials(email, PASSWORD));

        assertThat(made.statusCode()).isEqualTo(201);
        assertThat(browser.get(SESSION).body()).contains("\"email\":\"" + email + "\"", "\"plan\":\"free\"");
        assertThat(new CookieClient(service).signIn(email, PASSWORD).statusCode())
                .isEqualTo(200);
        HttpResponse<String> again = new CookieClient(service)
                .send("POST", ACCOUNT, credentials(email.toUpperCase(java.util.Locale.ROOT), NEXT));
        assertThat(again.statusCode()).isEqualTo(409);
        assertThat(code(again)).isEqualTo("email-taken");
    }

    @Test
    void invalidSignUpReportsErrors() {
        CookieClient browser = new CookieClient(service);

        assertPointer(browser.send("POST", ACCOUNT, credentials("nobody", PASSWORD)), "/email");
        assertPointer(browser.send("POST", ACCOUNT, credentials(fresh(), "short")), "/password");
        assertPointer(browser.send("POST", ACCOUNT, credentials(fresh(), "e\u0301".repeat(11))), "/password");
        assertPointer(
                browser.send(
                        "POST", ACCOUNT, "{\"email\":\"x@plumbline.example\",\"password\":\"half a char \\ud800\"}"),
                "/password");
    }

    private static void assertPointer(HttpResponse<String> refused, String pointer) {
        assertThat(refused.statusCode()).isEqualTo(422);
        JsonArray errors = new JsonObject(refused.body()).getJsonArray("errors");
        assertThat(errors).hasSize(1);
        assertThat(errors.getJsonObject(0).getString("pointer")).isEqualTo(pointer);
    }

    @Test
    void signUpIsRateLimitedByAddress() {
        CookieClient browser = new CookieClient(service);
        for (int i = 0; i < 5; i++) {
            assertThat(browser.send("POST", ACCOUNT, credentials(fresh(), PASSWORD))
                            .statusCode())
                    .isEqualTo(201);
        }

        HttpResponse<String> refused = browser.send("POST", ACCOUNT, credentials(fresh(), PASSWORD));

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
    }

    @Test
    void closedSignUpIsForbidden() {
        try (ServiceUnderTest closed = ServiceUnderTest.start(DATABASE.url(), Map.of())) {
            HttpResponse<String> refused =
                    new CookieClient(closed).send("POST", ACCOUNT, credentials(fresh(), PASSWORD));

            assertThat(refused.statusCode()).isEqualTo(403);
            assertThat(code(refused)).isEqualTo("signup-closed");
        }
    }

    @Test
    void passwordChangeEndsOtherSessions() {
        String email = fresh();
        accounts.account(email, Plan.FREE, PASSWORD);
        CookieClient here = new CookieClient(service);
        CookieClient elsewhere = new CookieClient(service);
        here.signIn(email, PASSWORD);
        elsewhere.signIn(email, PASSWORD);

        HttpResponse<String> wrong = here.send("PUT", ACCOUNT + "/password", change(NEXT, NEXT));
        assertThat(wrong.statusCode()).isEqualTo(403);
        assertThat(code(wrong)).isEqualTo("wrong-password");
        assertThat(elsewhere.get(SESSION).statusCode()).isEqualTo(200);
        assertPointer(here.send("PUT", ACCOUNT + "/password", change(PASSWORD, "short")), "/new_password");

        String copied = here.token();
        assertThat(here.send("PUT", ACCOUNT + "/password", change(PASSWORD, NEXT))
                        .statusCode())
                .isEqualTo(204);

        assertThat(service.get(SESSION, "Cookie", "plumbline=" + copied).statusCode())
                .isEqualTo(401);
        assertThat(here.get(SESSION).statusCode()).isEqualTo(200);
        assertThat(elsewhere.get(SESSION).statusCode()).isEqualTo(401);
        assertThat(new CookieClient(service).signIn(email, PASSWORD).statusCode())
                .isEqualTo(401);
        assertThat(new CookieClient(service).signIn(email, NEXT).statusCode()).isEqualTo(200);
    }

    @Test
    void passwordChangeAttemptsAreRateLimited() {
        CookieClient browser = signedUp(Plan.FREE);
        for (int i = 0; i < 8; i++) {
            assertThat(browser.send("PUT", ACCOUNT + "/password", change(NEXT + i, NEXT))
                            .statusCode())
                    .isEqualTo(403);
        }

        assertThat(browser.send("PUT", ACCOUNT + "/password", change(PASSWORD, NEXT))
                        .statusCode())
                .isEqualTo(429);
    }

    @Test
    void passwordChangeAttemptsAreRateLimitedAcrossAddresses() {
        CookieClient client = signedUp(Plan.FREE);
        for (int address = 0; address < 5; address++) {
            client.at(new CookieClient(service));
            for (int i = 0; i < 8; i++) {
                assertThat(client.send("PUT", ACCOUNT + "/password", change(NEXT + i, NEXT))
                                .statusCode())
                        .isEqualTo(403);
            }
        }
        client.at(new CookieClient(service));

        assertThat(client.send("PUT", ACCOUNT + "/password", change(PASSWORD, NEXT))
                        .statusCode())
                .isEqualTo(429);
        String email = new JsonObject(client.get(SESSION).body())
                .getJsonObject("account")
                .getString("email");
        CookieClient owner = new CookieClient(service);
        assertThat(owner.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
        assertThat(owner.send("PUT", ACCOUNT + "/password", change(PASSWORD, NEXT))
                        .statusCode())
                .isEqualTo(204);
    }

    @Test
    void keyIsShownOnceAndRevocationIsImmediate() {
        CookieClient browser = signedUp(Plan.PRO);
        HttpResponse<String> made = browser.send(
                "POST",
                KEYS,
                new JsonObject()
                        .put("name", "my script")
                        .put("scopes", new JsonArray().add("jobs:read"))
                        .put("expires_at", "2099-01-31T12:00:00+01:00"));
        assertThat(made.statusCode()).isEqualTo(201);
        JsonObject key = new JsonObject(made.body());
        String secret = key.getString("key");
        assertThat(secret).matches("plk_[0-9A-Za-z]{38}").startsWith(key.getString("prefix"));
        assertThat(key.getString("expires_at")).isEqualTo("2099-01-31T11:00:00Z");

        HttpResponse<String> listed = browser.get(KEYS);
        assertThat(listed.body()).contains("my script").doesNotContain(secret);
        assertThat(jobs(secret)).isEqualTo(200);

        String path = KEYS + "/" + key.getString("id");
        assertThat(signedUp(Plan.PRO).delete(path).statusCode()).isEqualTo(404);
        assertThat(jobs(secret)).isEqualTo(200);
        assertThat(browser.delete(path).statusCode()).isEqualTo(204);
        assertThat(browser.delete(path).statusCode()).isEqualTo(204);

        long end = System.nanoTime() + 20_000_000_000L;
        while (jobs(secret) != 401) {
            assertThat(System.nanoTime()).as("the session stays valid").isLessThan(end);
        }
        assertThat(new JsonObject(browser.get(KEYS).body())
                        .getJsonArray("keys")
                        .getJsonObject(0)
                        .getString("revoked_at"))
                .isNotNull();
    }

    @Test
    void revocationAppliesToOtherNode() {
        CookieClient browser = signedUp(Plan.PRO);
        JsonObject key = new JsonObject(
                browser.send("POST", KEYS, "{\"name\":\"for two\"}").body());
        String secret = key.getString("key");
        try (ServiceUnderTest elsewhere = ServiceUnderTest.start(DATABASE.url(), Map.of())) {
            assertThat(jobs(elsewhere, secret)).isEqualTo(200);

            assertThat(browser.delete(KEYS + "/" + key.getString("id")).statusCode())
                    .isEqualTo(204);

            Await.until(() -> jobs(elsewhere, secret) == 401);
        }
    }

    private int jobs(String key) {
        return jobs(service, key);
    }

    private static int jobs(ServiceUnderTest service, String key) {
        return service.get("/api/v1/jobs", "X-Api-Key", key).statusCode();
    }

    @Test
    void sessionEndedDuringBodyCreatesNoKey() throws Exception {
        CookieClient browser = signedUp(Plan.FREE);
        String body = "{\"name\":\"late\"}";
        try (RawHttpClient slow = RawHttpClient.connect(service.uri("/").getPort())) {
            slow.send("POST /api/v1/keys HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Expect: 100-continue\r\nOrigin: "
                    + service.uri("")
                    + "\r\nCookie: "
                    + browser.cookie()
                    + "\r\nContent-Length: "
                    + body.length()
                    + "\r\n\r\n");
            assertThat(slow.response().status()).isEqualTo(100);
            assertThat(browser.delete(SESSION).statusCode()).isEqualTo(204);

            slow.send(body);

            assertThat(slow.response().status()).isEqualTo(401);
        }
    }

    @Test
    void accountHasAtMostTenActiveKeys() {
        CookieClient browser = signedUp(Plan.FREE);
        for (int i = 0; i < 10; i++) {
            assertThat(browser.send("POST", KEYS, "{\"name\":\"key " + i + "\"}")
                            .statusCode())
                    .isEqualTo(201);
        }

        HttpResponse<String> refused = browser.send("POST", KEYS, "{\"name\":\"one more\"}");

        assertThat(refused.statusCode()).isEqualTo(409);
        assertThat(code(refused)).isEqualTo("too-many-keys");
        assertThat(new JsonObject(browser.get(SESSION).body())
                        .getJsonObject("account")
                        .getInteger("live_keys_count"))
                .isEqualTo(10);
    }

    @Test
    void invalidKeyRequestReportsErrors() {
        CookieClient browser = signedUp(Plan.FREE);

        assertPointer(browser.send("POST", KEYS, "{}"), "/name");
        assertPointer(browser.send("POST", KEYS, "{\"name\":\" \"}"), "/name");
        assertPointer(browser.send("POST", KEYS, "{\"name\":\"a\\u0000b\"}"), "/name");
        assertPointer(browser.send("POST", KEYS, "{\"name\":\"x\",\"scopes\":[]}"), "/scopes");
        assertPointer(browser.send("POST", KEYS, "{\"name\":\"x\",\"scopes\":[\"jobs:all\"]}"), "/scopes/0");
        assertPointer(
                browser.send("POST", KEYS, "{\"name\":\"x\",\"scopes\":[\"jobs:read\",\"jobs:read\"]}"), "/scopes/1");
        for (String when : new String[] {"tomorrow", "2020-01-01T00:00:00Z", "+99999-01-01T00:00:00Z"}) {
            assertPointer(
                    browser.send("POST", KEYS, "{\"name\":\"x\",\"expires_at\":\"" + when + "\"}"), "/expires_at");
        }
        assertThat(browser.delete(KEYS + "/x").statusCode()).isEqualTo(404);
        assertThat(browser.delete(KEYS + "/99999999999999999999").statusCode()).isEqualTo(404);
        assertThat(browser.get(KEYS).body()).isEqualTo("{\"keys\":[]}");
    }

    /** Valid and invalid requests with secrets. */
    @Test
    void noSecretIsInLogsErrorsOrMetrics() {
        StringBuilder refusals = new StringBuilder();
        SecretScanner leaks = new SecretScanner().secret(PASSWORD).secret(NEXT);
        String log;
        try (CapturedLog recorded = new CapturedLog()) {
            CookieClient browser = signedUp(Plan.PRO);
            leaks.secret(browser.token());
            leaks.secret(new JsonObject(
                            browser.send("POST", KEYS, "{\"name\":\"x\"}").body())
                    .getString("key"));
            for (HttpResponse<String> refused : List.of(
                    browser.signIn("nobody@plumbline.example", NEXT),
                    browser.send("POST", SESSION, "{\"email\":\"x\",\"password\":\"" + NEXT),
                    browser.send("POST", SESSION, "{\"email\":[],\"password\":\"" + NEXT + "\"}"),
                    browser.send("POST", ACCOUNT, credentials("no address", NEXT)),
                    browser.send("PUT", ACCOUNT + "/password", change(NEXT, PASSWORD)),
                    service.get(SESSION, "Cookie", "plumbline=" + browser.token() + "x"),
                    service.json("DELETE", SESSION, "", "Cookie", browser.cookie()))) {
                assertThat(refused.statusCode()).isGreaterThanOrEqualTo(400);
                refusals.append(refused.body()).append(refused.headers().map());
            }
            log = recorded.text();
        }

        leaks.assertNoneIn("the log", log);
        leaks.assertNoneIn("an error", refusals.toString());
        leaks.assertNoneIn(
                "a metric", service.send("GET", service.management("/metrics")).body());
        assertThat(log).as("something was logged").isNotEmpty();
    }
}
