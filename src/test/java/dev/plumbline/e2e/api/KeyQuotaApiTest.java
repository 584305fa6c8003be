package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** The quota of instant checks per API key ({@code limits.fresh_per_hour_key}). */
@Tag("integration")
class KeyQuotaApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static TestAccounts accounts;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        accounts = new TestAccounts(DATABASE.open());
        service = ServiceUnderTest.start(
                DATABASE.url(),
                Map.of(
                        "LIMITS_FRESH_PER_HOUR",
                        "2",
                        "LIMITS_FRESH_PER_HOUR_KEY",
                        "5",
                        "HTTP_TRUSTED_PROXIES",
                        "127.0.0.1"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void keyHasItsOwnQuota() {
        TestAccounts.Key key = accounts.key();
        String[] client = {"X-Forwarded-For", "203.0.113.10", "Authorization", "Bearer " + key.secret()};
        for (int i = 0; i < 5; i++) {
            HttpResponse<String> fresh = check("own" + i, client);
            assertThat(fresh.statusCode()).isEqualTo(200);
            assertThat(header(fresh, "RateLimit-Policy")).isEqualTo("\"fresh-key\";q=5;w=3600");
            assertThat(header(fresh, "RateLimit")).startsWith("\"fresh-key\";r=" + (4 - i) + ";t=");
            assertThat(header(fresh, "Cache-Control")).isEqualTo("private, no-cache");
        }

        HttpResponse<String> refused = check("own5", client);

        JobsApiClient.assertProblem(refused, 429, "quota-exceeded");
        JsonObject problem = new JsonObject(refused.body());
        assertThat(problem.getJsonArray("violated-policies")).containsExactly("fresh-key");
        assertThat(problem.getString("detail"))
                .startsWith("This API key has used all 5 fresh checks")
                .endsWith("Jobs, which require an API key, and the command line do not use this quota.");
        assertThat(Integer.parseInt(header(refused, "Retry-After"))).isBetween(3500, 3600);
        // the quota of the address is not used
        assertThat(header(check("own6", "X-Forwarded-For", "203.0.113.10"), "RateLimit"))
                .startsWith("\"fresh\";r=1;t=");
        // cached results do not count
        HttpResponse<String> cached = check("own0", client);
        assertThat(cached.statusCode()).isEqualTo(200);
        assertThat(header(cached, "Cache-Control")).isEqualTo("public, max-age=600");
        assertThat(cached.headers().firstValue("RateLimit")).isEmpty();
    }

    @Test
    void concurrentChecksDoNotExceedQuota() {
        String secret = accounts.key().secret();
        List<CompletableFuture<HttpResponse<String>>> checks = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String name = "many" + i;
            checks.add(CompletableFuture.supplyAsync(
                    () -> check(name, "X-Forwarded-For", "203.0.113.11", "X-Api-Key", secret)));
        }

        assertThat(checks.stream().map(check -> check.join().statusCode()).filter(status -> status == 200))
                .hasSize(5);
    }

    @Test
    void invalidKeyIs401UnlessResultIsCached() {
        check("public", "X-Forwarded-For", "203.0.113.12");
        for (String key : List.of("plk_nonsense", ApiKeySecret.generate())) {
            HttpResponse<String> refused = check("invalid", "X-Forwarded-For", "203.0.113.12", "X-Api-Key", key);
            HttpResponse<String> cached = check("public", "X-Forwarded-For", "203.0.113.12", "X-Api-Key", key);

            JobsApiClient.assertProblem(refused, 401, "invalid-key");
            assertThat(header(refused, "WWW-Authenticate")).startsWith("Bearer");
            assertThat(cached.statusCode()).isEqualTo(200);
        }
        JobsApiClient.assertProblem(
                check("invalid", "X-Api-Key", "plk_a", "Authorization", "Bearer plk_b"), 400, "bad-request");
        // nothing was charged
        assertThat(header(check("invalid", "X-Forwarded-For", "203.0.113.12"), "RateLimit"))
                .startsWith("\"fresh\";r=0;t=");
    }

    @Test
    void keyOfFreeAccountUsesQuotaOfAddress() {
        String secret =
                accounts.key(accounts.account(Plan.FREE), Scope.values()).secret();

        HttpResponse<String> fresh = check("free", "X-Forwarded-For", "203.0.113.13", "X-Api-Key", secret);

        assertThat(header(fresh, "RateLimit")).startsWith("\"fresh\";r=1;t=");
        assertThat(header(fresh, "Cache-Control")).isEqualTo("public, max-age=600");
    }

    @Test
    void keysAreIgnoredByDefault() {
        try (ServiceUnderTest plain = ServiceUnderTest.start(DATABASE.url(), Map.of())) {
            for (String key : List.of("plk_nonsense", accounts.key().secret())) {
                HttpResponse<String> fresh =
                        plain.instant("http-status", lab.http("/ok?default" + key.length()), "X-Api-Key", key);

                assertThat(fresh.statusCode()).isEqualTo(200);
                assertThat(header(fresh, "RateLimit-Policy")).isEqualTo("\"fresh\";q=30;w=3600");
            }
        }
    }

    private static HttpResponse<String> check(String name, String... headers) {
        return service.instant("http-status", lab.http("/ok?" + name), headers);
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow(() -> new AssertionError(name + " is missing"));
    }
}
