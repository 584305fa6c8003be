package dev.plumbline.app;

import dev.plumbline.cluster.Cluster;
import dev.plumbline.cluster.ClusterRateLimiters;
import dev.plumbline.cluster.PermitVerticle;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.config.Config;
import dev.plumbline.config.ConfigException;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.run.CapacityReporter;
import dev.plumbline.run.CheckAdmission;
import dev.plumbline.run.CheckEnvironment;
import dev.plumbline.run.CheckRunner;
import dev.plumbline.run.CheckRunnerVerticle;
import dev.plumbline.run.InstantRuns;
import dev.plumbline.run.PartResults;
import dev.plumbline.run.RunnerMetrics;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The parts of a node with the role {@code run}: probes and check runners. */
record RunRole(Vertx vertx, CheckAdmission admission) {

    /**
     * Deploys the runners.
     *
     * @param linePermits maximum number of concurrent lines of jobs
     * @param cluster null without a cluster
     * @throws ConfigException if a file of the settings is not valid
     */
    static RunRole deploy(NodeContext node, int linePermits, @Nullable Cluster cluster)
            throws StartException, ConfigException {
        Config.CheckSettings checks = node.config().checks();
        ClusterRateLimiters limiters =
                cluster == null ? null : ClusterRateLimiters.of(cluster, node.bus(), node.registry());
        CheckEnvironment environment = CheckEnvironment.of(
                node.vertx(),
                node.config(),
                node.policy(),
                limiters == null ? RateLimiterFactory.local(node.vertx()) : limiters,
                Version.text());
        RunnerMetrics metrics = new RunnerMetrics(node.registry());
        PartResults parts = new PartResults(node.vertx(), node.policy(), node.resultCache());
        CheckAdmission admission = new CheckAdmission(
                node.vertx(),
                metrics,
                checks.concurrent(),
                checks.queueSize(),
                node.budget().memory()::isScarce);
        admission.adaptTo(node.lag());
        metrics.observe(node.budget());
        environment.schedule(metrics);
        CheckRunner runner = new CheckRunner(
                node.vertx(),
                node.modules(),
                environment.probes(),
                node.clock(),
                metrics,
                parts,
                admission,
                node.budget(),
                node.lag(),
                System::nanoTime);
        CheckRunnerVerticle.ClusterRuns runs = cluster == null
                ? null
                : new CheckRunnerVerticle.ClusterRuns(
                        new CapacityReporter(node.vertx(), node.bus(), cluster.self(), linePermits),
                        new InstantRuns(node.vertx(), node.config().cache().ttl(), System::nanoTime));
        node.deploy(() -> new CheckRunnerVerticle(node.bus(), runner, runs), NodeContext.loops(), "check runners");
        if (cluster != null && limiters != null && runs != null) {
            node.deploy(() -> new PermitVerticle(cluster, node.bus(), limiters), 1, "permits of rate limits");
            // coordinators may have joined
            cluster.onChange(view -> runs.capacity().report());
        }
        return new RunRole(node.vertx(), admission);
    }

    /** Waits until no check runs or waits. */
    Future<Void> drain(Duration timeout) {
        return ContextFutures.awaitUntil(vertx, () -> admission.pending() == 0, timeout);
    }
}
