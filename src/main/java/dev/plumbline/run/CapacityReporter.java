package dev.plumbline.run;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.concurrent.ContextFutures;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reports the capacity of this run node for lines of jobs to the coordinators of a cluster. Thread-safe. */
public final class CapacityReporter {
    private static final long CHANGED_INTERVAL_MS = 500;
    private static final long INTERVAL_NANOS = TimeUnit.SECONDS.toNanos(2);

    private final MessageBus bus;
    private final String node;
    private final int permits;
    private final AtomicInteger lines = new AtomicInteger();
    private volatile Message.@Nullable RunCapacity reported;
    private volatile long reportedNanos;

    /**
     * @param node the name of this node
     * @param permits maximum number of concurrent lines on this node, at least 1
     */
    public CapacityReporter(Vertx vertx, MessageBus bus, String node, int permits) {
        this.bus = bus;
        this.node = node;
        this.permits = permits;
        vertx.setPeriodic(CHANGED_INTERVAL_MS, fired -> reportIfDue());
    }

    String node() {
        return node;
    }

    /** Runs the line of a job and counts it while it runs or waits. */
    Future<Message.RunReply> count(
            Message.RunCheck check, Function<Message.RunCheck, Future<Message.RunReply>> runner) {
        lines.incrementAndGet();
        return ContextFutures.call(() -> runner.apply(check)).onComplete(ended -> lines.decrementAndGet());
    }

    /** Reports the capacity now, because a coordinator may not know it. */
    public void report() {
        Message.RunCapacity capacity = new Message.RunCapacity(node, permits, permits - lines.get());
        reported = capacity;
        reportedNanos = System.nanoTime();
        bus.publish(capacity);
    }

    private void reportIfDue() {
        Message.RunCapacity last = reported;
        if (last == null
                || last.free() != permits - lines.get()
                || System.nanoTime() - reportedNanos >= INTERVAL_NANOS) {
            report();
        }
    }
}
