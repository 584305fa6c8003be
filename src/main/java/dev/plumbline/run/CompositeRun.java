package dev.plumbline.run;

import dev.plumbline.bus.Message;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.PartResult;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The parts of one composite check. They run with its permit. Not thread-safe: used on one event loop. */
final class CompositeRun {
    /** Maximum number of concurrent parts of one check. */
    static final int MAX_CONCURRENT = 12;

    /** Probes end their exchanges up to this time before the deadline. */
    private static final long DEADLINE_MARGIN_MS = 100;

    /**
     * The timeout of an exchange is at least this share of the time limit of its check, for example for one address.
     */
    private static final int MIN_TIMEOUT_SHARE = 8;

    private static final CheckError UNFINISHED = new CheckError(
            ErrorCode.DEADLINE_EXCEEDED, "The part did not complete within the time limit of the whole check.");
    private static final CheckError SHARED_BUDGET = new CheckError(
            ErrorCode.DEADLINE_EXCEEDED, "The part did not complete within the request limit of the whole check.");

    private final Environment environment;
    private final RunningCheckContext check;
    private final Message.RunCheck request;
    private final List<CompositePart> parts;
    private final AsyncSemaphore permits;

    /** The results of the parts of a line of a job, which are stored only if the line is checked again. */
    private final Map<ResultKey, CheckResult> unstored = new HashMap<>();

    private boolean complete = true;
    private @Nullable OverloadFailure overload;
    private Message.Refused.@Nullable Reason refusal;

    /** What all checks of a runner share. */
    record Environment(ModuleCatalogue modules, PartResults results, RunnerMetrics metrics, LongSupplier nanos) {}

    /** @param check the context of the composite check */
    CompositeRun(
            Environment environment, RunningCheckContext check, Message.RunCheck request, List<CompositePart> parts) {
        this.environment = environment;
        this.check = check;
        this.request = request;
        this.parts = parts;
        this.permits = new AsyncSemaphore(check.vertx(), MAX_CONCURRENT, Integer.MAX_VALUE);
    }

    List<CompositePart> parts() {
        return parts;
    }

    /** Whether the results of all parts so far can be cached. */
    boolean complete() {
        return complete;
    }

    /** The latest failure of a part because of a limit; null if there was none. */
    @Nullable
    OverloadFailure overload() {
        return overload;
    }

    /** The reason why this node could not complete a part; null if each part has a result. */
    Message.Refused.@Nullable Reason refusal() {
        return refusal;
    }

    /** As {@link dev.plumbline.check.CheckContext#check}. */
    Future<PartResult> check(CompositePart part, String text) {
        ModuleDefinition<?> module = environment.modules().find(part.module().module());
        if (module == null) {
            throw new IllegalArgumentException("unknown part: " + part.module().module());
        }
        ModuleDescription description = module.description();
        Target target;
        try {
            target = TargetParser.parse(description, text);
        } catch (InvalidTargetException invalid) {
            CheckError error = new CheckError(ErrorCode.INVALID_TARGET, ExceptionMessage.of(invalid));
            return Future.succeededFuture(new PartResult(
                    part,
                    text,
                    ResultAssembler.withoutTarget(
                            description, error, check.clock().instant()),
                    null));
        }
        return check(part, module, target).compose(result -> {
            complete &= result.cacheable();
            return result.error() != null && result.error().code() == ErrorCode.TLS_UNTRUSTED
                    ? checkUnverified(module, target).map(other -> new PartResult(part, text, result, other))
                    : Future.succeededFuture(new PartResult(part, text, result, null));
        });
    }

    private Future<CheckResult> check(CompositePart part, ModuleDefinition<?> module, Target target) {
        ModuleDescription description = module.description();
        Options options = Options.defaults(description);
        String refusal = environment.results().refusal(target, options);
        if (refusal != null) {
            CheckError error = new CheckError(ErrorCode.TARGET_BLOCKED, refusal);
            return Future.succeededFuture(failed(description, target, error));
        }
        ResultKey key = ResultKey.of(description.module(), target, options.key());
        Span span = CheckRunner.start(check.span(), "part", module, target);
        CheckResult cached = request.fresh() ? null : environment.results().findInMemory(key);
        if (cached != null) {
            CheckRunner.end(span.set("plumbline.cached", true), cached);
            return Future.succeededFuture(cached);
        }
        return limited(
                        description,
                        target,
                        () -> CurrentSpan.with(span, () -> environment
                                .results()
                                .findOrRun(key, request.bulk(), request.fresh(), () -> run(module, target, true, span)
                                        .onSuccess(result -> storeOfLine(part, key, result)))))
                .onSuccess(result -> CheckRunner.end(span, result));
    }

    /** The lines of a job have different domains, but often the same mail server. */
    private void storeOfLine(CompositePart part, ResultKey key, CheckResult result) {
        if (request.bulk() && part.needsMailServer()) {
            environment.results().store(key, result);
        } else if (request.bulk()) {
            unstored.put(key, result);
        }
    }

    /** Stores the results of a line of a job that is checked again. */
    void storeParts() {
        unstored.forEach(environment.results()::store);
    }

    /** The result without verification of certificates, which is not cached; null if it did not complete. */
    private Future<@Nullable CheckResult> checkUnverified(ModuleDefinition<?> module, Target target) {
        Span span = CheckRunner.start(check.span(), "part", module, target).set("plumbline.tls.verify", false);
        return limited(module.description(), target, () -> run(module, target, false, span))
                .onSuccess(result -> CheckRunner.end(span, result))
                .map(result -> result.error() == null ? ResultJson.normalize(result) : null);
    }

    /** Runs a part when a permit is available, until the deadline of the composite. Does not fail. */
    private Future<CheckResult> limited(
            ModuleDescription description, Target target, Supplier<Future<CheckResult>> run) {
        Promise<CheckResult> completed = Promise.promise();
        ContextFutures.addDeadline(
                check.vertx(),
                completed,
                check.deadline()::remainingMillis,
                0,
                late -> late.tryComplete(unfinished(description, target)));
        permits.withPermit(
                        AsyncSemaphore.NO_TIMEOUT,
                        run,
                        () -> Future.failedFuture("not reached: the queue is not limited"))
                .otherwise(failure -> failed(description, target, error(failure, description, target)))
                .onComplete(outcome -> ContextFutures.complete(completed, outcome));
        return completed.future();
    }

    /**
     * The result of a part that did not complete before the deadline. If lost time is the cause, the composite is
     * refused.
     */
    private CheckResult unfinished(ModuleDescription description, Target target) {
        Message.Refused.Reason refused = check.resources().refusal(true);
        if (refused != null) {
            refusal = refused;
        }
        return failed(description, target, UNFINISHED);
    }

    private CheckResult failed(ModuleDescription description, Target target, CheckError error) {
        return ResultAssembler.failed(description, target, error, check.clock().instant(), 0);
    }

    /** Runs a part with or without verification of certificates. Does not fail. */
    private Future<CheckResult> run(ModuleDefinition<?> module, Target target, boolean verify, Span span) {
        ModuleDescription description = module.description();
        Options options = Options.defaults(description);
        long startNanos = environment.nanos().getAsLong();
        Instant checkedAt = check.clock().instant();
        if (check.deadline().passed()) {
            return Future.succeededFuture(unfinished(description, target));
        }
        long timeoutMs = options.integer(ModuleDescription.TIMEOUT_MS);
        RequestBudget budget = new RequestBudget(module.requests(options), check.budget());
        // the other parts of the check use up the limits of the target
        Deadline deadline = check.deadline().atMost(timeoutMs, budget.limitWaits()::extensionNanos);
        boolean shortened = deadline == check.deadline();
        long limitMs = deadline.remainingMillis();
        // a retry would repeat the requests of the other parts
        long patienceMs = check.budget().used() ? timeoutMs : check.patienceMs();
        CheckResources resources = check.resources().part();
        RunningCheckContext context = check.part(options, deadline, patienceMs, budget, resources, verify, span);
        return context.evaluate(module, target)
                .onComplete(ended -> resources.close())
                .transform(outcome -> {
                    long durationMs =
                            TimeUnit.NANOSECONDS.toMillis(environment.nanos().getAsLong() - startNanos);
                    CheckResult result = outcome.succeeded()
                            ? ResultAssembler.assemble(description, target, outcome.result(), checkedAt, durationMs)
                            : ResultAssembler.failed(
                                    description,
                                    target,
                                    error(outcome.cause(), description, target),
                                    checkedAt,
                                    durationMs);
                    boolean timedOut = !(outcome.cause() instanceof OverloadFailure)
                            && (CheckRunner.timedOut(result) || budget.timedOut());
                    Message.Refused.Reason refused = resources.refusal(timedOut);
                    if (refused != null) {
                        // the whole check has no result
                        refusal = refused;
                        return Future.succeededFuture(result.incomplete());
                    }
                    if (budget.sharedExhausted()) {
                        result = ResultAssembler.failed(description, target, SHARED_BUDGET, checkedAt, durationMs);
                    } else if (shortened
                            && (deadline.remainingMillis() <= DEADLINE_MARGIN_MS || CheckRunner.timedOut(result))) {
                        result = ResultAssembler.failed(description, target, UNFINISHED, checkedAt, durationMs);
                    } else if (shortened && durationMs > limitMs / MIN_TIMEOUT_SHARE) {
                        // can contain findings about shortened timeouts
                        result = result.incomplete();
                    }
                    environment.metrics().completed(result, resources.memory().peak());
                    return Future.succeededFuture(result);
                });
    }

    private CheckError error(Throwable cause, ModuleDescription module, Target target) {
        if (cause instanceof OverloadFailure failure) {
            overload = failure;
        }
        return CheckRunner.errorOf(cause, request.requestId(), module, target);
    }
}
