package dev.plumbline.e2e.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.CookieClient;
import dev.plumbline.support.SecretScanner;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Sign-in and account pages in a browser without JavaScript. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class AccountPagesTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String PASSWORD = "a long enough password";
    private static int userCount;

    private Database database;
    private TestAccounts accounts;
    private ServiceUnderTest service;

    @BeforeAll
    void start() {
        database = DATABASE.open();
        accounts = new TestAccounts(database);
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1"));
    }

    @AfterAll
    void stop() {
        service.close();
    }

    private String newUser(Plan plan) {
        String email = "member" + userCount++ + "@plumbline.example";
        accounts.account(email, plan, PASSWORD);
        return email;
    }

    private CookieClient signedIn(String email) {
        CookieClient browser = new CookieClient(service);
        assertThat(browser.form("/sign-in", "email", email, "password", PASSWORD)
                        .statusCode())
                .isEqualTo(303);
        return browser;
    }

    private static Document html(HttpResponse<String> response) {
        return Jsoup.parse(response.body());
    }

    private static String location(HttpResponse<String> response) {
        return response.headers().firstValue("Location").orElseThrow();
    }

    @Test
    void signInRedirectsBackAndShowsTheUser() {
        String email = newUser(Plan.PRO);
        CookieClient browser = new CookieClient(service);

        HttpResponse<String> refused = browser.page("/account");
        assertThat(refused.statusCode()).isEqualTo(303);
        assertThat(location(refused)).isEqualTo("/sign-in?next=%2Faccount");
        Document form = html(browser.page("/sign-in?next=%2Ftools%3Fq%3Ddns"));
        assertThat(form.select("form[method=post] input[name=next]").attr("value"))
                .isEqualTo("/tools?q=dns");
        HttpResponse<String> signInResponse =
                browser.form("/sign-in", "email", email, "password", PASSWORD, "next", "/tools?q=dns");

        assertThat(signInResponse.statusCode()).isEqualTo(303);
        assertThat(location(signInResponse)).isEqualTo("/tools?q=dns");
        assertThat(signInResponse.headers().firstValue("Cache-Control")).contains("private, no-store");
        HttpResponse<String> account = browser.page("/account");
        assertThat(account.headers().firstValue("Cache-Control")).contains("private, no-store");
        assertThat(html(account).select("header nav").text()).contains(email);
        assertThat(browser.page("/sign-in").statusCode()).isEqualTo(303);

        String cookie = browser.cookie();
        assertThat(browser.form("/sign-out").statusCode()).isEqualTo(303);
        assertThat(browser.hasCookies()).isFalse();
        assertThat(service.get("/api/v1/session", "Cookie", cookie).statusCode())
                .isEqualTo(401);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "//evil.test/",
                "/\\evil.test",
                "https://evil.test/",
                "javascript:alert(1)",
                "/\t/evil.test",
                "evil.test",
                "/a/../../evil",
                "/%2e%2E/x",
                "/x\r\nSet-Cookie: a=b",
                "/sign-in",
                ""
            })
    void signInRedirectsOnlyToLocalPages(String next) {
        String email = newUser(Plan.FREE);

        HttpResponse<String> signInResponse =
                new CookieClient(service).form("/sign-in", "email", email, "password", PASSWORD, "next", next);

        assertThat(location(signInResponse)).isEqualTo("/account");
    }

    @Test
    void aWrongPasswordShowsAnErrorAndKeepsTheAddress() {
        String email = newUser(Plan.FREE);

        HttpResponse<String> refused =
                new CookieClient(service).form("/sign-in", "email", email, "password", PASSWORD + "!");

        assertThat(refused.statusCode()).isEqualTo(401);
        Document page = html(refused);
        assertThat(page.select("main [role=alert]").text()).contains("Incorrect e-mail address or password");
        assertThat(page.select("input[name=email]").attr("value")).isEqualTo(email);
        assertThat(refused.body()).doesNotContain(PASSWORD);
        assertThat(refused.headers().firstValue("Set-Cookie")).isEmpty();
    }

    @Test
    void submittedValuesAreEscaped() {
        String typed = "\"><script>alert(1)</script>@plumbline.example";

        HttpResponse<String> refused =
                new CookieClient(service).form("/sign-in", "email", typed, "password", "whatever it is");

        assertThat(html(refused).select("input[name=email]").attr("value")).isEqualTo(typed);
        assertThat(html(refused).select("main script")).isEmpty();
    }

    @Test
    void tooManyFailedSignInsAreRejectedForAWhile() {
        String email = newUser(Plan.FREE);
        CookieClient browser = new CookieClient(service);
        for (int i = 0; i < 8; i++) {
            browser.form("/sign-in", "email", email, "password", "guess number " + i);
        }

        HttpResponse<String> refused = browser.form("/sign-in", "email", email, "password", PASSWORD);

        assertThat(refused.statusCode()).isEqualTo(429);
        assertThat(refused.headers().firstValue("Retry-After")).isPresent();
        assertThat(html(refused).select("[role=alert]").text()).contains("Retry in 15 minutes.");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/sign-in",
                "/sign-out",
                "/account/keys",
                "/account/password",
                "/account/sign-out-everywhere",
                "/account/sessions/1/end",
                "/account/keys/1/revoke"
            })
    void crossOriginFormsAreRejected(String path) {
        CookieClient owner = signedIn(newUser(Plan.PRO));
        CookieClient elsewhere = new CookieClient(service, "https://evil.test");

        HttpResponse<String> refused = service.formAs(
                path,
                "email=a%40b.example&password=" + PASSWORD.replace(' ', '+') + "&name=x&scopes=jobs%3Aread",
                "Cookie",
                owner.cookie(),
                "Origin",
                elsewhere.origin());

        assertThat(refused.statusCode()).isEqualTo(403);
        assertThat(html(refused).select("main").text()).contains("Cross-origin request");
        assertThat(owner.get("/api/v1/session").statusCode()).isEqualTo(200);
        assertThat(new JsonObject(owner.get("/api/v1/keys").body()).getJsonArray("keys"))
                .isEmpty();
    }

    @Test
    void malformedFormsAreRejected() {
        CookieClient browser = new CookieClient(service);

        assertThat(browser.rawForm("/sign-in", "email=%zz").statusCode()).isEqualTo(400);
        assertThat(browser.rawForm("/sign-in", "email=%ff").statusCode()).isEqualTo(400);
        assertThat(browser.rawForm("/sign-in", "email=%f").statusCode()).isEqualTo(400);
        assertThat(browser.rawForm("/sign-in", "a".repeat(20_000)).statusCode()).isEqualTo(413);
        assertThat(browser.rawForm("/sign-in", "").statusCode()).isEqualTo(422);
        assertThat(service.pageBy("POST", "/sign-in", "Content-Type", "application/json")
                        .statusCode())
                .isEqualTo(415);
    }

    @Test
    void signUpPageExplainsThatSignUpIsDisabled() {
        Document page = html(service.page("/sign-up"));

        assertThat(page.select("main").text()).contains("Sign-up is disabled");
        assertThat(page.select("main form")).isEmpty();
        assertThat(new CookieClient(service)
                        .form("/sign-up", "email", "new@plumbline.example", "password", PASSWORD)
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void signUpFormCreatesAnAccount() {
        try (ServiceUnderTest open = ServiceUnderTest.start(
                DATABASE.url(), Map.of("HTTP_TRUSTED_PROXIES", "127.0.0.1", "ACCOUNTS_SIGNUP", "open"))) {
            CookieClient browser = new CookieClient(open);
            String email = "signed-up@plumbline.example";

            HttpResponse<String> wrong = browser.form("/sign-up", "email", "nobody", "password", PASSWORD);
            assertThat(wrong.statusCode()).isEqualTo(422);
            assertThat(html(wrong).select("#email-error")).hasSize(1);
            HttpResponse<String> tooShort = browser.form("/sign-up", "email", email, "password", "short");
            assertThat(html(tooShort).select("#password-error").text()).contains("12 characters");
            assertThat(browser.form("/sign-up", "email", email, "password", PASSWORD)
                            .statusCode())
                    .isEqualTo(303);

            assertThat(html(browser.page("/account")).select("main").text()).contains(email, "free");
            HttpResponse<String> again = new CookieClient(open).form("/sign-up", "email", email, "password", PASSWORD);
            assertThat(again.statusCode()).isEqualTo(409);
            assertThat(html(again).select("[role=alert]").text()).contains("Sign in, or use another e-mail address");
        }
    }

    private static String secret(HttpResponse<String> created) {
        return html(created).select("pre.secret").text();
    }

    @Test
    void aKeyIsCreatedUsedAndRevoked() {
        CookieClient browser = signedIn(newUser(Plan.PRO));

        HttpResponse<String> created = browser.form(
                "/account/keys", "name", "nightly", "scopes", "jobs:read", "scopes", "jobs:write", "days", "30");

        assertThat(created.statusCode()).isEqualTo(201);
        assertThat(created.headers().firstValue("Cache-Control")).contains("private, no-store");
        String key = secret(created);
        assertThat(key).matches("plk_[0-9A-Za-z]{38}");
        assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode()).isEqualTo(200);
        Document account = html(browser.page("/account"));
        assertThat(account.text()).contains("nightly", "jobs:read", "jobs:write", "active");
        assertThat(account.html()).doesNotContain(key).doesNotContain(key.substring(12));

        String revoke = account.select("a[href$=/revoke]").attr("href");
        Document confirmation = html(browser.page(revoke));
        assertThat(confirmation.select("main").text()).contains("nightly", "cannot be undone");
        assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode()).isEqualTo(200);
        HttpResponse<String> revoked =
                browser.form(confirmation.select("main form").attr("action"));

        assertThat(location(revoked)).isEqualTo("/account?done=revoked");
        assertThat(html(browser.page(location(revoked))).select("[role=status]").text())
                .contains("revoked");
        Await.until(() -> service.get("/api/v1/jobs", "X-Api-Key", key).statusCode() == 401);
        assertThat(html(browser.page("/account")).select("#keys ~ div").text()).contains("revoked");
    }

    @Test
    void keyFormShowsErrorsAtTheirFields() {
        CookieClient browser = signedIn(newUser(Plan.PRO));

        HttpResponse<String> unreadable = browser.form("/account/keys", "name", "a\u202eb", "scopes", "jobs:read");
        HttpResponse<String> useless = browser.form("/account/keys", "name", "x", "days", "90");

        assertThat(unreadable.statusCode()).isEqualTo(422);
        assertThat(html(unreadable).select("#key-name-error").text()).contains("must not contain control characters");
        assertThat(useless.statusCode()).isEqualTo(422);
        Document page = html(useless);
        assertThat(page.select("#key-scopes-error").text()).contains("Select");
        assertThat(page.select("#key-days option[selected]").attr("value")).isEqualTo("90");
        assertThat(page.select("details:has(#key-name)").hasAttr("open")).isTrue();
    }

    @Test
    void anotherAccountsKeyCannotBeRevoked() {
        CookieClient owner = signedIn(newUser(Plan.PRO));
        String key = secret(owner.form("/account/keys", "name", "mine", "scopes", "jobs:read"));
        String revoke = html(owner.page("/account")).select("a[href$=/revoke]").attr("href");
        CookieClient other = signedIn(newUser(Plan.PRO));

        assertThat(other.page(revoke).statusCode()).isEqualTo(404);
        assertThat(other.form(revoke).statusCode()).isEqualTo(404);
        assertThat(other.form("/account/keys/no-number/revoke").statusCode()).isEqualTo(404);

        assertThat(service.get("/api/v1/jobs", "X-Api-Key", key).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<img src=x onerror=alert(1)>",
                "\"'><script>alert(1)</script>",
                "evil\u202egpj.exe",
                "two\nlines\u0007\u200b\u001b[31m",
                "${7*7} {{7*7}} <!-- @if",
            })
    void keyNamesAreEscaped(String name) {
        String email = newUser(Plan.PRO);
        CookieClient browser = signedIn(email);
        browser.form("/account/keys", "name", "harmless", "scopes", "jobs:read");
        Await.value(database.query(
                "update api_key set name = $1 where account_id = (select id from account where email = $2)",
                Tuple.of(name, email)));

        Document account = html(browser.page("/account"));
        Document confirmation =
                html(browser.page(account.select("a[href$=/revoke]").attr("href")));

        for (Document page : List.of(account, confirmation)) {
            assertThat(page.select("main img, main script")).isEmpty();
            assertThat(page.text()).contains(name.substring(0, 3).strip());
            assertThat(page.select("main").text().codePoints())
                    .noneMatch(c -> Character.getType(c) == Character.FORMAT || c == 7 || c == 27);
            for (Element element : page.getAllElements()) {
                assertThat(element.attributes().asList())
                        .noneSatisfy(attribute -> assertThat(attribute.getKey()).startsWith("on"));
            }
        }
    }

    @Test
    void aNewPasswordEndsAllOtherSessions() {
        String email = newUser(Plan.FREE);
        CookieClient here = signedIn(email);
        CookieClient there = signedIn(email);

        HttpResponse<String> wrong =
                here.form("/account/password", "current_password", "no", "new_password", "next password 1");
        assertThat(wrong.statusCode()).isEqualTo(403);
        assertThat(html(wrong).select("#current-error").text()).contains("is incorrect");
        HttpResponse<String> tooShort =
                here.form("/account/password", "current_password", PASSWORD, "new_password", "short");
        assertThat(tooShort.statusCode()).isEqualTo(422);
        assertThat(html(tooShort).select("#new-error").text()).isNotBlank();
        HttpResponse<String> changed =
                here.form("/account/password", "current_password", PASSWORD, "new_password", "next password 1");

        assertThat(location(changed)).isEqualTo("/account?done=password");
        assertThat(here.page("/account").statusCode()).isEqualTo(200);
        assertThat(there.page("/account").statusCode()).isEqualTo(303);
    }

    @Test
    void allSessionsAreListedAndEnded() {
        String email = newUser(Plan.FREE);
        CookieClient here = signedIn(email);
        CookieClient there = signedIn(email);

        Document page = html(here.page("/account"));
        assertThat(page.select(".sessions > li")).hasSize(2);
        assertThat(page.select(".sessions .badge").eachText()).containsExactly("This session");
        assertThat(here.form("/account/sign-out-everywhere").statusCode()).isEqualTo(303);

        assertThat(here.hasCookies()).isFalse();
        assertThat(there.page("/account").statusCode()).isEqualTo(303);
    }

    private static String endOfTheOther(CookieClient browser) {
        return html(browser.page("/account")).select(".sessions form").attr("action");
    }

    @Test
    void aSingleSessionIsEnded() {
        String email = newUser(Plan.FREE);
        CookieClient here = signedIn(email);
        CookieClient there = signedIn(email);
        assertThat(html(here.page("/account")).select(".sessions li:has(.badge) form"))
                .isEmpty();
        String end = endOfTheOther(here);
        String endHere = endOfTheOther(there);

        HttpResponse<String> ended = here.form(end);

        assertThat(location(ended)).isEqualTo("/account?done=ended");
        Document page = html(here.page(location(ended)));
        assertThat(page.select("[role=status]").text()).contains("has been ended");
        assertThat(page.select(".sessions > li")).hasSize(1);
        assertThat(there.page("/account").statusCode()).isEqualTo(303);
        assertThat(location(here.form(end))).as("twice").isEqualTo("/account?done=ended");
        assertThat(location(here.form(endHere))).isEqualTo("/sign-in");
        assertThat(here.hasCookies()).isFalse();
    }

    @Test
    void anotherAccountsSessionCannotBeEnded() {
        String email = newUser(Plan.FREE);
        CookieClient owner = signedIn(email);
        CookieClient other = signedIn(newUser(Plan.FREE));
        String end = endOfTheOther(signedIn(email));

        other.form(end);

        assertThat(owner.page("/account").statusCode()).isEqualTo(200);
        assertThat(other.form("/account/sessions/no-number/end").statusCode()).isEqualTo(404);
        assertThat(location(new CookieClient(service).form(end))).startsWith("/sign-in");
        assertThat(owner.page("/account").statusCode()).isEqualTo(200);
    }

    @Test
    void usageIsCountedByDay() {
        String email = newUser(Plan.PRO);
        CookieClient browser = signedIn(email);
        String key = secret(browser.form("/account/keys", "name", "n", "scopes", "jobs:read", "scopes", "jobs:write"));
        Element unused = html(browser.page("/account")).selectFirst("section:has(#usage)");
        assertThat(unused.text()).contains("0 lines in 0 jobs");
        assertThat(unused.select("svg, table")).as("charts without jobs").isEmpty();
        JsonObject job = new JsonObject()
                .put("module", "http-status")
                .put(
                        "items",
                        new JsonArray().add("no target").add("none either").add("nor this"))
                .put("options", new JsonObject());
        for (int i = 0; i < 2; i++) {
            assertThat(service.post("/api/v1/jobs", job.encode(), "X-Api-Key", key)
                            .statusCode())
                    .isEqualTo(202);
        }
        Await.value(database.query(
                """
            update job set created_at = created_at - interval '3 days' where id = (
              select max(id) from job where account_id = (select id from account where email = $1))""",
                Tuple.of(email)));

        Element usage = html(browser.page("/account")).selectFirst("section:has(#usage)");

        assertThat(usage.text()).contains("6 lines in 2 jobs", "1 of 600 jobs");
        assertThat(usage.select("tbody tr")).hasSize(2);
        assertThat(usage.select("tbody tr").eachText())
                .allSatisfy(row -> assertThat(row).endsWith(" 1 3"));
        assertThat(usage.select("svg g")).hasSize(30);
        assertThat(usage.select("meter").attr("value")).isEqualTo("1");
    }

    /** Covers successful and failed requests. */
    @Test
    void secretsAppearOnlyOnTheirOwnPage() {
        String next = "another password, longer";
        SecretScanner leaks = new SecretScanner().secret(PASSWORD).secret(next);
        StringBuilder received = new StringBuilder();
        String log;
        try (CapturedLog recorded = new CapturedLog()) {
            String email = newUser(Plan.PRO);
            CookieClient browser = signedIn(email);
            leaks.secret(browser.token());
            leaks.secret(secret(browser.form("/account/keys", "name", "x", "scopes", "jobs:read")));
            for (HttpResponse<String> response : List.of(
                    new CookieClient(service).form("/sign-in", "email", "nobody", "password", next),
                    new CookieClient(service).form("/sign-up", "email", "nobody", "password", next),
                    browser.rawForm("/sign-in", "password=another+password%2c+longer&email=%"),
                    browser.form("/account/password", "current_password", next, "new_password", next),
                    browser.form("/account/password", "current_password", PASSWORD),
                    browser.form("/account/keys", "name", "", "scopes", "jobs:read"),
                    browser.page("/account"),
                    service.page("/account", "Cookie", "plumbline=" + browser.token() + "x"))) {
                received.append(response.body()).append(response.headers().map());
            }
            log = recorded.text();
        }

        leaks.assertNoneIn("the log", log);
        leaks.assertNoneIn("a page", received.toString());
        leaks.assertNoneIn(
                "a metric", service.send("GET", service.management("/metrics")).body());
        assertThat(log).as("something was logged").isNotEmpty();
    }
}
