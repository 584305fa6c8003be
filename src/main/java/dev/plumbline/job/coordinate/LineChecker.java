package dev.plumbline.job.coordinate;

import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.NodeLostException;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.trace.Span;
import io.vertx.core.AsyncResult;
import io.vertx.core.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs single lines and passes their results to the writer. */
final class LineChecker {
    private static final Logger LOG = LoggerFactory.getLogger(LineChecker.class);
    private static final long QUEUE_TIMEOUT_MS = 1_000;

    /** Includes up to five seconds in which the node could not run the check. */
    static final long REPLY_MARGIN_MS = 10_000;

    private static final int RETRY_SECONDS = 1;

    /** A node without memory needs some time to recover. */
    private static final int MEMORY_RETRY_SECONDS = 5;

    /** Longer than most shortages of CPU time, because there is one retry only. */
    private static final long CPU_RETRY_MS = 30_000;

    static final CheckError ATTEMPTS_EXHAUSTED = new CheckError(
            ErrorCode.INTERNAL,
            "The service was interrupted in three attempts to check this line. The line is not retried.");

    static final CheckError CRASHED_TWICE = new CheckError(
            ErrorCode.INTERNAL,
            "The service was interrupted twice during the check of this line. The line is not retried.");

    static final CheckError JOB_CRASHED = new CheckError(
            ErrorCode.INTERNAL,
            "The service was interrupted three times during checks of this job. Its remaining lines are not checked."
                    + " Create a new job without the lines that were interrupted.");

    static final CheckError REFUSED = new CheckError(
            ErrorCode.INTERNAL,
            "The checks in progress of this account need more memory than it can use, or the service had too little memory"
                    + " or CPU time to complete the check of this line. Check it again later.");

    private final CheckRouter router;
    private final ResultCache results;
    private final ResultWriter writer;
    private final ErrorResults errors;
    private final long replyMarginMs;

    /** @param replyMarginMs time after the timeout of a check at which its reply is considered lost */
    LineChecker(CheckRouter router, ResultCache results, ResultWriter writer, ErrorResults errors, long replyMarginMs) {
        this.router = router;
        this.results = results;
        this.writer = writer;
        this.errors = errors;
        this.replyMarginMs = replyMarginMs;
    }

    /**
     * The end of an attempt.
     *
     * @param retryMs the delay in milliseconds before a retry; 0 if there is a result
     * @param temporary whether the line is retried because its result was temporary. Otherwise the other lines of its
     *     host would have to wait too
     * @param nodeLost whether the node of the line was lost
     * @param limit the limit of a target that delayed or rejected the line; null if there is none
     */
    record Outcome(long retryMs, boolean temporary, boolean nodeLost, @Nullable TargetLimit limit) {
        private static Outcome completed(@Nullable TargetLimit limit) {
            return new Outcome(0, false, false, limit);
        }
    }

    /**
     * Runs a line. A late or lost reply is not a result, nor is a temporary result of the first attempt. Fails only for
     * internal errors. Attempts and the time of a retry are counted in memory, because a record of each would be one
     * more write per line.
     */
    Future<Outcome> check(PendingLine line) {
        Chunk chunk = line.chunk();
        line.startAttempt();
        boolean first = line.firstAttempt();
        Message.RunCheck request = new Message.RunCheck(
                chunk.module().module(),
                line.target().text(),
                chunk.options().given(),
                true,
                chunk.accountId(),
                QUEUE_TIMEOUT_MS,
                "job-" + chunk.id().job() + "-" + line.index(),
                chunk.fresh() || !first,
                "account " + chunk.accountId());
        Span span = CurrentSpan.root("job line", Span.Kind.INTERNAL)
                .set("plumbline.request_id", request.requestId())
                .set("plumbline.module", request.module())
                .link(chunk.creation());
        return CurrentSpan.trace(
                        span,
                        () -> router.run(
                                line.target(),
                                request,
                                chunk.options().integer(ModuleDescription.TIMEOUT_MS) + replyMarginMs))
                .transform(reply -> Future.succeededFuture(end(line, request, first, reply)));
    }

    private Outcome end(
            PendingLine line, Message.RunCheck request, boolean first, AsyncResult<Message.RunReply> reply) {
        if (reply.result() instanceof Message.CompletedCheck checked) {
            TargetLimit limit = checked.limitWait().limit();
            if (first && checked.retryAfterSeconds() > 0) {
                return new Outcome(TimeUnit.SECONDS.toMillis(checked.retryAfterSeconds()), true, false, limit);
            }
            writeOrFail(line, checked);
            return Outcome.completed(limit);
        }
        if (reply.result() instanceof Message.Overloaded overload) {
            TargetLimit limit = overload.limit();
            return deferOrFail(
                    line,
                    overload.retryAfterSeconds(),
                    limit == null ? "of too little capacity" : "of the limit of " + limit,
                    limit);
        }
        if (reply.result() instanceof Message.Refused refused) {
            return deferOrFail(line, refused.reason());
        }
        if (MessageBus.isUnserved(reply.cause()) || reply.result() instanceof Message.Unsupported) {
            return deferOrFail(line, RETRY_SECONDS, "no node could run the check", null);
        }
        boolean nodeLost = reply.cause() instanceof NodeLostException;
        if (nodeLost) {
            line.chunk().addSuspect(line.index());
        }
        if (nodeLost || MessageBus.isTimeout(reply.cause())) {
            LOG.atWarn().addKeyValue("request_id", request.requestId()).log("line check interrupted");
        } else {
            LOG.atError()
                    .addKeyValue("request_id", request.requestId())
                    .setCause(reply.cause())
                    .log("line check failed");
        }
        return retryOrFail(line, nodeLost);
    }

    private Outcome deferOrFail(PendingLine line, int seconds, String reason, @Nullable TargetLimit limit) {
        line.cancelAttempt();
        if (line.expiresAtRejection()) {
            fail(
                    line,
                    new CheckError(
                            ErrorCode.DEADLINE_EXCEEDED,
                            "The line waited more than 15 minutes because " + reason + "."));
            return Outcome.completed(limit);
        }
        return new Outcome(line.retryDelayMs(seconds), false, false, limit);
    }

    /** A check that its node could not complete is repeated a few times, because it has contacted its target. */
    private Outcome deferOrFail(PendingLine line, Message.Refused.Reason reason) {
        line.cancelAttempt();
        if (line.countRefusal(reason)) {
            boolean cpu = reason == Message.Refused.Reason.CPU;
            return new Outcome(cpu ? CPU_RETRY_MS : line.retryDelayMs(MEMORY_RETRY_SECONDS), false, false, null);
        }
        fail(line, REFUSED);
        return Outcome.completed(null);
    }

    private Outcome retryOrFail(PendingLine line, boolean nodeLost) {
        if (line.attemptsExhausted()) {
            fail(line, ATTEMPTS_EXHAUSTED);
            return new Outcome(0, false, nodeLost, null);
        }
        return new Outcome(line.retryDelayMs(RETRY_SECONDS), false, nodeLost, null);
    }

    /** The reason why a line is not checked any more; null if it is checked. */
    static @Nullable CheckError exhausted(PendingLine line) {
        Chunk chunk = line.chunk();
        if (chunk.crashedTwice(line.index())) {
            return CRASHED_TWICE;
        }
        if (chunk.jobCrashed()) {
            return JOB_CRASHED;
        }
        return line.attemptsExhausted() ? ATTEMPTS_EXHAUSTED : null;
    }

    /**
     * Writes a result; an internal error if it cannot be rendered, because the next check would fail in the same way.
     */
    private void writeOrFail(PendingLine line, Message.CompletedCheck checked) {
        if (line.chunk().lost()) {
            return;
        }
        try {
            writer.add(
                    line.chunk(),
                    line.index(),
                    checked.verdict().id(),
                    RenderedResult.toLine(checked.json(), checked.limitWait().millis()),
                    checked.cacheable() ? results.cacheEntry(line.key(), checked.checkedAt()) : null);
        } catch (RuntimeException failure) {
            LOG.atError()
                    .addKeyValue("chunk", line.chunk().id())
                    .addKeyValue("line", line.index())
                    .setCause(failure)
                    .log("result rendering failed");
            fail(line, CheckError.INTERNAL);
        }
    }

    /** Writes an error result without a check. */
    void fail(PendingLine line, CheckError error) {
        if (!line.chunk().lost()) {
            writer.add(line.chunk(), line.index(), errors.of(line, error));
        }
    }
}
