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
import dev.plumbline.http.api.account.AccountOperations;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckOperation;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.JobOperations;
import dev.plumbline.http.api.tool.ModuleOperations;
import dev.plumbline.http.api.tool.ToolDocuments;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.HttpVerticle;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.DisplayedLimits;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.run.CheckEnvironment;
import java.util.ArrayList;
import java.util.List;

/** Wiring of the HTTP API and the pages. */
final class HttpAssembly {
    private final Dependencies dependencies;
    private final ResponseCacheHandler responseCache;
    private final JobOperations jobs;
    private final List<ApiOperation> operations;
    private final WebRoutes website;
    private final AccessLog accessLog;

    record Dependencies(
            NodeContext node,
            CheckRouter router,
            ApiKeyAuthenticator keys,
            AccountAssembly accountAssembly,
            PageRenderer pages,
            ProblemResponder problems,
            HttpMetrics metrics,
            ApiContract contract) {}

    HttpAssembly(Dependencies dependencies) {
        this.dependencies = dependencies;
        NodeContext node = dependencies.node;
        Config config = node.config();
        ProblemResponder problems = dependencies.problems;
        ApiContract contract = ModuleOperations.addTo(dependencies.contract, node.modules());
        InstantChecks checks = new InstantChecks(
                node.vertx(),
                node.modules(),
                node.policy(),
                node.resultCache(),
                node.bus(),
                dependencies.router,
                config.limits().freshPerHour() > 0,
                node.registry());
        responseCache = new ResponseCacheHandler(
                node.memoryResultCache(), checks, node.clock(), config.cache().ttl());
        ClientAddress clients = new ClientAddress(config.http().trustedProxies());
        accessLog = new AccessLog(config.log().access(), clients);
        InstantCheckService instantCheckService = new InstantCheckService(checks, clients, CheckEnvironment.PRODUCT);
        RequestBodyReader bodies = new RequestBodyReader(problems);
        AccountService accounts = dependencies.accountAssembly.service(clients, problems, node.clock());
        ApiKeyHandler keys = new ApiKeyHandler(dependencies.keys, problems);
        jobs = new JobOperations(
                node.vertx(),
                node.bus(),
                node.modules(),
                contract,
                keys,
                bodies,
                problems,
                config.http(),
                config.database().timeout(),
                node.budget().memory(),
                new PageKeyStore(node.databases().instant()));
        operations = new ArrayList<>(jobs.all());
        operations.addAll(AccountOperations.of(accounts, contract, bodies, problems));
        operations.addAll(new ToolDocuments(node.modules(), config.http().publicUrl()).operations(contract, problems));
        operations.add(new InstantCheckOperation(
                        instantCheckService,
                        node.memoryResultCache(),
                        responseCache,
                        problems,
                        config.limits().freshPerHourKey() > 0 ? keys : null)
                .operation());
        website = new WebRoutes(
                dependencies.pages,
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
                        jobs.forPages().schema().maxItems(),
                        config.cache().ttl()),
                node.clock(),
                config.http().bodyTimeout(),
                jobs.forPages());
    }

    /** Creates an instance of the HTTP verticle; all instances share the port. */
    HttpVerticle verticle() {
        return new HttpVerticle(
                dependencies.node.config().http(),
                dependencies.contract,
                operations,
                website,
                responseCache,
                dependencies.problems,
                dependencies.metrics,
                accessLog);
    }

    /** Completes all long polls. */
    void drain() {
        jobs.drain();
    }
}
