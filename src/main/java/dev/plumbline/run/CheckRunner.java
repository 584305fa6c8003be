package dev.plumbline.run;

import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.Evaluation;
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
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs checks with a concurrency limit, a bounded queue and a time limit per check. Every check
 * ends with a result, or with {@link Message.Busy} if the queue is full or a rate limit was
 * reached. Used on one event loop.
 */
public final class CheckRunner {
    /**
     * The delay after the deadline of a check before the runner ends it, so that probes can report a
     * more specific error.
     */
    private static final long GRACE_MS = 250;

    /** One in this many slots is reserved for instant checks. */
    private static final int INSTANT_SHARE = 8;

    private static final int RETRY_AFTER_SECONDS = 1;
    private static final Logger LOG = LoggerFactory.getLogger(CheckRunner.class);

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final ProbeRegistry probes;
    private final Clock clock;
    private final RunnerMetrics metrics;
    private final int places;
    private final int bulkPlaces;
    private final int queueLimit;
    private final Queue<Waiting> waiting = new ArrayDeque<>();
    private final Queue<Waiting> waitingBulk = new ArrayDeque<>();
    private int running;
    private int runningBulk;

    /** A queued check. Compared by identity. */
    private static final class Waiting {
        private final ModuleDefinition<?> module;
        private final Message.RunCheck order;
        private final Promise<Message.RunReply> reply = Promise.promise();

        Waiting(ModuleDefinition<?> module, Message.RunCheck order) {
            this.module = module;
            this.order = order;
        }
    }

    /**
     * @param places the maximum number of concurrent checks, at least 1
     * @param queueLimit the maximum number of queued checks, for instant checks and lines of jobs
     *     each
     */
    public CheckRunner(
            Vertx vertx,
            ModuleCatalogue modules,
            ProbeRegistry probes,
            Clock clock,
            RunnerMetrics metrics,
            int places,
            int queueLimit) {
        this.vertx = vertx;
        this.modules = modules;
        this.probes = probes;
        this.clock = clock;
        this.metrics = metrics;
        this.places = places;
        this.bulkPlaces = Math.max(1, places - places / INSTANT_SHARE);
        this.queueLimit = queueLimit;
    }

    /** Runs one check. Errors of the target are results, not failures. */
    public Future<Message.RunReply> run(Message.RunCheck order) {
        ModuleDefinition<?> module = modules.find(order.module());
        if (module == null) {
            return Future.failedFuture("unknown module " + order.module());
        }
        if (running < places && (!order.bulk() || runningBulk < bulkPlaces)) {
            running++;
            runningBulk += order.bulk() ? 1 : 0;
            metrics.started();
            return start(module, order);
        }
        Queue<Waiting> queue = order.bulk() ? waitingBulk : waiting;
        if (queue.size() >= queueLimit) {
            metrics.refused();
            return Future.succeededFuture(new Message.Busy(RETRY_AFTER_SECONDS));
        }
        Waiting later = new Waiting(module, order);
        queue.add(later);
        metrics.queued();
        long timer = vertx.setTimer(Math.max(1, order.patienceMs()), expired -> giveUp(queue, later));
        return later.reply.future().onComplete(done -> vertx.cancelTimer(timer));
    }

    private void giveUp(Queue<Waiting> queue, Waiting expired) {
        if (queue.remove(expired)) {
            metrics.dequeued();
            metrics.refused();
            expired.reply.complete(new Message.Busy(RETRY_AFTER_SECONDS));
        }
    }

    private <E> Future<Message.RunReply> start(ModuleDefinition<E> module, Message.RunCheck order) {
        ModuleDescription description = module.description();
        long startNanos = System.nanoTime();
        Instant checkedAt = clock.instant();
        Target target;
        try {
            target = TargetParser.parse(description, order.target());
        } catch (InvalidTargetException invalid) {
            leave(order);
            return Future.failedFuture(invalid);
        }
        Options options = Options.parse(description, order.options()).options();
        if (options == null) {
            leave(order);
            return Future.failedFuture("options not valid for " + order.module());
        }
        RequestBudget budget = new RequestBudget(module.requests(options));
        return evaluate(module, target, options, order, budget).transform(outcome -> {
            leave(order);
            long durationMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
            if (outcome.succeeded()) {
                return done(ResultAssembler.assemble(description, target, outcome.result(), checkedAt, durationMs));
            }
            if (outcome.cause() instanceof OverloadFailure busy && (order.bulk() || !budget.used())) {
                metrics.refused();
                return Future.succeededFuture(
                        new Message.Busy((int) Math.max(1, busy.retryAfter().toSeconds())));
            }
            CheckError error = errorOf(outcome.cause(), order);
            return done(ResultAssembler.failed(description, target, error, checkedAt, durationMs));
        });
    }

    private Future<Message.RunReply> done(CheckResult result) {
        metrics.ended(result);
        return Future.succeededFuture(new Message.Checked(result));
    }

    private <E> Future<Evaluation> evaluate(
            ModuleDefinition<E> module, Target target, Options options, Message.RunCheck order, RequestBudget budget) {
        long timeoutMs = options.integer(ModuleDescription.TIMEOUT_MS);
        long patienceMs = order.bulk() ? order.patienceMs() : timeoutMs;
        RunningCheckContext context = new RunningCheckContext(
                vertx, options, Deadline.in(timeoutMs), patienceMs, order.bulk(), clock, budget, order.fresh(), probes);
        Promise<Evaluation> ended = Promise.promise();
        long timer = vertx.setTimer(
                timeoutMs + GRACE_MS,
                expired -> ended.tryFail(new CheckFailure(
                        ErrorCode.DEADLINE_EXCEEDED, "The check exceeded its time limit of " + timeoutMs + " ms.")));
        Future<E> evidence;
        try {
            evidence = Objects.requireNonNull(module.collect(target, context), "evidence");
        } catch (RuntimeException | StackOverflowError fault) {
            evidence = Future.failedFuture(fault);
        }
        evidence.map(result -> module.evaluate(result, options)).onComplete(outcome -> {
            vertx.cancelTimer(timer);
            if (outcome.succeeded()) {
                ended.tryComplete(outcome.result());
            } else {
                ended.tryFail(outcome.cause());
            }
        });
        return ended.future();
    }

    private CheckError errorOf(Throwable cause, Message.RunCheck order) {
        if (cause instanceof CheckFailure failure) {
            return failure.error();
        }
        if (cause instanceof OverloadFailure) {
            // requests have been sent, so the check counts and ends with an error
            return new CheckError(
                    ErrorCode.DEADLINE_EXCEEDED, "The check waited too long for the rate limit of the target.");
        }
        LOG.atError()
                .addKeyValue("request_id", order.requestId())
                .addKeyValue("module", order.module())
                .addKeyValue("target", order.target())
                .setCause(cause)
                .log("module failed");
        return new CheckError(
                ErrorCode.INTERNAL, "Internal error. See the log for request_id=" + order.requestId() + ".");
    }

    private void leave(Message.RunCheck order) {
        runningBulk -= order.bulk() ? 1 : 0;
        Waiting next = next();
        if (next == null) {
            running--;
            metrics.left();
        } else {
            metrics.dequeued();
            // on a new stack, to avoid unbounded recursion
            vertx.runOnContext(ignored -> start(next.module, next.order).onComplete(next.reply));
        }
    }

    /** Returns the next queued check: instant checks before lines of jobs. */
    private @Nullable Waiting next() {
        Waiting instant = waiting.poll();
        if (instant != null || runningBulk >= bulkPlaces) {
            return instant;
        }
        Waiting line = waitingBulk.poll();
        runningBulk += line == null ? 0 : 1;
        return line;
    }
}
