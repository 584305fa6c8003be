package dev.plumbline.job.coordinate;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.NotificationListener;
import dev.plumbline.result.store.ResultLookup;
import dev.plumbline.target.TargetPolicy;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/** Runs the coordinator and connects it to the notifications about jobs. One per node. */
public final class JobCoordinatorVerticle extends VerticleBase {
    private final Dependencies dependencies;
    private final JobCoordinator coordinator;

    /**
     * @param notifications of new jobs; not started
     * @param shutdownTimeout maximum time to wait for lines in progress
     */
    public record Dependencies(
            Vertx vertx,
            NotificationListener notifications,
            MessageBus bus,
            CheckRouter router,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultLookup results,
            WorkStore work,
            Clock clock,
            CoordinatorSettings settings,
            NodeLease lease,
            Duration shutdownTimeout,
            MeterRegistry registry) {}

    public JobCoordinatorVerticle(Dependencies dependencies) {
        this.dependencies = dependencies;
        MessageBus bus = dependencies.bus();
        this.coordinator = new JobCoordinator(new JobCoordinator.Dependencies(
                dependencies.vertx(),
                dependencies.router(),
                dependencies.modules(),
                dependencies.policy(),
                dependencies.results(),
                dependencies.work(),
                dependencies.clock(),
                dependencies.settings(),
                dependencies.lease(),
                dependencies.notifications()::listening,
                job -> bus.publish(BusAddresses.JOB_CHANGED, new JobMessage.JobChanged(job))));
    }

    @Override
    public Future<?> start() {
        MessageBus bus = dependencies.bus();
        gauge("running", JobCoordinator::active);
        gauge("waiting", JobCoordinator::waiting);
        gauge("storing", JobCoordinator::unwritten);
        coordinator.start();
        dependencies.notifications().onConnected(this::wake).on(JobStore.CHUNKS_WAITING, waiting -> wake());
        return Future.all(
                bus.subscribe(BusAddresses.JOB_QUEUED, JobMessage.JobQueued.class, queued -> coordinator.wake())
                        .completion(),
                bus.subscribe(
                                BusAddresses.JOB_CANCELLED,
                                JobMessage.JobCancelled.class,
                                cancelled -> coordinator.reconcile(cancelled.jobId()))
                        .completion());
    }

    private void wake() {
        context.runOnContext(ignored -> coordinator.wake());
    }

    /** Stops claiming, waits for lines in progress and releases the chunks. */
    public Future<Void> drain() {
        Promise<Void> done = Promise.promise();
        context.runOnContext(ignored -> coordinator
                .stop(vertx, dependencies.shutdownTimeout().toMillis())
                .onComplete(done));
        return done.future();
    }

    private void gauge(String state, ToDoubleFunction<JobCoordinator> lines) {
        Gauge.builder("plumbline.job.lines", coordinator, lines)
                .description("Job lines claimed by this node, by state")
                .tag("state", state)
                .register(dependencies.registry());
    }
}
