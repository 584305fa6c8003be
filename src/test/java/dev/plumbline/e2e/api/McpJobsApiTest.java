package dev.plumbline.e2e.api;

import static dev.plumbline.support.JobsApiClient.header;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.support.Await;
import dev.plumbline.support.ContractValidator;
import dev.plumbline.support.CountingTarget;
import dev.plumbline.support.JobsApiClient;
import dev.plumbline.support.JobsApiFixture;
import dev.plumbline.support.McpClient;
import dev.plumbline.support.RawHttpClient;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The tools for jobs, and the resources, of the Model Context Protocol. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class McpJobsApiTest {
    private static final List<String> JOB_TOOLS =
            List.of("create_job", "list_jobs", "get_job", "get_job_results", "summarize_job", "compare_jobs");

    /** The tools that read one job. */
    private static final List<String> READING_TOOLS = JOB_TOOLS.subList(2, 6);

    @RegisterExtension
    static final JobsApiFixture FIXTURE = new JobsApiFixture(Map.of(
            "MCP_ENABLED",
            "true",
            "LIMITS_JOBS_PER_HOUR",
            "6",
            "POLICIES_DIR",
            Path.of("src/test/resources/policies").toAbsolutePath().toString()));

    private CountingTarget target;
    private McpClient mcp;
    private String token;

    /** Line 0 passes, line 1 has status 404, line 2 is not valid. */
    @BeforeAll
    void create() {
        target = new CountingTarget(FIXTURE.database().vertx());
        mcp = new McpClient(FIXTURE.service(), "X-Api-Key", FIXTURE.key());
        JsonObject created =
                mcp.content("create_job", job(target.url("/ok/a"), target.url("/missing/b"), "not a target"));
        token = created.getString("token");
        assertThat(created.containsKey("results")).isFalse();
        assertThat(created.getInteger("matched")).isEqualTo(3);
        finished(token);
    }

    private static JsonObject job(String... items) {
        return new JsonObject().put("module", "http-status").put("items", new JsonArray(List.of(items)));
    }

    private JsonObject finished(String job) {
        JsonObject finished =
                mcp.content("get_job", new JsonObject().put("token", job).put("wait_seconds", 30));
        assertThat(finished.getString("state")).isEqualTo("completed");
        return finished;
    }

    private JsonObject arguments() {
        return new JsonObject().put("token", token);
    }

    private JsonObject api(String rest) {
        HttpResponse<String> response = FIXTURE.client().get("/" + token + rest);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return new JsonObject(response.body());
    }

    private static List<String> tools(McpClient client) {
        return client.result("tools/list", new JsonObject()).getJsonArray("tools").stream()
                .map(tool -> ((JsonObject) tool).getString("name"))
                .filter(name -> name.contains("job"))
                .toList();
    }

    private static McpClient client(TestAccounts.Key key) {
        return new McpClient(FIXTURE.service(), "Authorization", "Bearer " + key.secret());
    }

    @Test
    void theListHasTheToolsThatTheKeyPermits() {
        TestAccounts accounts = FIXTURE.accounts();

        assertThat(tools(mcp)).containsExactlyElementsOf(JOB_TOOLS);
        assertThat(tools(new McpClient(FIXTURE.service()))).isEmpty();
        assertThat(tools(client(accounts.key(accounts.account(Plan.PRO), Scope.JOBS_READ))))
                .containsExactlyElementsOf(JOB_TOOLS.subList(1, 6));
        assertThat(tools(client(accounts.key(accounts.account(Plan.FREE), Scope.values()))))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"create_job", "list_jobs", "get_job", "get_job_results", "summarize_job", "compare_jobs"})
    void withoutPermissionTheResultNamesWhatIsMissing(String tool) {
        TestAccounts accounts = FIXTURE.accounts();

        denied(new McpClient(FIXTURE.service()), tool, "no-key", "Send an API key");
        denied(
                client(accounts.key(accounts.account(Plan.FREE), Scope.values())),
                tool,
                "not-pro",
                "Jobs require the Pro plan");
        denied(client(accounts.key(accounts.account(Plan.PRO))), tool, "insufficient-scope", "the scope jobs:");
    }

    private void denied(McpClient client, String tool, String code, String text) {
        JsonObject result = client.call(tool, arguments());

        assertThat(result.getBoolean("isError")).isTrue();
        assertThat(McpClient.text(result)).contains(text);
        assertThat(problem(result).getString("code")).isEqualTo(code);
    }

    private static JsonObject problem(JsonObject result) {
        return result.getJsonObject("_meta").getJsonObject("dev.plumbline/problem");
    }

    @Test
    void documentsAreThoseOfTheApi() {
        assertThat(mcp.content("get_job", arguments())).isEqualTo(api("?results=false"));
        assertThat(mcp.content("get_job_results", arguments())).isEqualTo(api(""));
        assertThat(mcp.content(
                        "get_job_results",
                        arguments()
                                .put("verdict", new JsonArray().add("pass").add("error"))
                                .put("fields", new JsonArray().add("status"))
                                .put("cursor", null)
                                .put("limit", 1)))
                .isEqualTo(api("?verdict=pass,error&fields=status&limit=1"));
        assertThat(mcp.content(
                        "get_job_results",
                        arguments()
                                .put("finding", new JsonArray().add("status_client_error"))
                                .put("q", "missing")))
                .isEqualTo(api("?finding=status_client_error&q=missing"));
        assertThat(mcp.content("summarize_job", arguments())).isEqualTo(api("/summary"));
        assertThat(mcp.content(
                        "summarize_job",
                        arguments()
                                .put("verdict", new JsonArray().add("fail"))
                                .put("expect", new JsonArray().add("status == 200"))))
                .isEqualTo(api("/summary?verdict=fail&expect=status%20==%20200"));
        assertThat(mcp.content("compare_jobs", arguments().put("against", token)))
                .isEqualTo(api("/diff?against=" + token));
        assertThat(mcp.content(
                        "compare_jobs",
                        arguments()
                                .put("against", token)
                                .put("change", new JsonArray().add("unchanged"))
                                .put("volatile", true)
                                .put("limit", 2)))
                .isEqualTo(api("/diff?change=unchanged&volatile=true&limit=2&against=" + token));
    }

    @Test
    void documentsMatchTheirSchemas() {
        JsonArray tools = mcp.result("tools/list", new JsonObject()).getJsonArray("tools");
        for (String tool : JOB_TOOLS.subList(1, 6)) {
            JsonObject arguments = tool.equals("list_jobs")
                    ? new JsonObject()
                    : tool.equals("compare_jobs") ? arguments().put("against", token) : arguments();
            JsonObject declared = tools.stream()
                    .map(JsonObject.class::cast)
                    .filter(each -> each.getString("name").equals(tool))
                    .findFirst()
                    .orElseThrow();

            assertThat(declared.getJsonObject("inputSchema").encode()).contains("\"description\":\"");
            assertThat(ContractValidator.validator(declared.getJsonObject("inputSchema"))
                            .validate(arguments)
                            .getValid())
                    .isTrue();
            JsonObject document = mcp.content(tool, arguments);
            JsonObject schema = declared.getJsonObject("outputSchema");
            assertThat(schema.getJsonObject("properties").fieldNames()).containsAll(document.fieldNames());
            assertThat(ContractValidator.validator(schema).validate(document).getValid())
                    .as(tool)
                    .isTrue();
        }
    }

    @Test
    void pagesContainEachLineOnce() {
        JsonObject first = mcp.content("get_job_results", arguments().put("limit", 2));
        JsonObject second = mcp.content(
                "get_job_results", arguments().put("limit", 2).put("cursor", first.getString("next_cursor")));

        assertThat(JobsApiClient.lines(first))
                .extracting(line -> line.getInteger("index"))
                .containsExactly(0, 1);
        assertThat(JobsApiClient.lines(second))
                .extracting(line -> line.getInteger("index"))
                .containsExactly(2);
        assertThat(second.getString("next_cursor")).isNull();
        String cursor = mcp.content(
                        "compare_jobs",
                        arguments()
                                .put("against", token)
                                .put("change", new JsonArray().add("unchanged"))
                                .put("limit", 2))
                .getString("next_cursor");
        assertThat(mcp.content(
                                "compare_jobs",
                                arguments()
                                        .put("against", token)
                                        .put("change", new JsonArray().add("unchanged"))
                                        .put("cursor", cursor))
                        .getJsonArray("lines"))
                .hasSize(1);
    }

    @Test
    void jobsOfTheAccountAreListedNewestFirst() {
        TestAccounts.Key owner = FIXTURE.accounts().key();
        McpClient client = client(owner);
        for (String name : List.of("first", "second", "third")) {
            client.content("create_job", job("not a target").put("name", name));
        }
        JsonObject newest = client.content("list_jobs", new JsonObject().put("limit", 2));
        JsonObject rest = client.content("list_jobs", new JsonObject().put("cursor", newest.getString("next_cursor")));
        String token = rest.getJsonArray("jobs").getJsonObject(0).getString("token");
        client.content("get_job", new JsonObject().put("token", token).put("wait_seconds", 30));

        assertThat(names(newest)).containsExactly("third", "second");
        assertThat(names(rest)).containsExactly("first");
        assertThat(client.content(
                        "list_jobs", new JsonObject().put("limit", 1).put("cursor", newest.getString("next_cursor"))))
                .isEqualTo(new JsonObject(FIXTURE.client()
                        .get("?limit=1&cursor=" + newest.getString("next_cursor"), "X-Api-Key", owner.secret())
                        .body()));
        assertThat(names(client(FIXTURE.accounts().key()).content("list_jobs", new JsonObject())))
                .isEmpty();
    }

    private static List<String> names(JsonObject jobs) {
        return jobs.getJsonArray("jobs").stream()
                .map(job -> ((JsonObject) job).getString("name"))
                .toList();
    }

    @Test
    void thePolicyOfTheJobIsApplied() {
        JsonObject created = mcp.content(
                "create_job",
                job(target.url("/missing/policy")).put("policy", "lab-status").put("name", "with a policy"));
        finished(created.getString("token"));

        JsonObject lines = mcp.content("get_job_results", new JsonObject().put("token", created.getString("token")));

        assertThat(created.getString("name")).isEqualTo("with a policy");
        assertThat(JobsApiClient.lines(lines).get(0).getJsonObject("policy").getString("name"))
                .isEqualTo("lab-status");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "list_jobs       | {\"limit\":101}                           | invalid-parameter | - /limit: must be at most 100",
                "list_jobs       | {\"limit\":0}                             | invalid-parameter | - /limit: must be at least 1",
                "list_jobs       | {\"cursor\":\"x\"}                        | bad-request | cursor",
                "list_jobs       | {\"token\":\"T\"}                         | invalid-parameter | - /token: is not a known",
                "get_job         | {}                                        | invalid-parameter | - /token: is required",
                "get_job         | {\"token\":5}                             | invalid-parameter | - /token: must be a string",
                "get_job         | {\"token\":\"job_x\"}                     | no-such-job       | 'job_x'",
                "get_job         | {\"token\":\"T\",\"wait_seconds\":31}     | invalid-parameter | - /wait_seconds: must be at most 30",
                "get_job         | {\"token\":\"T\",\"limit\":1}             | invalid-parameter | - /limit: is not a known",
                "get_job_results | {\"token\":\"T\",\"limit\":101}           | invalid-parameter | - /limit: must be at most 100",
                "get_job_results | {\"token\":\"T\",\"verdict\":[\"bad\"]}   | invalid-parameter | - /verdict/0: must be one of",
                "get_job_results | {\"token\":\"T\",\"fields\":[\"none\"]}   | invalid-parameter | 'none' is not a field of http-status",
                "get_job_results | {\"token\":\"T\",\"cursor\":\"x\"}        | bad-request | cursor",
                "get_job_results | {\"token\":\"T\",\"policy\":\"none\"}     | invalid-parameter | 'none' does not exist",
                "summarize_job   | {\"token\":\"T\",\"expect\":[\"x\"]}      | invalid-parameter | 'x' is not valid",
                "compare_jobs    | {\"token\":\"T\"}                         | invalid-parameter | - /against: is required",
                "compare_jobs    | {\"token\":\"T\",\"against\":\"job_x\"}   | no-such-job       | Parameter against",
                "compare_jobs    | {\"token\":\"T\",\"against\":\"T\",\"cursor\":\"x\"} | bad-request | cursor",
                "create_job      | {}                                        | invalid-job       | - /module: is missing",
                "create_job      | {\"module\":\"none\",\"items\":[\"a\"]}   | invalid-job       | is not a known module",
                "create_job      | {\"module\":\"hsts\",\"items\":[]}        | invalid-job       | is empty",
                "create_job      | {\"module\":\"hsts\",\"items\":[\"a\"],\"policy\":\"none\"} | invalid-job | 'none' does not exist",
            })
    void errorsOfTheInputAreResults(String tool, String arguments, String code, String text) {
        JsonObject result = mcp.call(tool, new JsonObject(arguments.replace("\"T\"", '"' + token + '"')));

        assertThat(result.getBoolean("isError")).as(McpClient.text(result)).isTrue();
        assertThat(McpClient.text(result)).contains(text);
        assertThat(problem(result).getString("code")).isEqualTo(code);
    }

    @Test
    void aJobOfAnotherAccountIsNotFound() {
        McpClient other = client(FIXTURE.accounts().key());
        for (String tool : READING_TOOLS) {
            JsonObject result =
                    other.call(tool, tool.equals("compare_jobs") ? arguments().put("against", token) : arguments());

            assertThat(problem(result).getInteger("status")).isEqualTo(404);
        }
    }

    @Test
    void jobsUseTheQuotaOfTheKey() {
        McpClient client = client(FIXTURE.accounts().key());
        HttpResponse<String> last = null;
        for (int i = 0; i < 6; i++) {
            last = client.send("tools/call", McpClient.call(job("not a target"), "create_job"));
            assertThat(last.body()).contains("\"isError\":false");
        }
        assertThat(header(last, "RateLimit")).startsWith("\"jobs\";r=0;t=");

        JsonObject denied = client.call("create_job", job("not a target"));

        assertThat(problem(denied).getString("code")).isEqualTo("quota-exceeded");
        assertThat(McpClient.text(denied)).contains("This API key has created 6 jobs", "Retry after 3");
    }

    @Test
    void aKeyRevokedDuringTheBodyCreatesNoJob() throws IOException {
        TestAccounts.Key owner = FIXTURE.accounts().key();
        String body = new JsonObject()
                .put("jsonrpc", "2.0")
                .put("id", 1)
                .put("method", "tools/call")
                .put("params", McpClient.call(job("not a target"), "create_job"))
                .encode();
        try (RawHttpClient slow =
                RawHttpClient.connect(FIXTURE.service().uri("/").getPort())) {
            slow.send("POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
                    + "Expect: 100-continue\r\nX-Api-Key: " + owner.secret() + "\r\nContent-Length: " + body.length()
                    + "\r\n\r\n");
            // the key is valid, so the body is requested
            assertThat(slow.response().status()).isEqualTo(100);
            slow.send(body.substring(0, 10));
            FIXTURE.accounts().sql("update api_key set revoked_at = now() where id = $1", owner.keyId());
            Await.until(
                    () -> FIXTURE.client().get("", "X-Api-Key", owner.secret()).statusCode() == 401);

            slow.send(body.substring(10));

            assertThat(slow.response().status()).isEqualTo(401);
        }
        assertThat(FIXTURE.accounts()
                        .row("select count(*) from job where account_id = $1", owner.accountId())
                        .getLong(0))
                .isZero();
    }

    @Test
    void aDocumentOverTheSizeLimitIsRejected() {
        String path = target.url("/ok/" + "x".repeat(1900) + "/");
        JsonObject created = mcp.content(
                "create_job",
                job(IntStream.range(0, 100).mapToObj(i -> path + i).toArray(String[]::new)));
        JsonObject job = new JsonObject().put("token", created.getString("token"));
        finished(created.getString("token"));

        JsonObject result = mcp.call("get_job_results", job.copy().put("limit", 100));
        JsonObject selected = mcp.content(
                "get_job_results", job.copy().put("limit", 100).put("fields", new JsonArray().add("status")));

        assertThat(problem(result).getString("code")).isEqualTo("result-too-large");
        assertThat(McpClient.text(result)).contains("524,288 bytes", "smaller limit");
        assertThat(selected.getJsonArray("results")).hasSize(100);
    }

    @Test
    void resourcesAreTheModulesAndPolicies() {
        McpClient client = new McpClient(FIXTURE.service());
        List<JsonObject> resources =
                client.result("resources/list", new JsonObject()).getJsonArray("resources").stream()
                        .map(JsonObject.class::cast)
                        .toList();

        assertThat(resources)
                .extracting(resource -> resource.getString("uri"))
                .contains("plumbline://modules/hsts", "plumbline://policies/lab-status")
                .doesNotHaveDuplicates();
        assertThat(resources).allSatisfy(resource -> {
            assertThat(resource.getString("mimeType")).isEqualTo("application/json");
            assertThat(resource.getString("title")).isNotEmpty();
        });
        assertThat(client.result("resources/templates/list", new JsonObject()).getJsonArray("resourceTemplates"))
                .extracting(template -> ((JsonObject) template).getString("uriTemplate"))
                .containsExactly("plumbline://modules/{name}", "plumbline://policies/{name}");
        assertThat(content(client, "plumbline://modules/hsts")).isEqualTo(document("/api/v1/tools/hsts"));
        assertThat(content(client, "plumbline://policies/lab-status"))
                .isEqualTo(document("/api/v1/policies/lab-status"));
        resources.forEach(resource -> content(client, resource.getString("uri")));
    }

    private static JsonObject content(McpClient client, String uri) {
        JsonObject content = client.result("resources/read", new JsonObject().put("uri", uri))
                .getJsonArray("contents")
                .getJsonObject(0);
        assertThat(content.getString("uri")).isEqualTo(uri);
        return new JsonObject(content.getString("text"));
    }

    private static JsonObject document(String path) {
        return new JsonObject(FIXTURE.service().get(path).body());
    }

    @ParameterizedTest
    @CsvSource({
        "resources/read, plumbline://modules/none, -32002",
        "resources/read, plumbline://policies/none, -32002",
        "resources/read, plumbline://jobs/none, -32002",
        "resources/read, /etc/passwd, -32002",
        "resources/read, , -32602",
        "resources/list, cursor, -32602",
        "resources/subscribe, plumbline://modules/hsts, -32601",
    })
    void unknownResourcesAreErrors(String method, @Nullable String uri, int code) {
        JsonObject params = new JsonObject().put(method.equals("resources/list") ? "cursor" : "uri", uri);

        HttpResponse<String> response = mcp.send(method, params);

        JsonObject error = new JsonObject(response.body()).getJsonObject("error");
        assertThat(error.getInteger("code")).isEqualTo(code);
        if (code == -32002) {
            assertThat(error.getJsonObject("data").getString("uri")).isEqualTo(uri);
        }
    }
}
