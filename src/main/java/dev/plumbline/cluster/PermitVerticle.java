package dev.plumbline.cluster;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.bus.PermitMessage;
import io.vertx.core.Future;
import io.vertx.core.VerticleBase;

/** Receives the messages about permits. One instance per run node, so that they are handled in the order of sending. */
public final class PermitVerticle extends VerticleBase {
    private final Cluster cluster;
    private final MessageBus bus;
    private final ClusterRateLimiters limiters;

    public PermitVerticle(Cluster cluster, MessageBus bus, ClusterRateLimiters limiters) {
        this.cluster = cluster;
        this.bus = bus;
        this.limiters = limiters;
    }

    @Override
    public Future<?> start() {
        cluster.onChange(view -> limiters.onOwnershipChange(view.ring()::owner));
        cluster.onLost(limiters.server()::onNodeLost);
        return receive(bus, cluster.self(), limiters);
    }

    /** Receives the messages on the current context. */
    static Future<?> receive(MessageBus bus, String self, ClusterRateLimiters limiters) {
        return Future.all(
                bus.receiveNode(self, PermitMessage.PermitRequests.class, limiters.server()::request),
                bus.receiveNode(self, PermitMessage.PermitDecisions.class, limiters.client()::decide),
                bus.receiveNode(self, PermitMessage.PermitReleases.class, limiters.server()::release));
    }
}
