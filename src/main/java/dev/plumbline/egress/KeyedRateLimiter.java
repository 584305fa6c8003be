package dev.plumbline.egress;

import dev.plumbline.check.Deadline;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.result.TargetLimit;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A rate and concurrency limiter per key: at most {@code concurrent} permits at once and {@code per_second} in any
 * second. Callers without a permit wait in a queue: instant checks first, then the lines of jobs, round-robin between
 * accounts. An eighth of the concurrent permits is not available to a single account. The state of a key is removed
 * when it has been idle for a second. Thread-safe; a waiting caller's future completes on the thread that released the
 * permit.
 *
 * @param <K> an address, a network or a domain
 */
public final class KeyedRateLimiter<K> implements RateLimiter<K> {
    static final int MAX_QUEUED = 10_000;
    static final int MAX_QUEUED_PER_KEY = 1_000;

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final int MAX_SWEPT = 1_000;
    private static final long SWEEP_INTERVAL_MILLIS = 1_000;
    private static final Future<TargetLimit.@Nullable Type> ACQUIRED = Future.succeededFuture();

    private record Idle<K>(K key, long sinceNanos) {}

    private final Config.OutboundLimit limit;
    private final long windowNanos;
    private final LongSupplier nanoClock;
    private final Scheduler scheduler;
    private final ConcurrentMap<K, RateLimiterQueue> queues = new ConcurrentHashMap<>();
    private final Queue<Idle<K>> idle = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private final AtomicInteger waiting = new AtomicInteger();

    public KeyedRateLimiter(Config.OutboundLimit limit, LongSupplier nanoClock, Scheduler scheduler) {
        this(limit, SECOND, nanoClock, scheduler);
    }

    /** @param window the time in which at most {@code per_second} permits are granted, at least a second */
    public KeyedRateLimiter(Config.OutboundLimit limit, Duration window, LongSupplier nanoClock, Scheduler scheduler) {
        this.limit = limit;
        this.windowNanos = window.toNanos();
        this.nanoClock = nanoClock;
        this.scheduler = scheduler;
    }

    @Override
    public boolean isUnlimited() {
        return limit.perSecond() == 0 && limit.concurrent() == 0;
    }

    int size() {
        return queues.size();
    }

    @Override
    public Future<RatePermit> acquire(K key, long maxWaitMillis, long account, Deadline end) {
        return acquire(key, maxWaitMillis, account)
                .map(limitedBy -> new RatePermit(() -> release(key, account), limitedBy));
    }

    /**
     * Acquires a permit, now or after waiting; {@link #release} must follow once. Fails with {@link OverloadFailure}
     * and without a permit if the queue is full or the wait would be too long.
     *
     * @param account the account of the line of a job; 0 for an instant check
     * @return the type of the limit that delayed the permit; null if it was available at once
     */
    public Future<TargetLimit.@Nullable Type> acquire(K key, long maxWaitMillis, long account) {
        AtomicReference<Future<TargetLimit.@Nullable Type>> outcome = new AtomicReference<>(ACQUIRED);
        queues.compute(key, (same, existing) -> {
            RateLimiterQueue queue = existing == null ? new RateLimiterQueue(limit, windowNanos) : existing;
            long now = nanoClock.getAsLong();
            if (!queue.tryAcquire(account, now)) {
                OverloadFailure rejection = rejectionOf(queue, now, maxWaitMillis, account);
                outcome.set(rejection == null ? enqueue(queue, account) : Future.failedFuture(rejection));
            }
            return queue;
        });
        Future<TargetLimit.@Nullable Type> permit = Objects.requireNonNull(outcome.get());
        if (!permit.isComplete()) {
            Runnable cancel = scheduler.after(maxWaitMillis, () -> cancel(key, permit));
            permit.onComplete(done -> cancel.run());
            scheduleWakeUp(key);
        }
        return permit;
    }

    private Future<TargetLimit.@Nullable Type> enqueue(RateLimiterQueue queue, long account) {
        waiting.incrementAndGet();
        RateLimiterQueue.Waiter waiter = new RateLimiterQueue.Waiter(account, queue.limitedBy(account));
        queue.add(waiter);
        return waiter.future();
    }

    private @Nullable OverloadFailure rejectionOf(RateLimiterQueue queue, long now, long maxWaitMillis, long account) {
        int queuedBefore = queue.queuedBefore(account);
        long windowWait = TimeUnit.NANOSECONDS.toMillis(queue.windowWaitNanos(now, queuedBefore));
        boolean full = waiting.get() >= MAX_QUEUED || queuedBefore >= MAX_QUEUED_PER_KEY;
        return full || maxWaitMillis <= 0 || windowWait > maxWaitMillis
                ? overload(windowWait, windowWait > maxWaitMillis ? TargetLimit.Type.RATE : queue.limitedBy(account))
                : null;
    }

    private static OverloadFailure overload(long millis, TargetLimit.Type type) {
        return new OverloadFailure(
                "A limit per target is exceeded.", Duration.ofSeconds(Math.max(1, (millis + 999) / 1000)), type);
    }

    /** @param account as in {@link #acquire} */
    public void release(K key, long account) {
        admitWaiters(key, queue -> queue.release(account));
    }

    /**
     * Ends a wait: the future fails with {@link OverloadFailure} unless it is complete.
     *
     * @param acquired the future that {@link #acquire(Object, long, long)} returned for the key
     */
    public void cancel(K key, Future<?> acquired) {
        RateLimiterQueue.Waiter[] removed = new RateLimiterQueue.Waiter[1];
        queues.computeIfPresent(key, (same, queue) -> {
            removed[0] = queue.remove(acquired);
            return retained(key, queue);
        });
        if (removed[0] != null) {
            waiting.decrementAndGet();
            removed[0].fail(overload(0, removed[0].limitedBy()));
        }
    }

    /** Applies a change and grants permits to waiting callers. */
    private void admitWaiters(K key, Consumer<RateLimiterQueue> change) {
        List<RateLimiterQueue.Waiter> admitted = new ArrayList<>(1);
        queues.computeIfPresent(key, (same, queue) -> {
            change.accept(queue);
            long now = nanoClock.getAsLong();
            for (RateLimiterQueue.Waiter next = queue.poll(now); next != null; next = queue.poll(now)) {
                admitted.add(next);
            }
            return retained(key, queue);
        });
        if (!admitted.isEmpty()) {
            waiting.addAndGet(-admitted.size());
            admitted.forEach(RateLimiterQueue.Waiter::complete);
        }
        scheduleWakeUp(key);
    }

    /** Schedules the next grant when the window allows it, unless a release will trigger it. */
    private void scheduleWakeUp(K key) {
        if (waiting.get() == 0) {
            return;
        }
        long[] wait = {-1};
        queues.computeIfPresent(key, (same, queue) -> {
            wait[0] = queue.takeWakeUp(nanoClock.getAsLong());
            return queue;
        });
        if (wait[0] >= 0) {
            scheduler.after(wait[0] / 1_000_000 + 1, () -> admitWaiters(key, RateLimiterQueue::clearWakeUp));
        }
    }

    /** The queue, or null if its state can be dropped. */
    private @Nullable RateLimiterQueue retained(K key, RateLimiterQueue queue) {
        if (!queue.isIdle()) {
            return queue;
        }
        long now = nanoClock.getAsLong();
        if (queue.isExpired(now)) {
            return null;
        }
        idle.add(new Idle<>(key, now));
        if (sweeping.compareAndSet(false, true)) {
            scheduler.after(SWEEP_INTERVAL_MILLIS, this::sweep);
        }
        return queue;
    }

    private void sweep() {
        long now = nanoClock.getAsLong();
        int count = 0;
        for (Idle<K> next = idle.peek();
                next != null && now - next.sinceNanos() >= windowNanos && count < MAX_SWEPT;
                next = idle.peek()) {
            idle.remove();
            count++;
            queues.computeIfPresent(next.key(), (same, queue) -> queue.isIdle() && queue.isExpired(now) ? null : queue);
        }
        sweeping.set(false);
        if (!idle.isEmpty() && sweeping.compareAndSet(false, true)) {
            scheduler.after(count == MAX_SWEPT ? 1 : SWEEP_INTERVAL_MILLIS, this::sweep);
        }
    }
}
