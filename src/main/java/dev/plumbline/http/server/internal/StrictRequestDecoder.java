package dev.plumbline.http.server.internal;

import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.impl.VertxHttpRequestDecoder;
import java.util.List;

/**
 * The HTTP/1 decoder of Vert.x, which also rejects requests that two implementations could read differently (request
 * smuggling). A rejected request reaches the {@code invalidRequestHandler}, which sends a problem, and Netty discards
 * everything that follows it. Netty itself rejects invalid and conflicting Content-Length values.
 */
final class StrictRequestDecoder extends VertxHttpRequestDecoder {
    private boolean bytesRead;

    StrictRequestDecoder(HttpServerOptions options) {
        super(options);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) throws Exception {
        bytesRead = true;
        super.channelRead(ctx, message);
    }

    /** Whether bytes arrived since the last call. */
    boolean bytesRead() {
        boolean read = bytesRead;
        bytesRead = false;
        return read;
    }

    /** Netty calls this once per message, after the last header field. */
    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
        validate(message);
        return super.isContentAlwaysEmpty(message);
    }

    /** RFC 9112, 6.1: such a message ought to be handled as an error. */
    @Override
    protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {
        throw new IllegalArgumentException("Content-Length and Transfer-Encoding are both present");
    }

    private static void validate(HttpMessage message) {
        boolean http11 = HttpVersion.HTTP_1_1.equals(message.protocolVersion());
        if (!http11 && !HttpVersion.HTTP_1_0.equals(message.protocolVersion())) {
            // Vert.x would send 501
            throw new IllegalArgumentException("HTTP version is not supported");
        }
        // RFC 9112, 3.2
        int hosts = message.headers().getAll(HttpHeaderNames.HOST).size();
        if (hosts > 1 || hosts == 0 && http11) {
            throw new IllegalArgumentException("exactly one Host header is required");
        }
        // RFC 9112, 6.1; Netty would take a body with another coding for the next request
        List<String> codings = message.headers().getAll(HttpHeaderNames.TRANSFER_ENCODING);
        if (!codings.isEmpty()
                && (!http11
                        || codings.size() > 1
                        || !HttpHeaderValues.CHUNKED.contentEqualsIgnoreCase(
                                codings.get(0).strip()))) {
            throw new IllegalArgumentException("Transfer-Encoding is not supported");
        }
    }
}
