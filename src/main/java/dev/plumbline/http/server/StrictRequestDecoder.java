package dev.plumbline.http.server;

import io.netty.handler.codec.http.DefaultFullHttpRequest;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;

/**
 * The decoder that Vert.x takes, but it refuses a message with both a Content-Length and a
 * Transfer-Encoding instead of passing over one of them (RFC 9112, 6.1). Of a head that is broken
 * behind its request line, the message has the fields before the last that was whole; of any other,
 * none.
 */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {
    StrictRequestDecoder(HttpServerOptions options) {
        super(options);
    }

    @Override
    protected HttpMessage createInvalidMessage() {
        // Netty would give it a path that nobody has asked for
        return new DefaultFullHttpRequest(HttpVersion.HTTP_1_0, HttpMethod.GET, "/");
    }

    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new RequestHeadValidator.Framing(
                "The request has a Content-Length and a Transfer-Encoding; send one of them.");
    }
}
