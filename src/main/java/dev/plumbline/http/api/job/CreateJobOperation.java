package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.concurrent.AsyncSemaphore;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.BufferInputStream;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.ext.web.RoutingContext;
import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** {@code POST /api/v1/jobs}. */
final class CreateJobOperation implements ApiOperation {
    static final int MAX_BYTES = 8 << 20;

    /** Larger bodies are parsed on a worker thread. */
    static final int SMALL_BYTES = 64 << 10;

    private static final int MAX_CONCURRENT_READS = 4;
    private static final int MAX_WAITING = 32;
    private static final long WAIT_MS = 5_000;

    private final ApiKeyHandler authentication;
    private final RequestBodyReader bodies;
    private final JobRequestReader reader;
    private final JobClient calls;
    private final JobResponses answers;
    private final Duration bodyTimeout;
    private final AsyncSemaphore permits;

    /**
     * @param bodyTimeout the timeout for receiving a body
     */
    CreateJobOperation(
            Vertx vertx,
            ApiKeyHandler authentication,
            RequestBodyReader bodies,
            JobRequestReader reader,
            JobClient calls,
            JobResponses answers,
            Duration bodyTimeout) {
        this.permits = new AsyncSemaphore(vertx, MAX_CONCURRENT_READS, MAX_WAITING);
        this.authentication = authentication;
        this.bodies = bodies;
        this.reader = reader;
        this.calls = calls;
        this.answers = answers;
        this.bodyTimeout = bodyTimeout;
    }

    /**
     * A parsed body.
     *
     * @param hash null without an Idempotency-Key
     */
    private record Body(JobRequestReader.Outcome outcome, @Nullable String hash) {}

    @Override
    public String operationId() {
        return "createJob";
    }

    @Override
    public void handle(RoutingContext ctx) {
        authentication.caller(ctx, Scope.JOBS_WRITE, before -> {
            List<String> keys = ctx.request().headers().getAll("Idempotency-Key");
            if (!ContentNegotiation.acceptsJson(ctx)) {
                ctx.fail(406);
            } else if (keys.size() > 1) {
                answers.problem(ctx, Problem.badRequest("The request has two Idempotency-Key headers. Send one."));
            } else {
                String key = keys.isEmpty() ? null : keys.get(0);
                bodies.readJson(
                        ctx,
                        MAX_BYTES,
                        bodyTimeout,
                        body -> answers.when(
                                ctx,
                                read(ctx, body, key != null),
                                // the API key can have been revoked while the body was received
                                done -> authentication.caller(
                                        ctx, Scope.JOBS_WRITE, caller -> create(ctx, caller, key, done))));
            }
        });
    }

    private Future<Body> read(RoutingContext ctx, Buffer body, boolean hashed) {
        if (body.length() <= SMALL_BYTES) {
            return Future.succeededFuture(body).map(all -> read(all, hashed));
        }
        String detail = "Too many large jobs are being processed. Retry shortly.";
        return permits.take(
                WAIT_MS,
                () -> ctx.vertx().executeBlocking(() -> read(body, hashed), false),
                () -> Future.failedFuture(new JobClient.Refusal(Problem.unavailable("overloaded", detail, 1))));
    }

    private Body read(Buffer body, boolean hashed) {
        return new Body(reader.read(body), hashed ? hash(body) : null);
    }

    private void create(RoutingContext ctx, ApiCaller caller, @Nullable String key, Body body) {
        if (body.outcome() instanceof JobRequestReader.Malformed malformed) {
            answers.problem(ctx, Problem.badRequest(malformed.detail()));
        } else if (body.outcome() instanceof JobRequestReader.Invalid wrong) {
            answers.problem(ctx, invalid(wrong.faults()));
        } else if (body.outcome() instanceof JobRequestReader.Read read) {
            JobRequest request = read.request();
            JobMessage.CreateJob order = new JobMessage.CreateJob(
                    caller.accountId(),
                    caller.keyId(),
                    request.module(),
                    request.items(),
                    request.options(),
                    request.fresh(),
                    key == null || body.hash() == null ? null : new JobMessage.Idempotency(key, body.hash()));
            answers.when(ctx, calls.create(order), reply -> answer(ctx, request.items(), reply));
        }
    }

    private void answer(RoutingContext ctx, List<String> items, JobMessage.CreateReply reply) {
        if (reply instanceof JobMessage.JobCreated created) {
            accepted(ctx, items, created);
        } else if (reply instanceof JobMessage.JobOverQuota over) {
            RateLimitHeaders.write(ctx.response(), over.quotas());
            answers.problem(ctx, overQuota(over));
        } else {
            answers.problem(ctx, refusal(reply));
        }
    }

    private void accepted(RoutingContext ctx, List<String> items, JobMessage.JobCreated created) {
        boolean minimal = PreferHeader.of(ctx.request().headers()).minimal();
        answers.send(
                ctx,
                created.job(),
                JobViewParameters.whole(!minimal),
                (from, max) -> Future.succeededFuture(pending(items, from, max)),
                () -> {
                    ctx.response().setStatusCode(202).putHeader("Location", answers.location(created.job()));
                    RateLimitHeaders.write(ctx.response(), created.quotas());
                    if (created.replayed()) {
                        ctx.response().putHeader("Idempotency-Replayed", "true");
                    }
                    if (minimal) {
                        ctx.response().putHeader("Preference-Applied", "return=minimal");
                    }
                });
    }

    private static List<JobMessage.ResultLine> pending(List<String> items, int from, int max) {
        List<JobMessage.ResultLine> lines = new ArrayList<>(max);
        for (int i = from; i < Math.min(items.size(), from + max); i++) {
            lines.add(new JobMessage.ResultLine(i, items.get(i), null));
        }
        return lines;
    }

    static Problem invalid(List<Problem.Fault> faults) {
        String detail;
        if (faults.size() == 1) {
            Problem.Fault one = faults.get(0);
            detail = (one.where().isEmpty() ? "The request body " : one.where() + ' ')
                    + one.detail()
                    + (one.detail().endsWith(".") ? "" : ".");
        } else {
            detail = "The request body has "
                    + (faults.size() < JobRequestReader.MAX_FAULTS ? "" : "at least ")
                    + faults.size()
                    + " errors. See `errors`.";
        }
        detail += " No job was created.";
        return Problem.of(422, "invalid-job", "Invalid job", detail).withFaults(faults);
    }

    private static Problem overQuota(JobMessage.JobOverQuota over) {
        JobMessage.QuotaLeft quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaLeft.OF_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                (ofAccount ? "The API keys of this account have" : "This API key has")
                        + " created "
                        + quota.limit()
                        + " jobs in the last 60 minutes. Retry in "
                        + over.retryAfterSeconds()
                        + " seconds. Rejected requests are not charged. A job can have up to "
                        + JobRequestReader.MAX_ITEMS
                        + " lines.",
                over.retryAfterSeconds());
    }

    static Problem refusal(JobMessage.CreateReply reply) {
        if (reply instanceof JobMessage.IdempotencyMismatch) {
            return Problem.of(
                    422,
                    "idempotency-mismatch",
                    "Idempotency-Key mismatch",
                    "This Idempotency-Key was used with a different body in the last 24 hours. Use a new value"
                            + " for a new job.");
        }
        if (reply instanceof JobMessage.IdempotencyPending) {
            return Problem.of(
                            409,
                            "idempotency-pending",
                            "Request in progress",
                            "Another request with this Idempotency-Key is still in progress. Retry shortly.")
                    .with("Retry-After", "1");
        }
        return JobClient.unavailable();
    }

    static String hash(Buffer body) {
        try (BufferInputStream in = new BufferInputStream(body, 0)) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            byte[] piece = new byte[8192];
            for (int read = in.read(piece); read >= 0; read = in.read(piece)) {
                digest.update(piece, 0, read);
            }
            return Base64.getUrlEncoder().withoutPadding().encodeToString(digest.digest());
        } catch (IOException | NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
