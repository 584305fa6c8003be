package dev.plumbline.cli;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.cli.report.CheckedLine;
import dev.plumbline.cli.report.ReportWriter;
import dev.plumbline.cli.report.VerdictCounts;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Vertx;
import java.io.IOException;
import java.io.Writer;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks the targets of an input with limited concurrency and writes the results in input order. At most
 * {@link #MIN_WINDOW} results, or 16 for each concurrent check, wait for an earlier one; then no further target is
 * read. Reads and writes on the calling thread, so that slow output does not delay checks.
 */
final class CheckBatch {
    private static final int MIN_WINDOW = 1024;
    private static final int WINDOW_PER_CHECK = 16;

    /** Time after the timeout of a check at which its reply is considered lost. */
    private static final long REPLY_MARGIN_MS = 60_000;

    /** Maximum time of a check in the queue of a target, after which it is retried. */
    private static final long QUEUE_TIMEOUT_MS = 1_000;

    private static final int RETRY_SECONDS = 1;

    /** The time after which a check that exceeds a limit of its target is not retried, as for the line of a job. */
    static final long RETRY_TIMEOUT_MS = 15 * 60_000;

    /** Maximum number of attempts that this process did not complete because of memory or CPU time. */
    private static final int MAX_REFUSED_ATTEMPTS = 3;

    private static final long PROGRESS_MS = 100;
    private static final CheckError REFUSED = new CheckError(
            ErrorCode.INTERNAL,
            "The process had too little memory or CPU time in three attempts to check this target. Run the check again.");
    private static final Logger LOG = LoggerFactory.getLogger(CheckBatch.class);

    private final Vertx vertx;
    private final MessageBus bus;
    private final ModuleDescription module;
    private final Options options;
    private final TargetPolicy policy;
    private final int concurrency;
    private final boolean ordered;
    private final long retryTimeoutMs;
    private final @Nullable PolicyEvaluation evaluation;
    private final Deque<Slot> slots = new ArrayDeque<>();
    private final BlockingQueue<Slot> completed = new LinkedBlockingQueue<>();
    private final VerdictCounts counts = new VerdictCounts();
    private int running;
    private long read;
    private volatile long total = -1;
    private volatile boolean interrupted;
    private boolean ended;

    /** A line that was read and is not written yet. Compared by identity. */
    private static final class Slot {
        private final long index;
        private final String input;
        private final long startNanos = System.nanoTime();
        private volatile @Nullable CheckedLine line;

        /** Written by one reply at a time. */
        private final AtomicInteger refusedAttempts = new AtomicInteger();

        Slot(long index, String input) {
            this.index = index;
            this.input = input;
        }
    }

    /**
     * @param concurrency maximum number of concurrent checks
     * @param ordered whether results are written in input order; otherwise as they complete
     * @param retryTimeoutMs the time in which a check that exceeds a limit of its target is retried; 0 for no retry
     * @param evaluation applied to each result before it is counted and written; null for none
     */
    CheckBatch(
            Vertx vertx,
            MessageBus bus,
            ModuleDescription module,
            Options options,
            TargetPolicy policy,
            int concurrency,
            boolean ordered,
            long retryTimeoutMs,
            @Nullable PolicyEvaluation evaluation) {
        this.vertx = vertx;
        this.bus = bus;
        this.module = module;
        this.options = options;
        this.policy = policy;
        this.concurrency = concurrency;
        this.ordered = ordered;
        this.retryTimeoutMs = retryTimeoutMs;
        this.evaluation = evaluation;
    }

    /**
     * Checks all targets, or those that are complete when {@link #interrupt} is called.
     *
     * @param out the output of the report, flushed when no further result is available
     * @throws IOException if the input cannot be read or the output cannot be written
     */
    VerdictCounts run(TargetReader targets, ReportWriter report, Writer out, ProgressBar progress)
            throws IOException, InterruptedException {
        int window = Math.max(MIN_WINDOW, concurrency * WINDOW_PER_CHECK);
        total = targets.total();
        boolean end = false;
        while (!interrupted && (!end || running > 0)) {
            while (!end && running < concurrency && slots.size() < window && (running == 0 || targets.ready())) {
                String input = targets.next();
                end = input == null;
                if (input != null) {
                    start(new Slot(read++, input));
                }
            }
            Slot slot = running == 0 ? null : completed.poll(PROGRESS_MS, TimeUnit.MILLISECONDS);
            for (; slot != null; slot = completed.poll()) {
                running--;
                if (!ordered) {
                    write(slot, report);
                }
            }
            while (!slots.isEmpty() && slots.peek().line != null) {
                write(slots.poll(), report);
            }
            if (completed.isEmpty()) {
                progress.update(counts.total(), targets.total(), counts, 0);
                out.flush();
            }
        }
        boolean complete = end();
        progress.clear();
        if (complete) {
            report.end(counts);
        } else {
            writeCompleted(report);
            report.endInterrupted(counts);
        }
        out.flush();
        return counts;
    }

    /**
     * Ends {@link #run} with the results that are available. Checks in progress are abandoned.
     *
     * @return false if all targets have been checked
     */
    synchronized boolean interrupt() {
        interrupted = !ended;
        return interrupted;
    }

    /** Returns whether the run was not interrupted, which is not possible any more. */
    private synchronized boolean end() {
        ended = true;
        return !interrupted;
    }

    /** Writes the results that wait for an earlier one, which is not complete. */
    private void writeCompleted(ReportWriter report) throws IOException {
        for (Slot slot : ordered ? slots : completed) {
            if (slot.line != null) {
                write(slot, report);
            }
        }
    }

    /**
     * For example {@code 37 of 500 targets checked: 30 pass, 0 warn, 7 fail, 0 error.} Without results, {@code 0 of 500
     * targets checked.}
     */
    String summary() {
        return String.format(
                Locale.ROOT,
                "%,d %stargets checked%s.",
                counts.total(),
                total < 0 ? "" : String.format(Locale.ROOT, "of %,d ", total),
                counts.total() == 0 ? "" : ": " + counts);
    }

    private void write(Slot slot, ReportWriter report) throws IOException {
        CheckedLine line = Objects.requireNonNull(slot.line);
        if (evaluation != null) {
            PolicyEvaluation.Evaluated evaluated = evaluation.apply(line.result());
            line = line.with(evaluated.result(), evaluated.policy());
        }
        counts.add(line);
        report.line(line);
    }

    private void start(Slot slot) {
        running++;
        if (ordered) {
            slots.add(slot);
        }
        Target target;
        try {
            target = TargetParser.parse(module.targetRules(options), slot.input);
        } catch (InvalidTargetException invalid) {
            CheckError error = new CheckError(ErrorCode.INVALID_TARGET, ExceptionMessage.of(invalid));
            complete(slot, ResultAssembler.withoutTarget(module, error, Instant.now()), true);
            return;
        }
        String refusal = policy.refusal(target, options.connectTo());
        if (refusal == null) {
            check(slot, target);
        } else {
            complete(slot, failed(target, new CheckError(ErrorCode.TARGET_BLOCKED, refusal)), true);
        }
    }

    private void check(Slot slot, Target target) {
        long timeoutMs = options.integer(ModuleDescription.TIMEOUT_MS);
        boolean bulk = retryTimeoutMs > 0;
        Message.RunCheck request = new Message.RunCheck(
                module.module(),
                target.text(),
                options.given(),
                bulk,
                bulk ? QUEUE_TIMEOUT_MS : timeoutMs,
                "line-" + (slot.index + 1));
        bus.request(request, Message.RunReply.class, timeoutMs + REPLY_MARGIN_MS)
                .onComplete(reply -> {
                    if (reply.failed()) {
                        LOG.atError()
                                .addKeyValue("request_id", request.requestId())
                                .setCause(reply.cause())
                                .log("check failed");
                        complete(slot, failed(target, CheckError.INTERNAL), false);
                    } else if (reply.result() instanceof Message.CompletedCheck checked) {
                        complete(slot, ResultJson.read(checked.json()), checked.limitWait(), false);
                    } else {
                        retryOrFail(slot, target, reply.result());
                    }
                });
    }

    private void retryOrFail(Slot slot, Target target, Message.RunReply reply) {
        int seconds = RETRY_SECONDS;
        if (reply instanceof Message.Refused) {
            if (slot.refusedAttempts.incrementAndGet() >= MAX_REFUSED_ATTEMPTS) {
                complete(slot, failed(target, REFUSED), false);
                return;
            }
        } else if (System.nanoTime() - slot.startNanos >= TimeUnit.MILLISECONDS.toNanos(retryTimeoutMs)) {
            complete(slot, failed(target, timeout(reply)), false);
            return;
        } else if (reply instanceof Message.Overloaded overload) {
            seconds = overload.retryAfterSeconds();
        }
        vertx.setTimer(seconds * 1000L, timer -> check(slot, target));
    }

    private static CheckError timeout(Message.RunReply reply) {
        TargetLimit limit = reply instanceof Message.Overloaded overload ? overload.limit() : null;
        return new CheckError(
                ErrorCode.DEADLINE_EXCEEDED,
                limit == null
                        ? "The check timed out because this process had too little capacity."
                        : "The check timed out because of the limit of %s. Increase %s."
                                .formatted(limit, limit.setting()));
    }

    private CheckResult failed(Target target, CheckError error) {
        return ResultAssembler.failed(module, target, error, Instant.now(), 0);
    }

    private void complete(Slot slot, CheckResult result, boolean refused) {
        complete(slot, result, LimitWait.NONE, refused);
    }

    private void complete(Slot slot, CheckResult result, LimitWait limitWait, boolean refused) {
        slot.line = new CheckedLine(slot.index, slot.input, result, limitWait, refused);
        completed.add(slot);
    }
}
