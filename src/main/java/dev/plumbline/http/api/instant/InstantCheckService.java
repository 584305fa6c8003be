package dev.plumbline.http.api.instant;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Plan;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.api.QuotaCharge;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.instant.InstantRequest;
import dev.plumbline.result.LimitWait;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.sheet.Options;
import io.vertx.core.Future;
import io.vertx.core.MultiMap;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Runs instant checks for the API and the pages. */
public final class InstantCheckService {
    private static final String VIA = "1.1 plumbline";

    private final InstantChecks checks;
    private final MessageBus bus;
    private final ClientAddress clientAddress;
    private final String product;
    private final boolean quotaPerKey;

    /**
     * @param product the product name in the User-Agent of checks
     * @param quotaPerKey whether API keys of Pro accounts have their own quota
     */
    public InstantCheckService(
            InstantChecks checks, MessageBus bus, ClientAddress clientAddress, String product, boolean quotaPerKey) {
        this.checks = checks;
        this.bus = bus;
        this.clientAddress = clientAddress;
        this.product = product;
        this.quotaPerKey = quotaPerKey;
    }

    /**
     * Runs a check unless its result is cached. The query parameters are the options, except {@link PolicyParameters}.
     *
     * @param target the decoded target
     * @return fails after an internal error only
     */
    public Future<InstantOutcome> check(RoutingContext ctx, String module, String target) {
        return check(ctx, null, module, target);
    }

    /**
     * As {@link #check(RoutingContext, String, String)}, charged to the quota of a caller.
     *
     * @param caller null without an API key
     */
    Future<InstantOutcome> check(RoutingContext ctx, @Nullable ApiCaller caller, String module, String target) {
        return call(ctx, module, target, quotaKey(ctx, caller), checks::check);
    }

    /**
     * As {@link #check(RoutingContext, String, String)}, with options that are not query parameters.
     *
     * @param options by name, as query parameters
     * @param quotaKey the quota that a fresh check is charged to
     */
    public Future<InstantOutcome> check(
            RoutingContext ctx,
            String module,
            String target,
            Map<String, String> options,
            InstantRequest.QuotaKey quotaKey) {
        return checks.check(request(ctx, module, target, options, quotaKey));
    }

    /** Returns a cached result. Never runs a check or charges the quota. */
    public Future<InstantOutcome> findCached(RoutingContext ctx, String module, String target) {
        return call(ctx, module, target, quotaKey(ctx, null), checks::findCached);
    }

    /**
     * As {@link #findCached(RoutingContext, String, String)}, with options that are not query parameters.
     *
     * @param options by name, as query parameters
     */
    public Future<InstantOutcome> findCached(
            RoutingContext ctx, String module, String target, Map<String, String> options) {
        return checks.findCached(request(ctx, module, target, options, quotaKey(ctx, null)));
    }

    /** Whether a check is rejected because its target is not valid or not allowed. Never runs a check. */
    public Future<Boolean> rejectsTarget(RoutingContext ctx, String module, String target) {
        return findCached(ctx, module, target)
                .map(outcome -> outcome instanceof InstantOutcome.InvalidTarget
                        || outcome instanceof InstantOutcome.TargetBlocked);
    }

    /** As {@link InstantChecks#results}. */
    public ResultCache results() {
        return checks.results();
    }

    /**
     * Returns the quota of fresh checks of the client, which is not charged.
     *
     * @return null if unknown; does not fail
     */
    public Future<JobMessage.@Nullable QuotaStatus> quota(RoutingContext ctx) {
        InstantRequest.QuotaKey client = quotaKey(ctx, null);
        return QuotaCharge.read(bus, client.policy(), client.key())
                .<JobMessage.@Nullable QuotaStatus>map(quota -> quota)
                .otherwiseEmpty();
    }

    /**
     * The quota that the fresh checks of a caller are charged to.
     *
     * @param caller null without an API key
     */
    public InstantRequest.QuotaKey quotaKey(RoutingContext ctx, @Nullable ApiCaller caller) {
        return quotaPerKey && caller != null && caller.plan() == Plan.PRO
                ? InstantRequest.QuotaKey.apiKey(caller.keyId())
                : InstantRequest.QuotaKey.client(clientAddress.quotaKey(ctx.request()));
    }

    private Future<InstantOutcome> call(
            RoutingContext ctx,
            String module,
            String target,
            InstantRequest.QuotaKey quotaKey,
            Function<InstantRequest, Future<InstantOutcome>> function) {
        List<Options.Fault> faults = new ArrayList<>();
        Map<String, String> options = options(ctx.queryParams(), PolicyParameters.NAMES, faults);
        return faults.isEmpty()
                ? function.apply(request(ctx, module, target, options, quotaKey))
                : Future.succeededFuture(new InstantOutcome.InvalidOptions(faults));
    }

    private InstantRequest request(
            RoutingContext ctx,
            String module,
            String target,
            Map<String, String> options,
            InstantRequest.QuotaKey quotaKey) {
        return new InstantRequest(module, target, options, quotaKey, RequestId.of(ctx), isOwnRequest(ctx.request()));
    }

    /**
     * The options in a query, by name.
     *
     * @param others the names of the parameters that are not options
     * @param faults receives the repeated options
     */
    public static Map<String, String> options(MultiMap query, Set<String> others, List<Options.Fault> faults) {
        Map<String, String> options = new LinkedHashMap<>();
        for (Map.Entry<String, String> parameter : query) {
            String name = parameter.getKey();
            if (!others.contains(name) && options.put(name, parameter.getValue()) != null) {
                faults.add(new Options.Fault(name, "must not be repeated"));
            }
        }
        return options;
    }

    /**
     * Whether the request was sent by a check. Tests User-Agent and Via (RFC 9110, 7.6.3), because an option can change
     * the User-Agent.
     */
    private boolean isOwnRequest(HttpServerRequest request) {
        String agent = request.getHeader("User-Agent");
        String via = request.getHeader("Via");
        return (agent != null && agent.startsWith(product)) || (via != null && via.contains(VIA));
    }

    /** The result as sent to this request: with the wait for limits of targets if it ran the check. */
    public static Buffer body(InstantOutcome.Completed completed) {
        LimitWait limitWait = completed.limitWait();
        return limitWait == null
                ? completed.result().cachedBody()
                : completed.result().freshBody(limitWait.millis());
    }

    /** Sets the rate limit headers if the check was charged. */
    public static void setRateLimitHeaders(RoutingContext ctx, InstantOutcome.Completed answered) {
        InstantOutcome.Charge charge = answered.charge();
        if (charge != null) {
            Message.Granted quota = charge.quota();
            writeHeaders(ctx, charge.policy(), quota.limit(), quota.remaining(), quota.resetSeconds());
        }
    }

    /** Sets the rate limit headers of a check that was rejected. */
    public static void setRateLimitHeaders(RoutingContext ctx, InstantOutcome.QuotaExceeded over) {
        Message.Denied quota = over.quota();
        writeHeaders(ctx, over.policy(), quota.limit(), 0, quota.retryAfterSeconds());
    }

    private static void writeHeaders(RoutingContext ctx, String policy, int limit, int remaining, int seconds) {
        if (ctx.response().headWritten()) {
            // the head of a page in parts
            return;
        }
        RateLimitHeaders.write(
                ctx.response(),
                List.of(new JobMessage.QuotaStatus(policy, limit, remaining, seconds)),
                InstantChecks.window(policy));
    }

    private static Problem rateLimitExceeded(InstantOutcome.QuotaExceeded over) {
        Message.Denied quota = over.quota();
        return RateLimitHeaders.exceeded(
                over.policy(),
                ("%s has used all %s fresh checks of the last 60 minutes. %s Cached results remain available."
                                + " Jobs, which require an API key, and the command line do not use this quota.")
                        .formatted(
                                over.policy().equals(InstantChecks.KEY_POLICY) ? "This API key" : "Your IP address",
                                quota.limit(),
                                RateLimitHeaders.retry(quota.retryAfterSeconds())),
                quota.retryAfterSeconds());
    }

    /** The problem of invalid options. */
    public static Problem invalidOptions(List<Options.Fault> faults) {
        return Problem.of(
                        422,
                        "invalid-option",
                        "Invalid option",
                        "At least one option is invalid. See `errors`. /api/v1/tools lists the options of"
                                + " each module.")
                .withFaults(faults.stream()
                        .map(fault -> Problem.Fault.parameter(fault.name(), fault.detail()))
                        .toList());
    }

    public static Problem unknownModule(String name) {
        return Problem.of(
                404,
                "unknown-module",
                "Unknown module",
                "The module '" + name + "' does not exist. /api/v1/tools lists all modules.");
    }

    /** Returns the problem of an outcome without result. Sets the rate limit headers if applicable. */
    public static Problem problem(RoutingContext ctx, InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.QuotaExceeded over) {
            setRateLimitHeaders(ctx, over);
            return rateLimitExceeded(over);
        }
        if (outcome instanceof InstantOutcome.UnknownModule unknown) {
            return unknownModule(unknown.module());
        }
        if (outcome instanceof InstantOutcome.InvalidTarget invalid) {
            return Problem.of(422, "invalid-target", "Invalid target", invalid.detail())
                    .withFaults(List.of(Problem.Fault.parameter("target", invalid.detail())));
        }
        if (outcome instanceof InstantOutcome.InvalidOptions bad) {
            return invalidOptions(bad.faults());
        }
        if (outcome instanceof InstantOutcome.TargetBlocked forbidden) {
            return Problem.of(422, "target-not-allowed", "Target not allowed", forbidden.detail())
                    .withFaults(List.of(Problem.Fault.parameter(forbidden.parameter(), forbidden.detail())));
        }
        if (outcome instanceof InstantOutcome.LoopDetected) {
            return Problem.of(
                    422,
                    "request-loop",
                    "Request loop detected",
                    "The request was sent by a Plumbline check. Fresh checks are rejected to prevent request"
                            + " loops.");
        }
        if (outcome instanceof InstantOutcome.Overloaded overloaded) {
            return Problem.unavailable(
                    "overloaded", overloaded.detail() + " Retry shortly.", overloaded.retryAfterSeconds());
        }
        String detail = outcome instanceof InstantOutcome.Unavailable unavailable
                ? unavailable.detail()
                : "The service is unavailable. Retry shortly.";
        return Problem.unavailable("unavailable", detail, 2);
    }
}
