package dev.plumbline.probe.http;

import dev.plumbline.target.Target;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.http2.DefaultHttp2Headers;
import io.netty.handler.codec.http2.DefaultHttp2HeadersFrame;
import io.netty.handler.codec.http2.DefaultHttp2ResetFrame;
import io.netty.handler.codec.http2.DefaultHttp2WindowUpdateFrame;
import io.netty.handler.codec.http2.Http2ChannelDuplexHandler;
import io.netty.handler.codec.http2.Http2DataFrame;
import io.netty.handler.codec.http2.Http2Error;
import io.netty.handler.codec.http2.Http2FrameCodec;
import io.netty.handler.codec.http2.Http2FrameCodecBuilder;
import io.netty.handler.codec.http2.Http2FrameStream;
import io.netty.handler.codec.http2.Http2GoAwayFrame;
import io.netty.handler.codec.http2.Http2Headers;
import io.netty.handler.codec.http2.Http2HeadersFrame;
import io.netty.handler.codec.http2.Http2ResetFrame;
import io.netty.handler.codec.http2.Http2Settings;
import io.netty.handler.codec.http2.Http2StreamFrame;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Sends one request over an HTTP/2 connection and passes the response to its collector. */
final class Http2ResponseReader extends Http2ChannelDuplexHandler {
    private static final int WINDOW_BYTES = 65_535;
    private static final Pattern STATUS = Pattern.compile("[0-9]{3}");

    private final HttpRequestSpec request;
    private final List<HttpHeader> headers;
    private final ResponseCollector collector;
    private @Nullable Http2FrameStream stream;
    private boolean hasHead;
    private boolean streamEnded;
    private boolean goingAway;

    /** @param headers the headers except the pseudo-headers */
    Http2ResponseReader(HttpRequestSpec request, List<HttpHeader> headers, ResponseCollector collector) {
        this.request = request;
        this.headers = headers;
        this.collector = collector;
    }

    static Http2FrameCodec codec() {
        return Http2FrameCodecBuilder.forClient()
                .initialSettings(Http2Settings.defaultSettings()
                        .pushEnabled(false)
                        .initialWindowSize(WINDOW_BYTES)
                        .maxHeaderListSize(ResponseCollector.MAX_HEAD_BYTES))
                .validateHeaders(false)
                .decoupleCloseAndGoAway(true)
                .flushPreface(false)
                .build();
    }

    @Override
    protected void handlerAdded0(ChannelHandlerContext context) {
        Target.Url url = request.url();
        Http2Headers requestHeaders = new DefaultHttp2Headers()
                .method(request.method().name())
                .scheme(url.scheme())
                .authority(url.authority())
                .path(url.pathAndQuery());
        for (HttpHeader header : headers) {
            requestHeaders.add(header.name(), header.value());
        }
        stream = newStream();
        context.writeAndFlush(new DefaultHttp2HeadersFrame(requestHeaders, true).stream(stream))
                .addListener(written -> {
                    if (!written.isSuccess()) {
                        collector.connectionFailed(written.cause());
                    }
                });
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        try {
            if (message instanceof Http2GoAwayFrame frame) {
                goAway(context, frame);
            } else if (collector.ended() || message instanceof Http2StreamFrame other && other.stream() != stream) {
                return;
            } else if (message instanceof Http2HeadersFrame frame) {
                streamEnded = frame.isEndStream();
                head(frame);
            } else if (message instanceof Http2DataFrame frame) {
                streamEnded = frame.isEndStream();
                collector.body(frame.content());
                if (frame.isEndStream()) {
                    collector.end();
                } else if (!collector.ended() && frame.initialFlowControlledBytes() > 0) {
                    context.writeAndFlush(
                            new DefaultHttp2WindowUpdateFrame(frame.initialFlowControlledBytes()).stream(stream));
                }
            } else if (message instanceof Http2ResetFrame frame) {
                collector.protocolError("The server reset the HTTP/2 stream with " + name(frame.errorCode()) + ".");
            }
        } finally {
            ReferenceCountUtil.release(message);
        }
    }

    private void goAway(ChannelHandlerContext context, Http2GoAwayFrame frame) {
        goingAway = true;
        if (collector.ended()) {
            HttpConnection.close(context.channel());
        } else if (frame.errorCode() != 0) {
            collector.protocolError("The server closed the HTTP/2 connection with " + name(frame.errorCode()) + ".");
        } else if (stream != null && frame.lastStreamId() < stream.id()) {
            // the server does not process the request (RFC 9113 section 6.8)
            collector.closed(false);
        }
    }

    private void head(Http2HeadersFrame frame) {
        if (!hasHead) {
            CharSequence text = frame.headers().status();
            int status = text != null && STATUS.matcher(text).matches() ? Integer.parseInt(text.toString()) : 0;
            if (status < 100) {
                collector.protocolError("The HTTP/2 response has no status code.");
                return;
            }
            hasHead = status >= 200;
            List<HttpHeader> lines = new ArrayList<>(frame.headers().size());
            for (Map.Entry<CharSequence, CharSequence> line : frame.headers()) {
                if (line.getKey().length() > 0 && line.getKey().charAt(0) != ':') {
                    lines.add(HttpHeader.received(line.getKey(), line.getValue()));
                }
            }
            collector.head(status, "", "2", new ResponseHeaders(lines));
        }
        if (frame.isEndStream()) {
            if (hasHead) {
                collector.end();
            } else {
                collector.protocolError("The HTTP/2 response ended after an interim response.");
            }
        }
    }

    /** Ends the stream before another request. Returns false if the connection cannot have one. */
    boolean endStream(ChannelHandlerContext context) {
        if (!streamEnded && !goingAway) {
            context.writeAndFlush(new DefaultHttp2ResetFrame(Http2Error.CANCEL).stream(stream));
        }
        return !goingAway;
    }

    private static String name(long errorCode) {
        Http2Error known = Http2Error.valueOf(errorCode);
        return (known == null ? "error " + errorCode : known.name()) + ".";
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        collector.closed(false);
        context.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        collector.connectionFailed(cause);
    }
}
