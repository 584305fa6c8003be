package dev.plumbline.job.api;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.postgres.DatabaseOverloadedException;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Serves requests for jobs from the database. One per node. */
public final class JobApiVerticle extends VerticleBase {
    private static final long MAX_WAIT_MS = 30_000;

    private final MessageBus bus;
    private final ModuleCatalogue modules;
    private final JobStore jobs;
    private final JobStateStore states;

    public JobApiVerticle(MessageBus bus, ModuleCatalogue modules, JobStore jobs, JobStateStore states) {
        this.bus = bus;
        this.modules = modules;
        this.jobs = jobs;
        this.states = states;
    }

    @Override
    public Future<?> start() {
        JobWatcher watcher = new JobWatcher(vertx, states);
        JobCreator creator = new JobCreator(vertx, modules, jobs, () -> bus.publishLocally(new JobMessage.JobQueued()));
        return Future.all(List.of(
                bus.subscribe(JobMessage.JobChanged.class, changed -> watcher.onChange(changed.jobId())),
                serve(JobMessage.CreateJob.class, creator::create),
                serve(JobMessage.ReplayJob.class, jobs::replay),
                serve(JobMessage.ReadJob.class, this::read),
                serve(JobMessage.AwaitJob.class, request -> await(watcher, request)),
                serve(JobMessage.CancelJob.class, this::cancel),
                serve(JobMessage.ReadResults.class, jobs::results),
                serve(JobMessage.ListFinishedLines.class, jobs::finishedLines),
                serve(JobMessage.ListJobs.class, states::list),
                serve(JobMessage.ReadUsage.class, request -> states.usage(request.accountId()))));
    }

    private <M extends Message> Future<?> serve(
            Class<M> type, Function<M, ? extends Future<? extends Message>> handler) {
        return bus.serve(type, request -> recoverUnavailable(handler.apply(request)));
    }

    private Future<Message> read(JobMessage.ReadJob request) {
        return states.find(request.token()).map(job -> reply(request.accountId(), job));
    }

    private Future<Message> await(JobWatcher watcher, JobMessage.AwaitJob request) {
        return watcher.await(
                        request.token(),
                        job -> job.accountId() != request.accountId()
                                || job.expired()
                                || job.head().state().isFinal()
                                // the latest polled state can be older than the version the client has
                                || (request.knownVersion() >= 0 && job.head().version() > request.knownVersion()),
                        Math.min(request.waitMs(), MAX_WAIT_MS))
                .map(job -> reply(request.accountId(), job));
    }

    private Future<Message> cancel(JobMessage.CancelJob request) {
        return jobs.cancel(request)
                .compose(done -> states.find(request.token()))
                .map(job -> {
                    if (job != null && job.accountId() == request.accountId()) {
                        long id = job.head().id();
                        bus.publish(new JobMessage.JobCancelled(id));
                        bus.publish(new JobMessage.JobChanged(id));
                    }
                    return reply(request.accountId(), job);
                });
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
