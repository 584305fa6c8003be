package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.HttpLab;
import dev.plumbline.support.Await;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Cross-origin requests ({@code http.cors_origins}). */
@Tag("integration")
class CorsApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final String ORIGIN = "https://app.example.com";
    private static final String EXPOSED =
            "ETag, Link, Location, RateLimit, RateLimit-Policy, Retry-After, X-Request-Id";

    private static HttpLab lab;
    private static ServiceUnderTest service;
    private static String key;

    @BeforeAll
    static void start() {
        lab = Await.value(HttpLab.start(DATABASE.vertx()));
        key = new TestAccounts(DATABASE.open()).key().secret();
        service =
                ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_CORS_ORIGINS", ORIGIN + ",http://localhost:3000"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    /** The first response is fresh, the second comes from the response cache. */
    @Test
    void instantCheckAllowsListedOrigin() {
        String target = lab.http("/ok?cors");
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> response = service.instant("http-status", target, "Origin", ORIGIN);

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
            assertThat(header(response, "Access-Control-Expose-Headers")).isEqualTo(EXPOSED);
            assertThat(header(response, "Vary")).startsWith("Origin");
            assertThat(response.headers().firstValue("Access-Control-Allow-Credentials"))
                    .isEmpty();
        }
    }

    /** A path that is not encoded and a HEAD request are rerouted. */
    @Test
    void reroutedRequestAllowsListedOrigin() {
        String path = "/api/v1/instant/http-status/" + lab.http("/ok/rerouted");
        for (String method : List.of("GET", "HEAD")) {
            HttpResponse<String> response = service.pageBy(method, path, "Origin", ORIGIN);

            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
            assertThat(header(response, "Vary")).startsWith("Origin");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://other.example.com",
                "https://app.example.com.evil.example",
                "null",
                "HTTPS://APP.EXAMPLE.COM"
            })
    void otherOriginIsNotAllowed(String origin) {
        HttpResponse<String> response = service.instant("http-status", lab.http("/ok?cors"), "Origin", origin);

        assertThat(response.statusCode()).isEqualTo(200);
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
        assertThat(header(response, "Vary")).startsWith("Origin");
    }

    /** A shared cache must not store a response without the header for a listed origin. */
    @Test
    void responseWithoutOriginVaries() {
        HttpResponse<String> response = service.instant("http-status", lab.http("/ok?cors"));

        assertThat(header(response, "Vary")).startsWith("Origin");
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }

    @Test
    void scriptCanCreateAndReadJob() {
        String body = JobsApiClient.body(List.of("a b"), new JsonObject()).encode();

        HttpResponse<String> created =
                service.post(JobsApiClient.PATH, body, "Origin", ORIGIN, "Authorization", "Bearer " + key);
        HttpResponse<String> read = service.get(
                JobsApiClient.PATH + "/" + JobsApiClient.token(created), "Origin", ORIGIN, "X-Api-Key", key);

        assertThat(created.statusCode()).isEqualTo(202);
        for (HttpResponse<String> response : List.of(created, read)) {
            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
            assertThat(header(response, "Vary")).isEqualTo("Origin, Authorization, X-Api-Key, Accept, Accept-Encoding");
        }
    }

    @Test
    void scriptCanReadProblem() {
        HttpResponse<String> refused = service.get(JobsApiClient.PATH, "Origin", "http://localhost:3000");

        assertThat(refused.statusCode()).isEqualTo(401);
        assertThat(header(refused, "Access-Control-Allow-Origin")).isEqualTo("http://localhost:3000");
    }

    @ParameterizedTest
    @CsvSource({
        "/api/v1/jobs, POST",
        "/api/v1/jobs/job_4kJ0mZ3tQbW9xYcR1nLp7s, DELETE",
        "/api/v1/instant/http-status/https://example.com/a, GET",
        "/api/v1/instant/http-status/example.com?method=get, GET"
    })
    void preflightRequestOfListedOriginIsAllowed(String path, String method) {
        HttpResponse<String> response = preflight(path, ORIGIN, method);

        assertThat(response.statusCode()).isEqualTo(204);
        assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo(ORIGIN);
        assertThat(header(response, "Access-Control-Allow-Methods")).isEqualTo("GET, HEAD, POST, DELETE");
        assertThat(header(response, "Access-Control-Allow-Headers"))
                .contains("Authorization", "X-Api-Key", "Content-Type", "Idempotency-Key", "If-None-Match");
        assertThat(header(response, "Access-Control-Max-Age")).isEqualTo("600");
        assertThat(header(response, "Vary")).isEqualTo("Origin");
        assertThat(response.body()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/jobs", "/api/v1/instant/http-status/example.com"})
    void preflightRequestOfOtherOriginIsNotAllowed(String path) {
        HttpResponse<String> response = preflight(path, "https://other.example.com", "GET");

        assertThat(response.statusCode()).isEqualTo(204);
        assertThat(header(response, "Allow")).startsWith("GET, HEAD").endsWith("OPTIONS");
        assertThat(response.headers().map().keySet())
                .noneMatch(name -> name.toLowerCase(Locale.ROOT).startsWith("access-control-"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/tools", "/api/v1/tools/http-status", "/openapi.json", "/api/v1/openapi.json"})
    void anyOriginCanReadDocuments(String path) {
        HttpResponse<String> document = service.get(path, "Origin", "https://other.example.com");
        HttpResponse<String> preflight = preflight(path, "https://other.example.com", "GET");

        assertThat(header(document, "Access-Control-Allow-Origin")).isEqualTo("*");
        assertThat(preflight.statusCode()).isEqualTo(204);
        assertThat(header(preflight, "Access-Control-Allow-Origin")).isEqualTo("*");
        assertThat(header(preflight, "Access-Control-Allow-Methods")).isEqualTo("GET, HEAD");
    }

    @Test
    void anyOriginCanBeAllowed() {
        try (ServiceUnderTest open = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_CORS_ORIGINS", "*"))) {
            HttpResponse<String> response = open.instant("http-status", lab.http("/ok?any"), "Origin", "null");

            assertThat(header(response, "Access-Control-Allow-Origin")).isEqualTo("*");
            assertThat(response.headers().allValues("Vary")).doesNotContain("Origin");
        }
    }

    /** The session cookie must not be usable from other origins. */
    @ParameterizedTest
    @ValueSource(strings = {"/api/v1/account", "/api/v1/session", "/api/v1/keys", "/api/v1/jobsx"})
    void accountsAreNotShared(String path) {
        HttpResponse<String> response = service.pageBy("GET", path, "Origin", ORIGIN);

        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
        assertThat(preflight(path, ORIGIN, "GET").headers().firstValue("Access-Control-Allow-Origin"))
                .isEmpty();
    }

    private static HttpResponse<String> preflight(String path, String origin, String method) {
        return service.pageBy("OPTIONS", path, "Origin", origin, "Access-Control-Request-Method", method);
    }

    private static String header(HttpResponse<?> response, String name) {
        return response.headers().firstValue(name).orElseThrow(() -> new AssertionError(name + " is missing"));
    }
}
