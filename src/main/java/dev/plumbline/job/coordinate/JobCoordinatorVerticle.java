package dev.plumbline.job.coordinate;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.postgres.NotificationListener;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.time.Duration;
import java.util.function.ToDoubleFunction;

/** Runs the coordinator and connects it to the notifications about jobs. One per node. */
public final class JobCoordinatorVerticle extends VerticleBase {
    private final JobCoordinator coordinator;
    private final NotificationListener notifications;
    private final MessageBus bus;
    private final Duration shutdownTimeout;
    private final MeterRegistry registry;

    /**
     * @param notifications of new jobs; not started
     * @param shutdownTimeout maximum time to wait for lines in progress
     */
    public JobCoordinatorVerticle(
            JobCoordinator coordinator,
            NotificationListener notifications,
            MessageBus bus,
            Duration shutdownTimeout,
            MeterRegistry registry) {
        this.coordinator = coordinator;
        this.notifications = notifications;
        this.bus = bus;
        this.shutdownTimeout = shutdownTimeout;
        this.registry = registry;
    }

    @Override
    public Future<?> start() {
        gauge("running", JobCoordinator::active);
        gauge("waiting", JobCoordinator::waiting);
        gauge("storing", JobCoordinator::unwritten);
        coordinator.start();
        notifications.onConnected(this::wake).on(JobStore.CHUNKS_WAITING, waiting -> wake());
        return Future.all(
                bus.subscribe(JobMessage.JobQueued.class, queued -> coordinator.wake()),
                bus.subscribe(JobMessage.JobCancelled.class, cancelled -> coordinator.reconcile(cancelled.jobId())));
    }

    private void wake() {
        context.runOnContext(ignored -> coordinator.wake());
    }

    /** Stops claiming, waits for lines in progress and releases the chunks. */
    public Future<Void> drain() {
        return Future.future(done -> context.runOnContext(
                ignored -> coordinator.stop(shutdownTimeout).onComplete(done)));
    }

    private void gauge(String state, ToDoubleFunction<JobCoordinator> lines) {
        Gauge.builder("plumbline.job.lines", coordinator, lines)
                .description("Job lines claimed by this node, by state")
                .tag("state", state)
                .register(registry);
    }
}
