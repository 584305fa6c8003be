package dev.plumbline.http.api.job;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;

/** Sends jobs. */
final class JobResponses {
    private static final int POLL_SECONDS = 2;

    /** The memory of an active response in bytes: a page of lines, its text and the compressor. */
    private static final long STREAM_BYTES = 512 << 10;

    private final ModuleCatalogue modules;
    private final JobJson json;
    private final long writeTimeoutMs;
    private final MemoryBudget memory;

    /**
     * @param writeTimeoutMs how long a client can block a response, in milliseconds
     * @param memory budget of responses with lines
     */
    JobResponses(ModuleCatalogue modules, JobJson json, long writeTimeoutMs, MemoryBudget memory) {
        this.memory = memory;
        this.modules = modules;
        this.json = json;
        this.writeTimeoutMs = writeTimeoutMs;
    }

    /**
     * Sends a job and reads its lines page by page. Fails the request with status 503 if there is no memory for it
     * within a second.
     *
     * @param account the account that reads the job
     * @param lines the source of the lines
     * @param headers as in {@link #send}
     */
    void sendStored(
            RoutingContext ctx,
            long account,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable headers) {
        if (!view.lines()) {
            send(ctx, job, view, lines, headers);
            return;
        }
        withMemory("reader " + account, () -> send(ctx, job, view, lines, headers))
                .onFailure(ctx::fail);
    }

    /**
     * Reads lines with memory for one page of them. Fails with a problem of status 503 if there is none within a
     * second.
     *
     * @param client the client whose share of the memory is used
     */
    Future<Void> withMemory(String client, Supplier<Future<Void>> read) {
        MemoryHolder stream = memory.open(client, STREAM_BYTES);
        return stream.reserve(STREAM_BYTES)
                .transform(reserved -> reserved.succeeded()
                        ? read.get()
                        : ProblemException.failed(Problem.unavailable(
                                "overloaded", "The memory for job results is exhausted. Retry shortly.", 1)))
                .onComplete(end -> stream.close());
    }

    /**
     * Sends a job in the requested view.
     *
     * @param lines the source of the lines
     * @param headers sets the status and additional headers; not called if a problem is sent instead
     * @return completes when the lines have been sent
     */
    Future<Void> send(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            LineStream.Source lines,
            Runnable headers) {
        Runnable head = () -> {
            setHeaders(ctx);
            setContentHeaders(ctx.response(), job, view);
            headers.run();
        };
        if (!view.lines()) {
            head.run();
            ResponseBodies.end(ctx, json.summary(job));
        } else if (ResponseBodies.headOnly(ctx)) {
            // the length of a streamed body is unknown
            head.run();
            ctx.response().end();
        } else {
            return new LineStream(ctx, writer(job, view), lines, view.from(), view.to(job), writeTimeoutMs, head)
                    .send();
        }
        return Future.succeededFuture();
    }

    /** Sends private JSON. */
    static void send(RoutingContext ctx, Buffer json) {
        setHeaders(ctx);
        ctx.response().putHeader("Content-Type", ResultFormat.JSON.contentType());
        ResponseBodies.end(ctx, json);
    }

    /** Sends 304. */
    static void notModified(RoutingContext ctx, Runnable headers) {
        setHeaders(ctx);
        headers.run();
        ctx.response().setStatusCode(304).end();
    }

    /** Sets Retry-After until the job is finished. */
    static void setRetryAfter(HttpServerResponse response, JobMessage.JobSnapshot job) {
        if (!job.state().isFinal()) {
            response.putHeader("Retry-After", Integer.toString(POLL_SECONDS));
        }
    }

    String location(String token) {
        return json.location(token);
    }

    private static void setContentHeaders(
            HttpServerResponse response, JobMessage.JobSnapshot job, JobViewParameters view) {
        response.putHeader("Content-Type", view.contentType());
        if (view.format() != ResultFormat.JSON) {
            response.putHeader(
                    "Content-Disposition",
                    "attachment; filename=\"" + job.token() + '.'
                            + view.format().id() + '"');
        }
    }

    private LineWriter writer(JobMessage.JobSnapshot job, JobViewParameters view) {
        return switch (view.format()) {
            case JSON -> json.withLines(job, view.from(), view.nextCursor(job));
            case NDJSON -> JobJson.ndjson(job);
            case CSV -> {
                ModuleDefinition<?> module = modules.find(job.module());
                yield new JobCsv(
                        job, module == null ? null : module.description(), modules.parts(job.module()), view.raw());
            }
        };
    }

    private static void setHeaders(RoutingContext ctx) {
        ApiKeyHandler.markPrivate(ctx.response());
        ctx.response().putHeader("X-Content-Type-Options", "nosniff").putHeader(RequestId.HEADER, RequestId.of(ctx));
    }
}
