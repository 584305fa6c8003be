package dev.plumbline.http.api.share;

import dev.plumbline.account.ApiKeySecret;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.api.QuotaCharge;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.PageJobService;
import dev.plumbline.http.body.JsonBody;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.instant.InstantOutcome;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.share.SharedResult;
import dev.plumbline.share.SharedResult.SharedCheck;
import dev.plumbline.share.SharedResultStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Shares results for the API and the pages. Never runs a check. Rejections are failed futures with a
 * {@link ProblemException}.
 */
public final class SharedResultService {
    /** Quota of shared results of instant checks per client address. */
    public static final String POLICY = "shares";

    /** The limit of this quota in 60 minutes. */
    public static final int PER_HOUR = 30;

    private static final int TOKEN_LENGTH = 32;
    private static final long QUOTA_TIMEOUT_MS = 2_000;
    private static final int DATABASE_RETRY_SECONDS = 2;
    private static final int LIMIT_RETRY_SECONDS = 3_600;
    private static final int JOB_RETRY_SECONDS = 2;
    private static final double BYTES_PER_MIB = 1024.0 * 1024;

    private final SharedResultStore store;
    private final InstantCheckService checks;
    private final PageJobService jobs;
    private final ModuleCatalogue modules;
    private final MessageBus bus;
    private final ClientAddress clients;

    public SharedResultService(
            SharedResultStore store,
            InstantCheckService checks,
            PageJobService jobs,
            ModuleCatalogue modules,
            MessageBus bus,
            ClientAddress clients) {
        this.store = store;
        this.checks = checks;
        this.jobs = jobs;
        this.modules = modules;
        this.bus = bus;
        this.clients = clients;
    }

    /**
     * A new shared result.
     *
     * @param deleteToken null for a job, which its account can delete
     * @param quota the quota after the charge; null for a job
     */
    public record SharedNow(SharedResult result, @Nullable String deleteToken, JobMessage.@Nullable QuotaStatus quota) {
        /** Omits the token. */
        @Override
        public String toString() {
            return "SharedNow[" + result.id() + "]";
        }
    }

    /**
     * Shares the cached result of a check. Charges the quota of the client if it is shared.
     *
     * @param options typed as in a job, or as text
     */
    public Future<SharedNow> shareCheck(RoutingContext ctx, String module, String target, Map<String, Object> options) {
        ModuleDefinition<?> definition = modules.find(module);
        if (definition == null) {
            return ProblemException.failed(JsonBody.invalid(List.of(Problem.Fault.pointer(
                    "/module", "'" + module + "' does not exist; GET /api/v1/tools lists all modules"))));
        }
        ModuleDescription description = definition.description();
        Options.Parsed parsed = Options.parse(description, options);
        Options valid = parsed.options();
        if (valid == null) {
            return ProblemException.failed(JsonBody.invalid(parsed.faults().stream()
                    .map(fault -> Problem.Fault.pointer("/options/" + fault.name(), fault.detail()))
                    .toList()));
        }
        return checks.findCached(ctx, description.module(), target, valid.queryParameters())
                .compose(outcome -> outcome instanceof InstantOutcome.Completed completed
                        ? shareCharged(ctx, description.module(), valid.given(), completed.result())
                        : ProblemException.failed(problem(ctx, description.module(), outcome)));
    }

    private static Problem problem(RoutingContext ctx, String module, InstantOutcome outcome) {
        if (outcome instanceof InstantOutcome.NotCached) {
            return Problem.of(
                    404,
                    "no-cached-result",
                    "Result not cached",
                    ("The cache does not contain a result of %s for this target and these options. Run the check"
                                    + " first, then share its result before `expires_at`.")
                            .formatted(module));
        }
        Problem problem = InstantCheckService.problem(ctx, outcome);
        return problem.withFaults(problem.faults().stream()
                .map(fault -> Problem.Fault.pointer(
                        fault.where().equals("target") ? "/target" : "/options/" + fault.where(), fault.detail()))
                .toList());
    }

    private Future<SharedNow> shareCharged(
            RoutingContext ctx, String module, Map<String, Object> options, RenderedResult cached) {
        String client = clients.quotaKey(ctx.request());
        Buffer body = cached.cachedBody();
        SharedCheck check = new SharedCheck(module, new JsonObject(body).getString("target"), options);
        return charge(ctx, client).compose(granted -> {
            String token = ApiKeySecret.random(TOKEN_LENGTH);
            return store.share(check, body, token)
                    .compose(creation -> created(creation, token, status(granted)))
                    .onFailure(failed -> refund(client, granted));
        });
    }

    private static JobMessage.QuotaStatus status(Message.Granted granted) {
        return new JobMessage.QuotaStatus(POLICY, granted.limit(), granted.remaining(), granted.resetSeconds());
    }

    private Future<Message.Granted> charge(RoutingContext ctx, String client) {
        return QuotaCharge.charge(
                bus, POLICY, client, 1, denied -> exceeded(ctx, denied), SharedResultService::unavailable);
    }

    private static Problem exceeded(RoutingContext ctx, Message.Denied denied) {
        RateLimitHeaders.write(
                ctx.response(),
                List.of(new JobMessage.QuotaStatus(POLICY, denied.limit(), 0, denied.retryAfterSeconds())));
        return RateLimitHeaders.exceeded(
                POLICY,
                "Your IP address has shared %s results in the last 60 minutes. %s"
                        .formatted(denied.limit(), RateLimitHeaders.retry(denied.retryAfterSeconds())),
                denied.retryAfterSeconds());
    }

    private static Problem unavailable(boolean overloaded) {
        return Problem.unavailable(
                overloaded ? "overloaded" : "unavailable",
                "The database did not respond in time. Nothing was shared. Retry shortly.",
                DATABASE_RETRY_SECONDS);
    }

    private void refund(String client, Message.Granted granted) {
        bus.request(
                new Message.RefundQuota(POLICY, client, 1, granted.chargedAtMicros()), Message.class, QUOTA_TIMEOUT_MS);
    }

    /** Shares a finished job of the account, with its lines. */
    public Future<SharedNow> shareJob(long accountId, String token) {
        return jobs.read(accountId, token)
                .compose(job -> job.state().isFinal()
                        ? store.share(accountId, job)
                        : ProblemException.failed(Problem.of(
                                        409,
                                        "job-not-finished",
                                        "Job not finished",
                                        "The state of the job is %s. Share the job when its state is completed, cancelled or failed."
                                                .formatted(job.state().id()))
                                .with("Retry-After", Integer.toString(JOB_RETRY_SECONDS))))
                .compose(creation -> created(creation, null, null));
    }

    private Future<SharedNow> created(
            SharedResultStore.Creation creation, @Nullable String deleteToken, JobMessage.@Nullable QuotaStatus quota) {
        if (creation instanceof SharedResultStore.Created created) {
            return Future.succeededFuture(new SharedNow(created.result(), deleteToken, quota));
        }
        return ProblemException.failed(
                switch ((SharedResultStore.Rejection) creation) {
                    case ACCOUNT_LIMIT ->
                        limitReached(
                                "Your account has %s shared results, which is the maximum. Delete some of them on the page Shared results or with DELETE /api/v1/results/{id}. An operator can change `results.per_account`."
                                        .formatted(store.limits().perAccount()));
                    case TOTAL_LIMIT ->
                        limitReached(
                                "The shared results of this service have reached the maximum size of %.0f MiB. Nothing was shared. An operator can change `results.max_mib`."
                                        .formatted(store.limits().maxBytes() / BYTES_PER_MIB));
                    case EXPIRED -> PageJobService.expired();
                });
    }

    private static Problem limitReached(String detail) {
        return Problem.of(503, "results-limit", "Limit of shared results reached", detail)
                .with("Retry-After", Integer.toString(LIMIT_RETRY_SECONDS));
    }

    /** Returns a shared result. */
    public Future<SharedResult> find(String id) {
        return store.find(id)
                .compose(result ->
                        result == null ? ProblemException.failed(notFound()) : Future.succeededFuture(result));
    }

    public static Problem notFound() {
        return Problem.of(
                404,
                "no-such-result",
                "Shared result not found",
                "This shared result does not exist, has expired or was deleted. Check that the ID is complete.");
    }

    /** Returns the stored result of a shared check as JSON. */
    public Future<Buffer> checkResult(SharedResult result) {
        return store.lines(result.id(), List.of(0))
                .compose(lines -> lines.isEmpty()
                        ? ProblemException.failed(notFound())
                        : Future.succeededFuture(Buffer.buffer(
                                Objects.requireNonNull(lines.get(0).result()))));
    }

    /** The lines of a shared job. */
    public PageJobService.CopiedLines lines(String id) {
        return indexes -> store.lines(id, indexes);
    }

    /** Returns the client whose share of the memory a request uses. */
    public String client(RoutingContext ctx) {
        return "shared " + clients.quotaKey(ctx.request());
    }

    /**
     * Returns a part of the shared results of an account, newest first.
     *
     * @param after the position after which it begins
     */
    public Future<List<SharedResult>> list(long accountId, SharedResultStore.Position after, int limit) {
        return store.list(accountId, after, limit);
    }

    /** Deletes a shared result of an instant check. */
    public Future<Void> delete(String id, String deleteToken) {
        return store.deleteWithToken(id, deleteToken)
                .compose(deleted -> deleted
                        ? Future.succeededFuture()
                        : find(id).compose(existing -> ProblemException.failed(Problem.of(
                                403,
                                "wrong-delete-token",
                                "Incorrect delete token",
                                "The delete token does not match this shared result. To delete a shared job, use an API"
                                        + " key of its account."))));
    }

    /** Deletes a shared result of an account. */
    public Future<Void> delete(String id, long accountId) {
        return store.deleteOfAccount(id, accountId)
                .compose(deleted -> deleted
                        ? Future.succeededFuture()
                        : store.find(id).compose(existing -> ProblemException.failed(notOfAccount(existing))));
    }

    /** @param existing the shared result, which anyone can read; null if there is none */
    private static Problem notOfAccount(@Nullable SharedResult existing) {
        return existing == null || existing.job() != null
                ? notFound()
                : notFound()
                        .withDetail(
                                "This shared result of an instant check does not belong to an account. To delete it,"
                                        + " send the `delete_token` from its creation in the header Delete-Token.");
    }
}
