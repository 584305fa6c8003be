package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.assertProblem;
import static dev.plumbline.support.JobsApiClient.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.lab.FreePorts;
import dev.plumbline.support.CollidingJson;
import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.McpClient;
import dev.plumbline.support.ServiceUnderTest;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.net.http.HttpResponse;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The Model Context Protocol: transport, messages and the tools of the modules. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpApiTest {
    private static final String INITIALIZED = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}";
    private static final String PING = "{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\"}";

    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture(Map.of(
            "MCP_ENABLED",
            "true",
            "LIMITS_FRESH_PER_HOUR",
            "3",
            "LIMITS_FRESH_PER_HOUR_KEY",
            "4",
            "HTTP_TRUSTED_PROXIES",
            "127.0.0.0/8"));

    private CountingTarget target;
    private McpClient mcp;

    @BeforeAll
    void start() {
        target = new CountingTarget(FIXTURE.database().vertx());
        mcp = client("203.0.113.1");
    }

    private static McpClient client(String address, String... headers) {
        String[] all = new String[headers.length + 2];
        System.arraycopy(headers, 0, all, 0, headers.length);
        all[headers.length] = "X-Forwarded-For";
        all[headers.length + 1] = address;
        return new McpClient(FIXTURE.service(), all);
    }

    private static JsonObject json(HttpResponse<String> response, int status) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        return new JsonObject(response.body());
    }

    private static JsonObject initialize(String version) {
        return new JsonObject()
                .put("protocolVersion", version)
                .put("capabilities", new JsonObject())
                .put("clientInfo", new JsonObject().put("name", "test").put("version", "1"));
    }

    @ParameterizedTest
    @CsvSource({
        "2025-11-25, 2025-11-25",
        "2025-06-18, 2025-06-18",
        "2025-03-26, 2025-11-25",
        "2026-07-28, 2025-11-25",
    })
    void initializeNegotiatesTheVersion(String requested, String negotiated) {
        JsonObject result = mcp.result("initialize", initialize(requested));

        assertThat(result.getString("protocolVersion")).isEqualTo(negotiated);
        assertThat(result.getJsonObject("capabilities").fieldNames()).contains("tools");
        assertThat(result.getJsonObject("serverInfo").getString("name")).isEqualTo("plumbline");
        assertThat(result.getJsonObject("serverInfo").getString("version")).isNotEmpty();
        assertThat(result.getString("instructions")).contains("600 seconds", "mail-health");
    }

    @Test
    void responsesArePrivateJsonWithoutSession() {
        HttpResponse<String> response = mcp.post(PING, "X-Request-Id", "own.id");

        assertThat(response.body()).isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":7,\"result\":{}}");
        assertThat(header(response, "Content-Type")).isEqualTo("application/json");
        assertThat(header(response, "Cache-Control")).isEqualTo("private, no-store");
        assertThat(header(response, "X-Content-Type-Options")).isEqualTo("nosniff");
        assertThat(header(response, "X-Request-Id")).isEqualTo("own.id");
        assertThat(response.headers().firstValue("MCP-Session-Id")).isEmpty();
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
        assertThat(FIXTURE.service()
                        .send("GET", FIXTURE.service().management("/metrics"))
                        .body())
                .contains("plumbline_http_requests_total{operation=\"mcp\",status=\"200\"}");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\"a b\"", "0", "-5", "9007199254740993", "123456789012345678901234567890"})
    void theIdOfARequestIsReturned(String id) {
        assertThat(mcp.post(PING.replace("7", id)).body())
                .isEqualTo("{\"jsonrpc\":\"2.0\",\"id\":" + id + ",\"result\":{}}");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                INITIALIZED,
                "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":1}}",
                "{\"jsonrpc\":\"2.0\",\"method\":\"tools/call\"}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{}}",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-1,\"message\":\"no\"}}"
            })
    void notificationsAndResponsesAreAccepted(String message) {
        HttpResponse<String> response = mcp.post(message);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        assertThat(response.body()).isEmpty();
    }

    @Test
    void namesWithEqualHashCodesAreAccepted() {
        HttpResponse<String> response =
                mcp.post("{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":{\"_meta\":{"
                        + CollidingJson.members() + "}}}");

        assertThat(json(response, 200).getJsonObject("result")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "                                                     | -32700 | not valid JSON",
                "{\"jsonrpc\":                                        | -32700 | line 1",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"id\":2,\"method\":\"ping\"} | -32700 | duplicate member",
                "[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]             | -32700 | more than 16 nesting levels",
                "[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}] | -32600 | batch",
                "\"ping\"                                             | -32600 | an object",
                "null                                                 | -32600 | an object",
                "{}                                                   | -32600 | jsonrpc",
                "{\"jsonrpc\":\"1.0\",\"id\":1,\"method\":\"ping\"}   | -32600 | jsonrpc",
                "{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"} | -32600 | id must be",
                "{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"} | -32600 | id must be",
                "{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"ping\"}  | -32600 | id must be",
                "{\"jsonrpc\":\"2.0\",\"id\":1}                       | -32600 | method",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":5}          | -32600 | method",
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\",\"params\":[]} | -32600 | params",
                "{\"jsonrpc\":\"2.0\",\"id\":\"\\ud800\",\"method\":\"ping\"}    | -32600 | surrogate",
            })
    void invalidMessagesAreErrorsWithStatus400(String body, int code, String message) {
        HttpResponse<String> response = mcp.post(body == null ? "" : body);

        JsonObject error = json(response, 400).getJsonObject("error");
        assertThat(error.getInteger("code")).isEqualTo(code);
        assertThat(error.getString("message")).contains(message);
        assertThat(header(response, "Content-Type")).isEqualTo("application/json");
    }

    @Test
    void theIdOfAnInvalidMessageIsReturnedIfItIsKnown() {
        assertThat(json(mcp.post("{\"jsonrpc\":\"2.0\",\"id\":\"x\"}"), 400).getString("id"))
                .isEqualTo("x");
        assertThat(json(mcp.post("{"), 400).containsKey("id")).isFalse();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "prompts/list          | {}                             | -32601 | 'prompts/list' does not exist",
                "logging/setLevel      | {\"level\":\"info\"}           | -32601 | 'logging/setLevel' does not exist",
                "initialize            | {}                             | -32602 | protocolVersion must be a string",
                "tools/list            | {\"cursor\":\"x\"}             | -32602 | The cursor is not valid",
                "tools/call            | {}                             | -32602 | name must be a string",
                "tools/call            | {\"name\":\"no-tool\"}         | -32602 | The tool 'no-tool' does not exist",
                "tools/call            | {\"name\":\"http-status\",\"arguments\":[]} | -32602 | arguments must be an object",
            })
    void errorsOfRequestsHaveStatus200(String method, String params, int code, String message) {
        JsonObject response = json(mcp.send(method, new JsonObject(params)), 200);

        assertThat(response.getInteger("id")).isEqualTo(1);
        assertThat(response.containsKey("result")).isFalse();
        assertThat(response.getJsonObject("error").getInteger("code")).isEqualTo(code);
        assertThat(response.getJsonObject("error").getString("message")).contains(message);
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE", "PUT"})
    void otherMethodsAre405(String method) {
        HttpResponse<String> response = FIXTURE.service().pageBy(method, McpClient.PATH, "Accept", "text/event-stream");

        assertThat(response.statusCode()).isEqualTo(405);
        assertThat(header(response, "Allow")).isEqualTo("POST, OPTIONS");
    }

    @Test
    void optionsReturnsTheMethodsWithoutCorsHeaders() {
        HttpResponse<String> response = FIXTURE.service()
                .pageBy(
                        "OPTIONS",
                        McpClient.PATH,
                        "Origin",
                        "https://evil.example.com",
                        "Access-Control-Request-Method",
                        "POST");

        assertThat(response.statusCode()).isEqualTo(204);
        assertThat(header(response, "Allow")).isEqualTo("POST, OPTIONS");
        assertThat(response.headers().firstValue("Access-Control-Allow-Origin")).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "Origin, https://checks.example.org, 200",
        "Origin, https://CHECKS.example.org:443, 200",
        "Origin, http://checks.example.org, 403",
        "Origin, https://evil.example.com, 403",
        "Origin, null, 403",
        "Sec-Fetch-Site, cross-site, 403",
        "Sec-Fetch-Site, same-origin, 200"
    })
    void requestsOfOtherOriginsAre403(String name, String value, int status) {
        HttpResponse<String> response = mcp.post(PING, name, value);

        assertThat(response.statusCode()).isEqualTo(status);
        if (status == 403) {
            assertProblem(response, 403, "cross-origin");
        }
    }

    @ParameterizedTest
    @CsvSource({"2025-11-25, 200", "2025-06-18, 200", "2025-03-26, 400", "2026-07-28, 400", "x, 400"})
    void unsupportedVersionsInTheHeaderAre400(String version, int status) {
        HttpResponse<String> response = mcp.post(PING, "MCP-Protocol-Version", version);

        assertThat(response.statusCode()).isEqualTo(status);
        if (status == 400) {
            assertThat(new JsonObject(response.body()).getString("detail"))
                    .contains("'" + version + "' is not supported", "2025-11-25, 2025-06-18");
        }
    }

    @Test
    void theTransportIsValidated() {
        ServiceUnderTest service = FIXTURE.service();
        assertThat(new McpClient(service).post("x".repeat((64 << 10) + 1)).statusCode())
                .isEqualTo(413);
        // not pages, because the client of the endpoint is not a browser
        for (String accept : List.of("text/event-stream", "text/html")) {
            assertProblem(
                    service.pageBy("POST", McpClient.PATH, "Accept", accept, "Content-Type", "application/json"),
                    406,
                    "not-acceptable");
        }
        assertProblem(service.pageBy("GET", McpClient.PATH, "Accept", "text/html"), 405, "method-not-allowed");
        assertProblem(
                service.pageBy("POST", McpClient.PATH, "Content-Type", "text/plain"), 415, "unsupported-media-type");
    }

    @ParameterizedTest
    @CsvSource({"X-Forwarded-For, not-an-address", "Forwarded, for=not-an-address"})
    void aMalformedHeaderOfAProxyIs400(String name, String value) {
        JsonObject call = McpClient.call(new JsonObject().put("target", target.url("/ok/proxy")), "http-status");
        for (String key : List.of("", FIXTURE.key())) {
            McpClient client = key.isEmpty()
                    ? new McpClient(FIXTURE.service(), name, value)
                    : new McpClient(FIXTURE.service(), name, value, "X-Api-Key", key);

            HttpResponse<String> response = client.send("tools/call", call);

            assertProblem(response, 400, "bad-request");
            assertThat(response.body()).contains("Forwarded or X-Forwarded-For header of a proxy");
        }
        assertThat(target.requests("/ok/proxy")).isZero();
    }

    @Test
    void anInvalidKeyIs401() {
        for (String key : List.of("plk_nonsense", ApiKeySecret.generate())) {
            HttpResponse<String> response =
                    client("203.0.113.2", "Authorization", "Bearer " + key).post(PING);

            assertProblem(response, 401, "invalid-key");
            assertThat(header(response, "WWW-Authenticate")).startsWith("Bearer");
        }
        assertThat(client("203.0.113.2", "X-Api-Key", FIXTURE.key()).post(PING).statusCode())
                .isEqualTo(200);
    }

    @Test
    void eachModuleIsATool() {
        JsonArray list = mcp.result("tools/list", new JsonObject()).getJsonArray("tools");

        Set<String> names = new HashSet<>();
        for (Object each : list) {
            JsonObject tool = (JsonObject) each;
            names.add(tool.getString("name"));
            assertThat(tool.getString("name")).matches("[A-Za-z0-9_.-]{1,128}");
            assertThat(tool.getString("title")).isNotEmpty();
            assertThat(tool.getString("description")).contains("Target: a").endsWith("`.");
            assertThat(tool.getJsonObject("annotations").getBoolean("readOnlyHint"))
                    .isTrue();
            JsonObject input = tool.getJsonObject("inputSchema");
            assertThat(input.getString("type")).isEqualTo("object");
            assertThat(input.getJsonArray("required")).containsExactly("target");
            assertThat(input.getJsonObject("properties").fieldNames())
                    .contains("target", "timeout_ms", "policy", "expect")
                    .doesNotContain("fresh");
            ContractValidator.validator(input);
            assertThat(tool.getJsonObject("outputSchema").getString("type")).isEqualTo("object");
            assertThat(tool.getJsonObject("outputSchema").encode())
                    .doesNotContain("$ref", "\"x-", "\"description\":\"", "\"required\":[", "dns_nxdomain")
                    .contains("\"enum\":[\"" + tool.getString("name") + "\"]", "\"retryable\":{\"type\":\"boolean\"}");
            ContractValidator.validator(tool.getJsonObject("outputSchema"));
        }
        JsonArray modules =
                new JsonObject(FIXTURE.service().get("/api/v1/tools").body()).getJsonArray("tools");
        assertThat(names)
                .hasSize(list.size())
                .containsExactlyInAnyOrderElementsOf(modules.stream()
                        .map(module -> ((JsonObject) module).getString("module"))
                        .toList());
    }

    @Test
    void theListFitsInTheContextOfAModel() {
        JsonArray list = mcp.result("tools/list", new JsonObject()).getJsonArray("tools");

        int all = 0;
        int arguments = 0;
        for (Object each : list) {
            JsonObject tool = (JsonObject) each;
            all += tool.encode().length();
            tool.remove("outputSchema");
            arguments += tool.encode().length();
        }
        // the mean, because modules are added
        assertThat(all / list.size()).isLessThan(3_300);
        assertThat(arguments / list.size()).isLessThan(1_500);
    }

    @Test
    void membersOfResultsWithNamesOfKeywordsAreInTheSchema() {
        assertThat(outputSchema("soa")
                        .getJsonObject("properties")
                        .getJsonObject("fields")
                        .getJsonObject("properties")
                        .getJsonObject("minimum"))
                .isEqualTo(new JsonObject()
                        .put("type", new JsonArray().add("integer").add("null")));
    }

    private JsonObject outputSchema(String name) {
        return mcp.result("tools/list", new JsonObject()).getJsonArray("tools").stream()
                .map(JsonObject.class::cast)
                .filter(tool -> tool.getString("name").equals(name))
                .findFirst()
                .orElseThrow()
                .getJsonObject("outputSchema");
    }

    @Test
    void aCallReturnsTheResultOfTheApiAndItsQuota() {
        JsonObject arguments =
                new JsonObject().put("target", target.url("/ok/call")).put("timeout_ms", 9000.0);
        McpClient client = client("203.0.113.10");

        HttpResponse<String> first = client.send("tools/call", McpClient.call(arguments, "http-status"));
        JsonObject cached = client.content("http-status", arguments);

        JsonObject result = json(first, 200).getJsonObject("result");
        JsonObject fresh = result.getJsonObject("structuredContent");
        assertThat(result.getBoolean("isError")).isFalse();
        assertThat(new JsonObject(McpClient.text(result))).isEqualTo(fresh);
        assertThat(header(first, "RateLimit-Policy")).isEqualTo("\"fresh\";q=3;w=3600");
        assertThat(header(first, "RateLimit")).startsWith("\"fresh\";r=2;t=");
        assertThat(fresh.getString("verdict")).isEqualTo("pass");
        assertThat(fresh.getJsonObject("fields").getInteger("status")).isEqualTo(200);
        assertThat(fresh.getBoolean("cached")).isFalse();
        assertThat(cached.getBoolean("cached")).isTrue();
        HttpResponse<String> api = FIXTURE.service()
                .get(ServiceUnderTest.instantPath("http-status", target.url("/ok/call")) + "?timeout_ms=9000");
        assertThat(new JsonObject(api.body())).isEqualTo(cached);
        assertThat(target.requests("/ok/call")).isEqualTo(1);
    }

    @Test
    void resultsMatchTheOutputSchema() {
        JsonObject schema = outputSchema("http-status");
        McpClient client =
                client("203.0.113.11", "X-Api-Key", FIXTURE.accounts().key().secret());
        for (JsonObject arguments : List.of(
                new JsonObject().put("target", target.url("/ok/schema")),
                new JsonObject()
                        .put("target", target.url("/missing/schema"))
                        .put("expect", new JsonArray().add("status == 200")),
                new JsonObject().put("target", "http://127.0.0.1:" + FreePorts.next() + "/"))) {
            JsonObject result = client.content("http-status", arguments);

            assertThat(ContractValidator.validator(schema.copy())
                            .validate(result)
                            .getValid())
                    .as(result.encode())
                    .isTrue();
            assertThat(names(schema)).containsAll(result.fieldNames());
            assertThat(names(schema.getJsonObject("properties").getJsonObject("fields")))
                    .isEqualTo(result.getJsonObject("fields").fieldNames());
        }
    }

    private static Set<String> names(JsonObject schema) {
        return schema.getJsonObject("properties").fieldNames();
    }

    @Test
    void expectationsAreApplied() {
        McpClient client = client("203.0.113.12");
        JsonObject result = client.content(
                "http-status",
                new JsonObject()
                        .put("target", target.url("/ok/expect"))
                        .put("policy", null)
                        .put("expect", new JsonArray().add("status == 201").add("redirect_count < 2")));

        assertThat(result.getString("verdict")).isEqualTo("fail");
        assertThat(result.getJsonObject("policy").getInteger("met_count")).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "{}                                                    | invalid-parameter  | target: is required",
                "{\"target\":5}                                        | invalid-parameter  | must be a string",
                "{\"target\":\"not a target\"}                         | invalid-target     | must not contain a space",
                "{\"target\":\"http://localhost/\"}                    | target-not-allowed | localhost",
                "{\"target\":\"example.com\",\"fresh\":true}           | invalid-option     | - fresh: is available for jobs",
                "{\"target\":\"example.com\",\"timeout_ms\":\"soon\"}  | invalid-option     | - timeout_ms: must be an integer",
                "{\"target\":\"example.com\",\"timeout_ms\":1500.5}    | invalid-option     | - timeout_ms: must be an integer",
                "{\"target\":\"example.com\",\"none\":{\"a\":1}}       | invalid-option     | - none: is not an option of",
                "{\"target\":\"example.com\",\"policy\":\"none\"}      | invalid-parameter  | 'none' does not exist",
                "{\"target\":\"example.com\",\"policy\":5}             | invalid-parameter  | policy: must be a string",
                "{\"target\":\"example.com\",\"expect\":\"a\"}         | invalid-parameter  | must be an array of strings",
                "{\"target\":\"example.com\",\"expect\":[\"stauts == 1\"]} | invalid-parameter | Did you mean 'status'",
            })
    void errorsOfTheInputAreResultsThatTheModelCanRead(String arguments, String code, String text) {
        long requests = target.requests();

        JsonObject result = mcp.call("http-status", new JsonObject(arguments));

        assertThat(result.getBoolean("isError")).isTrue();
        assertThat(McpClient.text(result)).contains(text);
        assertThat(result.containsKey("structuredContent")).isFalse();
        JsonObject problem = result.getJsonObject("_meta").getJsonObject("dev.plumbline/problem");
        assertThat(problem.getString("code")).isEqualTo(code);
        assertThat(problem.getInteger("status")).isEqualTo(422);
        assertThat(target.requests()).isEqualTo(requests);
    }

    @Test
    void anExceededQuotaIsAResultWithTheTimeToRetry() {
        McpClient client = client("203.0.113.20");
        for (int i = 0; i < 3; i++) {
            client.content("http-status", new JsonObject().put("target", target.url("/ok/quota" + i)));
        }

        HttpResponse<String> response = client.send(
                "tools/call", McpClient.call(new JsonObject().put("target", target.url("/ok/quota3")), "http-status"));

        JsonObject result = json(response, 200).getJsonObject("result");
        assertThat(result.getBoolean("isError")).isTrue();
        assertThat(McpClient.text(result)).contains("Your IP address has used all 3 fresh checks", "Retry after 3");
        JsonObject problem = result.getJsonObject("_meta").getJsonObject("dev.plumbline/problem");
        assertThat(problem.getString("code")).isEqualTo("quota-exceeded");
        assertThat(problem.getInteger("status")).isEqualTo(429);
        assertThat(problem.getInteger("retry_after_seconds")).isBetween(3500, 3600);
        assertThat(header(response, "RateLimit")).startsWith("\"fresh\";r=0;t=");
        // cached results remain available, and the API has the same quota
        client.content("http-status", new JsonObject().put("target", target.url("/ok/quota0")));
        assertProblem(
                FIXTURE.service().instant("http-status", target.url("/ok/quota3"), "X-Forwarded-For", "203.0.113.20"),
                429,
                "quota-exceeded");
    }

    @Test
    void aKeyOfAProAccountHasItsOwnQuota() {
        TestAccounts accounts = FIXTURE.accounts();
        JsonObject arguments = new JsonObject().put("target", target.url("/ok/pro"));
        JsonObject free = new JsonObject().put("target", target.url("/ok/free"));

        HttpResponse<String> pro = client(
                        "203.0.113.21", "X-Api-Key", accounts.key().secret())
                .send("tools/call", McpClient.call(arguments, "http-status"));
        HttpResponse<String> other = client(
                        "203.0.113.21",
                        "X-Api-Key",
                        accounts.key(accounts.account(Plan.FREE), Scope.values())
                                .secret())
                .send("tools/call", McpClient.call(free, "http-status"));

        assertThat(header(pro, "RateLimit-Policy")).isEqualTo("\"fresh-key\";q=4;w=3600");
        assertThat(header(other, "RateLimit-Policy")).isEqualTo("\"fresh\";q=3;w=3600");
    }

    @Test
    void aCheckThatIsTheClientIsRejected() {
        McpClient own = client("203.0.113.22", "Via", "1.1 plumbline");

        JsonObject result = own.call("http-status", new JsonObject().put("target", target.url("/ok/loop")));

        assertThat(result.getBoolean("isError")).isTrue();
        assertThat(McpClient.text(result)).contains("loop");
    }

    @Test
    void theEndpointIsOffByDefault() {
        try (ServiceUnderTest service =
                ServiceUnderTest.start(FIXTURE.database().url(), Map.of())) {
            McpClient client = new McpClient(service);

            assertProblem(client.post(PING), 404, "not-found");
            assertProblem(service.pageBy("GET", McpClient.PATH), 404, "not-found");
            assertThat(service.pageBy("OPTIONS", McpClient.PATH).statusCode()).isEqualTo(404);
        }
    }
}
