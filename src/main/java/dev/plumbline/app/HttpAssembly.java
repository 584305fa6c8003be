package dev.plumbline.app;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
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
import dev.plumbline.http.api.tool.ToolOperations;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.HttpVerticle;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.http.web.WebRoutes;
import dev.plumbline.http.web.layout.PageDependencies;
import dev.plumbline.http.web.layout.PageRenderer;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.result.ResultCache;
import dev.plumbline.result.ResultLookup;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.store.Database;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Clock;
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
            Vertx vertx,
            Config config,
            Clock clock,
            MeterRegistry registry,
            MessageBus bus,
            CheckRouter router,
            ModuleCatalogue modules,
            CheckEnvironment environment,
            ResultCache cache,
            ResultLookup resultLookup,
            Database database,
            ApiKeyAuthenticator keys,
            AccountAssembly accountAssembly,
            PageRenderer pages,
            ProblemResponder problems,
            HttpMetrics metrics,
            ApiContract contract) {}

    HttpAssembly(Dependencies dependencies) {
        this.dependencies = dependencies;
        Config config = dependencies.config;
        ProblemResponder problems = dependencies.problems;
        ApiContract contract = ModuleOperations.addTo(dependencies.contract, dependencies.modules);
        InstantChecks checks = new InstantChecks(
                dependencies.vertx,
                dependencies.modules,
                dependencies.environment.policy(),
                dependencies.resultLookup,
                dependencies.bus,
                dependencies.router,
                config.limits().freshPerHour() > 0,
                dependencies.registry);
        responseCache = new ResponseCacheHandler(
                dependencies.cache, checks, dependencies.clock, config.cache().ttl());
        ClientAddress clients = new ClientAddress(config.http().trustedProxies());
        accessLog = new AccessLog(config.log().access(), clients);
        InstantCheckService instantCheckService = new InstantCheckService(checks, clients, CheckEnvironment.PRODUCT);
        RequestBodyReader bodies = new RequestBodyReader(problems);
        AccountService accounts = dependencies.accountAssembly.service(clients, problems, dependencies.clock);
        ApiKeyHandler keys = new ApiKeyHandler(dependencies.keys, problems);
        jobs = new JobOperations(
                dependencies.vertx, dependencies.bus, dependencies.modules, keys, bodies, problems, config.http());
        operations = new ArrayList<>(jobs.all());
        operations.addAll(AccountOperations.of(accounts, contract, bodies, problems));
        ToolDocuments tools =
                new ToolDocuments(dependencies.modules, config.http().publicUrl());
        operations.addAll(ToolOperations.of(tools, contract, problems));
        operations.add(new InstantCheckOperation(
                        instantCheckService,
                        dependencies.cache,
                        responseCache,
                        problems,
                        config.limits().freshPerHourKey() > 0 ? keys : null)
                .operation());
        website = new WebRoutes(new PageDependencies(
                dependencies.pages,
                problems,
                dependencies.modules,
                instantCheckService,
                accounts,
                contract,
                bodies,
                dependencies.bus,
                new PageDependencies.Limits(
                        config.limits().freshPerHour(),
                        config.limits().jobsPerHour(),
                        config.limits().jobsPerHourAccount()),
                dependencies.clock,
                config.http().bodyTimeout(),
                jobs.forPages(),
                new PageKeyStore(dependencies.database)));
    }

    /** Creates an instance of the HTTP verticle; all instances share the port. */
    HttpVerticle verticle() {
        return new HttpVerticle(
                dependencies.config.http(),
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
