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

/** Sends jobs and the problems of job requests. */
final class JobResponses {
    private static final int POLL_SECONDS = 2;

    /** Each active response holds one page of lines in memory. */
    private static final int MAX_READERS = 64;

    /** Static, because the memory limit applies to the process. */
    private static final AtomicInteger READERS = new AtomicInteger();

    private final ModuleCatalogue modules;
    private final JobJson json;
    private final ProblemResponder problems;
    private final long stallMs;

    /**
     * @param stallMs the write timeout: how long a client can block a response, in milliseconds
     */
    JobResponses(ModuleCatalogue modules, JobJson json, ProblemResponder problems, long stallMs) {
        this.modules = modules;
        this.json = json;
        this.problems = problems;
        this.stallMs = stallMs;
    }

    /**
     * Sends a job whose lines are read page by page. Sends 503 if too many are in progress.
     *
     * @param lines the source of the lines
     * @param special as in {@link #send}
     */
    void sendStored(
            RoutingContext ctx,
            JobMessage.JobHead job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable special) {
        if (READERS.incrementAndGet() > MAX_READERS && view.lines()) {
            READERS.decrementAndGet();
            problem(ctx, Problem.unavailable("overloaded", "Too many job results are being sent. Retry shortly.", 1));
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
     * Sends a job in the requested view.
     *
     * @param lines the lines, in memory
     * @param special sets the status and additional headers; not called if a problem is sent instead
     */
    void send(
            RoutingContext ctx,
            JobMessage.JobHead job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable special) {
        stream(ctx, job, view, lines, special);
    }

    private Future<Void> stream(
            RoutingContext ctx,
            JobMessage.JobHead job,
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
            // the length of a streamed body is unknown
            head.run();
            ctx.response().end();
        } else {
            return LineStream.send(ctx, format(job, view), lines, view.from(), view.to(job), stallMs, head)
                    .onFailure(cause -> fail(ctx, cause));
        }
        return Future.succeededFuture();
    }

    /** Sends private JSON. */
    static void send(RoutingContext ctx, Buffer json) {
        head(ctx);
        ctx.response().putHeader("Content-Type", ResultFormat.JSON.contentType());
        ResponseBodies.end(ctx, json);
    }

    /** Sends 304. */
    static void notModified(RoutingContext ctx, Runnable special) {
        head(ctx);
        special.run();
        ctx.response().setStatusCode(304).end();
    }

    /** Passes the result to the consumer, or sends the problem of a failure. */
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

    /** Sends the problem of a failure. */
    private void fail(RoutingContext ctx, Throwable cause) {
        if (cause instanceof JobClient.Refusal refusal) {
            problems.send(ctx, refusal.problem());
        } else {
            ctx.fail(cause);
        }
    }

    /** Sets Retry-After until the job is finished. */
    static void retryAfter(HttpServerResponse response, JobMessage.JobHead job) {
        if (!job.state().isFinal()) {
            response.putHeader("Retry-After", Integer.toString(POLL_SECONDS));
        }
    }

    String location(JobMessage.JobHead job) {
        return json.location(job);
    }

    void problem(RoutingContext ctx, Problem problem) {
        problems.send(ctx, problem);
    }

    private static void body(HttpServerResponse response, JobMessage.JobHead job, JobViewParameters view) {
        response.putHeader("Content-Type", view.format().contentType());
        if (view.format() != ResultFormat.JSON) {
            response.putHeader(
                    "Content-Disposition",
                    "attachment; filename=\"" + job.token() + '.'
                            + view.format().id() + '"');
        }
    }

    private LineWriter format(JobMessage.JobHead job, JobViewParameters view) {
        return switch (view.format()) {
            case JSON -> json.whole(job, view.from(), view.nextCursor(job));
            case NDJSON -> JobJson.ndjson(job);
            case CSV -> {
                ModuleDefinition<?> module = modules.find(job.module());
                yield new JobCsv(job, module == null ? null : module.description(), view.raw());
            }
        };
    }

    /** Sets the headers of all authenticated responses. */
    private static void head(RoutingContext ctx) {
        ApiKeyHandler.markPrivate(ctx.response());
        ctx.response()
                .putHeader("X-Content-Type-Options", "nosniff")
                .putHeader(RequestIdHandler.HEADER, RequestIdHandler.of(ctx));
    }
}
