package dev.plumbline.instant;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultKey;
import dev.plumbline.result.ResultLookup;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs instant checks: returns cached results, otherwise charges the rate limit, runs the check and
 * caches the result. Concurrent requests for the same check share one run. One instance per node,
 * used on all event loops.
 */
public final class InstantChecks {
    /** The rate limit policy of fresh instant checks. */
    public static final String POLICY = "fresh";

    private static final Logger LOG = LoggerFactory.getLogger(InstantChecks.class);
    private static final Message.Granted UNLIMITED = new Message.Granted(0, Integer.MAX_VALUE, 0, 0);
    private static final long QUOTA_TIMEOUT_MS = 2_000;
    private static final long QUEUE_TIMEOUT_MS = 3_000;
    private static final long RUN_MARGIN_MS = QUEUE_TIMEOUT_MS + 2_000;

    private final ModuleCatalogue modules;
    private final TargetPolicy policy;
    private final ResultLookup known;
    private final MessageBus bus;
    private final boolean limited;
    private final InstantSingleFlight flights;
    private final InstantMetrics metrics;

    /**
     * @param limited whether fresh checks are rate limited
     */
    public InstantChecks(
            Vertx vertx,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultLookup known,
            MessageBus bus,
            boolean limited,
            MeterRegistry registry) {
        this.modules = modules;
        this.policy = policy;
        this.known = known;
        this.bus = bus;
        this.limited = limited;
        this.flights = new InstantSingleFlight(vertx);
        this.metrics = new InstantMetrics(registry);
    }

    /** Handles one request. The future does not fail. */
    public Future<InstantOutcome> check(InstantRequest request) {
        Read read = read(request);
        Wanted wanted = read.wanted();
        if (wanted == null) {
            return Future.succeededFuture(read.refusal());
        }
        RenderedResult remembered = remembered(wanted);
        if (remembered != null) {
            return Future.succeededFuture(new InstantOutcome.Answered(remembered, false, null));
        }
        return flights.join(wanted.key().text(), () -> lookUp(wanted, request));
    }

    /** As {@link #check}, but returns cached results only. The future does not fail. */
    public Future<InstantOutcome> look(InstantRequest request) {
        Read read = read(request);
        Wanted wanted = read.wanted();
        if (wanted == null) {
            return Future.succeededFuture(read.refusal());
        }
        RenderedResult remembered = remembered(wanted);
        return remembered != null
                ? Future.succeededFuture(new InstantOutcome.Answered(remembered, false, null))
                : stored(wanted, () -> Future.succeededFuture(new InstantOutcome.NotKnown()));
    }

    /**
     * Returns the remaining fresh checks of a client.
     *
     * @param client as in {@link InstantRequest}
     * @return null if unknown or unlimited; does not fail
     */
    public Future<Message.@Nullable Granted> left(String client) {
        if (!limited) {
            return Future.succeededFuture(null);
        }
        return bus.ask(
                        BusAddresses.LIMIT_TAKE,
                        new Message.TakeQuota(POLICY, client, 0),
                        Message.QuotaReply.class,
                        QUOTA_TIMEOUT_MS)
                .map(reply -> reply instanceof Message.Granted granted ? granted : null)
                .otherwiseEmpty();
    }

    /** A parsed request, or the reason for its rejection. */
    private record Read(@Nullable Wanted wanted, @Nullable InstantOutcome refusal) {}

    private Read read(InstantRequest request) {
        ModuleDefinition<?> module = modules.find(request.module());
        if (module == null) {
            return new Read(null, new InstantOutcome.UnknownModule(request.module()));
        }
        ModuleDescription description = module.description();
        Options.Parsed parsed = Options.parse(description, request.options());
        Options options = parsed.options();
        if (options == null) {
            return new Read(null, new InstantOutcome.BadOptions(parsed.faults()));
        }
        Target target;
        try {
            target = TargetParser.parse(description, request.target());
        } catch (InvalidTargetException invalid) {
            return new Read(null, new InstantOutcome.InvalidTarget(String.valueOf(invalid.getMessage())));
        }
        String refusal = policy.refusal(target);
        return refusal == null
                ? new Read(new Wanted(ResultKey.of(description, target, options), target, options), null)
                : new Read(null, new InstantOutcome.NotAllowed(refusal));
    }

    private @Nullable RenderedResult remembered(Wanted wanted) {
        RenderedResult answer = known.remembered(wanted.key());
        if (answer != null) {
            metrics.memory.increment();
        }
        return answer;
    }

    /** Counts a response served from the path cache. */
    public void countHot() {
        metrics.hot.increment();
    }

    private record Wanted(ResultKey key, Target target, Options options) {}

    private Future<InstantOutcome> lookUp(Wanted wanted, InstantRequest request) {
        RenderedResult cached = remembered(wanted);
        // the shared run may have ended before this caller could join
        return cached != null
                ? Future.succeededFuture(new InstantOutcome.Answered(cached, false, null))
                : stored(wanted, () -> charge(wanted, request));
    }

    private Future<InstantOutcome> stored(Wanted wanted, Supplier<Future<InstantOutcome>> otherwise) {
        return known.stored(wanted.key())
                .compose(answer -> {
                    if (answer == null) {
                        return otherwise.get();
                    }
                    metrics.database.increment();
                    return Future.<InstantOutcome>succeededFuture(new InstantOutcome.Answered(answer, false, null));
                })
                .otherwise(away -> unavailable("The database is unavailable. Retry shortly."));
    }

    private Future<InstantOutcome> charge(Wanted wanted, InstantRequest request) {
        if (request.fromOurselves()) {
            return Future.succeededFuture(new InstantOutcome.Loop());
        }
        if (!limited) {
            return run(wanted, request, UNLIMITED);
        }
        return bus.ask(
                        BusAddresses.LIMIT_TAKE,
                        new Message.TakeQuota(POLICY, request.client(), 1),
                        Message.QuotaReply.class,
                        QUOTA_TIMEOUT_MS)
                .compose(reply -> {
                    if (reply instanceof Message.Granted granted) {
                        return run(wanted, request, granted);
                    }
                    if (reply instanceof Message.Denied denied) {
                        metrics.overQuota.increment();
                        return Future.succeededFuture(new InstantOutcome.OverQuota(denied));
                    }
                    return Future.succeededFuture(unavailable("The database is unavailable. Retry shortly."));
                });
    }

    private Future<InstantOutcome> run(Wanted wanted, InstantRequest request, Message.Granted granted) {
        Message.RunCheck order = new Message.RunCheck(
                request.module(),
                wanted.target().text(),
                wanted.options().given(),
                false,
                QUEUE_TIMEOUT_MS,
                request.requestId());
        return bus.ask(
                        BusAddresses.CHECK_RUN,
                        order,
                        Message.RunReply.class,
                        wanted.options().integer(ModuleDescription.TIMEOUT_MS) + RUN_MARGIN_MS)
                .transform(reply -> {
                    if (reply.succeeded() && reply.result() instanceof Message.Checked checked) {
                        return Future.succeededFuture(keep(wanted, checked, granted));
                    }
                    if (reply.succeeded() && reply.result() instanceof Message.Busy busy) {
                        refund(request, granted);
                        return Future.succeededFuture(new InstantOutcome.NoRoom(busy.retryAfterSeconds()));
                    }
                    if (reply.failed() && !MessageBus.timedOut(reply.cause())) {
                        refund(request, granted);
                    }
                    LOG.atError()
                            .addKeyValue("request_id", request.requestId())
                            .setCause(reply.cause())
                            .log("check dispatch failed");
                    return Future.succeededFuture(unavailable("The check could not be run. Retry shortly."));
                });
    }

    private InstantOutcome keep(Wanted wanted, Message.Checked checked, Message.Granted granted) {
        metrics.miss.increment();
        RenderedResult answer = known.keep(wanted.key(), checked.result());
        return new InstantOutcome.Answered(answer, true, granted);
    }

    private void refund(InstantRequest request, Message.Granted granted) {
        if (granted.limit() > 0) {
            bus.ask(
                    BusAddresses.LIMIT_REFUND,
                    new Message.RefundQuota(POLICY, request.client(), 1, granted.takenAtMicros()),
                    Message.class,
                    QUOTA_TIMEOUT_MS);
        }
    }

    private InstantOutcome unavailable(String detail) {
        metrics.unavailable.increment();
        return new InstantOutcome.Unavailable(detail);
    }
}
