package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.token;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code GET /api/v1/limits}. */
@Tag("integration")
class LimitsApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String LIMITS = "/api/v1/limits";

    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static TestAccounts accounts;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        accounts = new TestAccounts(DATABASE.open());
        service = ServiceUnderTest.start(
                DATABASE.url(), Map.of("LIMITS_FRESH_PER_HOUR", "3", "HTTP_TRUSTED_PROXIES", "127.0.0.1"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void addressHasTheQuotasOfItsRequests() {
        String[] client = {"X-Forwarded-For", "203.0.113.1"};
        JsonObject unused = limits(client);
        String rateLimit = check("?address", client);

        JsonObject used = limits(client);

        assertThat(summary(unused))
                .containsExactly("fresh 3/3 in 3600", "expressions 60/60 in 60", "shares 30/30 in 3600");
        assertThat(summary(used))
                .containsExactly("fresh 2/3 in 3600", "expressions 60/60 in 60", "shares 30/30 in 3600");
        assertThat(rateLimit).startsWith("\"fresh\";r=2;t=");
        assertThat(limit(unused, "fresh").getInteger("reset_seconds")).isZero();
        assertThat(limit(used, "fresh").getInteger("reset_seconds")).isBetween(3500, 3600);
        assertThat(used.getInteger("max_lines_per_job")).isEqualTo(500);
        assertThat(used.getInteger("max_body_bytes")).isEqualTo(8 * 1024 * 1024);
        assertThat(summary(limits("X-Forwarded-For", "203.0.113.2"))).contains("fresh 3/3 in 3600");
    }

    @Test
    void requestIsNotCharged() {
        String[] client = {"X-Forwarded-For", "203.0.113.3"};
        for (int i = 0; i < 5; i++) {
            limits(client);
        }

        assertThat(check("?charged", client)).startsWith("\"fresh\";r=2;t=");
    }

    @Test
    void exceededQuotaHasTheTimeOfTheNextCharge() {
        String[] client = {"X-Forwarded-For", "203.0.113.4"};
        for (int i = 0; i < 3; i++) {
            check("?exceeded" + i, client);
        }
        assertProblem(service.instant("http-status", lab.http("/ok?exceeded3"), client), 429, "quota-exceeded");

        JsonObject fresh = limit(limits(client), "fresh");

        assertThat(fresh.getInteger("remaining")).isZero();
        assertThat(fresh.getInteger("reset_seconds")).isBetween(3500, 3600);
    }

    @Test
    void keyHasTheQuotasOfItsJobs() {
        TestAccounts.Key key = accounts.key();
        token(new JobsApiClient(service, key.secret()).create(List.of("not a target"), new JsonObject()));

        assertThat(summary(limits("X-Forwarded-For", "203.0.113.5", "Authorization", "Bearer " + key.secret())))
                .containsExactly(
                        "fresh 3/3 in 3600",
                        "expressions 60/60 in 60",
                        "shares 30/30 in 3600",
                        "jobs 59/60 in 3600",
                        "jobs-account 599/600 in 3600");
    }

    @Test
    void keyThatCannotCreateJobsHasTheQuotasOfTheAddress() {
        String free = accounts.key(accounts.account(Plan.FREE), Scope.values()).secret();
        String reader =
                accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ).secret();

        for (String key : List.of(free, reader)) {
            assertThat(summary(limits("X-Forwarded-For", "203.0.113.6", "X-Api-Key", key)))
                    .containsExactly("fresh 3/3 in 3600", "expressions 60/60 in 60", "shares 30/30 in 3600");
        }
    }

    @Test
    void settingsSelectTheQuotas() {
        Map<String, String> settings = Map.of(
                "LIMITS_FRESH_PER_HOUR",
                "0",
                "LIMITS_FRESH_PER_HOUR_KEY",
                "5",
                "LIMITS_JOBS_PER_HOUR",
                "0",
                "HTTP_CORS_ORIGINS",
                "https://app.example.com");
        try (ServiceUnderTest other = ServiceUnderTest.start(DATABASE.url(), settings)) {
            String key = accounts.key().secret();
            other.instant("http-status", lab.http("/ok?setting"), "X-Api-Key", key);

            HttpResponse<String> ofKey = other.get(LIMITS, "X-Api-Key", key, "Origin", "https://app.example.com");

            assertThat(summary(new JsonObject(ofKey.body())))
                    .containsExactly(
                            "fresh-key 4/5 in 3600",
                            "expressions 60/60 in 60",
                            "shares 30/30 in 3600",
                            "jobs-account 600/600 in 3600");
            assertThat(ofKey.headers().firstValue("Access-Control-Allow-Origin"))
                    .contains("https://app.example.com");
            assertThat(summary(new JsonObject(other.get(LIMITS).body())))
                    .containsExactly("expressions 60/60 in 60", "shares 30/30 in 3600");
        }
    }

    /** A quota that was lowered can have more charges than its limit. */
    @Test
    void loweredQuotaIsExceeded() {
        String[] client = {"X-Forwarded-For", "203.0.113.7"};
        for (int i = 0; i < 3; i++) {
            check("?lowered" + i, client);
        }
        Map<String, String> settings = Map.of("LIMITS_FRESH_PER_HOUR", "1", "HTTP_TRUSTED_PROXIES", "127.0.0.1");
        try (ServiceUnderTest other = ServiceUnderTest.start(DATABASE.url(), settings)) {
            JsonObject limits = new JsonObject(other.get(LIMITS, client).body());

            assertThat(summary(limits)).contains("fresh 0/1 in 3600");
            assertThat(limit(limits, "fresh").getInteger("reset_seconds")).isBetween(3500, 3600);
            assertThat(other.page("/quota", client).body())
                    .isEqualToIgnoringWhitespace("0 of 1 fresh checks remaining this hour.");
        }
    }

    @Test
    void invalidRequestsAreRejected() {
        assertProblem(service.get(LIMITS, "X-Api-Key", "plk_nonsense"), 401, "invalid-key");
        assertProblem(service.get(LIMITS, "X-Api-Key", "plk_a", "Authorization", "Bearer plk_b"), 400, "bad-request");
        assertProblem(service.get(LIMITS, "Accept", "text/html"), 406, "not-acceptable");
        assertProblem(service.send("POST", service.uri(LIMITS)), 405, "method-not-allowed");
    }

    @Test
    void headHasTheHeadersOfGet() {
        HttpResponse<String> head = service.send("HEAD", service.uri(LIMITS));

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValue("Cache-Control")).contains("private, no-store");
    }

    private static JsonObject limits(String... headers) {
        HttpResponse<String> response = service.get(LIMITS, headers);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    /** Runs a fresh check and returns its header RateLimit. */
    private static String check(String query, String... headers) {
        HttpResponse<String> response = service.instant("http-status", lab.http("/ok" + query), headers);
        return response.headers().firstValue("RateLimit").orElseThrow(() -> new AssertionError(response.body()));
    }

    private static List<String> summary(JsonObject limits) {
        return limits.getJsonArray("limits").stream()
                .map(JsonObject.class::cast)
                .map(limit -> limit.getString("name") + " " + limit.getInteger("remaining") + "/"
                        + limit.getInteger("quota") + " in " + limit.getInteger("window_seconds"))
                .toList();
    }

    private static JsonObject limit(JsonObject limits, String name) {
        return limits.getJsonArray("limits").stream()
                .map(JsonObject.class::cast)
                .filter(limit -> limit.getString("name").equals(name))
                .findFirst()
                .orElseThrow();
    }
}
