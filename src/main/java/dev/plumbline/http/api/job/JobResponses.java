package dev.plumbline.http.api.job;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.RequestIdHandler;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemResponder;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;

/** Sends jobs, and what went wrong with them. */
final class JobResponses {
    private static final int POLL_SECONDS = 2;

    /** Each holds a page of lines until its client has taken it. */
    private static final int MOST_READERS = 64;

    /** It is the process's memory that is bounded, whichever verticle serves. */
    private static final AtomicInteger READERS = new AtomicInteger();

    private final ModuleCatalogue modules;
    private final JobJson json;
    private final ProblemResponder problems;
    private final long stallMs;

    /**
     * @param stallMs how long a client may take nothing of an answer
     */
    JobResponses(ModuleCatalogue modules, JobJson json, ProblemResponder problems, long stallMs) {
        this.modules = modules;
        this.json = json;
        this.problems = problems;
        this.stallMs = stallMs;
    }

    /**
     * Sends a job whose lines are read page by page; 503 when too many are being sent.
     *
     * @param lines where its lines come from
     * @param special as in {@link #send}
     */
    void sendStored(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable special) {
        if (READERS.incrementAndGet() > MOST_READERS && view.lines()) {
            READERS.decrementAndGet();
            problem(
                    ctx,
                    Problem.unavailable(
                            "overloaded", "Too many results are being sent just now; try again shortly.", 1));
            return;
        }
        Future<Void> sent;
        try {
            sent = stream(ctx, job, view, lines, special);
        } catch (RuntimeException fault) {
            sent = Future.succeededFuture();
            ctx.fail(fault);
        }
        sent.onComplete(over -> READERS.decrementAndGet());
    }

    /**
     * Sends a job as it is asked for.
     *
     * @param lines where its lines come from; at hand already
     * @param special sets the status and the headers that this answer alone has; not called when a
     *     problem is sent instead
     */
    void send(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable special) {
        stream(ctx, job, view, lines, special);
    }

    private Future<Void> stream(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable special) {
        Runnable head = () -> {
            head(ctx);
            body(ctx.response(), job, view);
            special.run();
        };
        if (!view.lines()) {
            head.run();
            ResponseBodies.end(ctx, json.summary(job));
        } else if (ResponseBodies.headOnly(ctx)) {
            // how long the body would be is known only to those who write it
            head.run();
            ctx.response().end();
        } else {
            return LineStream.send(ctx, format(job, view), lines, view.from(), view.to(job), stallMs, head)
                    .onFailure(cause -> fail(ctx, cause));
        }
        return Future.succeededFuture();
    }

    /** Sends JSON that was made for one caller. */
    static void send(RoutingContext ctx, Buffer json) {
        head(ctx);
        ctx.response().putHeader("Content-Type", ResultFormat.JSON.contentType());
        ResponseBodies.end(ctx, json);
    }

    /** Says that what the client has is still right. */
    static void notModified(RoutingContext ctx, Runnable special) {
        head(ctx);
        special.run();
        ctx.response().setStatusCode(304).end();
    }

    /** Goes on with what was asked for, or answers why there is nothing to go on with. */
    <T> void when(RoutingContext ctx, Future<T> asked, Consumer<T> then) {
        asked.onComplete((value, failure) -> {
            if (failure != null) {
                fail(ctx, failure);
                return;
            }
            try {
                then.accept(value);
            } catch (RuntimeException fault) {
                ctx.fail(fault);
            }
        });
    }

    /** Sends the problem that is the reason why there is no answer. */
    private void fail(RoutingContext ctx, Throwable cause) {
        if (cause instanceof JobClient.Refusal refusal) {
            problems.send(ctx, refusal.problem());
        } else {
            ctx.fail(cause);
        }
    }

    /** Says when to come again, as long as there is more to come. */
    static void retryAfter(HttpServerResponse response, JobMessage.JobSnapshot job) {
        if (!job.state().isFinal()) {
            response.putHeader("Retry-After", Integer.toString(POLL_SECONDS));
        }
    }

    String location(JobMessage.JobSnapshot job) {
        return json.location(job);
    }

    void problem(RoutingContext ctx, Problem problem) {
        problems.send(ctx, problem);
    }

    private static void body(HttpServerResponse response, JobMessage.JobSnapshot job, JobViewParameters view) {
        response.putHeader("Content-Type", view.format().contentType());
        if (view.format() != ResultFormat.JSON) {
            response.putHeader(
                    "Content-Disposition",
                    "attachment; filename=\"" + job.token() + '.'
                            + view.format().id() + '"');
        }
    }

    private LineWriter format(JobMessage.JobSnapshot job, JobViewParameters view) {
        return switch (view.format()) {
            case JSON -> json.whole(job, view.from(), view.nextCursor(job));
            case NDJSON -> JobJson.ndjson(job);
            case CSV -> {
                ModuleDefinition<?> module = modules.find(job.module());
                yield new JobCsv(job, module == null ? null : module.description(), view.raw());
            }
        };
    }

    /** The headers that every answer has for which somebody showed a key. */
    private static void head(RoutingContext ctx) {
        ApiKeyHandler.markPrivate(ctx.response());
        ctx.response()
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestIdHandler.HEADER, RequestIdHandler.of(ctx));
    }
}
