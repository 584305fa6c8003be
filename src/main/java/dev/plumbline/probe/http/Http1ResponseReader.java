package dev.plumbline.probe.http;

import dev.plumbline.target.PrintableText;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.DefaultHttpHeadersFactory;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;

/** Passes a decoded HTTP/1 response to its collector. */
final class Http1ResponseReader extends ChannelInboundHandlerAdapter {
    private static final int MAX_LINE_BYTES = 8 * 1024;
    private static final int MAX_CHUNK_BYTES = 16 * 1024;

    private final ResponseCollector collector;

    Http1ResponseReader(ResponseCollector collector) {
        this.collector = collector;
    }

    /**
     * A decoder that is as lenient as browsers about line ends and header values. Its output is reported, never
     * forwarded.
     *
     * @param headRequest whether the response has no body
     */
    static HttpResponseDecoder decoder(boolean headRequest) {
        HttpDecoderConfig config = new HttpDecoderConfig()
                .setMaxInitialLineLength(MAX_LINE_BYTES)
                .setMaxHeaderSize(ResponseCollector.MAX_HEAD_BYTES)
                .setMaxChunkSize(MAX_CHUNK_BYTES)
                .setStrictLineParsing(false)
                .setHeadersFactory(DefaultHttpHeadersFactory.headersFactory().withValidation(false))
                .setTrailersFactory(DefaultHttpHeadersFactory.trailersFactory().withValidation(false));
        return new HttpResponseDecoder(config) {
            @Override
            protected boolean isContentAlwaysEmpty(HttpMessage message) {
                return headRequest || super.isContentAlwaysEmpty(message);
            }

            /** Keeps the Content-Length for reports; the body is read as chunked. */
            @Override
            protected void handleTransferEncodingChunkedWithContentLength(HttpMessage message) {}
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (!collector.ended() && message instanceof HttpObject object) {
                read(object);
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void read(HttpObject object) {
        DecoderResult result = object.decoderResult();
        if (result.isFailure()) {
            collector.connectionFailed(result.cause());
            return;
        }
        if (object instanceof HttpResponse response) {
            head(response);
        }
        if (object instanceof HttpContent content) {
            collector.body(content.content());
            if (content instanceof LastHttpContent) {
                collector.end();
            }
        }
    }

    private void head(HttpResponse response) {
        HttpVersion version = response.protocolVersion();
        int status = response.status().code();
        if (!version.protocolName().equals("HTTP") || version.majorVersion() != 1 || version.minorVersion() > 1) {
            collector.protocolError("The HTTP version of the response is not supported.");
            return;
        }
        if (status < 100 || status > 999) {
            collector.protocolError("The status code " + status + " of the response is invalid.");
            return;
        }
        List<HttpHeader> lines = new ArrayList<>(response.headers().size());
        Iterator<Map.Entry<CharSequence, CharSequence>> iterator =
                response.headers().iteratorCharSequence();
        while (iterator.hasNext()) {
            Map.Entry<CharSequence, CharSequence> line = iterator.next();
            lines.add(HttpHeader.received(line.getKey(), line.getValue()));
        }
        collector.head(
                status,
                PrintableText.withoutControls(response.status().reasonPhrase()),
                version.minorVersion() == 0 ? "1.0" : "1.1",
                new ResponseHeaders(lines));
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        collector.closed(false);
        context.fireChannelInactive();
    }

    /**
     * Closes the connection on the peer's close_notify, after which no data follows (RFC 8446, section 6.1). Unlike
     * BoringSSL, the JDK's engine leaves its own direction open.
     */
    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
        if (event instanceof SslCloseCompletionEvent) {
            context.close();
        }
        context.fireUserEventTriggered(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        collector.connectionFailed(cause);
    }
}
