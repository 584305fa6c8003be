package dev.plumbline.cluster;

import dev.plumbline.concurrent.VertxInternals;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lease of this node in the database: registration and renewal. An expired lease is replaced by a registration with
 * a new ID. Thread-safe.
 */
public final class NodeLease {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLease.class);
    private static final long RETRY_MS = 500;

    private final Vertx vertx;
    private final NodeStore store;
    private final NodeRecord node;
    private final Duration duration;
    private final Duration renewal;
    private final Context context;
    private final List<Subscription> subscriptions = new CopyOnWriteArrayList<>();
    private final Promise<Void> registered = Promise.promise();

    // confined to the context
    private boolean started;
    private boolean renewing;
    private @Nullable Future<Void> closing;

    private volatile long id;
    private volatile boolean valid;

    /** Events of the lease, received on the context of the subscriber. */
    public interface Listener {
        /** The node was registered with a new ID and holds no chunks. */
        void onRegistered(long id);

        /** The lease has expired; all chunks of the ID belong to other nodes. */
        default void onExpired() {}

        default void onRenewed(NodeStore.Renewal renewal) {}

        /** The lease could not be renewed, because the database is unavailable. */
        default void onRenewalFailed() {}
    }

    private record Subscription(Context context, Listener listener) {}

    /** A lease that is renewed after each quarter of its duration. */
    public NodeLease(Vertx vertx, NodeStore store, NodeRecord node, Duration duration) {
        this(vertx, store, node, duration, renewal(duration));
    }

    /** @param renewal interval of renewals, well below the duration */
    public NodeLease(Vertx vertx, NodeStore store, NodeRecord node, Duration duration, Duration renewal) {
        this.vertx = vertx;
        this.store = store;
        this.node = node;
        this.duration = duration;
        this.renewal = renewal;
        this.context = VertxInternals.createContext(vertx);
    }

    /** The interval of renewals: a quarter of the duration. */
    static Duration renewal(Duration lease) {
        return lease.dividedBy(4);
    }

    /**
     * Registers the node, with retries while the database is unavailable. Completes after the registration. Repeated
     * calls have no effect.
     */
    public Future<Void> start() {
        context.runOnContext(ignored -> {
            if (started) {
                return;
            }
            started = true;
            vertx.setPeriodic(renewal.toMillis(), fired -> renew());
            register();
        });
        return registered.future();
    }

    /** Subscribes to events on the current context. A valid lease is reported at once. */
    public void subscribe(Listener listener) {
        Subscription subscription = new Subscription(vertx.getOrCreateContext(), listener);
        context.runOnContext(ignored -> {
            subscriptions.add(subscription);
            if (valid) {
                long current = id;
                subscription.context.runOnContext(there -> listener.onRegistered(current));
            }
        });
    }

    /** Whether the lease is valid as far as this node knows. */
    public boolean valid() {
        return valid;
    }

    /** The ID of the latest registration; 0 before the first one. */
    public long id() {
        return id;
    }

    private void register() {
        if (closing != null) {
            return;
        }
        store.register(node, duration).onComplete((registration, failure) -> {
            if (failure != null) {
                logFailure(failure);
                vertx.setTimer(RETRY_MS, fired -> register());
                return;
            }
            if (closing != null) {
                store.deregister(registration).onFailure(NodeLease::logFailure);
                return;
            }
            id = registration;
            valid = true;
            registered.tryComplete();
            publish(listener -> listener.onRegistered(registration));
        });
    }

    private void renew() {
        if (!valid || renewing) {
            return;
        }
        renewing = true;
        store.renew(id, duration).onComplete((renewed, failure) -> {
            renewing = false;
            if (closing != null) {
                return;
            }
            if (failure != null) {
                logFailure(failure);
                publish(Listener::onRenewalFailed);
            } else if (renewed.renewed()) {
                publish(listener -> listener.onRenewed(renewed));
            } else {
                LOG.atWarn().addKeyValue("node", id).log("own lease expired");
                valid = false;
                publish(Listener::onExpired);
                register();
            }
        });
    }

    /** Announces that this node stops, so that it receives no more checks from other nodes. Does not fail. */
    public Future<Void> leave() {
        return valid ? store.leave(id).otherwiseEmpty() : Future.succeededFuture();
    }

    /** Releases all chunks and the lease. Does not fail; without a database, the lease expires. */
    public Future<Void> close() {
        return Future.future(closed -> context.runOnContext(ignored -> {
            if (closing == null) {
                closing = valid ? store.deregister(id).onFailure(NodeLease::logFailure) : Future.succeededFuture();
                valid = false;
            }
            closing.otherwiseEmpty().onComplete(closed);
        }));
    }

    private void publish(Consumer<Listener> event) {
        subscriptions.forEach(
                subscription -> subscription.context.runOnContext(there -> event.accept(subscription.listener)));
    }

    private static void logFailure(Throwable failure) {
        if (!(failure instanceof DatabaseUnavailableException)) {
            LOG.error("lease update failed", failure);
        }
    }
}
