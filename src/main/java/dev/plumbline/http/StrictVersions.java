package dev.plumbline.http;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.DecoderResult;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpVersion;
import io.vertx.core.http.HttpConnection;
import io.vertx.core.net.impl.ConnectionBase;

/**
 * Turns a request of an unknown HTTP version into an invalid one. Vert.x would answer it with an
 * empty 501 before any handler of ours is asked.
 */
final class StrictVersions extends ChannelInboundHandlerAdapter {
  private static final String DECODER = "httpDecoder";

  private StrictVersions() {}

  static void guard(HttpConnection connection) {
    if (connection instanceof ConnectionBase base) {
      ChannelPipeline pipeline = base.channel().pipeline();
      if (pipeline.get(DECODER) != null) {
        pipeline.addAfter(DECODER, "strictVersions", new StrictVersions());
      }
    }
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof HttpRequest request
        && request.decoderResult().isSuccess()
        && !HttpVersion.HTTP_1_1.equals(request.protocolVersion())
        && !HttpVersion.HTTP_1_0.equals(request.protocolVersion())) {
      request.setDecoderResult(
          DecoderResult.failure(new IllegalArgumentException("unknown HTTP version")));
    }
    ctx.fireChannelRead(message);
  }
}
