package dev.plumbline.http.api.mcp;

import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.api.policy.PolicyOperations;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.tool.ToolDocuments;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;

/** The resources: the description of each module, as in the tools list, and of each policy with its rules. */
final class McpResources {
    private static final String MODULES = "plumbline://modules/";
    private static final String POLICIES = "plumbline://policies/";
    private static final String TYPE = "application/json";
    private static final int NOT_FOUND = 404;

    private final ModuleCatalogue modules;
    private final ToolDocuments tools;
    private final PolicyService policies;

    McpResources(ModuleCatalogue modules, ToolDocuments tools, PolicyService policies) {
        this.modules = modules;
        this.tools = tools;
        this.policies = policies;
    }

    /** The result of {@code resources/list}. */
    Future<Buffer> list() {
        return policies.all().map(all -> {
            JsonArray resources = new JsonArray();
            modules.descriptions()
                    .forEach(module -> resources.add(
                            resource(MODULES, module.module(), module.title()).put("description", module.summary())));
            all.forEach(policy -> resources.add(resource(POLICIES, policy.name(), policy.title())));
            return new JsonObject().put("resources", resources).toBuffer();
        });
    }

    private static JsonObject resource(String prefix, String name, String title) {
        return new JsonObject()
                .put("uri", prefix + name)
                .put("name", name)
                .put("title", title)
                .put("mimeType", TYPE);
    }

    /** The result of {@code resources/templates/list}. */
    Buffer templates() {
        return new JsonObject()
                .put(
                        "resourceTemplates",
                        new JsonArray()
                                .add(template(MODULES, "module", "The options, fields and findings of a module."))
                                .add(template(POLICIES, "policy", "The rules of a policy.")))
                .toBuffer();
    }

    private static JsonObject template(String prefix, String name, String description) {
        return new JsonObject()
                .put("uriTemplate", prefix + "{name}")
                .put("name", name)
                .put("description", description)
                .put("mimeType", TYPE);
    }

    /** The result of {@code resources/read}. Fails with a {@link JsonRpcException} if the resource does not exist. */
    Future<Buffer> read(String uri) {
        if (uri.startsWith(POLICIES)) {
            return policies.get(uri.substring(POLICIES.length()))
                    .map(policy ->
                            contents(uri, PolicyOperations.description(policy).encode()))
                    .recover(failure -> Future.failedFuture(
                            failure instanceof ProblemException rejection
                                            && rejection.problem().status() == NOT_FOUND
                                    ? JsonRpcException.resourceNotFound(uri)
                                    : failure));
        }
        Buffer tool = uri.startsWith(MODULES) ? tools.json(uri.substring(MODULES.length())) : null;
        return tool == null
                ? Future.failedFuture(JsonRpcException.resourceNotFound(uri))
                : Future.succeededFuture(contents(uri, tool.toString()));
    }

    private static Buffer contents(String uri, String json) {
        return new JsonObject()
                .put(
                        "contents",
                        new JsonArray()
                                .add(new JsonObject()
                                        .put("uri", uri)
                                        .put("mimeType", TYPE)
                                        .put("text", json)))
                .toBuffer();
    }
}
