package dev.plumbline.run;

import com.google.common.collect.ClassToInstanceMap;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.Message;
import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.Deadline;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.RequestBudget;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.concurrent.CurrentSpan;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.trace.Span;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Executes checks within the capacity and the budgets of the node, with a deadline. Every check ends with a result;
 * {@link Message.Overloaded} is returned if it did not run, and {@link Message.Refused} if the node could not complete
 * it. One for all event loops of a node. Thread-safe.
 */
public final class CheckRunner {
    private static final Logger LOG = LoggerFactory.getLogger(CheckRunner.class);

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final ClassToInstanceMap<Object> probes;
    private final Clock clock;
    private final RunnerMetrics metrics;
    private final LongSupplier nanos;
    private final EventLoopLag lag;
    private final NodeBudget node;
    private final CheckAdmission admission;
    private final CompositeRun.Environment composites;
    private final AsyncSemaphore instantComposites;
    private final AsyncSemaphore bulkComposites;

    /**
     * @param parts the results of the parts of composite checks
     * @param lag the event loops that run the checks
     * @param nanos clock of durations, as {@link System#nanoTime}
     */
    public CheckRunner(
            Vertx vertx,
            ModuleCatalogue modules,
            ClassToInstanceMap<Object> probes,
            Clock clock,
            RunnerMetrics metrics,
            PartResults parts,
            CheckAdmission admission,
            NodeBudget node,
            EventLoopLag lag,
            LongSupplier nanos) {
        this.vertx = vertx;
        this.modules = modules;
        this.probes = probes;
        this.clock = clock;
        this.metrics = metrics;
        this.nanos = nanos;
        this.lag = lag;
        this.node = node;
        this.admission = admission;
        this.composites = new CompositeRun.Environment(modules, parts, metrics, nanos);
        // the parts of all composites together are about as many checks as there are permits
        int permits = admission.permits();
        int concurrentComposites = Math.max(1, permits / (2 * CompositeRun.MAX_CONCURRENT));
        this.instantComposites =
                new AsyncSemaphore(vertx, concurrentComposites, permits, CheckAdmission.maxQueuedPerClient(permits));
        this.bulkComposites = new AsyncSemaphore(vertx, concurrentComposites, permits);
    }

    /** Runs a check. The future fails only for internal errors. */
    public Future<Message.RunReply> run(Message.RunCheck request) {
        ModuleDefinition<?> module = modules.find(request.module());
        if (module == null) {
            return Future.succeededFuture(new Message.Unsupported());
        }
        // a check that waits can start on the context of another one
        Span message = CurrentSpan.get();
        Supplier<Future<Message.RunReply>> check = () -> CurrentSpan.with(message, () -> execute(module, request));
        if (!module.description().composite()) {
            return admission.run(request, check);
        }
        AsyncSemaphore limit = request.bulk() ? bulkComposites : instantComposites;
        return limit.withPermit(
                request.client(), request.queueTimeoutMs(), () -> admission.run(request, check), admission::overloaded);
    }

    private Future<Message.RunReply> execute(ModuleDefinition<?> module, Message.RunCheck request) {
        Options options = Options.parse(module.description(), request.options()).options();
        if (options == null) {
            return Future.succeededFuture(new Message.Unsupported());
        }
        Target target;
        try {
            target = TargetParser.parse(module.description().targetRules(options), request.target());
        } catch (InvalidTargetException invalid) {
            return Future.succeededFuture(new Message.Unsupported());
        }
        CheckResources resources =
                CheckResources.open(node, request.client(), module.description().composite(), lag, nanos);
        return resources
                .memory()
                .reserve(CheckResources.BASE_BYTES, request.queueTimeoutMs())
                .transform(reserved -> {
                    if (reserved.failed()) {
                        return admission.overloaded();
                    }
                    return evaluate(module, target, context(module, target, options, request, resources), request);
                })
                .onComplete(ended -> resources.close());
    }

    private <E> Future<Message.RunReply> evaluate(
            ModuleDefinition<E> module, Target target, RunningCheckContext context, Message.RunCheck request) {
        ModuleDescription description = module.description();
        long startNanos = nanos.getAsLong();
        Instant checkedAt = clock.instant();
        CompositeRun composite = context.composite();
        Future<Message.RunReply> reply = context.evaluate(module, target).transform(outcome -> {
            long durationMs = TimeUnit.NANOSECONDS.toMillis(nanos.getAsLong() - startNanos);
            CheckResult result = outcome.succeeded()
                    ? ResultAssembler.assemble(description, target, outcome.result(), checkedAt, durationMs)
                    : ResultAssembler.failed(
                            description,
                            target,
                            errorOf(outcome.cause(), request.requestId(), description, target),
                            checkedAt,
                            durationMs);
            end(context.span(), result);
            OverloadFailure overload = overload(outcome.cause(), composite);
            // waiting for a rate limit is not a timeout
            boolean timedOut =
                    overload == null && (timedOut(result) || context.budget().timedOut());
            Message.Refused.Reason refusal = refusal(context.resources(), timedOut, composite);
            if (refusal == null
                    && overload != null
                    && overload.ofNode()
                    && context.budget().used()) {
                refusal = Message.Refused.Reason.CPU;
            }
            if (refusal != null) {
                metrics.rejectedByCapacity();
                // lines repeat a refused check a few times only, because some checks contact others before targets
                return Future.succeededFuture(
                        request.bulk() || context.budget().used()
                                ? new Message.Refused(refusal)
                                : new Message.Overloaded(CheckAdmission.RETRY_AFTER_SECONDS));
            }
            if (overload != null && retriable(request, context)) {
                if (overload.ofNode()) {
                    metrics.rejectedByCapacity();
                } else {
                    metrics.rejectedByTargetLimit();
                }
                return Future.succeededFuture(new Message.Overloaded(
                        (int) Math.max(1, overload.retryAfter().toSeconds()), overload.limit()));
            }
            metrics.completed(result, context.memory().peak());
            // rendered here, while its memory is reserved
            return Future.succeededFuture(Message.CompletedCheck.of(
                    composite == null || composite.complete() ? result : result.incomplete(),
                    context.budget().limitWaits().total(durationMs)));
        });
        return composite == null
                ? reply
                : reply.onSuccess(sent -> {
                            if (!(sent instanceof Message.CompletedCheck)) {
                                composite.storeParts();
                            }
                        })
                        .onComplete(ended -> context.budget().close());
    }

    private static Message.Refused.@Nullable Reason refusal(
            CheckResources resources, boolean timedOut, @Nullable CompositeRun composite) {
        Message.Refused.Reason part = composite == null ? null : composite.refusal();
        return part != null ? part : resources.refusal(timedOut);
    }

    static boolean timedOut(CheckResult result) {
        return result.error() != null && result.error().code().timeout();
    }

    private RunningCheckContext context(
            ModuleDefinition<?> module,
            Target target,
            Options options,
            Message.RunCheck request,
            CheckResources resources) {
        long timeoutMs = options.integer(ModuleDescription.TIMEOUT_MS);
        RunningCheckContext context = new RunningCheckContext(
                vertx,
                options,
                Deadline.in(timeoutMs, resources.clock()),
                request.bulk() ? request.queueTimeoutMs() : timeoutMs,
                request.account(),
                clock,
                new RequestBudget(module.requests(options), target.host()),
                request.fresh(),
                resources,
                probes,
                true,
                null,
                start(CurrentSpan.get(), "check", module, target).set("plumbline.request_id", request.requestId()));
        ModuleDescription description = module.description();
        return description.composite()
                ? context.withParts(new CompositeRun(composites, context, request, modules.parts(description.module())))
                : context;
    }

    /** Ends the span of a check or of its part. */
    static void end(Span span, CheckResult result) {
        span.set("plumbline.verdict", result.verdict().id());
        if (result.error() != null) {
            span.fail(result.error().code().id());
        }
        span.end();
    }

    /** @param role {@code check} or {@code part} */
    static Span start(Span parent, String role, ModuleDefinition<?> module, Target target) {
        String name = module.description().module();
        return parent.child(role + " " + name)
                .set("plumbline.module", name)
                .setTarget("plumbline.target", target.text());
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

    /** The error of a failed check. Logs internal errors. */
    static CheckError errorOf(Throwable cause, String requestId, ModuleDescription module, Target target) {
        if (cause instanceof CheckFailure failure) {
            return failure.error();
        }
        if (cause instanceof OverloadFailure overload) {
            // a request was already sent, so the check cannot be retried without cost
            String reason = overload.limit() != null
                    ? "the limit of " + overload.limit()
                    : overload.ofNode() ? "too little capacity of the service" : "a limit per target";
            return new CheckError(ErrorCode.DEADLINE_EXCEEDED, "The check timed out because of " + reason + ".");
        }
        LOG.atError()
                .addKeyValue("request_id", requestId)
                .addKeyValue("module", module.module())
                .addKeyValue("target", target.text())
                .setCause(cause)
                .log("module failed");
        return CheckError.INTERNAL;
    }
}
