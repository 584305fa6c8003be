package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code POST /api/v1/jobs}. */
final class CreateJobOperation {
    static final int MAX_BYTES = 8 << 20;

    private static final int MAX_CONCURRENT_READS = 4;
    private static final int MAX_WAITING = 32;

    private final ApiKeyHandler authentication;
    private final RequestBodyReader bodies;
    private final JobRequestReader reader;
    private final JobClient jobs;
    private final JobResponses responses;
    private final PolicyService policies;
    private final ProblemResponder problems;
    private final Duration bodyTimeout;
    private final WorkerLimit workers;

    /** @param bodyTimeout the timeout for receiving a body */
    CreateJobOperation(
            Vertx vertx,
            ApiKeyHandler authentication,
            RequestBodyReader bodies,
            JobRequestReader reader,
            JobClient jobs,
            JobResponses responses,
            PolicyService policies,
            ProblemResponder problems,
            Duration bodyTimeout) {
        this.authentication = authentication;
        this.bodies = bodies;
        this.reader = reader;
        this.jobs = jobs;
        this.responses = responses;
        this.policies = policies;
        this.problems = problems;
        this.bodyTimeout = bodyTimeout;
        this.workers = new WorkerLimit(
                vertx, MAX_CONCURRENT_READS, MAX_WAITING, "Too many large jobs are being processed. Retry shortly.");
    }

    void handle(RoutingContext ctx) {
        authentication.authenticate(ctx, Scope.JOBS_WRITE, before -> {
            List<String> keys = ctx.request().headers().getAll("Idempotency-Key");
            if (!ContentNegotiation.acceptsJson(ctx)) {
                ctx.fail(406);
            } else if (keys.size() > 1) {
                problems.send(ctx, Problem.badRequest("The request has several Idempotency-Key headers. Send one."));
            } else {
                bodies.readJson(
                        ctx, MAX_BYTES, bodyTimeout, body -> parse(ctx, keys.isEmpty() ? null : keys.get(0), body));
            }
        });
    }

    private void parse(RoutingContext ctx, @Nullable String key, Buffer body) {
        RequestFutures.handle(
                ctx,
                parse(body, key != null),
                // the API key can have been revoked while the body was received
                job -> authentication.authenticate(
                        ctx,
                        Scope.JOBS_WRITE,
                        caller -> RequestFutures.handle(
                                ctx,
                                create(ctx, caller, key, job),
                                created -> accepted(ctx, job.job().items(), created))));
    }

    /**
     * Parses a body. Fails with a problem if it is not valid.
     *
     * @param hashed whether the request has an idempotency key
     */
    Future<JobRequestReader.Parsed> parse(Buffer body, boolean hashed) {
        return body.length() <= JobRequestReader.SMALL_BYTES
                ? Future.succeededFuture(body).map(all -> reader.parse(all, hashed))
                : workers.executeBlocking(() -> reader.parse(body, hashed));
    }

    /**
     * Creates a job with a policy or expectations, which must be valid. A repeated request has the same response, even
     * if they are no longer valid, or if the quota of new expressions is exhausted. Sets the rate limit headers of a
     * rejection. Fails with a problem.
     *
     * @param key the idempotency key; null for none
     */
    Future<JobMessage.JobCreated> create(
            RoutingContext ctx, ApiCaller caller, @Nullable String key, JobRequestReader.Parsed parsed) {
        JobMessage.Idempotency idempotency = key == null ? null : new JobMessage.Idempotency(key, parsed.hash());
        Future<JobMessage.CreateReply> reply =
                idempotency == null || parsed.job().defaultPolicy() == null
                        ? validateAndCreate(ctx, caller, idempotency, parsed)
                        : jobs.replay(caller.keyId(), idempotency)
                                .compose(earlier -> earlier instanceof JobMessage.NoEarlierRequest
                                        ? validateAndCreate(ctx, caller, idempotency, parsed)
                                        : Future.succeededFuture(earlier));
        return reply.compose(outcome -> created(ctx, outcome));
    }

    private Future<JobMessage.CreateReply> validateAndCreate(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.@Nullable Idempotency idempotency,
            JobRequestReader.Parsed parsed) {
        JobRequestReader.JobRequest job = parsed.job();
        return policies.validate(ctx, job.description(), PolicyParameters.of(job.defaultPolicy()))
                .compose(faults -> faults.isEmpty()
                        ? jobs.create(caller.accountId(), caller.keyId(), job, idempotency)
                                .recover(failure -> Future.failedFuture(
                                        failure instanceof ProblemException rejection
                                                ? new ProblemException(withLocation(rejection.problem()))
                                                : failure))
                        : ProblemException.failed(invalid(faults)));
    }

    private Future<JobMessage.JobCreated> created(RoutingContext ctx, JobMessage.CreateReply reply) {
        if (reply instanceof JobMessage.JobCreated created) {
            return Future.succeededFuture(created);
        }
        if (reply instanceof JobMessage.JobQuotaExceeded over) {
            RateLimitHeaders.write(ctx.response(), over.quotas());
            return ProblemException.failed(rateLimitExceeded(over));
        }
        return ProblemException.failed(rejection(reply));
    }

    private Problem withLocation(Problem problem) {
        return problem.extensions().get(JobClient.TOKEN) instanceof String token
                ? problem.with("Location", responses.location(token))
                : problem;
    }

    private void accepted(RoutingContext ctx, List<String> items, JobMessage.JobCreated created) {
        boolean minimal = PreferHeader.of(ctx.request().headers()).minimal();
        responses
                .send(
                        ctx,
                        created.job(),
                        JobViewParameters.whole(!minimal),
                        LinePlanner.all(created.job()),
                        indexes -> Future.succeededFuture(pending(items, indexes)),
                        () -> {
                            ctx.response()
                                    .setStatusCode(202)
                                    .putHeader(
                                            "Location",
                                            responses.location(created.job().token()));
                            RateLimitHeaders.write(ctx.response(), created.quotas());
                            if (created.replayed()) {
                                ctx.response().putHeader("Idempotency-Replayed", "true");
                            }
                            if (minimal) {
                                ctx.response().putHeader("Preference-Applied", "return=minimal");
                            }
                        })
                .onFailure(ctx::fail);
    }

    private static List<JobMessage.ResultLine> pending(List<String> items, List<Integer> indexes) {
        return indexes.stream()
                .map(index -> new JobMessage.ResultLine(index, items.get(index), null))
                .toList();
    }

    static Problem invalid(List<Problem.Fault> faults) {
        Problem.Fault first = faults.get(0);
        String subject = first.where().isEmpty() ? "The request body" : first.where();
        String end = first.detail().matches("(?s).*[.?]") ? "" : ".";
        String atLeast = faults.size() < JobRequestDraft.MAX_FAULTS ? "" : "at least ";
        String detail = faults.size() == 1
                ? subject + ' ' + first.detail() + end
                : "The request body has " + atLeast + faults.size() + " errors. See `errors`.";
        return Problem.of(422, "invalid-job", "Invalid job", detail + " No job was created.")
                .withFaults(faults);
    }

    private Problem rateLimitExceeded(JobMessage.JobQuotaExceeded over) {
        JobMessage.QuotaStatus quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaStatus.PER_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                ("%s created %s jobs in the last 60 minutes. %s Rejected requests do not "
                                + "count against the quota. A job can have up to %s lines.")
                        .formatted(
                                ofAccount ? "The API keys of this account have" : "This API key has",
                                quota.limit(),
                                RateLimitHeaders.retry(over.retryAfterSeconds()),
                                reader.schema().maxItems()),
                over.retryAfterSeconds());
    }

    static Problem rejection(JobMessage.CreateReply reply) {
        if (reply instanceof JobMessage.IdempotencyMismatch) {
            return Problem.of(
                    422,
                    "idempotency-mismatch",
                    "Idempotency-Key mismatch",
                    "This Idempotency-Key was used with a different body in the last 24 hours. Use a new value"
                            + " for a new job.");
        }
        return Problem.of(
                        409,
                        "idempotency-pending",
                        "Request in progress",
                        "Another request with this Idempotency-Key is still in progress. Retry shortly.")
                .with("Retry-After", "1");
    }
}
