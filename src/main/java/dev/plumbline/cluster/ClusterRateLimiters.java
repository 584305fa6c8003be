package dev.plumbline.cluster;

import dev.plumbline.bus.MessageBus;
import dev.plumbline.check.Deadline;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import dev.plumbline.egress.RateLimiter;
import dev.plumbline.egress.RateLimiterFactory;
import dev.plumbline.egress.RatePermit;
import dev.plumbline.result.LimiterKind;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The rate limiters of a cluster. Each key is owned by one run node, which decides for all nodes, so that N nodes
 * together stay within a limit and a single busy node can use all of it. Thread-safe.
 */
public final class ClusterRateLimiters implements RateLimiterFactory {
    private final String self;
    private final LongSupplier nanoClock;
    private final PermitOwnership ownership;
    private final OwnedRateLimiters owned;
    private final PermitServer server;
    private final PermitClient client;

    /**
     * @param self the name of this node
     * @param nanoClock as {@link System#nanoTime}
     * @param afterTask executes a task after the current one
     */
    ClusterRateLimiters(
            String self,
            PermitTransport transport,
            LongSupplier nanoClock,
            Scheduler scheduler,
            Executor afterTask,
            MeterRegistry registry) {
        this.self = self;
        this.nanoClock = nanoClock;
        PermitMetrics metrics = new PermitMetrics(registry);
        this.ownership = new PermitOwnership(self, nanoClock);
        this.owned = new OwnedRateLimiters(ownership, nanoClock, scheduler);
        this.server = new PermitServer(self, owned, transport, nanoClock, scheduler, afterTask, metrics);
        this.client = new PermitClient(self, ownership, transport, scheduler, afterTask, metrics);
    }

    /** The limiters of a run node. A {@link PermitVerticle} must be deployed for them. */
    public static ClusterRateLimiters of(Cluster cluster, MessageBus bus, MeterRegistry registry) {
        Vertx vertx = cluster.vertx();
        return new ClusterRateLimiters(
                cluster.self(),
                bus::sendNode,
                System::nanoTime,
                Scheduler.of(vertx),
                task -> vertx.getOrCreateContext().runOnContext(ignored -> task.run()),
                registry);
    }

    @Override
    public <K> RateLimiter<K> create(LimiterKind kind, Config.OutboundLimit limit, Function<K, String> keyText) {
        owned.add(kind, limit);
        boolean unlimited = limit.perSecond() == 0 && limit.concurrent() == 0;
        return new RateLimiter<>() {
            @Override
            public boolean isUnlimited() {
                return unlimited;
            }

            @Override
            public Future<RatePermit> acquire(K key, long maxWaitMillis, long account, Deadline end) {
                Deadline patience = Deadline.in(maxWaitMillis, nanoClock);
                return ClusterRateLimiters.this.acquire(kind, keyText.apply(key), patience, account, end);
            }
        };
    }

    private Future<RatePermit> acquire(LimiterKind kind, String key, Deadline patience, long account, Deadline end) {
        String owner = ownership.owner(key);
        long maxWaitMillis = patience.remainingMillis();
        Future<RatePermit> permit = owner.equals(self)
                ? owned.start(owned.create(kind, key, maxWaitMillis, account))
                : client.acquire(owner, kind, key, maxWaitMillis, account, end);
        return permit.succeeded()
                ? permit
                : permit.recover(failure -> {
                    if (!(failure instanceof PermitMovedException)) {
                        return Future.failedFuture(failure);
                    }
                    return patience.passed()
                            ? Future.failedFuture(OwnedPermitRequest.moving())
                            : acquire(kind, key, patience, account, end);
                });
    }

    /** @param owners finds the owner of a key by its text; null if there is none */
    void onOwnershipChange(Function<String, @Nullable String> owners) {
        ownership.change(owners);
        owned.onOwnershipChange();
        client.onOwnershipChange();
    }

    PermitServer server() {
        return server;
    }

    PermitClient client() {
        return client;
    }

    /** Whether no request waits and no other node has a permit of this node. */
    boolean isIdle() {
        return server.size() == 0 && client.pending() == 0;
    }
}
