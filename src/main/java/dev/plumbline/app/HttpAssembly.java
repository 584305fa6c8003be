package dev.plumbline.app;

import dev.plumbline.account.ApiKeyAuthenticator;
import dev.plumbline.account.PageKeyStore;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.http.ApiContract;
import dev.plumbline.http.ApiOperation;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.api.account.AccountOperations;
import dev.plumbline.http.api.account.AccountService;
import dev.plumbline.http.api.instant.InstantCheckOperation;
import dev.plumbline.http.api.instant.InstantCheckService;
import dev.plumbline.http.api.job.JobOperations;
import dev.plumbline.http.api.tool.GetToolOperation;
import dev.plumbline.http.api.tool.ListToolsOperation;
import dev.plumbline.http.api.tool.OpenApiOperation;
import dev.plumbline.http.api.tool.ToolDocuments;
import dev.plumbline.http.auth.ApiKeyHandler;
import dev.plumbline.http.body.RequestBodyReader;
import dev.plumbline.http.problem.ProblemResponder;
import dev.plumbline.http.server.HttpVerticle;
import dev.plumbline.http.server.ResponseCacheHandler;
import dev.plumbline.http.web.WebRoutes;
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

/** What people and programs reach over HTTP: the operations of the API, and the pages. */
final class HttpAssembly {
    private final Dependencies needs;
    private final ResponseCacheHandler hot;
    private final JobOperations jobs;
    private final List<ApiOperation> operations;
    private final WebRoutes website;

    /** All that it is made of. */
    record Dependencies(
            Vertx vertx,
            Config config,
            Clock clock,
            MeterRegistry registry,
            MessageBus bus,
            ModuleCatalogue modules,
            CheckEnvironment equipment,
            ResultCache cache,
            ResultLookup known,
            Database database,
            ApiKeyAuthenticator keys,
            AccountAssembly people,
            PageRenderer pages,
            ProblemResponder problems,
            HttpMetrics metrics,
            ApiContract contract) {}

    HttpAssembly(Dependencies needs) {
        this.needs = needs;
        Config config = needs.config;
        ProblemResponder problems = needs.problems;
        InstantChecks checks = new InstantChecks(
                needs.vertx,
                needs.modules,
                needs.equipment.policy(),
                needs.known,
                needs.bus,
                config.limits().freshPerHour() > 0,
                needs.registry);
        hot = new ResponseCacheHandler(
                needs.cache, checks, needs.clock, config.cache().ttl());
        ClientAddress clients = new ClientAddress(config.http().trustedProxies());
        InstantCheckService calls = new InstantCheckService(checks, clients, CheckEnvironment.PRODUCT);
        RequestBodyReader bodies = new RequestBodyReader(problems);
        AccountService accounts = needs.people.calls(clients, problems, needs.clock);
        jobs = new JobOperations(
                needs.bus, needs.modules, new ApiKeyHandler(needs.keys, problems), bodies, problems, config.http());
        operations = new ArrayList<>(jobs.all());
        operations.addAll(AccountOperations.of(accounts, needs.contract, bodies, problems));
        ToolDocuments tools = new ToolDocuments(needs.modules, config.http().publicUrl());
        operations.addAll(List.of(
                new InstantCheckOperation(calls, needs.cache, hot, problems),
                new ListToolsOperation(tools),
                new GetToolOperation(tools, problems),
                new OpenApiOperation("getContract", needs.contract),
                new OpenApiOperation("getContractAtRoot", needs.contract)));
        website = new WebRoutes(new WebRoutes.Dependencies(
                needs.pages,
                problems,
                needs.modules,
                calls,
                accounts,
                needs.contract,
                bodies,
                needs.bus,
                new WebRoutes.Limits(
                        config.limits().freshPerHour(),
                        config.limits().jobsPerHour(),
                        config.limits().jobsPerHourAccount()),
                needs.clock,
                config.http().bodyTimeout(),
                jobs.forPages(),
                new PageKeyStore(needs.database)));
    }

    /** One of those that share the port. */
    HttpVerticle verticle() {
        return new HttpVerticle(
                needs.config.http(), needs.contract, operations, website, hot, needs.problems, needs.metrics);
    }

    /** Whoever waits for a job is answered now. */
    void drain() {
        jobs.drain();
    }
}
