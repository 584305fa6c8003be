package dev.plumbline.instant;

import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.NodeLostException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.concurrent.SingleFlight;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.ExceptionMessage;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Instant checks: returns a cached result, or charges the quota, runs the check and caches the result. Concurrent
 * requests for the same check share one run. One per node. Thread-safe.
 */
public final class InstantChecks {
    /** Quota of fresh instant checks per client address. */
    public static final String POLICY = "fresh";

    /** Quota of fresh instant checks per API key. Not used if {@code limits.fresh_per_hour_key} is 0. */
    public static final String KEY_POLICY = "fresh-key";

    /** Quota of fresh checks of probes per API key, or per client address without a key. */
    public static final String PROBE_POLICY = "probes";

    private static final Logger LOG = LoggerFactory.getLogger(InstantChecks.class);
    private static final Message.Granted NOT_CHARGED = new Message.Granted(0, Integer.MAX_VALUE, 0, 0);
    private static final String DATABASE_UNAVAILABLE = "The database is unavailable. Retry shortly.";
    private static final int DATABASE_RETRY_SECONDS = 2;
    private static final long QUOTA_TIMEOUT_MS = 2_000;
    private static final long QUEUE_TIMEOUT_MS = 3_000;

    /** A node without memory or CPU time needs some time to recover. */
    private static final int REFUSED_RETRY_SECONDS = 5;

    /**
     * The time in the queues of composites, of checks and for memory, up to five seconds in which the node could not
     * run the check, and the reply.
     */
    private static final long RUN_MARGIN_MS = 3 * QUEUE_TIMEOUT_MS + 7_000;

    private final ModuleCatalogue modules;
    private final TargetPolicy policy;
    private final ResultCache results;
    private final MessageBus bus;
    private final CheckRouter router;
    private final boolean limited;
    private final SingleFlight<String, InstantOutcome> singleFlight;
    private final InstantMetrics metrics;

    /** @param limited whether fresh checks without a quota of the API key are charged */
    public InstantChecks(
            Vertx vertx,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultCache results,
            MessageBus bus,
            CheckRouter router,
            boolean limited,
            MeterRegistry registry) {
        this.modules = modules;
        this.policy = policy;
        this.results = results;
        this.bus = bus;
        this.router = router;
        this.limited = limited;
        this.singleFlight = new SingleFlight<>(
                vertx,
                // those are limits of one client
                outcome -> !(outcome.result() instanceof InstantOutcome.QuotaExceeded
                        || outcome.result() instanceof InstantOutcome.LoopDetected
                        || outcome.result() instanceof InstantOutcome.Overloaded
                        || outcome.result() instanceof InstantOutcome.Unavailable),
                outcome -> outcome instanceof InstantOutcome.Overloaded);
        this.metrics = new InstantMetrics(registry);
    }

    private static String client(InstantRequest request) {
        return request.quotaKey().policy() + " " + request.quotaKey().key();
    }

    /**
     * The window of a quota of fresh checks.
     *
     * @param policy {@link #POLICY}, {@link #KEY_POLICY} or {@link #PROBE_POLICY}
     */
    public static Duration window(String policy) {
        return policy.equals(PROBE_POLICY) ? Duration.ofMinutes(1) : Duration.ofHours(1);
    }

    /** Returns the cached result or runs the check. The future fails after an internal error only. */
    public Future<InstantOutcome> check(InstantRequest request) {
        return findInMemory(request, check -> {
            AtomicBoolean executed = new AtomicBoolean();
            return singleFlight
                    .run(check.key().text(), client(request), () -> {
                        executed.set(true);
                        return findOrRun(check, request);
                    })
                    .map(outcome -> executed.get() || !(outcome instanceof InstantOutcome.Completed completed)
                            ? outcome
                            : InstantOutcome.Completed.cached(completed.result()));
        });
    }

    /**
     * Returns the cached result or {@link InstantOutcome.NotCached}; does not run the check. The future fails after an
     * internal error only.
     */
    public Future<InstantOutcome> findCached(InstantRequest request) {
        return findInMemory(
                request, check -> findStored(check, () -> Future.succeededFuture(new InstantOutcome.NotCached())));
    }

    /** The cached results. Their lookups are not counted as cache lookups of instant checks. */
    public ResultCache results() {
        return results;
    }

    /** Validates a request. Returns the result in memory, otherwise that of the function. */
    private Future<InstantOutcome> findInMemory(
            InstantRequest request, Function<ValidCheck, Future<InstantOutcome>> onMiss) {
        ModuleDefinition<?> module = modules.find(request.module());
        if (module == null) {
            return Future.succeededFuture(new InstantOutcome.UnknownModule(request.module()));
        }
        ModuleDescription description = module.description();
        Options.Parsed parsed = Options.parse(description, request.options());
        Options options = parsed.options();
        if (options == null) {
            return Future.succeededFuture(new InstantOutcome.InvalidOptions(parsed.faults()));
        }
        Target target;
        try {
            target = TargetParser.parse(description.targetRules(options), request.target());
        } catch (InvalidTargetException invalid) {
            return Future.succeededFuture(new InstantOutcome.InvalidTarget(ExceptionMessage.of(invalid)));
        }
        String refusal = policy.refusal(target, options.connectTo());
        if (refusal != null) {
            String parameter = policy.refusal(target) == null ? ModuleDescription.CONNECT_TO : "target";
            return Future.succeededFuture(new InstantOutcome.TargetBlocked(parameter, refusal));
        }
        ValidCheck check = new ValidCheck(ResultKey.of(description.module(), target, options.key()), target, options);
        return findInMemory(check, () -> onMiss.apply(check));
    }

    private Future<InstantOutcome> findInMemory(ValidCheck check, Supplier<Future<InstantOutcome>> onMiss) {
        RenderedResult result = results.findInMemory(check.key());
        if (result == null) {
            return onMiss.get();
        }
        metrics.memory.increment();
        return Future.succeededFuture(InstantOutcome.Completed.cached(result));
    }

    public void recordResponseCacheHit() {
        metrics.responseCache.increment();
    }

    private record ValidCheck(ResultKey key, Target target, Options options) {}

    private Future<InstantOutcome> findOrRun(ValidCheck check, InstantRequest request) {
        // the shared run can have completed before this request joined
        return findInMemory(check, () -> findStored(check, () -> charge(check, request)));
    }

    private Future<InstantOutcome> findStored(ValidCheck check, Supplier<Future<InstantOutcome>> onMiss) {
        return results.findStored(check.key())
                .compose(result -> {
                    if (result == null) {
                        return onMiss.get();
                    }
                    metrics.database.increment();
                    return Future.<InstantOutcome>succeededFuture(InstantOutcome.Completed.cached(result));
                })
                .recover(this::recoverUnavailable);
    }

    private Future<InstantOutcome> charge(ValidCheck check, InstantRequest request) {
        if (request.fromCheck()) {
            return Future.succeededFuture(new InstantOutcome.LoopDetected());
        }
        if (!limited && request.quotaKey().policy().equals(POLICY)) {
            return run(check, request, NOT_CHARGED);
        }
        return bus.request(
                        new Message.ChargeQuota(
                                request.quotaKey().policy(), request.quotaKey().key(), 1),
                        Message.QuotaReply.class,
                        QUOTA_TIMEOUT_MS)
                .compose(reply -> {
                    if (reply instanceof Message.Granted granted) {
                        return run(check, request, granted);
                    }
                    if (reply instanceof Message.Denied denied) {
                        String exceeded = request.quotaKey().policy();
                        metrics.quotaExceeded(exceeded).increment();
                        return Future.succeededFuture(new InstantOutcome.QuotaExceeded(exceeded, denied));
                    }
                    boolean overloaded = reply instanceof Message.QuotaUnavailable quota && quota.overloaded();
                    return Future.succeededFuture(
                            overloaded ? databaseOverloaded() : unavailable(DATABASE_UNAVAILABLE));
                });
    }

    private Future<InstantOutcome> run(ValidCheck check, InstantRequest request, Message.Granted granted) {
        Message.RunCheck order = new Message.RunCheck(
                request.module(),
                check.target().text(),
                check.options().given(),
                false,
                0,
                QUEUE_TIMEOUT_MS,
                request.requestId(),
                false,
                client(request));
        return router.run(check.target(), order, check.options().integer(ModuleDescription.TIMEOUT_MS) + RUN_MARGIN_MS)
                .transform(reply -> {
                    if (reply.succeeded() && reply.result() instanceof Message.CompletedCheck checked) {
                        return Future.succeededFuture(complete(check, request, checked, granted));
                    }
                    if (reply.succeeded() && reply.result() instanceof Message.Overloaded busy) {
                        refund(request, granted);
                        return Future.succeededFuture(new InstantOutcome.Overloaded(
                                reasonOf(busy) + " The request does not count against your quota.",
                                busy.retryAfterSeconds()));
                    }
                    if (reply.succeeded() && reply.result() instanceof Message.Unsupported) {
                        refund(request, granted);
                        return Future.succeededFuture(
                                unavailable("The service is being upgraded and cannot run this check yet. Retry."));
                    }
                    if (reply.succeeded()) {
                        // charged, because the target was contacted
                        return Future.succeededFuture(new InstantOutcome.Overloaded(
                                "Your checks in progress need more memory than one client can use, or the service had too"
                                        + " little memory or CPU time to complete the check. Send fewer checks at the"
                                        + " same time.",
                                REFUSED_RETRY_SECONDS));
                    }
                    if (MessageBus.isTimeout(reply.cause())) {
                        LOG.atError()
                                .addKeyValue("request_id", request.requestId())
                                .log("check dispatch timed out");
                    } else if (!(reply.cause() instanceof NodeLostException)) {
                        refund(request, granted);
                    }
                    return Future.failedFuture(reply.cause());
                });
    }

    private static String reasonOf(Message.Overloaded busy) {
        TargetLimit limit = busy.limit();
        return limit == null
                ? "Too many checks are in progress on this service."
                : "The limit of %s would delay the check too long. An operator can change `%s`."
                        .formatted(limit, limit.setting());
    }

    private InstantOutcome complete(
            ValidCheck check, InstantRequest request, Message.CompletedCheck checked, Message.Granted quota) {
        metrics.miss.increment();
        return new InstantOutcome.Completed(
                results.add(check.key(), checked.json(), checked.checkedAt(), checked.cacheable()),
                new InstantOutcome.Charge(request.quotaKey().policy(), quota),
                checked.limitWait());
    }

    private void refund(InstantRequest request, Message.Granted granted) {
        if (granted.limit() > 0) {
            bus.request(
                    new Message.RefundQuota(
                            request.quotaKey().policy(), request.quotaKey().key(), 1, granted.chargedAtMicros()),
                    Message.class,
                    QUOTA_TIMEOUT_MS);
        }
    }

    /** Maps a known outage to its outcome. Other failures are internal errors. */
    private Future<InstantOutcome> recoverUnavailable(Throwable failure) {
        if (failure instanceof DatabaseOverloadedException) {
            return Future.succeededFuture(databaseOverloaded());
        }
        if (failure instanceof DatabaseUnavailableException) {
            return Future.succeededFuture(unavailable(DATABASE_UNAVAILABLE));
        }
        if (MessageBus.isUnserved(failure)) {
            return Future.succeededFuture(unavailable("The service is starting or stopping. Retry shortly."));
        }
        if (MessageBus.isTimeout(failure) || failure instanceof NodeLostException) {
            return Future.succeededFuture(unavailable("The check did not complete in time. Retry shortly."));
        }
        return Future.failedFuture(failure);
    }

    private InstantOutcome databaseOverloaded() {
        metrics.unavailable.increment();
        return new InstantOutcome.Overloaded("The database is overloaded.", DATABASE_RETRY_SECONDS);
    }

    private InstantOutcome unavailable(String detail) {
        metrics.unavailable.increment();
        return new InstantOutcome.Unavailable(detail);
    }
}
