package dev.plumbline.job.api;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.job.coordinate.CoordinatorSettings;
import dev.plumbline.job.coordinate.JobCoordinator;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.UsageStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.ResultLookup;
import dev.plumbline.store.DatabaseOverloadedException;
import dev.plumbline.store.DatabaseUnavailableException;
import dev.plumbline.store.NotificationListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/** Serves the job addresses of the event bus and runs the coordinator. One per node. */
public final class JobCoordinatorVerticle extends VerticleBase {
    private static final long MAX_WAIT_MS = 30_000;

    private final Dependencies dependencies;
    private JobCoordinator coordinator;
    private JobCreator creator;
    private JobWatcher watcher;

    /**
     * @param notifications of new jobs; not started
     * @param shutdownTimeout maximum time to wait for lines in progress
     */
    public record Dependencies(
            NotificationListener notifications,
            MessageBus bus,
            CheckRouter router,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultLookup results,
            JobStore jobs,
            JobStateStore states,
            UsageStore usage,
            WorkStore work,
            Clock clock,
            CoordinatorSettings settings,
            NodeLease lease,
            Duration shutdownTimeout,
            MeterRegistry registry) {}

    public JobCoordinatorVerticle(Dependencies dependencies) {
        this.dependencies = dependencies;
    }

    @Override
    public Future<?> start() {
        coordinator = new JobCoordinator(new JobCoordinator.Dependencies(
                vertx,
                dependencies.router(),
                dependencies.modules(),
                dependencies.policy(),
                dependencies.results(),
                dependencies.work(),
                dependencies.clock(),
                dependencies.settings(),
                dependencies.lease(),
                dependencies.notifications()::listening,
                job -> watcher.onChange(job)));
        creator = new JobCreator(vertx, dependencies.modules(), dependencies.jobs(), coordinator::wake);
        watcher = new JobWatcher(vertx, dependencies.states());
        gauge("running", JobCoordinator::active);
        gauge("waiting", JobCoordinator::waiting);
        gauge("storing", JobCoordinator::unwritten);
        coordinator.start();
        dependencies.notifications().onConnected(this::wake).on(JobStore.CHUNKS_WAITING, waiting -> wake());
        MessageBus bus = dependencies.bus();
        return Future.all(List.of(
                bus.serve(
                                BusAddresses.JOB_CREATE,
                                JobMessage.CreateJob.class,
                                request -> recoverUnavailable(creator.create(request)))
                        .completion(),
                bus.serve(BusAddresses.JOB_READ, JobMessage.ReadJob.class, this::read)
                        .completion(),
                bus.serve(BusAddresses.JOB_AWAIT, JobMessage.AwaitJob.class, this::await)
                        .completion(),
                bus.serve(BusAddresses.JOB_CANCEL, JobMessage.CancelJob.class, this::cancel)
                        .completion(),
                bus.serve(
                                BusAddresses.JOB_RESULTS,
                                JobMessage.ReadResults.class,
                                request ->
                                        recoverUnavailable(dependencies.jobs().results(request)))
                        .completion(),
                bus.serve(
                                BusAddresses.JOB_LIST,
                                JobMessage.ListJobs.class,
                                request ->
                                        recoverUnavailable(dependencies.states().list(request)))
                        .completion(),
                bus.serve(
                                BusAddresses.JOB_USAGE,
                                JobMessage.ReadUsage.class,
                                request ->
                                        recoverUnavailable(dependencies.usage().of(request.accountId())))
                        .completion()));
    }

    private void wake() {
        context.runOnContext(ignored -> coordinator.wake());
    }

    /** Stops claiming, waits for lines in progress and releases the chunks. Jobs can still be created and read. */
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

    private Future<Message> read(JobMessage.ReadJob request) {
        return recoverUnavailable(
                dependencies.states().find(request.token()).map(job -> reply(request.accountId(), job)));
    }

    private Future<Message> await(JobMessage.AwaitJob request) {
        return recoverUnavailable(watcher.await(
                        request.token(),
                        job -> job.accountId() != request.accountId()
                                || job.expired()
                                || job.head().state().isFinal()
                                // the latest polled state can be older than the version the client has
                                || (request.knownVersion() >= 0 && job.head().version() > request.knownVersion()),
                        Math.min(request.waitMs(), MAX_WAIT_MS))
                .map(job -> reply(request.accountId(), job)));
    }

    private Future<Message> cancel(JobMessage.CancelJob request) {
        return recoverUnavailable(dependencies
                .jobs()
                .cancel(request)
                .compose(done -> {
                    coordinator.reconcile();
                    return dependencies.states().find(request.token());
                })
                .map(job -> {
                    if (job != null) {
                        watcher.onChange(job.head().id());
                    }
                    return reply(request.accountId(), job);
                }));
    }

    private static Message reply(long accountId, JobStateStore.@Nullable OwnedJob job) {
        if (job == null || job.accountId() != accountId) {
            return new JobMessage.JobNotFound();
        }
        return job.expired() ? new JobMessage.JobExpired() : new JobMessage.JobFound(job.head());
    }

    private static Future<Message> recoverUnavailable(Future<? extends Message> reply) {
        return reply.<Message>map(message -> message)
                .recover(failure -> failure instanceof DatabaseUnavailableException
                        ? Future.succeededFuture(
                                new JobMessage.JobsUnavailable(failure instanceof DatabaseOverloadedException))
                        : Future.failedFuture(failure));
    }
}
