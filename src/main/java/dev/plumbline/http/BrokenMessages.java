package dev.plumbline.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Sees to it that broken messages are answered: a request of an unknown HTTP version, to which
 * Vert.x would send an empty 501 before any handler of ours is asked, becomes an invalid one.
 */
final class BrokenMessages extends ChannelInboundHandlerAdapter {
  private static final String DECODER = "httpDecoder";

  /** What Vert.x calls its own, last handler. */
  private static final String LAST = "handler";

  private final HeadTimeout headTimeout;

  private BrokenMessages(HeadTimeout headTimeout) {
    this.headTimeout = headTimeout;
  }

  /** Guards an HTTP/1 connection; HTTP/2 has guards of its own. */
  static void guard(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      ChannelPipeline pipeline = base.channel().pipeline();
      HeadTimeout timeout = pipeline.get(HeadTimeout.class);
      if (timeout == null) {
        return;
      }
      if (pipeline.get(DECODER) == null) {
        pipeline.remove(timeout);
      } else {
        // the first head has come already, or nobody would know of the connection
        timeout.headEnded();
        pipeline.addBefore(LAST, "brokenMessages", new BrokenMessages(timeout));
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest) {
      headTimeout.headEnded();
    }
    if (message instanceof LastHttpContent) {
      headTimeout.messageEnded();
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
}
