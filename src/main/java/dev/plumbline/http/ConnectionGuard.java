package dev.plumbline.http;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Sees each connection as it is accepted, before Vert.x does: so many at once, and each with a
 * bound on the time that a request's head may take. One for the whole process.
 */
@Sharable
public final class ConnectionGuard extends ChannelInboundHandlerAdapter {
  private final int port;
  private final int most;
  private final long headMillis;
  private final boolean tls;
  private final Problems problems;
  private final AtomicInteger open = new AtomicInteger();
  private final Set<ConnectionWatch> watches = ConcurrentHashMap.newKeySet();

  private volatile @Nullable Channel acceptor;
  private volatile @Nullable Runnable empty;
  private volatile boolean draining;
  private volatile long drainMillis;

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
  public void channelActive(ChannelHandlerContext ctx) {
    acceptor = ctx.channel();
    ctx.fireChannelActive();
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof Channel accepted) {
      boolean room = open.incrementAndGet() <= most;
      ConnectionWatch watch = new ConnectionWatch(this, accepted, room);
      watches.add(watch);
      accepted.closeFuture().addListener(closed -> ended(watch));
      accepted.pipeline().addLast("bytes", watch.new Bytes());
      if (draining) {
        Drain.hearAgain(accepted);
      }
    }
    ctx.fireChannelRead(message);
  }

  private void ended(ConnectionWatch watch) {
    watches.remove(watch);
    Runnable waiting = empty;
    if (open.decrementAndGet() == 0 && waiting != null) {
      waiting.run();
    }
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

  /** What accepts the connections; null until it does. */
  @Nullable Channel acceptor() {
    return acceptor;
  }

  boolean isDraining() {
    return draining;
  }

  /** How long a connection may take to end. */
  long drainMillis() {
    return drainMillis;
  }

  /** Lets all connections end, those that are yet to come too. */
  void drain(long atMostMillis) {
    drainMillis = atMostMillis;
    draining = true;
    watches.forEach(ConnectionWatch::drain);
  }

  /** Runs that once there is no connection; none may be accepted any more. */
  void whenEmpty(Runnable then) {
    empty = then;
    if (open.get() == 0) {
      then.run();
    }
  }

  void tooSlow(ChannelHandlerContext ctx) {
    end(ctx, problems.requestTimeout());
  }

  /** Answers the first bytes of one connection too many. */
  void turnAway(ChannelHandlerContext ctx) {
    end(ctx, problems.tooManyConnections());
  }

  private void end(ChannelHandlerContext ctx, byte[] answer) {
    if (tls) {
      ctx.close();
    } else {
      ctx.writeAndFlush(Unpooled.wrappedBuffer(answer))
          .addListener(written -> GentleEnd.of(ctx.channel()));
    }
  }
}
