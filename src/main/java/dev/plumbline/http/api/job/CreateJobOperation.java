package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.Scope;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.BufferInputStream;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.api.RateLimitHeaders;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.Problem;
import io.vertx.core.Future;
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
    static final int MOST_BYTES = 8 << 20;

    /** What is larger is read beside the event loop. */
    static final int SMALL_BYTES = 64 << 10;

    private static final int MOST_READ_AT_ONCE = 4;
    private static final int MOST_WAITING = 32;
    private static final long WAIT_MS = 5_000;

    private final ApiKeyHandler authentication;
    private final RequestBodyReader bodies;
    private final JobRequestReader reader;
    private final JobClient calls;
    private final JobResponses answers;
    private final Duration patience;
    private final RequestSemaphore turns = new RequestSemaphore(MOST_READ_AT_ONCE, MOST_WAITING, WAIT_MS);

    /**
     * @param patience how long a body may take to come
     */
    CreateJobOperation(
            ApiKeyHandler authentication,
            RequestBodyReader bodies,
            JobRequestReader reader,
            JobClient calls,
            JobResponses answers,
            Duration patience) {
        this.authentication = authentication;
        this.bodies = bodies;
        this.reader = reader;
        this.calls = calls;
        this.answers = answers;
        this.patience = patience;
    }

    /**
     * A body that was read.
     *
     * @param hash null where nobody needs it
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
                answers.problem(ctx, Problem.badRequest("Idempotency-Key is given twice; send one."));
            } else {
                String key = keys.isEmpty() ? null : keys.get(0);
                bodies.readJson(
                        ctx,
                        MOST_BYTES,
                        patience,
                        body -> answers.when(
                                ctx,
                                read(ctx, body, key != null),
                                // a key may have been revoked while the body came
                                done -> authentication.caller(
                                        ctx, Scope.JOBS_WRITE, caller -> evaluate(ctx, caller, key, done))));
            }
        });
    }

    private Future<Body> read(RoutingContext ctx, Buffer body, boolean hashed) {
        if (body.length() <= SMALL_BYTES) {
            return Future.succeededFuture(body).map(all -> read(all, hashed));
        }
        return turns.during(ctx.vertx(), "Too many large jobs are being read; try again shortly.", () -> ctx.vertx()
                .executeBlocking(() -> read(body, hashed), false));
    }

    private Body read(Buffer body, boolean hashed) {
        return new Body(reader.read(body), hashed ? hash(body) : null);
    }

    private void evaluate(RoutingContext ctx, ApiCaller caller, @Nullable String key, Body body) {
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
        } else if (reply instanceof JobMessage.JobQuotaExceeded over) {
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
                (from, most) -> Future.succeededFuture(pending(items, from, most)),
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

    private static List<JobMessage.ResultLine> pending(List<String> items, int from, int most) {
        List<JobMessage.ResultLine> lines = new ArrayList<>(most);
        for (int i = from; i < Math.min(items.size(), from + most); i++) {
            lines.add(new JobMessage.ResultLine(i, items.get(i), null));
        }
        return lines;
    }

    static Problem invalid(List<Problem.Fault> faults) {
        String detail;
        if (faults.size() == 1) {
            Problem.Fault one = faults.get(0);
            detail = (one.where().isEmpty() ? "The body " : "One thing in the body is wrong: " + one.where() + ' ')
                    + one.detail()
                    + (one.detail().endsWith(".") ? "" : ".");
        } else {
            detail = (faults.size() < JobRequestReader.MOST_FAULTS
                            ? faults.size() + " things in the body are wrong"
                            : "Many things in the body are wrong; here are the first " + faults.size())
                    + "; errors names each.";
        }
        detail += " Nothing was created.";
        return Problem.of(422, "invalid-job", "The job is wrong", detail).withFaults(faults);
    }

    private static Problem overQuota(JobMessage.JobQuotaExceeded over) {
        JobMessage.QuotaStatus quota = over.exceeded();
        boolean ofAccount = quota.policy().equals(JobMessage.QuotaStatus.PER_ACCOUNT);
        return RateLimitHeaders.exceeded(
                quota.policy(),
                (ofAccount ? "The keys of this account have together" : "This key has")
                        + " created "
                        + quota.limit()
                        + " jobs in the last 60 minutes; the next can be created in "
                        + over.retryAfterSeconds()
                        + " seconds. Nothing was charged, and a job may have "
                        + JobRequestReader.MOST_ITEMS
                        + " lines.",
                over.retryAfterSeconds());
    }

    static Problem refusal(JobMessage.CreateReply reply) {
        if (reply instanceof JobMessage.IdempotencyMismatch) {
            return Problem.of(
                    422,
                    "idempotency-mismatch",
                    "The Idempotency-Key stands for another request",
                    "This Idempotency-Key was sent with another body in the last 24 hours; choose a new one"
                            + " for a new job.");
        }
        if (reply instanceof JobMessage.IdempotencyPending) {
            return Problem.of(
                            409,
                            "idempotency-pending",
                            "The same request is under way",
                            "A request with this Idempotency-Key is being handled just now; send this one again"
                                    + " shortly.")
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
