package dev.plumbline.http.api.policy;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.StaticDocument;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.policy.Policy;
import dev.plumbline.policy.Policy.Rule;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** {@code GET /api/v1/policies} and {@code GET /api/v1/policies/{name}}. */
public final class PolicyOperations {
    private final PolicyService policies;

    public PolicyOperations(PolicyService policies) {
        this.policies = policies;
    }

    public List<ApiOperation> all() {
        return List.of(
                new ApiOperation("listPolicies", ctx -> send(ctx, policies.all().map(PolicyOperations::list))),
                new ApiOperation(
                        "getPolicy",
                        ctx -> send(ctx, policies.get(ctx.pathParam("name")).map(PolicyOperations::description))));
    }

    private static void send(RoutingContext ctx, Future<JsonObject> document) {
        RequestFutures.handle(ctx, document, json -> new StaticDocument(json).send(ctx));
    }

    private static JsonObject list(List<Policy> policies) {
        return new JsonObject()
                .put(
                        "policies",
                        new JsonArray(
                                policies.stream().map(PolicyOperations::summary).toList()));
    }

    /** A policy with its rules. */
    public static JsonObject description(Policy policy) {
        return summary(policy).put("rules", rules(policy));
    }

    private static JsonObject summary(Policy policy) {
        Policy.Source source = policy.source();
        return new JsonObject()
                .put("name", policy.name())
                .put("title", policy.title())
                .put("version", policy.version())
                .put(
                        "source",
                        new JsonObject()
                                .put("title", source.title())
                                .put("url", source.url())
                                .put("date", source.date().toString()))
                .put("modules", new JsonArray(List.copyOf(policy.modules().keySet())))
                .put("rule_count", policy.ruleCount());
    }

    private static JsonArray rules(Policy policy) {
        JsonArray rules = new JsonArray();
        policy.modules().forEach((module, declared) -> declared.rules().forEach(rule -> rules.add(rule(module, rule))));
        return rules;
    }

    private static JsonObject rule(String module, Rule rule) {
        return new JsonObject()
                .put("id", rule.id())
                .put("title", rule.title())
                .put("clause", rule.clause())
                .put("module", module)
                .put("expect", rule.expect().text())
                .put("level", rule.level().id())
                .put("message", rule.message())
                .put("action", rule.action());
    }
}
