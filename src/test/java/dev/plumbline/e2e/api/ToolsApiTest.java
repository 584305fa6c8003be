package dev.plumbline.e2e.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.ServiceUnderTest;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools list, openapi.json and the management port over HTTP. */
@Tag("integration")
class ToolsApiTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static ServiceUnderTest service;

    @BeforeAll
    static void start() {
        service = ServiceUnderTest.start(DATABASE.url(), Map.of("HTTP_PUBLIC_URL", "https://checks.example.org/"));
    }

    @AfterAll
    static void stop() {
        service.close();
    }

    @Test
    void listContainsRequiredModules() {
        HttpResponse<String> list = service.get("/api/v1/tools");

        JsonArray tools = new JsonObject(list.body()).getJsonArray("tools");
        assertThat(tools)
                .extracting(tool -> ((JsonObject) tool).getString("module"))
                .contains("http-status", "ssl-certificate")
                .isSorted();
        assertThat(list.headers().firstValue("Access-Control-Allow-Origin")).contains("*");
        JsonObject links = tools.getJsonObject(0).getJsonObject("links");
        assertThat(links.getString("self")).startsWith("https://checks.example.org/api/v1/tools/");
    }

    @Test
    void aToolListsTheTypesOfTargetForWhichItIsTheDefault() {
        assertThat(input("http-status").getJsonArray("default_for")).containsExactly("url");
        assertThat(input("ip-registration").getJsonArray("default_for")).containsExactly("ip");
        assertThat(input("spf").containsKey("default_for")).isFalse();
    }

    @Test
    void findingCodesHaveTitles() {
        assertThat(new JsonObject(service.get("/api/v1/tools/hsts").body())
                        .getJsonArray("finding_codes").stream().map(JsonObject.class::cast))
                .extracting(finding -> finding.getString("code"), finding -> finding.getString("title"))
                .contains(tuple("hsts_missing", "HSTS not set"), tuple("hsts_over_http", "HSTS header sent over HTTP"));
    }

    private static JsonObject input(String module) {
        return new JsonObject(service.get("/api/v1/tools/" + module).body()).getJsonObject("input");
    }

    @Test
    void matchingEntityTagOfListGets304() {
        String etag = service.get("/api/v1/tools").headers().firstValue("ETag").orElseThrow();

        assertThat(service.get("/api/v1/tools", "If-None-Match", etag).statusCode())
                .isEqualTo(304);
    }

    @ParameterizedTest
    @ValueSource(strings = {"http-status", "ssl-certificate"})
    void toolHasSchemas(String module) {
        JsonObject tool = new JsonObject(service.get("/api/v1/tools/" + module).body());

        ContractValidator.validator(tool.getJsonObject("options_schema"));
        ContractValidator.validator(tool.getJsonObject("result_schema"));
        assertThat(tool.getJsonObject("options_schema")
                        .getJsonObject("properties")
                        .fieldNames())
                .contains("timeout_ms", "ip_version");
    }

    @ParameterizedTest
    @ValueSource(strings = {"http-status", "ssl-certificate"})
    void jobsOnlyOptionIsMarkedAndRejectedForInstantChecks(String module) {
        JsonObject tool = new JsonObject(service.get("/api/v1/tools/" + module).body());
        HttpResponse<String> refused = service.get(ServiceUnderTest.instantPath(module, "example.com") + "?fresh=true");

        assertThat(tool.getJsonArray("options"))
                .extracting(option -> (JsonObject) option)
                .filteredOn(option -> option.getBoolean("jobs_only", false))
                .extracting(option -> option.getString("name"))
                .containsExactly("fresh");
        assertThat(tool.getJsonObject("options_schema")
                        .getJsonObject("properties")
                        .getJsonObject("fresh"))
                .isEqualTo(new JsonObject()
                        .put("title", "Bypass cache")
                        .put("description", "Do not use cached results. Available for jobs only.")
                        .put("type", "boolean")
                        .put("default", false)
                        .put("jobs_only", true));
        assertThat(refused.statusCode()).isEqualTo(422);
        JsonObject error = new JsonObject(refused.body()).getJsonArray("errors").getJsonObject(0);
        assertThat(error.getString("parameter")).isEqualTo("fresh");
        assertThat(error.getString("detail")).contains("for jobs only");
    }

    @ParameterizedTest
    @ValueSource(strings = {"/openapi.json", "/api/v1/openapi.json"})
    void contractHasPublicServerUrl(String path) {
        JsonObject contract = new JsonObject(service.get(path).body());

        assertThat(contract.getString("openapi")).isEqualTo("3.1.0");
        assertThat(contract.getJsonArray("servers").getJsonObject(0).getString("url"))
                .isEqualTo("https://checks.example.org");
    }

    @ParameterizedTest
    @CsvSource({
        "GET, /api/v1/tools/none, 404, unknown-module",
        "GET, /api/v1/nothing, 404, not-found",
        "GET, /nothing, 404, not-found",
        "POST, /api/v1/tools, 405, method-not-allowed",
        "DELETE, /api/v1/instant/http-status/example.com, 405, method-not-allowed",
        "PUT, /openapi.json, 405, method-not-allowed",
    })
    void unknownPathIsProblem(String method, String path, int status, String code) {
        HttpResponse<String> refused = service.send(method, service.uri(path), "X-Request-Id", "my-own.id_1");

        JsonObject problem = new JsonObject(refused.body());
        assertThat(refused.statusCode()).isEqualTo(status);
        assertThat(problem.getString("code")).isEqualTo(code);
        assertThat(problem.getString("instance")).isEqualTo(path);
        assertThat(problem.getString("request_id")).isEqualTo("my-own.id_1");
        assertThat(refused.headers().firstValue("X-Request-Id")).contains("my-own.id_1");
        if (status == 405) {
            assertThat(refused.headers().firstValue("Allow")).contains("GET, HEAD, OPTIONS");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/instant                           | module is required, target is required",
                "/api/v1/instant/                          | module is required, target is required",
                "/api/v1/instant/http-status               | target is required",
                "/api/v1/instant/http-status/?method=get   | target is required"
            })
    void pathWithoutTargetNamesTheError(String path, String messages) {
        HttpResponse<String> refused = service.get(path);

        assertThat(refused.statusCode()).isEqualTo(404);
        assertThat(new JsonObject(refused.body())
                        .getJsonArray("errors").stream()
                                .map(JsonObject.class::cast)
                                .map(each -> each.getString("parameter") + " " + each.getString("detail")))
                .containsExactly(messages.split(", "));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/api/v1/tools                                         | GET, HEAD, OPTIONS",
                "/openapi.json                                         | GET, HEAD, OPTIONS",
                "/api/v1/instant/http-status/example.com               | GET, HEAD, OPTIONS",
                "/api/v1/instant/http-status/https://example.com/a?b=c | GET, HEAD, OPTIONS",
                "/api/v1/jobs                                          | GET, HEAD, POST, OPTIONS",
                "/api/v1/jobs/job_4kJ0mZ3tQbW9xYcR1nLp7s               | DELETE, GET, HEAD, OPTIONS",
                "/api/v1/results/4kJ0mZ3tQbW9xYcR1nLp7s                 | DELETE, GET, HEAD, OPTIONS",
                "/api/v1/results/4kJ0mZ3tQbW9xYcR1nLp7s.csv             | GET, HEAD, OPTIONS",
                "/api/v1/session                                       | DELETE, GET, HEAD, POST, OPTIONS",
                "/                                                     | GET, HEAD, OPTIONS",
                "/sign-in                                              | GET, HEAD, POST, OPTIONS",
                "/check/http-status/example.com                        | GET, HEAD, POST, OPTIONS"
            })
    void optionsReturnsAllowedMethods(String path, String allowed) {
        HttpResponse<String> response = service.pageBy("OPTIONS", path);

        assertThat(response.statusCode()).isEqualTo(204);
        assertThat(response.headers().firstValue("Allow")).contains(allowed);
        assertThat(response.headers().firstValue("X-Request-Id")).isPresent();
        assertThat(response.body()).isEmpty();
    }

    @Test
    void optionsOfUnknownPathIs404() {
        assertThat(service.pageBy("OPTIONS", "/api/v1/nothing").statusCode()).isEqualTo(404);
    }

    @ParameterizedTest
    @CsvSource({
        "application/json, 200",
        "application/*, 200",
        "*/*;q=0.1, 200",
        "text/html, 406",
        "application/json;q=0, 406"
    })
    void unsupportedAcceptHeaderIs406(String accept, int status) {
        assertThat(service.get("/api/v1/tools", "Accept", accept).statusCode()).isEqualTo(status);
    }

    @Test
    void headIsAllowedWhereGetIs() {
        HttpResponse<String> head = service.send("HEAD", service.uri("/api/v1/tools"));

        assertThat(head.statusCode()).isEqualTo(200);
        assertThat(head.body()).isEmpty();
        assertThat(head.headers().firstValueAsLong("Content-Length").orElse(0)).isGreaterThan(1000);
    }

    @Test
    void invalidRequestIdIsReplaced() {
        HttpResponse<String> response = service.get("/api/v1/tools", "X-Request-Id", "x".repeat(65));

        assertThat(response.headers().firstValue("X-Request-Id").orElseThrow()).hasSize(16);
    }

    @ParameterizedTest
    @CsvSource({"X-Request-Id, 50%", "X-Request-Id, a%2zb", "If-None-Match, '\"50%\"'", "If-None-Match, '\"%41\"'"})
    void percentSignInHeaderIsNotAnEncoding(String name, String value) {
        HttpResponse<String> response = service.get("/api/v1/tools", name, value);

        assertThat(response.statusCode()).isEqualTo(200);
    }

    @Test
    void managementPortServesHealthAndMetrics() {
        service.get("/api/v1/tools");

        String metrics = service.send("GET", service.management("/metrics")).body();
        assertThat(metrics)
                .contains(
                        "plumbline_http_requests_total{operation=\"listTools\",status=\"200\"}",
                        "plumbline_checks_running",
                        "plumbline_checks_queued",
                        "plumbline_event_loop_lag_seconds",
                        "plumbline_cache_requests_total{result=\"hit\",tier=\"response\"}",
                        "plumbline_quota_exceeded_total{policy=\"fresh\"}");
        assertThat(service.send("GET", service.management("/health/live")).statusCode())
                .isEqualTo(200);
        assertThat(service.send("GET", service.management("/health/ready")).statusCode())
                .isEqualTo(200);
        assertThat(service.send("GET", service.management("/else")).statusCode())
                .isEqualTo(404);
    }
}
