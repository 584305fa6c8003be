package dev.plumbline.http;

import io.netty.handler.codec.http.HttpMessage;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;

/**
 * The decoder that Vert.x takes, but it refuses a message with both a Content-Length and a
 * Transfer-Encoding instead of passing over one of them (RFC 9112, 6.1).
 */
final class RequestDecoder extends VertxHttpRequestDecoder {
  RequestDecoder(HttpServerOptions options) {
    super(options);
  }

  @Override
  protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
    throw new RequestHeads.Framing(
        "The request has a Content-Length and a Transfer-Encoding; send one of them.");
  }
}
