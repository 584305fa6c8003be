package dev.plumbline.http.api;

import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/tools/{module}}. */
public final class ToolOperation implements Operation {
  private final ToolDocuments tools;
  private final Problems problems;

  public ToolOperation(ToolDocuments tools, Problems problems) {
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
      problems.send(ctx, InstantCalls.unknownModule(module));
      return;
    }
    tool.send(ctx);
  }
}
