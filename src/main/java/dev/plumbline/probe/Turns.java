package dev.plumbline.probe;

import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Lets a few do their work at once; others wait for their turn, not longer than they may. */
final class Turns {
  private final Vertx vertx;
  private final int mostWaiting;
  private final ArrayDeque<Promise<Boolean>> waiting = new ArrayDeque<>();
  private int free;

  /**
   * @param atOnce how many work at once
   * @param mostWaiting how many may wait
   */
  Turns(Vertx vertx, int atOnce, int mostWaiting) {
    this.vertx = vertx;
    this.free = atOnce;
    this.mostWaiting = mostWaiting;
  }

  /**
   * Does the work when its turn has come.
   *
   * @param millis how long to wait for it
   * @param late tells what comes of it when the turn did not come in time
   */
  <T> Future<T> take(long millis, Supplier<Future<T>> work, Supplier<Future<T>> late) {
    return OnContext.ofCaller(turn(millis))
        .compose(mine -> mine ? begin(work).onComplete(done -> next()) : late.get());
  }

  /** Begins work; what it throws is a failure like any other. */
  static <T> Future<T> begin(Supplier<Future<T>> work) {
    try {
      return work.get();
    } catch (RuntimeException thrown) {
      return Future.failedFuture(thrown);
    }
  }

  private Future<Boolean> turn(long millis) {
    Promise<Boolean> turn = Promise.promise();
    synchronized (this) {
      if (free > 0) {
        free--;
        return Future.succeededFuture(true);
      }
      if (waiting.size() >= mostWaiting || millis <= 0) {
        return Future.succeededFuture(false);
      }
      waiting.add(turn);
    }
    long timer = vertx.setTimer(millis, fired -> giveUp(turn));
    return turn.future().onComplete(told -> vertx.cancelTimer(timer));
  }

  private void giveUp(Promise<Boolean> turn) {
    synchronized (this) {
      if (!waiting.remove(turn)) {
        return;
      }
    }
    turn.complete(false);
  }

  private void next() {
    Promise<Boolean> first;
    synchronized (this) {
      first = nextWaiting();
    }
    if (first != null) {
      first.complete(true);
    }
  }

  private @Nullable Promise<Boolean> nextWaiting() {
    Promise<Boolean> first = waiting.poll();
    if (first == null) {
      free++;
    }
    return first;
  }
}
