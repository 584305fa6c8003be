package dev.plumbline.probe;

import dev.plumbline.config.Config;
import io.vertx.core.Promise;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/** Who is inside, who has entered within the last second, and who waits: guarded by the gate. */
final class PaceLine {
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  /** Compared by identity, as a record would not be. */
  static final class Waiter {
    private final Promise<Void> promise;

    Waiter(Promise<Void> promise) {
      this.promise = promise;
    }

    Promise<Void> promise() {
      return promise;
    }
  }

  private final Config.Pace pace;
  private final Deque<Long> entries = new ArrayDeque<>(2);
  private final Deque<Waiter> waiters = new ArrayDeque<>(2);
  private int inside;
  private boolean alarm;

  PaceLine(Config.Pace pace) {
    this.pace = pace;
  }

  boolean admit(long now) {
    if (isFull() || isTooFast(now)) {
      return false;
    }
    inside++;
    if (pace.perSecond() > 0) {
      entries.add(now);
    }
    return true;
  }

  private boolean isFull() {
    return pace.concurrent() > 0 && inside >= pace.concurrent();
  }

  private boolean isTooFast(long now) {
    forgetOld(now);
    return pace.perSecond() > 0 && entries.size() >= pace.perSecond();
  }

  private void forgetOld(long now) {
    while (!entries.isEmpty() && now - entries.peek() >= SECOND) {
      entries.remove();
    }
  }

  void leave() {
    inside--;
  }

  /** How long the next to come would wait for the pace alone. */
  long pacedWaitNanos(long now) {
    if (pace.perSecond() == 0) {
      return 0;
    }
    long first = isTooFast(now) ? entries.peek() + SECOND - now : 0;
    return first + (long) waiters.size() / pace.perSecond() * SECOND;
  }

  /** Nanoseconds after which the line wants to be woken, -1 when it need not be. */
  long takeAlarm(long now) {
    if (alarm || waiters.isEmpty() || isFull()) {
      return -1;
    }
    alarm = true;
    return isTooFast(now) ? entries.peek() + SECOND - now : 0;
  }

  void clearAlarm() {
    alarm = false;
  }

  boolean isIdle() {
    return inside == 0 && waiters.isEmpty();
  }

  boolean isForgettable(long now) {
    forgetOld(now);
    return entries.isEmpty();
  }

  boolean isEmpty() {
    return waiters.isEmpty();
  }

  int size() {
    return waiters.size();
  }

  void add(Waiter waiter) {
    waiters.add(waiter);
  }

  Waiter next() {
    return waiters.remove();
  }

  boolean remove(Waiter waiter) {
    return waiters.remove(waiter);
  }
}
