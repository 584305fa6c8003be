package dev.plumbline.run;

import dev.plumbline.bus.Message;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.concurrent.FairQueue;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The capacity of a node for checks: one concurrency limit and one bounded queue each for instant checks and lines of
 * jobs, for all event loops. The event loop that completes a check starts the next one. Clients and accounts are served
 * round-robin, and some permits are reserved for those that do not run a check. While the event loops have too little
 * CPU time, fewer checks are admitted. While memory is scarce, a client that runs a check cannot start another one.
 * After a check was refused for memory, its client runs fewer checks at once. Thread-safe.
 */
public final class CheckAdmission {
    /** One of this many permits is reserved for instant checks. */
    private static final int INSTANT_SHARE = 8;

    /**
     * One of this many permits, but at most {@link #MAX_IDLE_RESERVE}, is reserved for clients that do not run a check.
     */
    private static final int IDLE_SHARE = 16;

    private static final int MAX_IDLE_RESERVE = 4;

    static final int RETRY_AFTER_SECONDS = 1;

    private static final long ADAPT_PERIOD_MS = 250;

    /** The share of time that the event loops can lose before fewer checks are admitted. */
    private static final double MAX_LOST_SHARE = 0.2;

    private static final double DECREASE = 0.75;
    private static final int INCREASE_SHARE = 16;
    private static final int MIN_LIMIT = 8;

    /** The period after which the limit of a client grows, longer than most checks with large responses. */
    private static final long GROWTH_PERIOD_MS = 5_000;

    /** Divisor: a quarter of a queue of instant checks is not available to a single client. */
    private static final int QUEUE_RESERVE = 4;

    private final Vertx vertx;
    private final RunnerMetrics metrics;
    private final int permits;
    private final BooleanSupplier memoryScarce;
    private final FairQueue<String, Waiting> instantQueue;
    private final FairQueue<String, Waiting> bulkQueue;
    private final Map<String, Integer> runningByClient = new HashMap<>();

    /** The maximum number of concurrent checks of the clients whose checks were refused for memory. */
    private final Map<String, Integer> limitByClient = new HashMap<>();

    private int limit;
    private int running;
    private int runningBulk;
    private long latestLostNanos;

    private record Waiting(
            Promise<Message.RunReply> reply, Message.RunCheck request, Supplier<Future<Message.RunReply>> check) {}

    /**
     * @param permits maximum number of concurrent checks, at least 1
     * @param maxQueued maximum length of each of the two queues
     * @param memoryScarce whether so little memory is left that checks in progress may not be able to grow
     */
    public CheckAdmission(
            Vertx vertx, RunnerMetrics metrics, int permits, int maxQueued, BooleanSupplier memoryScarce) {
        this.vertx = vertx;
        this.metrics = metrics;
        this.permits = permits;
        this.limit = permits;
        this.memoryScarce = memoryScarce;
        this.instantQueue = new FairQueue<>(maxQueued, maxQueuedPerClient(maxQueued));
        this.bulkQueue = new FairQueue<>(maxQueued, maxQueued);
        metrics.observe(this);
    }

    /** The maximum number of instant checks of one client in a queue of this length. */
    static int maxQueuedPerClient(int maxQueued) {
        return maxQueued - maxQueued / QUEUE_RESERVE;
    }

    /** Adapts the number of admitted checks to the CPU time of the event loops. */
    public void adaptTo(EventLoopLag lag) {
        vertx.setPeriodic(ADAPT_PERIOD_MS, fired -> {
            long lostNanos = lag.lostNanos();
            adapt((double) (lostNanos - latestLostNanos) / TimeUnit.MILLISECONDS.toNanos(ADAPT_PERIOD_MS));
            latestLostNanos = lostNanos;
        });
    }

    /** @param lostShare the share of the last period in which the event loops could not run */
    void adapt(double lostShare) {
        synchronized (this) {
            if (lostShare > MAX_LOST_SHARE) {
                // checks that only wait for their targets keep their permits, so the limit follows them
                limit = Math.max(
                        Math.min(MIN_LIMIT, permits), Math.min(limit, Math.max(running, (int) (limit * DECREASE))));
            } else {
                limit = Math.min(permits, limit + Math.max(1, permits / INCREASE_SHARE));
            }
        }
        startWaiting();
    }

    synchronized int limit() {
        return limit;
    }

    /** The maximum number of checks that can run. */
    int permits() {
        return permits;
    }

    synchronized int running() {
        return running;
    }

    synchronized int queued() {
        return instantQueue.size() + bulkQueue.size();
    }

    /** The number of checks that run or wait to run. */
    public synchronized int pending() {
        return running + queued();
    }

    /**
     * Runs a check with a permit, or replies {@link Message.Overloaded} if the queue is full or its timeout expires.
     * Completes on the caller's context; a queued check can run on another event loop.
     */
    Future<Message.RunReply> run(Message.RunCheck request, Supplier<Future<Message.RunReply>> check) {
        Waiting waiting = new Waiting(Promise.promise(), request, check);
        FairQueue<String, Waiting> queue = request.bulk() ? bulkQueue : instantQueue;
        synchronized (this) {
            if (canStart(request.client(), request.bulk())) {
                start(request);
            } else if (!queue.offer(request.client(), waiting)) {
                return overloaded();
            } else {
                return enqueue(queue, waiting);
            }
        }
        return execute(waiting);
    }

    private Future<Message.RunReply> enqueue(FairQueue<String, Waiting> queue, Waiting waiting) {
        long timer = vertx.setTimer(Math.max(1, waiting.request.queueTimeoutMs()), fired -> timeOut(queue, waiting));
        return ContextFutures.onCallerContext(waiting.reply.future()).onComplete(done -> vertx.cancelTimer(timer));
    }

    /** The reply to a check for which the node has too little capacity. */
    Future<Message.RunReply> overloaded() {
        metrics.rejectedByCapacity();
        return Future.succeededFuture(new Message.Overloaded(RETRY_AFTER_SECONDS));
    }

    private void timeOut(FairQueue<String, Waiting> queue, Waiting waiting) {
        synchronized (this) {
            if (!queue.remove(waiting.request.client(), waiting)) {
                return;
            }
        }
        overloaded().onComplete(waiting.reply);
    }

    private boolean canStart(String client, boolean bulk) {
        int ofClient = runningByClient.getOrDefault(client, 0);
        boolean runs = ofClient > 0;
        int reserved = runs ? Math.min(MAX_IDLE_RESERVE, limit / IDLE_SHARE) : 0;
        return running < limit - reserved
                && !(runs && memoryScarce.getAsBoolean())
                && ofClient < limitByClient.getOrDefault(client, permits)
                && (!bulk || runningBulk < limit - limit / INSTANT_SHARE);
    }

    private void start(Message.RunCheck request) {
        running++;
        runningBulk += request.bulk() ? 1 : 0;
        runningByClient.merge(request.client(), 1, Integer::sum);
    }

    private synchronized void end(Message.RunCheck request) {
        running--;
        runningBulk -= request.bulk() ? 1 : 0;
        runningByClient.computeIfPresent(
                request.client(), (client, count) -> count == 1 ? null : Integer.valueOf(count - 1));
    }

    private Future<Message.RunReply> execute(Waiting waiting) {
        return ContextFutures.call(waiting.check).onComplete(done -> {
            if (done.result() instanceof Message.Refused refused && refused.reason() == Message.Refused.Reason.MEMORY) {
                decreaseLimit(waiting.request.client());
            }
            end(waiting.request);
            startWaiting();
        });
    }

    /** Halves the number of concurrent checks of a client, because together they need more memory than its share. */
    private synchronized void decreaseLimit(String client) {
        int concurrent = Math.min(runningByClient.getOrDefault(client, 0), limitByClient.getOrDefault(client, permits));
        if (limitByClient.put(client, Math.max(1, concurrent / 2)) == null) {
            vertx.setTimer(GROWTH_PERIOD_MS, fired -> increaseLimit(client));
        }
    }

    /** Increases a decreased limit by half. */
    void increaseLimit(String client) {
        synchronized (this) {
            int increased = limitByClient.getOrDefault(client, permits);
            increased += Math.max(1, increased / 2);
            if (increased >= permits) {
                limitByClient.remove(client);
            } else {
                limitByClient.put(client, increased);
                vertx.setTimer(GROWTH_PERIOD_MS, fired -> increaseLimit(client));
            }
        }
        startWaiting();
    }

    private void startWaiting() {
        for (Waiting next = next(); next != null; next = next()) {
            Waiting started = next;
            // in a new task, because many checks that end at once would recurse
            vertx.runOnContext(ignored -> execute(started).onComplete(started.reply));
        }
    }

    /** The next queued check; instant checks precede lines of jobs. */
    private synchronized @Nullable Waiting next() {
        if (running >= limit) {
            return null;
        }
        Waiting next = instantQueue.poll(client -> canStart(client, false));
        if (next == null) {
            next = bulkQueue.poll(client -> canStart(client, true));
        }
        if (next != null) {
            start(next.request);
        }
        return next;
    }
}
