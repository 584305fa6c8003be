package dev.plumbline.http.api.mcp;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.api.tool.ToolSchemas;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.policy.ExpressionCompiler;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.TargetParser;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** One tool for each module: an instant check, with the same cache, quotas and problems as that of the API. */
final class ModuleTools {
    private static final String TARGET = "target";
    private static final String POLICY = "policy";
    private static final String EXPECT = "expect";
    private static final double MAX_EXACT_DOUBLE = 1L << 53;

    private final ModuleCatalogue modules;
    private final InstantCheckService checks;
    private final PolicyService policies;

    ModuleTools(ModuleCatalogue modules, InstantCheckService checks, PolicyService policies) {
        this.modules = modules;
        this.checks = checks;
        this.policies = policies;
    }

    /**
     * Returns the declarations of the tools.
     *
     * @param schemas the schemas of the results
     */
    List<JsonObject> declarations(ContractSchemas schemas) {
        return modules.descriptions().stream()
                .map(module -> declaration(module, schemas))
                .toList();
    }

    private static JsonObject declaration(ModuleDescription module, ContractSchemas schemas) {
        return new JsonObject()
                .put("name", module.module())
                .put("title", module.title())
                .put("description", module.summary() + " Target: " + inWords(module) + ".")
                .put("inputSchema", arguments(module))
                .put("outputSchema", schemas.response("/api/v1/instant/" + module.module() + "/{target}", "get", "200"))
                .put("annotations", new JsonObject().put("readOnlyHint", true).put("openWorldHint", true));
    }

    private static String inWords(ModuleDescription module) {
        String type =
                switch (module.input()) {
                    case DOMAIN -> "a domain name";
                    case URL -> "a URL or hostname";
                    case IP -> "an IP address";
                    case HOST -> "a hostname or IP address";
                    case EMAIL -> "an e-mail address";
                    case HOST_PORT -> "a hostname or IP address, with an optional port";
                };
        return type + ", such as `" + module.example() + "`";
    }

    /**
     * The schema of the arguments. It uses the context of each model, so the titles of options are omitted, and the
     * texts that all tools have are short.
     */
    private static JsonObject arguments(ModuleDescription module) {
        JsonObject options = ToolSchemas.options(module);
        // at most 2,048 bytes, so at most as many characters; the description of the tool states the syntax
        JsonObject properties = new JsonObject()
                .put(
                        TARGET,
                        new JsonObject()
                                .put("type", "string")
                                .put("minLength", 1)
                                .put("maxLength", TargetParser.MAX_BYTES));
        for (Map.Entry<String, Object> option : options.getJsonObject("properties")) {
            // instant checks do not have the option of jobs
            if (!option.getKey().equals(ModuleDescription.FRESH.name())) {
                JsonObject schema = ((JsonObject) option.getValue()).copy();
                schema.remove("title");
                properties.put(option.getKey(), schema);
            }
        }
        properties
                .put(
                        POLICY,
                        new JsonObject()
                                .put("type", "string")
                                .put("description", "The name of a policy to apply to the result."))
                .put(
                        EXPECT,
                        new JsonObject()
                                .put("type", "array")
                                .put("maxItems", PolicyEvaluation.MAX_EXPECTATIONS)
                                .put(
                                        "items",
                                        new JsonObject()
                                                .put("type", "string")
                                                .put("maxLength", ExpressionCompiler.MAX_LENGTH))
                                .put(
                                        "description",
                                        "Conditions on the fields in CEL, such as `status == 200`. Each one that is not"
                                                + " met is a finding."));
        return new JsonObject()
                .put("type", "object")
                .put("properties", properties)
                .put("required", new JsonArray().add(TARGET))
                .put("additionalProperties", false);
    }

    /** Returns the module of a tool; null if there is no such tool. */
    @Nullable
    ModuleDescription find(String tool) {
        return modules.description(tool);
    }

    /**
     * Runs a check. Fails with a {@link ProblemException} if there is no result.
     *
     * @param caller null without an API key
     * @return the result as JSON
     */
    Future<byte[]> call(
            RoutingContext ctx, @Nullable ApiCaller caller, ModuleDescription module, JsonObject arguments) {
        Map<String, @Nullable Object> options = new HashMap<>(arguments.getMap());
        Object target = options.remove(TARGET);
        PolicyParameters policy = policy(options.remove(POLICY), options.remove(EXPECT));
        if (!(target instanceof String text)) {
            throw new ProblemException(Problem.invalidParameters(
                    List.of(Problem.Fault.parameter(TARGET, target == null ? "is required" : "must be a string"))));
        }
        options.replaceAll((name, value) -> whole(value));
        Options.Parsed parsed = Options.parse(module, options);
        Options valid = parsed.options();
        if (valid == null) {
            throw new ProblemException(InstantCheckService.invalidOptions(parsed.faults()));
        }
        // before the check: an invalid expectation does not use the quota
        return policies.evaluation(ctx, module, policy).compose(evaluation -> checks.check(
                        ctx, module.module(), text, valid.queryParameters(), checks.quotaKey(ctx, caller))
                .compose(outcome -> result(ctx, outcome, evaluation)));
    }

    private static Future<byte[]> result(
            RoutingContext ctx, InstantOutcome outcome, @Nullable ResultEvaluation evaluation) {
        if (!(outcome instanceof InstantOutcome.Completed completed)) {
            return ProblemException.failed(InstantCheckService.problem(ctx, outcome));
        }
        InstantCheckService.setRateLimitHeaders(ctx, completed);
        byte[] result = InstantCheckService.body(completed).getBytes();
        return evaluation == null ? Future.succeededFuture(result) : evaluation.apply(result);
    }

    /** In JSON Schema, 5.0 is an integer. */
    private static @Nullable Object whole(@Nullable Object value) {
        if (value instanceof Double number && number == Math.rint(number) && Math.abs(number) < MAX_EXACT_DOUBLE) {
            return number.longValue();
        }
        return value;
    }

    /** @throws ProblemException if the arguments have other types, or if there are too many expectations */
    static PolicyParameters policy(@Nullable Object policy, @Nullable Object expect) {
        List<Problem.Fault> faults = new ArrayList<>();
        MultiMap parameters = MultiMap.caseInsensitiveMultiMap();
        if (policy instanceof String name) {
            parameters.add(POLICY, name);
        } else if (policy != null) {
            faults.add(Problem.Fault.parameter(POLICY, "must be a string"));
        }
        if (expect instanceof List<?> expressions && expressions.stream().allMatch(String.class::isInstance)) {
            expressions.forEach(expression -> parameters.add(EXPECT, (String) expression));
        } else if (expect != null) {
            faults.add(Problem.Fault.parameter(EXPECT, "must be an array of strings"));
        }
        if (!faults.isEmpty()) {
            throw new ProblemException(Problem.invalidParameters(faults));
        }
        return PolicyParameters.of(parameters);
    }
}
