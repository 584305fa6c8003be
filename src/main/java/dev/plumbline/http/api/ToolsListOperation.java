package dev.plumbline.http.api;

import dev.plumbline.http.Operation;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/tools}. */
public final class ToolsListOperation implements Operation {
  private final ToolDocuments tools;

  public ToolsListOperation(ToolDocuments tools) {
    this.tools = tools;
  }

  @Override
  public String operationId() {
    return "listTools";
  }

  @Override
  public void handle(RoutingContext ctx) {
    tools.list().send(ctx);
  }
}
