package dev.plumbline.http;

import io.vertx.ext.web.RoutingContext;

/** The handler of one operation of openapi.json. Stateless; shared by all HTTP verticles. */
public interface ApiOperation {

    /** The operationId in openapi.json. */
    String operationId();

    /** Handles a validated request. */
    void handle(RoutingContext ctx);
}
