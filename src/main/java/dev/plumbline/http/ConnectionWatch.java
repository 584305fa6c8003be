package dev.plumbline.http;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelPipeline;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.http.HttpConnection;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What is known of one accepted connection: whether a head is on its way, which requests wait for
 * their answer, since when it is idle. Gives up on a head that comes too slowly: one byte now and
 * then keeps a connection from being idle, and would hold it for ever (RFC 9110, 15.5.9). Lives on
 * the connection's event loop.
 */
final class ConnectionWatch {
  private final ConnectionGuard guard;
  private final Channel channel;
  private final boolean room;

  private boolean insideMessage;
  private int unanswered;
  private boolean draining;
  private boolean ending;
  private long idleSinceNanos = System.nanoTime();
  private @Nullable ScheduledFuture<?> head;
  private @Nullable HttpConnection http2;

  /**
   * @param room false for one connection too many, which is told so and closed
   */
  ConnectionWatch(ConnectionGuard guard, Channel channel, boolean room) {
    this.guard = guard;
    this.channel = channel;
    this.room = room;
  }

  /** Sees the bytes before any decoder does; below TLS until the handshake is over. */
  final class Bytes extends ChannelInboundHandlerAdapter {
    @Override
    public void channelActive(ChannelHandlerContext ctx) {
      if (guard.isDraining()) {
        drainHere();
      }
      ctx.fireChannelActive();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
      if (!room) {
        ReferenceCountUtil.release(message);
        guard.turnAway(ctx);
        return;
      }
      if (message instanceof ByteBuf && !insideMessage && head == null) {
        expectHead(ctx);
      }
      ctx.fireChannelRead(message);
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
      cancelHead();
      ctx.fireChannelInactive();
    }

    ConnectionWatch watch() {
      return ConnectionWatch.this;
    }
  }

  private void expectHead(ChannelHandlerContext ctx) {
    head =
        ctx.executor()
            .schedule(
                () -> {
                  if (unanswered > 0) {
                    // nothing may be said before the answers that are owed
                    expectHead(ctx);
                  } else {
                    guard.tooSlow(ctx);
                  }
                },
                guard.headMillis(),
                TimeUnit.MILLISECONDS);
  }

  /** What is known of a connection; null when its port is not guarded. */
  static @Nullable ConnectionWatch of(ChannelPipeline pipeline) {
    Bytes bytes = pipeline.get(Bytes.class);
    return bytes == null ? null : bytes.watch();
  }

  /** HTTP/1 is spoken, and the bytes that the decoder gets can be seen. */
  void speaksHttp1(ChannelPipeline pipeline, String decoder, boolean tls) {
    if (tls) {
      cancelHead();
      pipeline.remove(Bytes.class);
      pipeline.addBefore(decoder, null, new Bytes());
    }
  }

  /** HTTP/2 is spoken, which has guards of its own. */
  void speaksHttp2(ChannelPipeline pipeline, HttpConnection connection) {
    cancelHead();
    pipeline.remove(Bytes.class);
    http2 = connection;
    if (draining) {
      goAway(connection);
    }
  }

  /** A head has come; what follows is its body. */
  void requestBegan() {
    insideMessage = true;
    unanswered++;
    cancelHead();
  }

  /** A message has come to its end; what follows is the next head. */
  void requestEnded() {
    insideMessage = false;
  }

  /** Whether the answer whose head is about to be written has to be the last. */
  boolean isLastAnswer() {
    return draining && unanswered <= 1;
  }

  /** An answer has been written to its end. */
  void answered() {
    unanswered--;
    idleSinceNanos = System.nanoTime();
  }

  /** From now on: no request after those that are under way or come within the grace. */
  void drain() {
    if (channel.isRegistered()) {
      channel.eventLoop().execute(this::drainHere);
    }
  }

  private void drainHere() {
    if (!draining) {
      draining = true;
      HttpConnection connection = http2;
      if (connection != null) {
        goAway(connection);
      }
      later(Drain.GRACE_MS);
    }
  }

  private void later(long millis) {
    channel.eventLoop().schedule(this::closeWhenIdle, millis, TimeUnit.MILLISECONDS);
  }

  private void closeWhenIdle() {
    if (ending || !channel.isActive() || http2 != null) {
      return;
    }
    long idleMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - idleSinceNanos);
    boolean busy = unanswered > 0 || insideMessage || head != null;
    if (busy || idleMs < Drain.GRACE_MS) {
      // the last answer ends the connection before this comes round again, or a timeout does
      later(busy ? Drain.GRACE_MS : Drain.GRACE_MS - idleMs);
    } else {
      end();
    }
  }

  /** First that there is an end in sight, then, when that is known, where it is (RFC 9113, 6.8). */
  private void goAway(HttpConnection connection) {
    connection.goAway(0, Integer.MAX_VALUE);
    channel
        .eventLoop()
        .schedule(
            () -> {
              connection.goAway(0);
              connection.shutdown(guard.drainMillis(), TimeUnit.MILLISECONDS);
            },
            Drain.GRACE_MS,
            TimeUnit.MILLISECONDS);
  }

  /** Closes the connection so that what was written gets through. */
  void end() {
    if (!ending) {
      ending = true;
      cancelHead();
      GentleEnd.of(channel);
    }
  }

  /** Whether nothing that comes is listened to any more. */
  boolean isEnding() {
    return ending;
  }

  private void cancelHead() {
    if (head != null) {
      head.cancel(false);
      head = null;
    }
  }
}
