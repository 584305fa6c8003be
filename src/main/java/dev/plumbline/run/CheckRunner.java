package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.PauseDetector;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes checks with a concurrency limit, bounded queues and a deadline. Every check ends with a result;
 * {@link Message.Overloaded} is returned if the queue is full. Not thread-safe: used on one event loop.
 */
public final class CheckRunner {
    /** One of this many permits is reserved for instant checks. */
    private static final int INSTANT_SHARE = 8;

    private static final int RETRY_AFTER_SECONDS = 1;

    /** A shorter pause is less than the timeouts of most checks. */
    private static final Duration MIN_PAUSE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(CheckRunner.class);

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final ClassToInstanceMap<Object> probes;
    private final Clock clock;
    private final RunnerMetrics metrics;
    private final LongSupplier nanos;
    private final PauseDetector pauses;
    private final CompositeRun.Runtime composites;
    private final AsyncSemaphore instantComposites;
    private final AsyncSemaphore bulkComposites;
    private final int permits;
    private final int bulkPermits;
    private final int maxQueued;
    private final Queue<QueuedCheck> instantQueue = new ArrayDeque<>();
    private final Queue<QueuedCheck> bulkQueue = new ArrayDeque<>();
    private int running;
    private int runningBulk;

    /** A queued check, compared by identity. */
    private static final class QueuedCheck {
        private final ModuleDefinition<?> module;
        private final Message.RunCheck request;
        private final Promise<Message.RunReply> reply = Promise.promise();

        QueuedCheck(ModuleDefinition<?> module, Message.RunCheck request) {
            this.module = module;
            this.request = request;
        }
    }

    /**
     * @param parts the results of the parts of composite checks
     * @param permits maximum number of concurrent checks, at least 1
     * @param maxQueued maximum length of each of the two queues: instant checks and lines of jobs
     */
    public CheckRunner(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            int permits,
            int maxQueued) {
        this(vertx, modules, probes, clock, metrics, parts, permits, maxQueued, System::nanoTime);
    }

    /** @param nanos clock of durations and pauses, as {@link System#nanoTime} */
    CheckRunner(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            int permits,
            int maxQueued,
            LongSupplier nanos) {
        this.vertx = vertx;
        this.modules = modules;
        this.probes = probes;
        this.clock = clock;
        this.metrics = metrics;
        this.nanos = nanos;
        this.pauses = new PauseDetector(vertx, MIN_PAUSE, nanos);
        this.composites = new CompositeRun.Runtime(modules, parts, metrics, pauses, nanos);
        // the parts of all composites together are about as many checks as there are permits
        int concurrentComposites = Math.max(1, permits / (2 * CompositeRun.MAX_CONCURRENT));
        this.instantComposites = new AsyncSemaphore(vertx, concurrentComposites, maxQueued);
        this.bulkComposites = new AsyncSemaphore(vertx, concurrentComposites, maxQueued);
        this.permits = permits;
        this.bulkPermits = Math.max(1, permits - permits / INSTANT_SHARE);
        this.maxQueued = maxQueued;
        metrics.addPermits(permits);
    }

    /** Runs a check. The future fails only for internal errors. */
    public Future<Message.RunReply> run(Message.RunCheck request) {
        ModuleDefinition<?> module = modules.find(request.module());
        if (module == null) {
            return Future.succeededFuture(new Message.Unsupported());
        }
        if (!module.description().composite()) {
            return admit(module, request);
        }
        AsyncSemaphore limit = request.bulk() ? bulkComposites : instantComposites;
        return limit.withPermit(request.queueTimeoutMs(), () -> admit(module, request), () -> {
            metrics.rejected();
            return Future.succeededFuture(new Message.Overloaded(RETRY_AFTER_SECONDS));
        });
    }

    private Future<Message.RunReply> admit(ModuleDefinition<?> module, Message.RunCheck request) {
        if (running < permits && (!request.bulk() || runningBulk < bulkPermits)) {
            running++;
            runningBulk += request.bulk() ? 1 : 0;
            metrics.started();
            return start(module, request);
        }
        Queue<QueuedCheck> waiting = request.bulk() ? bulkQueue : instantQueue;
        if (waiting.size() >= maxQueued) {
            metrics.rejected();
            return Future.succeededFuture(new Message.Overloaded(RETRY_AFTER_SECONDS));
        }
        QueuedCheck queued = new QueuedCheck(module, request);
        waiting.add(queued);
        metrics.queued();
        long timer = vertx.setTimer(Math.max(1, request.queueTimeoutMs()), fired -> timeOut(waiting, queued));
        return queued.reply.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private void timeOut(Queue<QueuedCheck> queue, QueuedCheck queued) {
        if (queue.remove(queued)) {
            metrics.dequeued();
            metrics.rejected();
            queued.reply.complete(new Message.Overloaded(RETRY_AFTER_SECONDS));
        }
    }

    private Future<Message.RunReply> start(ModuleDefinition<?> module, Message.RunCheck request) {
        try {
            return parseAndEvaluate(module, request);
        } catch (RuntimeException malformed) {
            release(request);
            return Future.failedFuture(malformed);
        }
    }

    private <E> Future<Message.RunReply> parseAndEvaluate(ModuleDefinition<E> module, Message.RunCheck request) {
        ModuleDescription description = module.description();
        long startNanos = nanos.getAsLong();
        Instant checkedAt = clock.instant();
        Target target;
        try {
            target = TargetParser.parse(description, request.target());
        } catch (InvalidTargetException invalid) {
            release(request);
            return Future.succeededFuture(new Message.Unsupported());
        }
        Options options = Options.parse(description, request.options()).options();
        if (options == null) {
            release(request);
            return Future.succeededFuture(new Message.Unsupported());
        }
        RunningCheckContext context = context(module, options, request);
        CompositeRun composite = context.composite();
        return context.evaluate(module, target).transform(outcome -> {
            release(request);
            if (pauses.pausedSince(startNanos)) {
                metrics.rejected();
                return Future.succeededFuture(new Message.Paused());
            }
            long durationMs = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - startNanos);
            OverloadFailure overload = overload(outcome.cause(), composite);
            if (overload != null && retriable(request, context)) {
                metrics.rejected();
                return Future.succeededFuture(new Message.Overloaded(
                        (int) Math.max(1, overload.retryAfter().toSeconds())));
            }
            CheckResult result;
            if (outcome.succeeded()) {
                result = ResultAssembler.assemble(description, target, outcome.result(), checkedAt, durationMs);
            } else {
                CheckError error = errorOf(outcome.cause(), request.requestId(), description, target);
                result = ResultAssembler.failed(description, target, error, checkedAt, durationMs);
            }
            return complete(composite == null || composite.complete() ? result : result.incomplete());
        });
    }

    private RunningCheckContext context(ModuleDefinition<?> module, Options options, Message.RunCheck request) {
        long timeoutMs = options.integer(ModuleDescription.TIMEOUT_MS);
        RunningCheckContext context = new RunningCheckContext(
                vertx,
                options,
                Deadline.in(timeoutMs),
                request.bulk() ? request.queueTimeoutMs() : timeoutMs,
                request.account(),
                clock,
                new RequestBudget(module.requests(options)),
                request.fresh(),
                probes,
                null);
        ModuleDescription description = module.description();
        return description.composite()
                ? context.withParts(new CompositeRun(composites, context, request, modules.parts(description.module())))
                : context;
    }

    /** The reason why the check, or a part of it, did not run; null if there is none. */
    private static @Nullable OverloadFailure overload(@Nullable Throwable cause, @Nullable CompositeRun composite) {
        if (cause instanceof OverloadFailure failure) {
            return failure;
        }
        return composite == null ? null : composite.overload();
    }

    /**
     * Whether the check can run again later. A line repeats its requests, but the parts of a composite only if they use
     * the cache.
     */
    private static boolean retriable(Message.RunCheck request, RunningCheckContext context) {
        boolean repeatable = request.bulk() && (context.composite() == null || !request.fresh());
        return repeatable || !context.budget().used();
    }

    private Future<Message.RunReply> complete(CheckResult result) {
        metrics.completed(result);
        return Future.succeededFuture(new Message.Checked(result));
    }

    /** The error of a failed check. Logs internal errors. */
    static CheckError errorOf(Throwable cause, String requestId, ModuleDescription module, Target target) {
        if (cause instanceof CheckFailure failure) {
            return failure.error();
        }
        if (cause instanceof OverloadFailure) {
            // a request was already sent, so the check cannot be retried without cost
            return new CheckError(
                    ErrorCode.DEADLINE_EXCEEDED, "The check timed out while waiting for the rate limit of the target.");
        }
        LOG.atError()
                .addKeyValue("request_id", requestId)
                .addKeyValue("module", module.module())
                .addKeyValue("target", target.text())
                .setCause(cause)
                .log("module failed");
        return CheckError.INTERNAL;
    }

    private void release(Message.RunCheck request) {
        runningBulk -= request.bulk() ? 1 : 0;
        QueuedCheck next = next();
        if (next == null) {
            running--;
            metrics.stopped();
        } else {
            metrics.dequeued();
            // in a new task, because many checks that end at once would recurse
            vertx.runOnContext(ignored -> start(next.module, next.request).onComplete(next.reply));
        }
    }

    /** The next queued check; instant checks precede lines of jobs. */
    private @Nullable QueuedCheck next() {
        QueuedCheck instant = instantQueue.poll();
        if (instant != null || runningBulk >= bulkPermits) {
            return instant;
        }
        QueuedCheck line = bulkQueue.poll();
        runningBulk += line == null ? 0 : 1;
        return line;
    }
}
