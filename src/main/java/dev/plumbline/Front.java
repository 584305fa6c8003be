package dev.plumbline;

import dev.plumbline.account.ApiKeys;
import dev.plumbline.account.WebKeyStore;
import dev.plumbline.bus.Bus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.config.Config;
import dev.plumbline.http.Authentication;
import dev.plumbline.http.ClientAddress;
import dev.plumbline.http.Contract;
import dev.plumbline.http.HotAnswers;
import dev.plumbline.http.HttpMetrics;
import dev.plumbline.http.HttpVerticle;
import dev.plumbline.http.Operation;
import dev.plumbline.http.Problems;
import dev.plumbline.http.RequestBodies;
import dev.plumbline.http.api.AccountCalls;
import dev.plumbline.http.api.AccountOperations;
import dev.plumbline.http.api.InstantCalls;
import dev.plumbline.http.api.InstantCheckOperation;
import dev.plumbline.http.api.JobOperations;
import dev.plumbline.http.api.OpenApiOperation;
import dev.plumbline.http.api.ToolDocuments;
import dev.plumbline.http.api.ToolOperation;
import dev.plumbline.http.api.ToolsListOperation;
import dev.plumbline.http.web.Pages;
import dev.plumbline.http.web.Website;
import dev.plumbline.instant.InstantChecks;
import dev.plumbline.instant.KnownResults;
import dev.plumbline.instant.ResultCache;
import dev.plumbline.run.Equipment;
import dev.plumbline.store.Database;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;

/** What people and programs reach over HTTP: the operations of the API, and the pages. */
final class Front {
  private final Needs needs;
  private final HotAnswers hot;
  private final JobOperations jobs;
  private final List<Operation> operations;
  private final Website website;

  /** All that it is made of. */
  record Needs(
      Vertx vertx,
      Config config,
      Clock clock,
      MeterRegistry registry,
      Bus bus,
      ModuleCatalogue modules,
      Equipment equipment,
      ResultCache cache,
      KnownResults known,
      Database database,
      ApiKeys keys,
      People people,
      Pages pages,
      Problems problems,
      HttpMetrics metrics,
      Contract contract) {}

  Front(Needs needs) {
    this.needs = needs;
    Config config = needs.config;
    Problems problems = needs.problems;
    InstantChecks checks =
        new InstantChecks(
            needs.vertx,
            needs.modules,
            needs.equipment.policy(),
            needs.known,
            needs.bus,
            config.limits().freshPerHour() > 0,
            needs.registry);
    hot = new HotAnswers(needs.cache, checks, needs.clock, config.cache().ttl());
    ClientAddress clients = new ClientAddress(config.http().trustedProxies());
    InstantCalls calls = new InstantCalls(checks, clients, Equipment.PRODUCT);
    RequestBodies bodies = new RequestBodies(problems);
    AccountCalls accounts = needs.people.calls(clients, problems, needs.clock);
    jobs =
        new JobOperations(
            needs.bus,
            needs.modules,
            new Authentication(needs.keys, problems),
            bodies,
            problems,
            config.http());
    operations = new ArrayList<>(jobs.all());
    operations.addAll(AccountOperations.of(accounts, needs.contract, bodies, problems));
    ToolDocuments tools = new ToolDocuments(needs.modules, config.http().publicUrl());
    operations.addAll(
        List.of(
            new InstantCheckOperation(calls, needs.cache, hot, problems),
            new ToolsListOperation(tools),
            new ToolOperation(tools, problems),
            new OpenApiOperation("getContract", needs.contract),
            new OpenApiOperation("getContractAtRoot", needs.contract)));
    website =
        new Website(
            new Website.Needs(
                needs.pages,
                problems,
                needs.modules,
                calls,
                accounts,
                needs.contract,
                bodies,
                needs.bus,
                new Website.Limits(
                    config.limits().freshPerHour(),
                    config.limits().jobsPerHour(),
                    config.limits().jobsPerHourAccount()),
                needs.clock,
                config.http().bodyTimeout(),
                jobs.forPages(),
                new WebKeyStore(needs.database)));
  }

  /** One of those that share the port. */
  HttpVerticle verticle() {
    return new HttpVerticle(
        needs.config.http(),
        needs.contract,
        operations,
        website,
        hot,
        needs.problems,
        needs.metrics);
  }

  /** Whoever waits for a job is answered now. */
  void drain() {
    jobs.drain();
  }
}
