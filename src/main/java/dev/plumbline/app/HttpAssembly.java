package dev.plumbline.app;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.config.Config;
import dev.plumbline.http.AccessLog;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.api.WorkerLimit;
import dev.plumbline.http.api.account.AccountOperations;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckOperation;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.JobOperations;
import dev.plumbline.http.api.limit.ReadLimitsOperation;
import dev.plumbline.http.api.mcp.McpEndpoint;
import dev.plumbline.http.api.policy.PolicyOperations;
import dev.plumbline.http.api.policy.PolicyService;
import dev.plumbline.http.api.probe.ProbeClients;
import dev.plumbline.http.api.probe.ProbeOperation;
import dev.plumbline.http.api.share.SharedResultOperations;
import dev.plumbline.http.api.share.SharedResultService;
import dev.plumbline.http.api.tool.DiscoveryDocuments;
import dev.plumbline.http.api.tool.ModuleOperations;
import dev.plumbline.http.api.tool.ToolDocuments;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.HttpVerticle;
import dev.plumbline.http.server.PageRoutes;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.EnabledInterfaces;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.policy.ExpressionPrograms;
import dev.plumbline.policy.PolicyCatalogue;
import dev.plumbline.quota.QuotaPolicy;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.share.SharedResultStore;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/** Wiring of the HTTP API and the pages. */
final class HttpAssembly {
    /** The maximum number of tasks that wait for a worker thread. */
    private static final int MAX_WAITING = 256;

    private final JobOperations jobs;
    private final Supplier<HttpVerticle> verticles;

    /**
     * @param base the contract without the operations of the modules
     * @param programs the cache of the expressions of requests
     * @param quotas the policies of the quotas by name
     */
    HttpAssembly(
            NodeContext node,
            CheckRouter router,
            ApiKeyAuthenticator authenticator,
            AccountAssembly accountAssembly,
            PageRenderer pages,
            ProblemResponder problems,
            HttpMetrics metrics,
            ApiContract base,
            ExpressionPrograms programs,
            PolicyCatalogue policyCatalogue,
            Map<String, QuotaPolicy> quotas) {
        Config config = node.config();
        ApiContract contract = ModuleOperations.addTo(base, node.modules());
        InstantChecks checks = new InstantChecks(
                node.vertx(),
                node.modules(),
                node.policy(),
                node.resultCache(),
                node.bus(),
                router,
                config.limits().freshPerHour() > 0,
                node.registry());
        ResponseCacheHandler responseCache = new ResponseCacheHandler(
                node.memoryResultCache(), checks, node.clock(), config.cache().ttl());
        ClientAddress clients = new ClientAddress(config.http().trustedProxies());
        AccessLog accessLog = new AccessLog(config.log().access(), clients);
        InstantCheckService instantCheckService = new InstantCheckService(
                checks,
                node.bus(),
                clients,
                CheckEnvironment.PRODUCT,
                config.limits().freshPerHourKey() > 0);
        RequestBodyReader bodies = new RequestBodyReader(problems);
        AccountService accounts = accountAssembly.service(clients, problems, node.clock());
        ApiKeyHandler keys = new ApiKeyHandler(authenticator, problems);
        // half of the cores: the event loops need the others
        WorkerLimit workers = new WorkerLimit(
                node.vertx(),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 2),
                MAX_WAITING,
                "Too many results are being processed. Retry shortly.");
        PolicyService policies =
                new PolicyService(policyCatalogue, programs, workers, node.bus(), clients, node.clock());
        jobs = new JobOperations(
                node.vertx(),
                node.bus(),
                node.modules(),
                node.policy(),
                contract,
                keys,
                bodies,
                problems,
                config.http(),
                config.database().timeout(),
                node.budget().memory(),
                workers,
                policies,
                new PageKeyStore(node.databases().instant()));
        SharedResultService sharedResults = new SharedResultService(
                new SharedResultStore(
                        node.vertx(),
                        node.databases().jobs(),
                        node.databases().maintenance(),
                        new SharedResultStore.Limits(
                                config.results().retention(),
                                config.results().perAccount(),
                                config.results().maxBytes())),
                instantCheckService,
                jobs.forPages(),
                node.modules(),
                node.bus(),
                clients);
        List<ApiOperation> operations = new ArrayList<>(jobs.all());
        operations.addAll(new SharedResultOperations(
                        sharedResults,
                        jobs.forPages(),
                        keys,
                        contract,
                        bodies,
                        config.http().publicUrl(),
                        node.clock())
                .all());
        operations.addAll(new PolicyOperations(policies).all());
        ProbeClients probeClients = new ProbeClients(clients, config.probe().allow());
        operations.add(new ReadLimitsOperation(
                        node.bus(),
                        keys,
                        instantCheckService,
                        clients,
                        probeClients,
                        quotas,
                        jobs.forPages().schema().maxItems())
                .operation());
        operations.addAll(AccountOperations.of(accounts, contract, bodies, problems));
        ToolDocuments tools = new ToolDocuments(node.modules(), config.http().publicUrl());
        operations.addAll(tools.operations(contract, problems));
        operations.addAll(new DiscoveryDocuments(
                        node.modules(),
                        contract,
                        config.http().publicUrl(),
                        config.mcp().enabled())
                .operations());
        operations.add(new InstantCheckOperation(
                        instantCheckService,
                        node.memoryResultCache(),
                        responseCache,
                        problems,
                        config.limits().freshPerHourKey() > 0 ? keys : null,
                        node.modules(),
                        policies)
                .operation());
        if (config.probe().enabled()) {
            operations.add(new ProbeOperation(
                            instantCheckService, policies, keys, probeClients, node.modules(), problems, node.clock())
                    .operation());
        }
        WebRoutes website = new WebRoutes(
                pages,
                problems,
                node.modules(),
                instantCheckService,
                accounts,
                contract,
                bodies,
                node.bus(),
                new DisplayedLimits(
                        config.limits().freshPerHour(),
                        config.limits().freshPerHourKey(),
                        config.limits().jobsPerHour(),
                        config.limits().jobsPerHourAccount(),
                        config.limits().probesPerMinute(),
                        jobs.forPages().schema().maxItems(),
                        config.cache().ttl()),
                new EnabledInterfaces(config.probe().enabled(), config.mcp().enabled()),
                node.clock(),
                config.http().bodyTimeout(),
                jobs.forPages(),
                sharedResults,
                policies);
        PageRoutes.Pages pagesAndMcp = config.mcp().enabled()
                ? with(
                        website,
                        new McpEndpoint(
                                config,
                                Version.text(),
                                node.modules(),
                                contract,
                                instantCheckService,
                                policies,
                                jobs.documents(),
                                tools,
                                keys,
                                bodies,
                                problems,
                                workers,
                                clients))
                : website;
        verticles = () -> new HttpVerticle(
                config.http(),
                base,
                operations,
                pagesAndMcp,
                responseCache,
                problems,
                metrics,
                accessLog,
                keys::hasValidKey);
    }

    private static PageRoutes.Pages with(PageRoutes.Pages first, PageRoutes.Pages second) {
        return routes -> {
            first.mount(routes);
            second.mount(routes);
        };
    }

    /** Creates an instance of the HTTP verticle; all instances share the port. */
    HttpVerticle verticle() {
        return verticles.get();
    }

    /** Completes all long polls. */
    void drain() {
        jobs.drain();
    }
}
