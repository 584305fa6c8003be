package dev.plumbline.http.api;

import dev.plumbline.http.Bodies;
import dev.plumbline.http.RequestIds;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A JSON document that stays the same while the service runs, open to pages of any origin. */
final class StaticDocument {
  private final Buffer body;
  private final String etag;

  StaticDocument(JsonObject json) {
    this.body = json.toBuffer();
    this.etag = '"' + hash(body).substring(0, 32) + '"';
  }

  void send(RoutingContext ctx) {
    if (!Negotiation.acceptsJson(ctx)) {
      ctx.fail(406);
      return;
    }
    HttpServerResponse response =
        ctx.response()
            .putHeader("Cache-Control", "public, max-age=300")
            .putHeader("ETag", etag)
            .putHeader("Access-Control-Allow-Origin", "*")
            .putHeader("X-Content-Type-Options", "nosniff")
            .putHeader(RequestIds.HEADER, RequestIds.of(ctx));
    if (Negotiation.matches(ctx, etag)) {
      response.setStatusCode(304).end();
      return;
    }
    response.putHeader("Content-Type", "application/json");
    Bodies.end(ctx, body);
  }

  private static String hash(Buffer body) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(body.getBytes()));
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException(impossible);
    }
  }
}
