package dev.plumbline.http.api.instant;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.check.Options;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.instant.InstantRequest;
import io.vertx.core.Future;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Instant checks as requests ask for them, of the API and of pages alike. */
public final class InstantCheckService {
    private static final String VIA = "1.1 plumbline";

    private final InstantChecks checks;
    private final ClientAddress clients;
    private final String product;

    /**
     * @param product how our own User-Agent begins
     */
    public InstantCheckService(InstantChecks checks, ClientAddress clients, String product) {
        this.checks = checks;
        this.clients = clients;
        this.product = product;
    }

    /**
     * Has a check run if its result is not known; its options are the query parameters.
     *
     * @param target as it was typed, decoded
     * @return does not fail
     */
    public Future<InstantOutcome> check(RoutingContext ctx, String module, String target) {
        return ask(ctx, module, target, checks::check);
    }

    /** As {@link #check}, but nothing is run and nothing charged. */
    public Future<InstantOutcome> look(RoutingContext ctx, String module, String target) {
        return ask(ctx, module, target, checks::findCached);
    }

    /**
     * What the client has left of its fresh checks.
     *
     * @return null where that is not known, and where nothing is limited; does not fail
     */
    public Future<Message.@Nullable Granted> left(RoutingContext ctx) {
        return checks.remainingQuota(clients.quotaKey(ctx.request()));
    }

    private Future<InstantOutcome> ask(
            RoutingContext ctx, String module, String target, Function<InstantRequest, Future<InstantOutcome>> call) {
        Map<String, String> options = new LinkedHashMap<>();
        for (Map.Entry<String, String> parameter : ctx.queryParams()) {
            if (options.put(parameter.getKey(), parameter.getValue()) != null) {
                return Future.succeededFuture(new InstantOutcome.InvalidOptions(
                        List.of(new Options.Fault(parameter.getKey(), "is given twice"))));
            }
        }
        return call.apply(new InstantRequest(
                module,
                target,
                options,
                clients.quotaKey(ctx.request()),
                RequestIdHandler.of(ctx),
                fromOurselves(ctx.request())));
    }

    /** A check's own request says so twice: an option can change its User-Agent (RFC 9110, 7.6.3). */
    private boolean fromOurselves(HttpServerRequest request) {
        String agent = request.getHeader("User-Agent");
        String via = request.getHeader("Via");
        return (agent != null && agent.startsWith(product)) || (via != null && via.contains(VIA));
    }

    /** Tells by headers what is left of the quota, where something was taken from it. */
    public static void tellQuota(RoutingContext ctx, InstantOutcome.Completed answered) {
        Message.Granted quota = answered.quota();
        if (quota != null) {
            tell(ctx, quota.limit(), quota.remaining(), quota.resetSeconds());
        }
    }

    private static void tell(RoutingContext ctx, int limit, int remaining, int seconds) {
        RateLimitHeaders.write(
                ctx.response(), List.of(new JobMessage.QuotaStatus(InstantChecks.POLICY, limit, remaining, seconds)));
    }

    private static Problem overQuota(Message.Denied quota) {
        return RateLimitHeaders.exceeded(
                InstantChecks.POLICY,
                "Your address has had "
                        + quota.limit()
                        + " fresh checks in the last 60 minutes. Results that are known are still free; the"
                        + " next fresh check is possible in "
                        + quota.retryAfterSeconds()
                        + " seconds.",
                quota.retryAfterSeconds());
    }

    private static Problem badOptions(List<Options.Fault> faults) {
        return Problem.of(
                        422,
                        "invalid-option",
                        "An option is wrong",
                        "The tools list says which options the module has and what they may be.")
                .withFaults(faults.stream()
                        .map(fault -> Problem.Fault.parameter(fault.name(), fault.detail()))
                        .toList());
    }

    public static Problem unknownModule(String name) {
        return Problem.of(
                404,
                "unknown-module",
                "There is no such module",
                "There is no module '" + name + "'; /api/v1/tools lists them all.");
    }

    /** What to answer when there is no result; what is left of the quota is told by headers. */
    public static Problem problem(RoutingContext ctx, InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.QuotaExceeded over) {
            tell(ctx, over.quota().limit(), 0, over.quota().retryAfterSeconds());
            return overQuota(over.quota());
        }
        if (outcome instanceof InstantOutcome.UnknownModule unknown) {
            return unknownModule(unknown.module());
        }
        if (outcome instanceof InstantOutcome.InvalidTarget invalid) {
            return Problem.of(422, "invalid-target", "The module cannot check this target", invalid.detail())
                    .withFaults(List.of(Problem.Fault.parameter("target", invalid.detail())));
        }
        if (outcome instanceof InstantOutcome.InvalidOptions bad) {
            return badOptions(bad.faults());
        }
        if (outcome instanceof InstantOutcome.TargetBlocked refused) {
            return Problem.of(422, "target-not-allowed", "The target may not be checked", refused.detail())
                    .withFaults(List.of(Problem.Fault.parameter("target", refused.detail())));
        }
        if (outcome instanceof InstantOutcome.LoopDetected) {
            return Problem.of(
                    422,
                    "request-loop",
                    "A check asks for a check",
                    "The request carries the User-Agent of a check of this kind of service; to keep such"
                            + " services from checking each other for ever, it gets no fresh check.");
        }
        if (outcome instanceof InstantOutcome.Overloaded full) {
            return Problem.unavailable(
                    "overloaded",
                    "Too many checks are under way, here or at this target; try again shortly. Nothing was"
                            + " charged.",
                    full.retryAfterSeconds());
        }
        String detail = outcome instanceof InstantOutcome.Unavailable away
                ? away.detail()
                : "The service cannot answer just now; try again shortly.";
        return Problem.unavailable("unavailable", detail, 2);
    }
}
