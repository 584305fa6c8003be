package dev.plumbline.e2e.api;

import static dev.plumbline.support.CookieClient.code;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.AccountEmail;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.SignInAccounts;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.URI;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Sign-in, sessions and sign-out. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SignInApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = SignInAccounts.PASSWORD;
    private static final String SESSION = "/api/v1/session";

    private Database database;
    private SignInAccounts signInAccounts;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        signInAccounts = new SignInAccounts(DATABASE);
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    @Test
    void sessionLastsUntilSignOut() {
        String email = signInAccounts.create();
        CookieClient browser = new CookieClient(service);
        assertThat(browser.get(SESSION).statusCode()).isEqualTo(401);

        HttpResponse<String> signInResponse = browser.signIn(email.toUpperCase(java.util.Locale.ROOT), PASSWORD);

        assertThat(signInResponse.statusCode()).isEqualTo(200);
        assertThat(signInResponse.headers().firstValue("Cache-Control")).contains("private, no-store");
        JsonObject account = new JsonObject(signInResponse.body()).getJsonObject("account");
        assertThat(account.getString("email")).isEqualTo(email);
        assertThat(account.getString("plan")).isEqualTo("pro");
        HttpResponse<String> known = browser.get(SESSION);
        assertThat(known.statusCode()).isEqualTo(200);
        assertThat(new JsonObject(known.body())).isEqualTo(new JsonObject(signInResponse.body()));
        assertThat(known.headers().firstValue("Set-Cookie")).isEmpty();

        String cookie = browser.cookie();
        assertThat(browser.delete(SESSION).statusCode()).isEqualTo(204);
        assertThat(browser.hasCookies()).isFalse();
        assertThat(service.get(SESSION, "Cookie", cookie).statusCode()).isEqualTo(401);
        assertThat(browser.delete(SESSION).statusCode()).isEqualTo(204);
    }

    @Test
    void cookieIsHttpOnlyAndSameSite() {
        HttpResponse<String> signInResponse = new CookieClient(service).signIn(signInAccounts.create(), PASSWORD);

        assertThat(signInResponse.headers().firstValue("Set-Cookie").orElseThrow())
                .startsWith("plumbline=")
                .endsWith("; Path=/; HttpOnly; SameSite=Lax")
                .containsPattern("; Max-Age=60[0-9]{4};");
    }

    @Test
    void cookieHasHostPrefixOverTls() {
        try (ServiceUnderTest secure = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "HTTP_TRUSTED_PROXIES", "127.0.0.1",
                        "HTTP_PUBLIC_URL", "https://checks.example/plumbline"))) {
            CookieClient browser = new CookieClient(secure, "https://checks.example");

            HttpResponse<String> signInResponse = browser.signIn(signInAccounts.create(), PASSWORD);

            assertThat(signInResponse.headers().firstValue("Set-Cookie").orElseThrow())
                    .startsWith("__Host-plumbline=")
                    .endsWith("; Path=/; HttpOnly; SameSite=Lax; Secure");
            assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);
            assertThat(secure.get(SESSION, "Cookie", "plumbline=" + browser.token())
                            .statusCode())
                    .isEqualTo(401);
            // signed with the same secret, for another public URL
            assertThat(service.get(SESSION, "Cookie", "plumbline=" + browser.token())
                            .statusCode())
                    .isEqualTo(401);
        }
    }

    @Test
    void signInDoesNotRevealAccounts() {
        HttpResponse<String> wrong = new CookieClient(service).signIn(signInAccounts.create(), PASSWORD + "!");
        HttpResponse<String> unknown = new CookieClient(service).signIn("nobody@plumbline.example", PASSWORD);
        HttpResponse<String> noAddress = new CookieClient(service).signIn("nobody", PASSWORD);

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
    void disabledAccountIsReportedOnlyWithCorrectPassword() {
        String email = signInAccounts.create();
        CookieClient browser = signInAccounts.signedIn(service, email);
        Await.value(signInAccounts.accounts().setDisabled(AccountEmail.parse(email), true));

        assertThat(browser.get(SESSION).statusCode()).isEqualTo(401);
        HttpResponse<String> refused = browser.signIn(email, PASSWORD);
        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(code(refused)).isEqualTo("account-disabled");
        assertThat(code(browser.signIn(email, "something else"))).isEqualTo("wrong-credentials");
    }

    @Test
    void tokenIsRotated() {
        CookieClient browser = signInAccounts.signedIn(service, signInAccounts.create());
        String first = browser.token();
        age("16 minutes");

        assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);

        assertThat(browser.token()).isNotEqualTo(first);
        assertThat(browser.get(SESSION).statusCode()).isEqualTo(200);
        Await.value(database.query("update session set previous_valid_until = clock_timestamp()"));
        assertThat(service.get(SESSION, "Cookie", "plumbline=" + first).statusCode())
                .isEqualTo(401);
        assertThat(browser.get(SESSION).statusCode()).isEqualTo(401);
        assertThat(browser.hasCookies()).isFalse();
    }

    private void age(String interval) {
        Await.value(database.query("update session set renewed_at = renewed_at - interval '" + interval + "'"));
    }

    @Test
    void sessionsAreListedAndEnded() {
        String email = signInAccounts.create();
        CookieClient one = signInAccounts.signedIn(service, email);
        CookieClient other = signInAccounts.signedIn(service, email);
        CookieClient otherAccount = signInAccounts.signedIn(service, signInAccounts.create());

        JsonArray list = new JsonObject(one.get("/api/v1/sessions").body()).getJsonArray("sessions");
        assertThat(list).hasSize(2);
        assertThat(list.getJsonObject(0).getBoolean("current")).isFalse();
        assertThat(list.getJsonObject(1).getBoolean("current")).isTrue();
        assertThat(list.getJsonObject(1).getString("client")).startsWith("Java-http-client");
        assertThat(list.getJsonObject(1).getString("address")).startsWith("198.51.");

        assertThat(one.delete("/api/v1/sessions").statusCode()).isEqualTo(204);

        assertThat(one.hasCookies()).isFalse();
        assertThat(other.get(SESSION).statusCode()).isEqualTo(401);
        assertThat(otherAccount.get(SESSION).statusCode()).isEqualTo(200);
    }

    @Test
    void sessionHeadHasHeadersOfGet() {
        CookieClient browser = signInAccounts.signedIn(service, signInAccounts.create());

        HttpResponse<String> head =
                service.send("HEAD", service.uri(SESSION), browser.headers().toArray(String[]::new));

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
    }

    @Test
    void databaseOutageIs503AndKeepsSessions() {
        URI real = URI.create(DATABASE.url());
        FaultInjectionProxy proxy = new FaultInjectionProxy(DATABASE.vertx(), real.getPort());
        String email = signInAccounts.create();
        try (ServiceUnderTest behind = ServiceUnderTest.start(
                DATABASE.url().replace(":" + real.getPort() + "/", ":" + proxy.port() + "/"),
                Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "DATABASE_TIMEOUT", "800ms"))) {
            CookieClient browser = new CookieClient(behind);
            assertThat(browser.signIn(email, PASSWORD).statusCode()).isEqualTo(200);
            proxy.refuseConnections();

            for (HttpResponse<String> response : List.of(
                    browser.get(SESSION),
                    browser.delete(SESSION),
                    browser.get("/api/v1/sessions"),
                    browser.get("/api/v1/keys"),
                    browser.send("POST", "/api/v1/keys", "{\"name\":\"x\"}"),
                    new CookieClient(behind).signIn(email, PASSWORD))) {
                assertThat(response.statusCode()).isEqualTo(503);
                assertThat(code(response)).isEqualTo("unavailable");
                assertThat(response.headers().firstValue("Retry-After")).isPresent();
                assertThat(response.headers().firstValue("Set-Cookie")).isEmpty();
            }
            // a token with an invalid signature is rejected even without the database
            assertThat(behind.get(SESSION, "Cookie", "plumbline=a.b.c").statusCode())
                    .isEqualTo(401);

            proxy.acceptConnections();
            long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
            while (browser.get(SESSION).statusCode() != 200) {
                assertThat(System.nanoTime()).as("recovery").isLessThan(end);
            }
        } finally {
            proxy.refuseConnections();
        }
    }
}
