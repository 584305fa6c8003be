package dev.plumbline.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Gives up on a client that sends the head of a request too slowly: one byte now and then keeps a
 * connection from being idle, and would hold it for ever (RFC 9110, 15.5.9). Stands before
 * everything else on a connection and is told what came out of the decoder.
 */
final class HeadTimeout extends ChannelInboundHandlerAdapter {
  private final ConnectionGuard guard;
  private boolean insideMessage;
  private @Nullable ScheduledFuture<?> timer;

  HeadTimeout(ConnectionGuard guard) {
    this.guard = guard;
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof ByteBuf && !insideMessage && timer == null) {
      timer =
          ctx.executor()
              .schedule(() -> guard.tooSlow(ctx), guard.headMillis(), TimeUnit.MILLISECONDS);
    }
    ctx.fireChannelRead(message);
  }

  /** A head has come; what follows is its body. */
  void headEnded() {
    insideMessage = true;
    cancel();
  }

  /** A message has come to its end; what follows is the next head. */
  void messageEnded() {
    insideMessage = false;
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    cancel();
    ctx.fireChannelInactive();
  }

  @Override
  public void handlerRemoved(ChannelHandlerContext ctx) {
    cancel();
  }

  private void cancel() {
    if (timer != null) {
      timer.cancel(false);
      timer = null;
    }
  }
}
