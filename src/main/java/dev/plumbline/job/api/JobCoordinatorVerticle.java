package dev.plumbline.job.api;

import dev.plumbline.bus.BusAddresses;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.job.coordinate.CoordinatorSettings;
import dev.plumbline.job.coordinate.JobCoordinator;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.UsageStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.ResultLookup;
import dev.plumbline.store.DatabaseUnavailableException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.VerticleBase;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Serves the addresses of jobs, and coordinates the work on them. One for each node. */
public final class JobCoordinatorVerticle extends VerticleBase {
    private static final long LONGEST_WAIT_MS = 30_000;

    private final Dependencies needs;
    private JobCoordinator coordinator;
    private JobCreator intake;
    private JobWatcher watch;

    /**
     * What it works with.
     *
     * @param drain how long a stop waits for lines under way
     */
    public record Dependencies(
            MessageBus bus,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultLookup known,
            JobStore jobs,
            JobStateStore heads,
            UsageStore usage,
            WorkStore work,
            Clock clock,
            CoordinatorSettings manners,
            Duration drain,
            MeterRegistry registry) {}

    public JobCoordinatorVerticle(Dependencies needs) {
        this.needs = needs;
    }

    @Override
    public Future<?> start() {
        coordinator = new JobCoordinator(new JobCoordinator.Dependencies(
                vertx,
                needs.bus(),
                needs.modules(),
                needs.policy(),
                needs.known(),
                needs.work(),
                needs.clock(),
                needs.manners()));
        intake = new JobCreator(vertx, needs.modules(), needs.jobs(), coordinator::wake);
        watch = new JobWatcher(vertx, needs.heads());
        gauges();
        coordinator.start();
        MessageBus bus = needs.bus();
        return Future.all(List.of(
                bus.serve(BusAddresses.JOB_CREATE, JobMessage.CreateJob.class, order -> orAway(intake.create(order)))
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
                                order -> orAway(needs.jobs().results(order)))
                        .completion(),
                bus.serve(
                                BusAddresses.JOB_LIST,
                                JobMessage.ListJobs.class,
                                order -> orAway(needs.heads().list(order)))
                        .completion(),
                bus.serve(
                                BusAddresses.JOB_USAGE,
                                JobMessage.ReadUsage.class,
                                order -> orAway(needs.usage().of(order.accountId())))
                        .completion()));
    }

    /**
     * Begins no more lines, waits for those under way, and gives the rest back. Jobs can still be
     * created and read.
     */
    public Future<Void> handBack() {
        Promise<Void> done = Promise.promise();
        context.runOnContext(
                ignored -> coordinator.stop(vertx, needs.drain().toMillis()).onComplete(done));
        return done.future();
    }

    private void gauges() {
        Gauge.builder("plumbline.job.lines", coordinator, JobCoordinator::active)
                .description("Job lines claimed by this node, by state")
                .tag("state", "running")
                .register(needs.registry());
        Gauge.builder("plumbline.job.lines", coordinator, JobCoordinator::waiting)
                .description("Job lines claimed by this node, by state")
                .tag("state", "waiting")
                .register(needs.registry());
        Gauge.builder("plumbline.job.lines", coordinator, JobCoordinator::unwritten)
                .description("Job lines claimed by this node, by state")
                .tag("state", "storing")
                .register(needs.registry());
    }

    private Future<Message> read(JobMessage.ReadJob order) {
        return orAway(needs.heads().find(order.token()).map(found -> reply(order.accountId(), found)));
    }

    private Future<Message> await(JobMessage.AwaitJob order) {
        return orAway(watch.await(
                        order.token(),
                        found -> found.accountId() != order.accountId()
                                || found.gone()
                                || found.head().state().isFinal()
                                // what was seen last may be older than what the caller has seen since
                                || (order.knownVersion() >= 0 && found.head().version() > order.knownVersion()),
                        Math.min(order.waitMs(), LONGEST_WAIT_MS))
                .map(found -> reply(order.accountId(), found)));
    }

    private Future<Message> cancel(JobMessage.CancelJob order) {
        return orAway(needs.jobs()
                .cancel(order)
                .compose(done -> {
                    coordinator.cancelled();
                    return needs.heads().find(order.token());
                })
                .map(found -> reply(order.accountId(), found)));
    }

    private static Message reply(long accountId, JobStateStore.@Nullable Found found) {
        if (found == null || found.accountId() != accountId) {
            return new JobMessage.NoSuchJob();
        }
        return found.gone() ? new JobMessage.JobGone() : new JobMessage.JobFound(found.head());
    }

    private static Future<Message> orAway(Future<? extends Message> reply) {
        return reply.<Message>map(message -> message)
                .recover(failure -> failure instanceof DatabaseUnavailableException
                        ? Future.succeededFuture(new JobMessage.JobsUnavailable())
                        : Future.failedFuture(failure));
    }
}
