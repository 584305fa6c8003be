package dev.plumbline.app;

import dev.plumbline.budget.NodeBudget;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.config.Config;
import dev.plumbline.config.NodeRole;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.NotificationListener;
import dev.plumbline.result.store.MemoryResultCache;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.target.TargetPolicy;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Deployable;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.function.Supplier;

/**
 * The components that all roles of a node share.
 *
 * @param notifications not started until all roles are deployed
 */
record NodeContext(
        Vertx vertx,
        Config config,
        Clock clock,
        MeterRegistry registry,
        MessageBus bus,
        DatabasePools databases,
        ResultStore results,
        MemoryResultCache memoryResultCache,
        ResultCache resultCache,
        JobStore jobs,
        ModuleCatalogue modules,
        TargetPolicy policy,
        NotificationListener notifications,
        NodeBudget budget,
        EventLoopLag lag) {

    static int loops() {
        return Runtime.getRuntime().availableProcessors();
    }

    /**
     * The pool for the lease and the health check of every node. The roles of the node also use it, so that an idle
     * node has few connections.
     */
    static Database leasePool(Config config, DatabasePools databases) {
        return config.node().has(NodeRole.HTTP) ? databases.instant() : databases.jobs();
    }

    /**
     * Deploys verticles and waits.
     *
     * @param what the verticles or their settings, for the message
     * @return the deployment ID
     */
    String deploy(Supplier<? extends Deployable> verticle, int instances, String what) throws StartException {
        return BlockingAwait.await(
                vertx.deployVerticle(verticle, new DeploymentOptions().setInstances(instances)), what);
    }

    /** Registers the length of a queue of requests that wait for a database batch. */
    void gauge(String queue, Supplier<Number> queued) {
        Gauge.builder("plumbline.database.pending.requests", queued)
                .description("Requests waiting for a database batch, by queue")
                .tag("queue", queue)
                .register(registry);
    }
}
