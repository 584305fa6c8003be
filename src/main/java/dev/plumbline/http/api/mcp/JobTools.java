package dev.plumbline.http.api.mcp;

import com.google.common.collect.ImmutableMap;
import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.http.api.job.JobDocuments;
import dev.plumbline.http.api.job.LineSelection;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.BodySchema;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The tools that create and read jobs. They require an API key. */
final class JobTools {
    private static final String JOBS = "/api/v1/jobs";
    private static final String JOB = JOBS + "/{token}";

    /** Agents read few lines at once, because the lines of a job can have 64 KiB each. */
    private static final int DEFAULT_LIMIT = 20;

    private static final int MAX_LIMIT = 100;
    private static final int MAX_WAIT_SECONDS = 30;

    /** The descriptions of the arguments, in their order. The schemas are those of openapi.json. */
    private static final Map<String, String> ARGUMENTS = ImmutableMap.<String, String>builder()
            .put("token", "The token of the job.")
            .put("against", "The token of the earlier job, with the same module.")
            .put("verdict", "Only lines with one of these verdicts.")
            .put(
                    "finding",
                    "Only lines with one of these findings or errors: a code, or for composites PART/CODE with the module"
                            + " of a part.")
            .put("q", "Only lines whose input or target contains this text.")
            .put("fields", "Only these fields of each result.")
            .put("change", "Only these changes. By default, all but unchanged.")
            .put("volatile", "Whether changes contain volatile fields, for example durations.")
            .put("policy", "The name of a policy that is applied to each result.")
            .put("expect", "Conditions in the Common Expression Language (CEL) that each result must meet.")
            .put("limit", "The maximum number of jobs or lines.")
            .put("cursor", "The next_cursor of the previous page.")
            .build();

    /** Runs a tool with valid arguments. */
    private interface Call {
        Future<Buffer> run(RoutingContext ctx, ApiCaller caller, JsonObject arguments);
    }

    /** @param schema of the arguments; null if the call validates them */
    private record Tool(Scope scope, String declaration, @Nullable BodySchema schema, Call call) {}

    private final JobDocuments jobs;
    private final ApiKeyHandler keys;
    private final Map<String, Tool> tools = new LinkedHashMap<>();

    JobTools(JobDocuments jobs, ApiKeyHandler keys, ContractSchemas schemas) {
        this.jobs = jobs;
        this.keys = keys;
        add(
                Scope.JOBS_WRITE,
                "create_job",
                "Create a job",
                "Checks up to 500 targets with one module in the background, for example all hosts of a domain. The"
                        + " tools of the modules describe `options`. Returns the job with its `token`. Wait until it is"
                        + " finished with get_job, then use summarize_job.",
                schemas.request(JOBS, "post"),
                schemas.response(JOBS, "post", "202"),
                null,
                (ctx, caller, arguments) -> jobs.create(ctx, caller, arguments.toBuffer()));
        read(
                "list_jobs",
                "List jobs",
                "Returns the jobs of the account, newest first, without their lines.",
                schemas.parameters(JOBS, "get", ARGUMENTS),
                schemas.response(JOBS, "get", "200"),
                (ctx, caller, arguments) ->
                        jobs.list(caller, arguments.getInteger("limit", DEFAULT_LIMIT), arguments.getString("cursor")));
        read(
                "get_job",
                "Get a job",
                "Returns the state of a job and the number of its lines by state and verdict.",
                withWait(schemas.parameters(JOB, "get", Map.of("token", "The token of the job."))),
                schemas.response(JOB, "get", "200"),
                this::get);
        read(
                "get_job_results",
                "Get the results of a job",
                "Returns lines of a job with their results, in the order of its items. Select lines and fields: results"
                        + " are long.",
                pages(schemas.parameters(JOB, "get", ARGUMENTS)),
                schemas.response(JOB, "get", "200"),
                this::results);
        read(
                "summarize_job",
                "Summarize a job",
                "Returns the findings of a job by the number of lines that have them, and statistics of each field.",
                schemas.parameters(JOB + "/summary", "get", ARGUMENTS),
                schemas.response(JOB + "/summary", "get", "200"),
                (ctx, caller, arguments) -> jobs.summary(
                        ctx, caller, arguments.getString("token"), selection(arguments), policy(arguments)));
        read(
                "compare_jobs",
                "Compare two jobs",
                "Returns what changed between two jobs of the same module: lines that are new, gone, worse, better or"
                        + " changed, with their findings and fields.",
                pages(schemas.parameters(JOB + "/diff", "get", ARGUMENTS)),
                schemas.response(JOB + "/diff", "get", "200"),
                this::compare);
    }

    private void read(
            String name, String title, String description, JsonObject arguments, JsonObject result, Call call) {
        add(Scope.JOBS_READ, name, title, description, arguments, result, BodySchema.of(arguments), call);
    }

    private void add(
            Scope scope,
            String name,
            String title,
            String description,
            JsonObject arguments,
            JsonObject result,
            @Nullable BodySchema schema,
            Call call) {
        boolean reads = scope == Scope.JOBS_READ;
        JsonObject annotations = new JsonObject().put("readOnlyHint", reads).put("openWorldHint", !reads);
        if (!reads) {
            annotations.put("destructiveHint", false).put("idempotentHint", false);
        }
        JsonObject declaration = new JsonObject()
                .put("name", name)
                .put("title", title)
                .put("description", description)
                .put("inputSchema", arguments)
                .put("outputSchema", result)
                .put("annotations", annotations);
        tools.put(name, new Tool(scope, declaration.encode(), schema, call));
    }

    private static JsonObject withWait(JsonObject arguments) {
        arguments
                .getJsonObject("properties")
                .put(
                        "wait_seconds",
                        new JsonObject()
                                .put("type", "integer")
                                .put("minimum", 0)
                                .put("maximum", MAX_WAIT_SECONDS)
                                .put("default", 0)
                                .put("description", "Waits up to this time until the job is finished."));
        return arguments;
    }

    private static JsonObject pages(JsonObject arguments) {
        arguments
                .getJsonObject("properties")
                .getJsonObject("limit")
                .put("maximum", MAX_LIMIT)
                .put("default", DEFAULT_LIMIT);
        return arguments;
    }

    /**
     * The declarations of the tools that a caller can use, as JSON.
     *
     * @param caller null without an API key
     */
    List<String> declarations(@Nullable ApiCaller caller) {
        return tools.values().stream()
                .filter(tool -> ApiKeyHandler.denial(caller, tool.scope) == null)
                .map(Tool::declaration)
                .toList();
    }

    boolean contains(String name) {
        return tools.containsKey(name);
    }

    /**
     * Runs a tool. Fails with a {@link ProblemException} if the caller lacks permission or the arguments are not valid.
     *
     * @param caller null without an API key
     * @return a JSON document
     */
    Future<byte[]> call(RoutingContext ctx, @Nullable ApiCaller caller, String name, JsonObject arguments) {
        Tool tool = tools.get(name);
        if (tool == null) {
            throw new IllegalArgumentException(name);
        }
        Problem denial = ApiKeyHandler.denial(caller, tool.scope);
        if (denial != null) {
            return ProblemException.failed(denial);
        }
        JsonObject given = arguments.copy();
        given.getMap().values().removeIf(Objects::isNull);
        List<Problem.Fault> faults = tool.schema == null ? List.of() : tool.schema.faults(given);
        if (!faults.isEmpty()) {
            return ProblemException.failed(invalid(faults));
        }
        return tool.call.run(ctx, Objects.requireNonNull(caller), given).map(Buffer::getBytes);
    }

    private static Problem invalid(List<Problem.Fault> faults) {
        return Problem.of(
                        422, "invalid-parameter", "Invalid parameter", "The call has invalid arguments. Correct them.")
                .withFaults(faults);
    }

    private Future<Buffer> get(RoutingContext ctx, ApiCaller caller, JsonObject arguments) {
        int seconds = arguments.getInteger("wait_seconds", 0);
        Future<Buffer> job = jobs.read(ctx, caller, arguments.getString("token"), seconds);
        if (seconds == 0) {
            return job;
        }
        // the API key can have been revoked while the request was held; a problem is sent then
        Promise<Buffer> authenticated = Promise.promise();
        job.onSuccess(document -> keys.authenticate(ctx, Scope.JOBS_READ, valid -> authenticated.complete(document)))
                .onFailure(authenticated::fail);
        return authenticated.future();
    }

    private Future<Buffer> results(RoutingContext ctx, ApiCaller caller, JsonObject arguments) {
        return jobs.results(
                ctx,
                caller,
                arguments.getString("token"),
                selection(arguments),
                arguments.getString("cursor"),
                arguments.getInteger("limit", DEFAULT_LIMIT),
                policy(arguments));
    }

    private Future<Buffer> compare(RoutingContext ctx, ApiCaller caller, JsonObject arguments) {
        return jobs.comparison(
                ctx,
                caller,
                arguments.getString("token"),
                arguments.getString("against"),
                joined(arguments, "change"),
                arguments.getBoolean("volatile", false),
                arguments.getString("cursor"),
                arguments.getInteger("limit", DEFAULT_LIMIT),
                policy(arguments));
    }

    private static LineSelection selection(JsonObject arguments) {
        return LineSelection.read(name -> joined(arguments, name));
    }

    private static PolicyParameters policy(JsonObject arguments) {
        JsonArray expect = arguments.getJsonArray("expect");
        return ModuleTools.policy(arguments.getValue("policy"), expect == null ? null : expect.getList());
    }

    /** A text or the items of an array, separated by commas; empty if the argument is missing. */
    private static String joined(JsonObject arguments, String name) {
        Object value = arguments.getValue(name, "");
        return value instanceof JsonArray items
                ? items.stream().map(String::valueOf).collect(Collectors.joining(","))
                : String.valueOf(value);
    }
}
