package dev.plumbline.app;

import dev.plumbline.account.SessionStore;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.config.Config;
import dev.plumbline.job.coordinate.CoordinatorSettings;
import dev.plumbline.job.coordinate.JobCoordinator;
import dev.plumbline.job.coordinate.JobCoordinatorVerticle;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.RetentionTask;
import dev.plumbline.quota.QuotaStore;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.share.SharedResultStore;
import io.vertx.core.Future;
import java.time.Duration;
import java.util.List;

/** The parts of a node with the role {@code coordinate}: the job coordinator and the deletion of expired rows. */
record CoordinateRole(JobCoordinatorVerticle jobs, RetentionTask retention) {
    private static final Duration PURGE_PERIOD = Duration.ofSeconds(60);

    static CoordinateRole deploy(NodeContext node, CheckRouter router, CoordinatorSettings settings, NodeLease lease)
            throws StartException {
        Config config = node.config();
        JobCoordinator jobs = new JobCoordinator(new JobCoordinator.Dependencies(
                node.vertx(),
                router,
                node.modules(),
                node.policy(),
                node.resultCache(),
                new WorkStore(
                        node.databases().jobs(),
                        node.databases().maintenance(),
                        config.jobs().retention()),
                node.clock(),
                settings,
                lease,
                node.notifications()::listening,
                job -> node.bus().publish(new JobMessage.JobChanged(job))));
        JobCoordinatorVerticle verticle = new JobCoordinatorVerticle(
                jobs, node.notifications(), node.bus(), config.http().shutdownTimeout(), node.registry());
        node.deploy(() -> verticle, 1, "job coordinator");
        return new CoordinateRole(verticle, retention(node));
    }

    private static RetentionTask retention(NodeContext node) {
        JobStore jobs = node.jobs();
        return new RetentionTask(
                node.vertx(),
                node.databases().maintenance(),
                PURGE_PERIOD,
                List.of(
                        new RetentionTask.Task("results", ResultStore::purgeExpired),
                        new RetentionTask.Task("quotas", QuotaStore::purgeExpired),
                        new RetentionTask.Task("job_partitions", jobs::maintainPartitions),
                        new RetentionTask.Task("jobs", jobs::purgeExpired),
                        new RetentionTask.Task("shared_results", SharedResultStore::purgeExpired),
                        new RetentionTask.Task("idempotency_keys", JobStore::purgeIdempotencyKeys),
                        new RetentionTask.Task("deleted_accounts", JobStore::cancelJobsOfDeletedAccounts),
                        new RetentionTask.Task("sessions", SessionStore::purgeExpired)),
                node.registry());
    }

    /** Stops claiming, waits for lines in progress and releases the chunks. */
    Future<Void> drain() {
        return jobs.drain();
    }

    void stop() {
        retention.stop();
    }
}
