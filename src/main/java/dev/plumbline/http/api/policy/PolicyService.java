package dev.plumbline.http.api.policy;

import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.api.QuotaCharge;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.policy.Expectation;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.InvalidExpressionException;
import dev.plumbline.policy.Policy;
import dev.plumbline.policy.PolicyCatalogue;
import dev.plumbline.policy.PolicyEvaluation;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.target.ClosestName;
import dev.plumbline.target.PrintableText;
import io.vertx.core.Future;
import io.vertx.ext.web.RoutingContext;
import java.time.Clock;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Compiles the policies and expectations of requests. Rejections are failed futures with a {@link ProblemException}:
 * status 422 for an unknown policy or an invalid expectation, 429 for too many new expressions, and 503 for overload.
 */
public final class PolicyService {
    /** Quota of new expressions per client address. An expression that is in the cache is not charged. */
    public static final String POLICY = "expressions";

    /** The limit of this quota in {@link #WINDOW}. */
    public static final int PER_MINUTE = 60;

    /** The window of this quota. */
    public static final Duration WINDOW = Duration.ofMinutes(1);

    private static final int MAX_SHOWN = 64;

    private final PolicyCatalogue policies;
    private final ExpressionPrograms programs;
    private final WorkerLimit workers;
    private final MessageBus bus;
    private final ClientAddress clients;
    private final Clock clock;

    /**
     * @param programs the cache of the expressions of requests
     * @param workers the threads that compile and evaluate expressions
     */
    public PolicyService(
            PolicyCatalogue policies,
            ExpressionPrograms programs,
            WorkerLimit workers,
            MessageBus bus,
            ClientAddress clients,
            Clock clock) {
        this.policies = policies;
        this.programs = programs;
        this.workers = workers;
        this.bus = bus;
        this.clients = clients;
        this.clock = clock;
    }

    /** Returns all policies, sorted by name. */
    public Future<List<Policy>> all() {
        return workers.executeBlocking(() -> policies.names().stream()
                .map(name -> Objects.requireNonNull(policies.find(name)).policy())
                .toList());
    }

    /** Returns a policy. Fails with a problem of status 404 if it does not exist. */
    public Future<Policy> get(String name) {
        if (!policies.names().contains(name)) {
            return ProblemException.failed(Problem.of(
                    404,
                    "unknown-policy",
                    "Unknown policy",
                    "The policy '" + PrintableText.shorten(name, MAX_SHOWN) + "' does not exist."
                            + ClosestName.suggestion(name, policies.names())
                            + " GET /api/v1/policies lists all policies."));
        }
        return workers.executeBlocking(
                () -> Objects.requireNonNull(policies.find(name)).policy());
    }

    /** Whether there is a policy with this name that applies to a module. */
    public boolean exists(String name, @Nullable ModuleDescription module) {
        return policies.applies(name, module);
    }

    /**
     * Compiles the policy and the expectations of the query of a request.
     *
     * @return null if the request has none
     */
    public Future<@Nullable ResultEvaluation> evaluation(
            RoutingContext ctx, ModuleDescription module, PolicyParameters parameters) {
        if (parameters.isEmpty()) {
            return Future.succeededFuture();
        }
        List<Problem.Fault> faults = new ArrayList<>();
        return compile(ctx, module, parameters, Place.QUERY, faults).map(compiled -> {
            if (!faults.isEmpty()) {
                throw new ProblemException(Problem.invalidParameters(faults));
            }
            return compiled;
        });
    }

    /** Validates the policy and the expectations of the body of a request. Returns its errors. */
    public Future<List<Problem.Fault>> validate(
            RoutingContext ctx, ModuleDescription module, PolicyParameters parameters) {
        List<Problem.Fault> faults = new ArrayList<>();
        return parameters.isEmpty()
                ? Future.succeededFuture(faults)
                : compile(ctx, module, parameters, Place.BODY, faults).map(faults);
    }

    /** @param faults receives the errors; invalid parts are omitted */
    private Future<ResultEvaluation> compile(
            RoutingContext ctx,
            ModuleDescription module,
            PolicyParameters parameters,
            Place place,
            List<Problem.Fault> faults) {
        String client = clients.quotaKey(ctx.request());
        return charge(client, module, parameters.expectations())
                .compose(charged ->
                        workers.executeBlocking(client, () -> compile(client, module, parameters, place, faults)));
    }

    /**
     * Compiles a policy and expectations that were valid in an earlier request. A policy that does not {@link #exists}
     * is omitted, and an expression that is no longer valid is not determined. The expressions are not charged.
     *
     * @return null if there are none
     */
    public Future<@Nullable ResultEvaluation> stored(
            RoutingContext ctx, ModuleDescription module, PolicyParameters parameters) {
        PolicyParameters existing = existing(module, parameters);
        String policy = existing.policy();
        if (existing.isEmpty()) {
            return Future.succeededFuture();
        }
        String client = clients.quotaKey(ctx.request());
        return workers.executeBlocking(
                client,
                () -> evaluation(
                        client,
                        module,
                        existing,
                        policy == null ? null : policies.find(policy),
                        existing.expectations().stream()
                                .map(text -> storedExpectation(module, text))
                                .toList()));
    }

    /**
     * The {@link ResultEvaluation#suffix} for the query of a request, from its texts only: nothing is compiled, charged
     * or validated.
     *
     * @return null if it is not known, because the policy has not been read or does not exist
     */
    public @Nullable String suffix(ModuleDescription module, PolicyParameters parameters) {
        if (parameters.isEmpty()) {
            return "";
        }
        String name = parameters.policy();
        String digest = name == null ? "" : policies.digest(name);
        return digest == null ? null : ResultEvaluation.suffix(tag(module, digest, parameters, today()));
    }

    /** As {@link #suffix}, for parameters that were valid in an earlier request. */
    public @Nullable String storedSuffix(ModuleDescription module, PolicyParameters parameters) {
        return suffix(module, existing(module, parameters));
    }

    /** The parameters without a policy that does not {@link #exists}. */
    private PolicyParameters existing(ModuleDescription module, PolicyParameters parameters) {
        return parameters.policy() == null || exists(parameters.policy(), module)
                ? parameters
                : new PolicyParameters(null, parameters.expectations());
    }

    private LocalDate today() {
        return LocalDate.ofInstant(clock.instant(), ZoneOffset.UTC);
    }

    private Expectation storedExpectation(ModuleDescription module, String text) {
        try {
            return programs.get(module, text);
        } catch (InvalidExpressionException invalid) {
            return Expectation.invalid(module, text, "it is no longer valid for " + module.module());
        }
    }

    /** Where a request names a policy and expectations. */
    private enum Place {
        QUERY,
        BODY;

        Problem.Fault policy(String detail) {
            return this == QUERY ? Problem.Fault.parameter("policy", detail) : Problem.Fault.pointer("/policy", detail);
        }

        Problem.Fault expectation(int index, String detail) {
            return this == QUERY
                    ? Problem.Fault.parameter("expect", detail)
                    : Problem.Fault.pointer("/expect/" + index, detail);
        }
    }

    /** Charges the expressions that must be compiled. */
    private Future<Void> charge(String client, ModuleDescription module, List<String> expectations) {
        Set<String> unknown = new LinkedHashSet<>(expectations);
        unknown.removeIf(text -> programs.contains(module, text));
        if (unknown.isEmpty()) {
            return Future.succeededFuture();
        }
        return QuotaCharge.charge(
                        bus,
                        POLICY,
                        client,
                        unknown.size(),
                        PolicyService::exceeded,
                        overloaded -> Problem.unavailable(
                                "unavailable", "The limit of new expressions cannot be checked. Retry shortly.", 2))
                .mapEmpty();
    }

    private static Problem exceeded(Message.Denied quota) {
        return RateLimitHeaders.exceeded(
                new JobMessage.QuotaStatus(POLICY, quota.limit(), quota.remaining(), quota.retryAfterSeconds()),
                WINDOW,
                ("Your IP address can use %d new expressions in any 60 seconds. %s Expressions that were used recently are"
                                + " not counted.")
                        .formatted(quota.limit(), RateLimitHeaders.retry(quota.retryAfterSeconds())));
    }

    private ResultEvaluation compile(
            String client,
            ModuleDescription module,
            PolicyParameters parameters,
            Place place,
            List<Problem.Fault> faults) {
        PolicyCatalogue.Entry policy = policy(module, parameters.policy(), place, faults);
        List<Expectation> expectations = new ArrayList<>();
        for (int i = 0; i < parameters.expectations().size(); i++) {
            String text = parameters.expectations().get(i);
            try {
                expectations.add(programs.get(module, text));
            } catch (InvalidExpressionException invalid) {
                faults.add(place.expectation(
                        i, "'" + PrintableText.shorten(text, MAX_SHOWN) + "' is not valid. " + invalid.getMessage()));
            }
        }
        return evaluation(client, module, parameters, policy, expectations);
    }

    private ResultEvaluation evaluation(
            String client,
            ModuleDescription module,
            PolicyParameters parameters,
            PolicyCatalogue.@Nullable Entry policy,
            List<Expectation> expectations) {
        LocalDate today = today();
        return new ResultEvaluation(
                workers,
                client,
                parameters,
                new PolicyEvaluation(module, policy == null ? null : policy.policy(), expectations, today),
                tag(module, policy == null ? "" : policy.digest(), parameters, today));
    }

    private PolicyCatalogue.@Nullable Entry policy(
            ModuleDescription module, @Nullable String name, Place place, List<Problem.Fault> faults) {
        if (name == null) {
            return null;
        }
        PolicyCatalogue.Entry found = policies.find(name);
        if (found == null) {
            faults.add(place.policy("'" + PrintableText.shorten(name, MAX_SHOWN) + "' does not exist."
                    + ClosestName.suggestion(name, policies.names()) + " Policies: "
                    + String.join(", ", policies.names()) + "."));
        } else if (!found.policy().appliesTo(module)) {
            faults.add(place.policy("'%s' does not apply to %s. Its modules: %s."
                    .formatted(
                            name,
                            module.module(),
                            String.join(", ", found.policy().modules().keySet()))));
        }
        return found;
    }

    /**
     * Exceptions of a policy depend on the date, and whether an expression is valid depends on the fields of the
     * module.
     */
    private static String tag(ModuleDescription module, String digest, PolicyParameters parameters, LocalDate today) {
        Hasher hasher = Hashing.sha256().newHasher();
        put(hasher, digest);
        put(hasher, module.rules());
        put(hasher, today.toString());
        parameters.expectations().forEach(expectation -> put(hasher, expectation));
        return hasher.hash().toString().substring(0, 32);
    }

    /** Adds a text with its length, because expressions can contain any separator. */
    private static void put(Hasher hasher, String text) {
        hasher.putInt(text.length()).putUnencodedChars(text);
    }
}
