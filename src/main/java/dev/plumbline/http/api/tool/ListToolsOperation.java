package dev.plumbline.http.api.tool;

import dev.plumbline.http.ApiOperation;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /api/v1/tools}. */
public final class ListToolsOperation implements ApiOperation {
    private final ToolDocuments tools;

    public ListToolsOperation(ToolDocuments tools) {
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
