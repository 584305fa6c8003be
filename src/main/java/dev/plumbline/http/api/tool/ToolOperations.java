package dev.plumbline.http.api.tool;

import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.StaticDocument;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.ext.web.RoutingContext;
import java.util.List;

/** The operations that return the tools and the OpenAPI document. */
public final class ToolOperations {
    private ToolOperations() {}

    public static List<ApiOperation> of(ToolDocuments tools, ApiContract contract, ProblemResponder problems) {
        StaticDocument document = new StaticDocument(contract.published());
        return List.of(
                new ApiOperation("listTools", tools.list()::send),
                new ApiOperation("getTool", ctx -> getTool(ctx, tools, problems)),
                new ApiOperation("getContract", document::send),
                new ApiOperation("getContractAtRoot", document::send));
    }

    private static void getTool(RoutingContext ctx, ToolDocuments tools, ProblemResponder problems) {
        String module = ctx.pathParam("module");
        StaticDocument tool = tools.tool(module);
        if (tool == null) {
            problems.send(ctx, InstantCheckService.unknownModule(module));
        } else {
            tool.send(ctx);
        }
    }
}
