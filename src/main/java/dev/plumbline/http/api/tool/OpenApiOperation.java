package dev.plumbline.http.api.tool;

import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.StaticDocument;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /openapi.json} and {@code GET /api/v1/openapi.json}: the OpenAPI document. */
public final class OpenApiOperation implements ApiOperation {
    private final String operationId;
    private final StaticDocument document;

    public OpenApiOperation(String operationId, ApiContract contract) {
        this.operationId = operationId;
        this.document = new StaticDocument(contract.published());
    }

    @Override
    public String operationId() {
        return operationId;
    }

    @Override
    public void handle(RoutingContext ctx) {
        document.send(ctx);
    }
}
