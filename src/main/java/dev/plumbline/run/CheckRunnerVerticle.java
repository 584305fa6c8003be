package dev.plumbline.run;

import dev.plumbline.bus.Message;
import dev.plumbline.bus.MessageBus;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@link Message.RunCheck} and {@link Message.Ping}, and in a cluster the checks of other nodes. One instance
 * per event loop.
 */
public final class CheckRunnerVerticle extends VerticleBase {
    private final MessageBus bus;
    private final CheckRunner runner;
    private final @Nullable ClusterRuns cluster;

    /**
     * The state that the runners of a run node share in a cluster.
     *
     * @param capacity counts the lines of jobs
     * @param instantRuns shares the runs of instant checks
     */
    public record ClusterRuns(CapacityReporter capacity, InstantRuns instantRuns) {}

    /**
     * @param runner shared by all instances
     * @param cluster shared by all instances; null without a cluster
     */
    public CheckRunnerVerticle(MessageBus bus, CheckRunner runner, @Nullable ClusterRuns cluster) {
        this.bus = bus;
        this.runner = runner;
        this.cluster = cluster;
    }

    @Override
    public Future<?> start() {
        Future<?> ping = bus.serve(Message.Ping.class, request -> Future.succeededFuture(new Message.Done()));
        if (cluster == null) {
            return Future.all(ping, bus.serve(Message.RunCheck.class, runner::run));
        }
        Function<Message.RunCheck, Future<Message.RunReply>> shared = check ->
                check.bulk() ? cluster.capacity.count(check, runner::run) : cluster.instantRuns.run(check, runner::run);
        return Future.all(
                ping,
                bus.serve(Message.RunCheck.class, shared),
                bus.serveNode(cluster.capacity.node(), Message.RunCheck.class, shared));
    }
}
