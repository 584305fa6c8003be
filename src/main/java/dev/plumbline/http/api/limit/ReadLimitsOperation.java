package dev.plumbline.http.api.limit;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Plan;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage.QuotaStatus;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.QuotaCharge;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.probe.ProbeClients;
import dev.plumbline.http.api.share.SharedResultService;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.UnreadBodies;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.InstantRequest;
import dev.plumbline.quota.QuotaPolicy;
import io.vertx.core.Future;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** {@code GET /api/v1/limits}: the quotas of a client, which are not charged. */
public final class ReadLimitsOperation {
    private final MessageBus bus;
    private final ApiKeyHandler keys;
    private final InstantCheckService checks;
    private final ClientAddress clients;
    private final ProbeClients probeClients;
    private final Map<String, QuotaPolicy> policies;
    private final int maxLines;

    /**
     * @param policies by name
     * @param maxLines the maximum number of lines of a job
     */
    public ReadLimitsOperation(
            MessageBus bus,
            ApiKeyHandler keys,
            InstantCheckService checks,
            ClientAddress clients,
            ProbeClients probeClients,
            Map<String, QuotaPolicy> policies,
            int maxLines) {
        this.bus = bus;
        this.keys = keys;
        this.checks = checks;
        this.clients = clients;
        this.probeClients = probeClients;
        this.policies = Map.copyOf(policies);
        this.maxLines = maxLines;
    }

    public ApiOperation operation() {
        return new ApiOperation("getLimits", this::handle);
    }

    private void handle(RoutingContext ctx) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
        } else {
            keys.identifyIfPresent(ctx, caller -> read(ctx, caller));
        }
    }

    private void read(RoutingContext ctx, @Nullable ApiCaller caller) {
        Map<String, String> owners = owners(ctx, caller);
        owners.keySet().removeIf(policy -> !isLimited(policy));
        List<Future<QuotaStatus>> quotas = owners.entrySet().stream()
                .map(quota -> QuotaCharge.read(bus, quota.getKey(), quota.getValue()))
                .toList();
        RequestFutures.handle(ctx, Future.all(quotas), all -> send(ctx, all.list()));
    }

    /**
     * Returns the quotas that requests of a client are charged to, by policy, with their owners.
     *
     * @param caller null without an API key
     */
    private Map<String, String> owners(RoutingContext ctx, @Nullable ApiCaller caller) {
        Map<String, String> owners = new LinkedHashMap<>();
        boolean pro = caller != null && caller.plan() == Plan.PRO;
        InstantRequest.QuotaKey checked = checks.quotaKey(ctx, caller);
        owners.put(checked.policy(), checked.key());
        String address = clients.quotaKey(ctx.request());
        owners.put(PolicyService.POLICY, address);
        owners.put(SharedResultService.POLICY, address);
        // it does not exist if probes are disabled
        if (policies.containsKey(InstantChecks.PROBE_POLICY)) {
            if (probeClients.isAllowedWithoutKey(ctx.request())) {
                owners.put(InstantChecks.PROBE_POLICY, address);
            } else if (caller != null && pro && caller.scopes().contains(Scope.PROBE)) {
                owners.put(InstantChecks.PROBE_POLICY, Long.toString(caller.keyId()));
            }
        }
        if (caller != null && pro && caller.scopes().contains(Scope.JOBS_WRITE)) {
            owners.put(QuotaStatus.PER_KEY, Long.toString(caller.keyId()));
            owners.put(QuotaStatus.PER_ACCOUNT, Long.toString(caller.accountId()));
        }
        return owners;
    }

    private boolean isLimited(String policy) {
        return policy(policy).limit() > 0;
    }

    private QuotaPolicy policy(String name) {
        QuotaPolicy policy = policies.get(name);
        if (policy == null) {
            throw new IllegalStateException("no quota policy " + name);
        }
        return policy;
    }

    private void send(RoutingContext ctx, List<QuotaStatus> quotas) {
        JsonArray limits = new JsonArray();
        for (QuotaStatus quota : quotas) {
            boolean unused = quota.remaining() == quota.limit();
            limits.add(new JsonObject()
                    .put("name", quota.policy())
                    .put("quota", quota.limit())
                    .put("window_seconds", policy(quota.policy()).window().toSeconds())
                    .put("remaining", quota.remaining())
                    .put("reset_seconds", unused ? 0 : quota.resetSeconds()));
        }
        ResponseBodies.beginPrivate(ctx, 200).putHeader("Content-Type", "application/json");
        ResponseBodies.end(
                ctx,
                new JsonObject()
                        .put("limits", limits)
                        .put("max_lines_per_job", maxLines)
                        .put("max_body_bytes", UnreadBodies.MAX_BYTES)
                        .toBuffer());
    }
}
