package dev.plumbline.http.api.job;

import dev.plumbline.account.ApiCaller;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.account.Scope;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.api.ContentNegotiation;
import dev.plumbline.http.api.NextLink;
import dev.plumbline.http.api.PreferHeader;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.policy.PolicyParameters;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.policy.ResultEvaluation;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.problem.RequestFutures;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.ext.web.RoutingContext;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The job operations and their shared state. One instance per node. */
public final class JobOperations {
    private static final int MAX_WAIT_SECONDS = 30;
    private static final int DEFAULT_LIMIT = 20;

    private final ApiKeyHandler authentication;
    private final ProblemResponder problems;
    private final JobClient jobs;
    private final JobJson json;
    private final JobResponses responses;
    private final JobLongPolls longPolls;
    private final List<ApiOperation> operations;
    private final PageJobService forPages;
    private final PortfolioReader portfolio;
    private final JobDocuments documents;

    /** @param workers the threads that process results */
    public JobOperations(
            Vertx vertx,
            MessageBus bus,
            ModuleCatalogue modules,
            TargetPolicy targets,
            ApiContract contract,
            ApiKeyHandler authentication,
            RequestBodyReader bodies,
            ProblemResponder problems,
            Config.HttpSettings http,
            Duration databaseTimeout,
            MemoryBudget memory,
            WorkerLimit workers,
            PolicyService policies,
            PageKeyStore pageKeys) {
        this.authentication = authentication;
        this.problems = problems;
        json = new JobJson(http.publicUrl(), (policy, module) -> policies.exists(policy, modules.description(module)));
        jobs = new JobClient(bus, databaseTimeout);
        responses = new JobResponses(modules, json, http.idleTimeout().toMillis(), memory, workers, policies);
        // a held request must not run into the idle timeout of its connection
        int maxWait = (int) Math.min(MAX_WAIT_SECONDS, http.idleTimeout().toSeconds() / 2);
        longPolls = new JobLongPolls(jobs, maxWait);
        JobRequestReader reader = new JobRequestReader(modules, JobRequestSchema.of(contract.published()), targets);
        portfolio = new PortfolioReader(modules, jobs, responses, workers);
        forPages = new PageJobService(vertx, jobs, reader, responses, portfolio, pageKeys);
        CreateJobOperation create = new CreateJobOperation(
                vertx, authentication, bodies, reader, jobs, responses, policies, problems, http.bodyTimeout());
        documents = new JobDocuments(modules, create, jobs, json, responses, longPolls, portfolio);
        SummarizeJobOperation summarize =
                new SummarizeJobOperation(authentication, jobs, responses, portfolio, problems);
        operations = List.of(
                new ApiOperation("createJob", create::handle),
                new ApiOperation(
                        "listJobs",
                        ctx -> authentication.authenticate(ctx, Scope.JOBS_READ, caller -> list(ctx, caller))),
                read("readJob", null),
                read("readJobCsv", ResultFormat.CSV),
                read("readJobNdjson", ResultFormat.NDJSON),
                read("readJobXlsx", ResultFormat.XLSX),
                new ApiOperation("summarizeJob", summarize::handle),
                compare("compareJobs", ResultFormat.JSON),
                compare("compareJobsCsv", ResultFormat.CSV),
                compare("compareJobsNdjson", ResultFormat.NDJSON),
                new ApiOperation(
                        "cancelJob",
                        ctx -> authentication.authenticate(ctx, Scope.JOBS_WRITE, caller -> cancel(ctx, caller))));
    }

    private ApiOperation read(String operationId, @Nullable ResultFormat file) {
        ReadJobOperation operation = new ReadJobOperation(file, authentication, jobs, longPolls, responses, problems);
        return new ApiOperation(operationId, operation::handle);
    }

    private ApiOperation compare(String operationId, ResultFormat format) {
        CompareJobsOperation operation =
                new CompareJobsOperation(format, authentication, jobs, responses, portfolio, problems);
        return new ApiOperation(operationId, operation::handle);
    }

    public List<ApiOperation> all() {
        return operations;
    }

    public PageJobService forPages() {
        return forPages;
    }

    /** The operations for responses that contain their documents. */
    public JobDocuments documents() {
        return documents;
    }

    /** Ends held requests within seconds. For shutdown. */
    public void drain() {
        longPolls.drain();
    }

    private void list(RoutingContext ctx, ApiCaller caller) {
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
            return;
        }
        RequestFutures.handle(
                ctx,
                jobs.list(
                        caller.accountId(),
                        JobViewParameters.limit(ctx.request(), DEFAULT_LIMIT),
                        ctx.request().getParam("cursor")),
                page -> {
                    NextLink.write(ctx, json.location(), "cursor", page.next());
                    JobResponses.send(ctx, json.list(page.jobs(), page.next()));
                });
    }

    private void cancel(RoutingContext ctx, ApiCaller caller) {
        String token = ctx.pathParam("token");
        if (!ContentNegotiation.acceptsJson(ctx)) {
            ctx.fail(406);
        } else {
            boolean minimal = PreferHeader.of(ctx.request().headers()).minimal();
            RequestFutures.handle(
                    ctx,
                    jobs.cancel(caller.accountId(), token),
                    job -> RequestFutures.handle(
                            ctx,
                            minimal
                                    ? Future.<@Nullable ResultEvaluation>succeededFuture()
                                    : responses.evaluation(ctx, job, PolicyParameters.NONE),
                            evaluation -> sendCancelled(ctx, caller, job, minimal, evaluation)));
        }
    }

    private void sendCancelled(
            RoutingContext ctx,
            ApiCaller caller,
            JobMessage.JobSnapshot job,
            boolean minimal,
            @Nullable ResultEvaluation evaluation) {
        Runnable headers = () -> {
            JobResponses.setRetryAfter(ctx.response(), job);
            if (minimal) {
                ctx.response().putHeader("Preference-Applied", "return=minimal");
            }
        };
        JobViewParameters view = JobViewParameters.whole(!minimal).evaluated(evaluation);
        responses.sendStored(ctx, caller.accountId(), job, view, LinePlanner.all(job), jobs.lines(job), headers);
    }
}
