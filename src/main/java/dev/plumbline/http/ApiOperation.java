package dev.plumbline.http;

import io.vertx.ext.web.RoutingContext;

/** One operation of openapi.json. Shared by all HTTP verticles: holds nothing of a request. */
public interface ApiOperation {

    /** The operationId that it has in openapi.json. */
    String operationId();

    /** Answers a request that was found valid. */
    void handle(RoutingContext ctx);
}
