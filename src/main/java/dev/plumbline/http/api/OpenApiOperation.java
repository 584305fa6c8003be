package dev.plumbline.http.api;

import dev.plumbline.http.Contract;
import dev.plumbline.http.Operation;
import io.vertx.ext.web.RoutingContext;

/** {@code GET /openapi.json} and {@code GET /api/v1/openapi.json}: the contract itself. */
public final class OpenApiOperation implements Operation {
  private final String operationId;
  private final StaticDocument document;

  public OpenApiOperation(String operationId, Contract contract) {
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
