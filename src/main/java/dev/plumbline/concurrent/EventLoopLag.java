package dev.plumbline.concurrent;

import io.netty.channel.EventLoop;
import io.vertx.core.Vertx;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

/**
 * The time in which the event loops could not run, because the process had no CPU time, was paused (SIGSTOP, a
 * suspended virtual machine, garbage collection) or a task blocked the loop: a periodic timer is late. Thread-safe.
 */
public final class EventLoopLag {
    private static final long PERIOD_MS = 50;
    private static final long PERIOD_NANOS = TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);

    /** Shorter delays are normal for a loop with many tasks. */
    private static final long MIN_LAG_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A pause of this length exceeds the timeouts of most checks. */
    private static final long MIN_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(5);

    private final Vertx vertx;
    private final LongSupplier nanos;
    private final LongConsumer observer;
    private final Map<EventLoop, Loop> loops = new ConcurrentHashMap<>();

    /**
     * @param nanos clock, as {@link System#nanoTime}
     * @param observer receives each delay of a timer in nanoseconds
     */
    public EventLoopLag(Vertx vertx, LongSupplier nanos, LongConsumer observer) {
        this.vertx = vertx;
        this.nanos = nanos;
        this.observer = observer;
    }

    /**
     * Measures all event loops.
     *
     * @param count the number of event loops
     */
    public void measure(int count) {
        for (int i = 0; i < count; i++) {
            // contexts are assigned to the event loops round-robin
            VertxInternals.createContext(vertx).runOnContext(ignored -> current());
        }
    }

    /** The loop of the current context. It is measured from the first call. */
    public Loop current() {
        EventLoop eventLoop = VertxInternals.eventLoop(vertx.getOrCreateContext());
        return loops.computeIfAbsent(eventLoop, missing -> {
            Loop started = new Loop();
            VertxInternals.createContext(vertx, eventLoop)
                    .runOnContext(ignored -> vertx.setPeriodic(PERIOD_MS, fired -> started.tick()));
            return started;
        });
    }

    /** The mean time that each measured loop has lost, in nanoseconds. */
    public long lostNanos() {
        return (long)
                loops.values().stream().mapToLong(Loop::lostNanos).average().orElse(0);
    }

    /** One event loop. Thread-safe. Written by the loop itself; a pause is also counted by the first reader. */
    public final class Loop {
        private volatile long latestTick = nanos.getAsLong();
        private volatile long pauseEnd = latestTick;
        private volatile long lost;

        private void tick() {
            observer.accept(count());
        }

        /** Counts the delay of the timer that is due, and returns it. */
        private synchronized long count() {
            long now = nanos.getAsLong();
            long delay = delay(now);
            lost += delay < MIN_LAG_NANOS ? 0 : delay;
            latestTick = now;
            if (delay >= MIN_PAUSE_NANOS) {
                pauseEnd = now;
            }
            return delay;
        }

        /** The delay of the timer that is due; 0 if it is not due. */
        private long delay(long now) {
            return Math.max(0, now - latestTick - PERIOD_NANOS);
        }

        /** The time since the first measurement in which the loop could not run, in nanoseconds. */
        public long lostNanos() {
            long delay = delay(nanos.getAsLong());
            return delay < MIN_LAG_NANOS ? lost : lostWithPresentDelay();
        }

        private synchronized long lostWithPresentDelay() {
            long delay = delay(nanos.getAsLong());
            return lost + (delay < MIN_LAG_NANOS ? 0 : delay);
        }

        /** Whether a pause of at least five seconds ended after the given time. */
        public boolean pausedSince(long startNanos) {
            if (delay(nanos.getAsLong()) >= MIN_PAUSE_NANOS) {
                count();
            }
            return pauseEnd - startNanos > 0;
        }
    }
}
