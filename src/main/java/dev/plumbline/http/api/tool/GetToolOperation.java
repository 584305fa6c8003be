package dev.plumbline.http.api.tool;

import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.StaticDocument;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/tools/{module}}. */
public final class GetToolOperation implements ApiOperation {
    private final ToolDocuments tools;
    private final ProblemResponder problems;

    public GetToolOperation(ToolDocuments tools, ProblemResponder problems) {
        this.tools = tools;
        this.problems = problems;
    }

    @Override
    public String operationId() {
        return "getTool";
    }

    @Override
    public void handle(RoutingContext ctx) {
        String module = ctx.pathParam("module");
        StaticDocument tool = tools.tool(module);
        if (tool == null) {
            problems.send(ctx, InstantCheckService.unknownModule(module));
            return;
        }
        tool.send(ctx);
    }
}
