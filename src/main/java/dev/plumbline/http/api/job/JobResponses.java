package dev.plumbline.http.api.job;

import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.MemoryHolder;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.check.CompositePart;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.http.RequestId;
import dev.plumbline.http.ResponseBodies;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.NextLink;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.problem.Problem;
import dev.plumbline.http.problem.ProblemException;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.portfolio.LineFilter;
import dev.plumbline.portfolio.PortfolioSummary;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.spreadsheet.LineColumns;
import dev.plumbline.spreadsheet.ResultWorkbook;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Sends jobs. */
final class JobResponses {
    private static final int POLL_SECONDS = 2;

    /** The memory of an active response in bytes: a page of lines, its text and the compressor. */
    private static final long STREAM_BYTES = 512 << 10;

    /** The memory of an active response with evaluated results in bytes: four pages and the largest parsed result. */
    private static final long EVALUATION_BYTES = 2L << 20;

    /** The memory of a workbook in bytes: a page of lines, the largest parsed result, its XML and the compressor. */
    private static final long WORKBOOK_BYTES = 4L << 20;

    private final ModuleCatalogue modules;
    private final JobJson json;
    private final long writeTimeoutMs;
    private final MemoryBudget memory;
    private final WorkerLimit workers;
    private final PolicyService policies;

    /**
     * @param writeTimeoutMs how long a client can block a response, in milliseconds
     * @param memory budget of responses with lines
     * @param workers the threads that write workbooks
     */
    JobResponses(
            ModuleCatalogue modules,
            JobJson json,
            long writeTimeoutMs,
            MemoryBudget memory,
            WorkerLimit workers,
            PolicyService policies) {
        this.memory = memory;
        this.workers = workers;
        this.policies = policies;
        this.modules = modules;
        this.json = json;
        this.writeTimeoutMs = writeTimeoutMs;
    }

    /**
     * Sends a job and reads its lines page by page. Fails the request with status 503 if there is no memory for it
     * within a second.
     *
     * @param account the account that reads the job
     * @param planned the lines that are read, in their order
     * @param lines the source of the stored lines
     * @param headers as in {@link #send}
     */
    void sendStored(
            RoutingContext ctx,
            long account,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            List<JobMessage.FinishedLine> planned,
            LineStream.Source lines,
            Runnable headers) {
        if (!view.readsLines()) {
            send(ctx, job, view, planned, lines, headers);
            return;
        }
        boolean workbook = view.format() == ResultFormat.XLSX && !ResponseBodies.headOnly(ctx);
        long bytes = workbook ? WORKBOOK_BYTES : view.evaluation() == null ? STREAM_BYTES : EVALUATION_BYTES;
        withReaderMemory(
                        account,
                        bytes,
                        bytes,
                        reserved -> workbook
                                ? stream(
                                        ctx,
                                        workbook(account, job, view, planned, view.source(lines)),
                                        head(ctx, job, view, headers))
                                : send(ctx, job, view, planned, lines, headers))
                .onFailure(ctx::fail);
    }

    /** As {@link #withMemory}, for an account that reads a job. */
    <T extends @Nullable Object> Future<T> withReaderMemory(long account, Supplier<Future<T>> read) {
        return withReaderMemory(account, STREAM_BYTES, STREAM_BYTES, memory -> read.get());
    }

    /**
     * As {@link #withMemory}, for an account that reads a job.
     *
     * @param bytes the memory that is reserved before {@code read} is called
     * @param maxBytes with the memory that {@code read} reserves
     */
    <T extends @Nullable Object> Future<T> withReaderMemory(
            long account, long bytes, long maxBytes, Function<MemoryHolder, Future<T>> read) {
        return withMemory(reader(account), bytes, maxBytes, read);
    }

    /**
     * Reads lines with memory for one page of them. Fails with a problem of status 503 if there is none within a
     * second.
     *
     * @param client the client whose share of the memory is used
     */
    <T extends @Nullable Object> Future<T> withMemory(String client, Supplier<Future<T>> read) {
        return withMemory(client, STREAM_BYTES, STREAM_BYTES, memory -> read.get());
    }

    /**
     * As {@link #withMemory(String, Supplier)}, for results that are evaluated.
     *
     * @param evaluation null for none
     */
    <T extends @Nullable Object> Future<T> withMemory(
            String client, @Nullable ResultEvaluation evaluation, Supplier<Future<T>> read) {
        long bytes = evaluation == null ? STREAM_BYTES : EVALUATION_BYTES;
        return withMemory(client, bytes, bytes, memory -> read.get());
    }

    /** The name of an account that reads jobs, as a client of the memory budget and of the worker threads. */
    static String reader(long account) {
        return "reader " + account;
    }

    /**
     * As {@link #withMemory(String, Supplier)}.
     *
     * @param bytes the memory that is reserved before {@code read} is called
     * @param maxBytes with the memory that {@code read} reserves
     */
    <T extends @Nullable Object> Future<T> withMemory(
            String client, long bytes, long maxBytes, Function<MemoryHolder, Future<T>> read) {
        MemoryHolder holder = memory.open(client, maxBytes);
        return reserve(holder, bytes).compose(reserved -> read.apply(holder)).onComplete(end -> holder.close());
    }

    /** Reserves memory for a reader. Fails with a problem of status 503 if there is none within a second. */
    Future<Void> reserve(MemoryHolder holder, long bytes) {
        return holder.reserve(bytes)
                .recover(refused -> ProblemException.failed(Problem.unavailable(
                        "overloaded", "The memory for job results is exhausted. Retry shortly.", 1)));
    }

    /**
     * Sends a job in the requested view.
     *
     * @param planned the lines that are read, in their order
     * @param lines the source of the stored lines
     * @param headers sets the status and additional headers; not called if a problem is sent instead
     * @return completes when the lines have been sent
     */
    Future<Void> send(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            List<JobMessage.FinishedLine> planned,
            LineStream.Source lines,
            Runnable headers) {
        LinePage page = new LinePage(job, view, planned);
        // the link to the next page precedes the lines, so the lines of such a page are read twice
        return page.isOpen()
                ? page.find(view.source(lines)).compose(found -> send(ctx, job, view, found, lines, headers))
                : send(ctx, job, view, page, lines, headers);
    }

    private Future<Void> send(
            RoutingContext ctx,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            LinePage page,
            LineStream.Source lines,
            Runnable headers) {
        Runnable head = head(ctx, job, view, () -> {
            headers.run();
            if (view.lines() && view.format() == ResultFormat.JSON) {
                String parameter = view.since() == null ? "cursor" : "since";
                NextLink.write(ctx, location(job.token()), parameter, page.linkCursor());
            }
        });
        Integer matched = view.selection().count(job);
        if (!view.lines() && matched != null) {
            head.run();
            ResponseBodies.end(ctx, json.summary(job, matched));
        } else if (ResponseBodies.headOnly(ctx)) {
            // the length of a streamed body is unknown
            head.run();
            ctx.response().end();
        } else {
            return stream(ctx, rows(job, view, page, lines), head);
        }
        return Future.succeededFuture();
    }

    /**
     * The lines of a job in the requested view, which is not that of a workbook.
     *
     * @param page the lines that are read
     * @param lines the source of the stored lines
     */
    LineStream rows(JobMessage.JobSnapshot job, JobViewParameters view, LinePage page, LineStream.Source lines) {
        return new LineStream(writer(job, view, page), lines, page, view.evaluation());
    }

    /**
     * Sends a copy of a job, which has the same lines forever. Fails the request as {@link #sendStored} does.
     *
     * @param client the client whose share of the memory is used
     * @param policy that of the request; the default policy of the job is applied without it
     * @param members the members before the job in JSON
     * @param headers sets the headers that do not depend on the format
     */
    void sendCopy(
            RoutingContext ctx,
            String client,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            PolicyParameters policy,
            JsonObject members,
            LineStream.Source lines,
            Runnable headers) {
        Problem unknown = unknownFields(job, view);
        if (unknown != null) {
            ctx.fail(new ProblemException(unknown));
            return;
        }
        String suffix = evaluationSuffix(job, policy);
        if (suffix == null || !sendNotModifiedCopy(ctx, view.etag(job, suffix), headers)) {
            RequestFutures.handle(
                    ctx,
                    evaluation(ctx, job, policy),
                    evaluation -> sendCopy(ctx, client, job, view.evaluated(evaluation), members, lines, headers));
        }
    }

    private static boolean sendNotModifiedCopy(RoutingContext ctx, String etag, Runnable headers) {
        boolean matches = ContentNegotiation.matches(ctx, etag);
        if (matches) {
            headers.run();
            ctx.response().putHeader("ETag", etag).setStatusCode(304).end();
        }
        return matches;
    }

    private void sendCopy(
            RoutingContext ctx,
            String client,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            JsonObject members,
            LineStream.Source lines,
            Runnable headers) {
        String etag = view.etag(job);
        if (sendNotModifiedCopy(ctx, etag, headers)) {
            return;
        }
        Runnable head = () -> {
            headers.run();
            ctx.response().putHeader("ETag", etag);
        };
        Runnable withContent = () -> {
            head.run();
            setContentHeaders(ctx.response(), job, view);
        };
        if (ResponseBodies.headOnly(ctx)) {
            withContent.run();
            ctx.response().end();
            return;
        }
        LinePage page = new LinePage(job, view.byResults(), LinePlanner.all(job));
        LineWriter format = view.format() == ResultFormat.JSON
                ? json.copy(members, job, view.selection().fields())
                : writer(job, view, page);
        ResultEvaluation evaluation = view.evaluation();
        withMemory(client, evaluation, () -> stream(ctx, new LineStream(format, lines, page, evaluation), withContent))
                .onFailure(ctx::fail);
    }

    private static Runnable head(
            RoutingContext ctx, JobMessage.JobSnapshot job, JobViewParameters view, Runnable headers) {
        return () -> {
            setHeaders(ctx);
            setContentHeaders(ctx.response(), job, view);
            headers.run();
        };
    }

    /**
     * Sends rows page by page.
     *
     * @param head sets status and headers; called before the first chunk is written
     * @return fails if nothing was sent
     */
    <T> Future<Void> stream(RoutingContext ctx, BodyStream.Rows<T> rows, Runnable head) {
        return new BodyStream<>(ctx, rows, writeTimeoutMs, head).send();
    }

    /** Sends private JSON. */
    static void send(RoutingContext ctx, Buffer json) {
        setHeaders(ctx);
        ctx.response().putHeader("Content-Type", ResultFormat.JSON.contentType());
        ResponseBodies.end(ctx, json);
    }

    /**
     * Sends 304 if the client has the entity. Returns whether it does.
     *
     * @param headers sets the headers that do not depend on the request
     */
    static boolean sendNotModified(RoutingContext ctx, String etag, Runnable headers) {
        boolean matches = ContentNegotiation.matches(ctx, etag);
        if (matches) {
            setHeaders(ctx);
            headers.run();
            ctx.response().setStatusCode(304).end();
        }
        return matches;
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
            setFileName(response, job.token() + '.' + view.format().id());
        }
    }

    /** Makes the response a file with this name. */
    static void setFileName(HttpServerResponse response, String name) {
        response.putHeader("Content-Disposition", "attachment; filename=\"" + name + '"');
    }

    private LineWriter writer(JobMessage.JobSnapshot job, JobViewParameters view, LinePage page) {
        List<String> fields = view.selection().fields();
        return switch (view.format()) {
            case JSON -> json.withLines(job, view, page);
            case NDJSON -> JobJson.ndjson(job, fields);
            case CSV ->
                new JobCsv(
                        job, module(job), modules.parts(job.module()), fields, view.evaluation() != null, view.raw());
            case XLSX -> throw new IllegalArgumentException("a workbook is not written on the event loop");
        };
    }

    private WorkbookStream workbook(
            long account,
            JobMessage.JobSnapshot job,
            JobViewParameters view,
            List<JobMessage.FinishedLine> planned,
            LineStream.Source lines) {
        ModuleDescription module = module(job);
        List<CompositePart> parts = modules.parts(job.module());
        LineColumns columns = new LineColumns(
                LineColumns.OF_JOB, module, parts, view.selection().fields(), view.evaluation() != null);
        PortfolioSummary summary = new PortfolioSummary(
                module, parts.stream().map(CompositePart::module).toList(), LineFilter.NONE);
        return new WorkbookStream(
                job,
                lines,
                work -> workers.executeBlocking(reader(account), work),
                out -> new ResultWorkbook(out, columns, summary),
                new LinePage(job, view, planned),
                new LinePage(job, view, planned));
    }

    /**
     * Returns the problem of a view with fields that the module of the job does not declare; null if there are none.
     */
    @Nullable
    Problem unknownFields(JobMessage.JobSnapshot job, JobViewParameters view) {
        return view.selection().unknownFields(job, module(job));
    }

    /**
     * Compiles the policy and the expectations of a request for the results of a job; those of the job if the request
     * has none. Fails as {@link PolicyService#evaluation} does.
     *
     * @return null if the job has none either
     */
    Future<@Nullable ResultEvaluation> evaluation(
            RoutingContext ctx, JobMessage.JobSnapshot job, PolicyParameters parameters) {
        if (parameters.equals(PolicyParameters.STORED)) {
            return Future.succeededFuture();
        }
        ModuleDescription module = module(job);
        if (parameters.isEmpty()) {
            return module == null
                    ? Future.succeededFuture()
                    : policies.stored(ctx, module, PolicyParameters.of(job.defaultPolicy()));
        }
        return module == null
                ? ProblemException.failed(PortfolioReader.noModule(job))
                : policies.evaluation(ctx, module, parameters);
    }

    /**
     * The {@link ResultEvaluation#suffix} of the evaluation for a request, without compilation.
     *
     * @return null if it is not known before {@link #evaluation} has completed
     */
    @Nullable
    String evaluationSuffix(JobMessage.JobSnapshot job, PolicyParameters parameters) {
        ModuleDescription module = module(job);
        if (parameters.equals(PolicyParameters.STORED) || (module == null && parameters.isEmpty())) {
            return "";
        }
        if (module == null) {
            return null;
        }
        return parameters.isEmpty()
                ? policies.storedSuffix(module, PolicyParameters.of(job.defaultPolicy()))
                : policies.suffix(module, parameters);
    }

    /** Whether the service no longer has the policy of a job. */
    boolean isPolicyMissing(JobMessage.JobSnapshot job) {
        JobMessage.DefaultPolicy defaultPolicy = job.defaultPolicy();
        return defaultPolicy != null
                && defaultPolicy.policy() != null
                && !policies.exists(defaultPolicy.policy(), module(job));
    }

    private @Nullable ModuleDescription module(JobMessage.JobSnapshot job) {
        return modules.description(job.module());
    }

    /** Sets the headers of all responses with jobs. */
    static void setHeaders(RoutingContext ctx) {
        ApiKeyHandler.markPrivate(ctx.response());
        ctx.response().putHeader("X-Content-Type-Options", "nosniff").putHeader(RequestId.HEADER, RequestId.of(ctx));
    }
}
