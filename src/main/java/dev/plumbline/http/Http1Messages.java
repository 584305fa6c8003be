package dev.plumbline.http;

import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.netty.handler.ssl.SslHandler;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Stands between the codec of an HTTP/1 connection and Vert.x. Sees to it that broken messages are
 * answered: a request of an unknown HTTP version, to which Vert.x would send an empty 501 before
 * any handler of ours is asked, becomes an invalid one. And ends the connection, when it is to be
 * drained, with the last answer that is owed.
 */
final class Http1Messages extends ChannelDuplexHandler {
  private static final String DECODER = "httpDecoder";

  private static final String ENCODER = "httpEncoder";

  /** What Vert.x calls its own, last handler. */
  private static final String LAST = "handler";

  private final ConnectionWatch watch;

  /** The head of the last answer is written: requests that still come are not heard. */
  private boolean closing;

  private boolean deaf;

  /** What is written belongs to an interim answer (RFC 9110, 15.2). */
  private boolean interim;

  private Http1Messages(ConnectionWatch watch) {
    this.watch = watch;
  }

  /** Guards an HTTP/1 connection; HTTP/2 has guards of its own. */
  static void guard(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      ChannelPipeline pipeline = base.channel().pipeline();
      ConnectionWatch watch = ConnectionWatch.of(pipeline);
      if (watch == null) {
        return;
      }
      // while a connection is upgraded the decoder is still there
      if (pipeline.get(ENCODER) == null) {
        watch.speaksHttp2(pipeline, connection);
      } else {
        watch.speaksHttp1(pipeline, DECODER, pipeline.get(SslHandler.class) != null);
        pipeline.addBefore(LAST, "http1Messages", new Http1Messages(watch));
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest && closing) {
      deaf = true;
    }
    if (deaf) {
      ReferenceCountUtil.release(message);
      return;
    }
    if (message instanceof HttpRequest) {
      watch.requestBegan();
    }
    if (message instanceof LastHttpContent) {
      watch.requestEnded();
    }
    if (message instanceof HttpRequest request && !known(request.protocolVersion())) {
      // the answer is written in the version of the request
      request.setProtocolVersion(HttpVersion.HTTP_1_1);
      request.setDecoderResult(
          DecoderResult.failure(new IllegalArgumentException("unknown HTTP version")));
    } else if (message instanceof HttpContent body && !body.decoderResult().isSuccess()) {
      // Vert.x closes the connection over a broken body; what is already answered must get out
      ctx.flush();
    }
    ctx.fireChannelRead(message);
  }

  private static boolean known(HttpVersion version) {
    return HttpVersion.HTTP_1_1.equals(version) || HttpVersion.HTTP_1_0.equals(version);
  }

  @Override
  public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
    if (message instanceof HttpResponse response) {
      interim = response.status().codeClass() == HttpStatusClass.INFORMATIONAL;
      if (!interim && watch.isLastAnswer()) {
        closing = true;
        response.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      }
    }
    ChannelPromise written = promise;
    if (message instanceof LastHttpContent && !interim) {
      watch.answered();
      if (closing) {
        written = promise.unvoid();
        written.addListener(done -> watch.end());
      }
    }
    ctx.write(message, written);
  }
}
