package dev.plumbline.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sees each connection as it is accepted, before Vert.x does: so many at once, and each with a
 * bound on the time that a request's head may take. One for the whole process.
 */
@Sharable
public final class ConnectionGuard extends ChannelInboundHandlerAdapter {
  private static final String HEAD_TIMEOUT = "headTimeout";

  private final int port;
  private final int most;
  private final long headMillis;
  private final boolean tls;
  private final Problems problems;
  private final AtomicInteger open = new AtomicInteger();

  /**
   * @param port of the server whose connections are guarded
   * @param most connections at once
   * @param headMillis how long the head of a request may take, from its first byte
   * @param tls whether connections are encrypted, so that nothing can be said at this depth
   */
  public ConnectionGuard(int port, int most, long headMillis, boolean tls, Problems problems) {
    this.port = port;
    this.most = most;
    this.headMillis = headMillis;
    this.tls = tls;
    this.problems = problems;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Channel accepted) {
      boolean room = open.incrementAndGet() <= most;
      accepted.closeFuture().addListener(closed -> open.decrementAndGet());
      accepted.pipeline().addLast(HEAD_TIMEOUT, room ? new HeadTimeout(this) : new TurnAway());
    }
    ctx.fireChannelRead(message);
  }

  boolean watches(int serverPort) {
    return serverPort == port;
  }

  /** How many connections there are. */
  public int open() {
    return open.get();
  }

  long headMillis() {
    return headMillis;
  }

  void tooSlow(ChannelHandlerContext ctx) {
    end(ctx, problems.requestTimeout());
  }

  private void end(ChannelHandlerContext ctx, byte[] answer) {
    if (tls) {
      ctx.close();
    } else {
      ctx.writeAndFlush(Unpooled.wrappedBuffer(answer)).addListener(ChannelFutureListener.CLOSE);
    }
  }

  /** Answers the first bytes of one connection too many. */
  private final class TurnAway extends ChannelInboundHandlerAdapter {
    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      io.netty.util.ReferenceCountUtil.release(message);
      end(ctx, problems.tooManyConnections());
    }
  }
}
