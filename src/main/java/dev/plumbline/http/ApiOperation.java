package dev.plumbline.http;

import io.vertx.core.Handler;
import io.vertx.ext.web.RoutingContext;

/**
 * An operation of openapi.json. Stateless; shared by all HTTP verticles.
 *
 * @param operationId the operationId in openapi.json
 * @param handler handles a validated request
 */
public record ApiOperation(String operationId, Handler<RoutingContext> handler) {}
