package dev.plumbline.http;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;

/** Ends answers. To HEAD an answer has all the headers of the one to GET, and no body. */
public final class Bodies {
  private static final String HEAD = "plumbline.head";

  private Bodies() {}

  /** Remembers that a request that is routed on as GET came as HEAD. */
  static void markHead(RoutingContext ctx) {
    ctx.put(HEAD, true);
  }

  public static void end(RoutingContext ctx, Buffer body) {
    if (ctx.get(HEAD) != null) {
      withoutBody(ctx.response(), body);
    } else {
      end(ctx.request(), body);
    }
  }

  static void end(HttpServerRequest request, Buffer body) {
    if (request.method().equals(HttpMethod.HEAD)) {
      withoutBody(request.response(), body);
    } else {
      request.response().end(body);
    }
  }

  private static void withoutBody(HttpServerResponse response, Buffer body) {
    response.putHeader("Content-Length", Integer.toString(body.length())).end();
  }
}
