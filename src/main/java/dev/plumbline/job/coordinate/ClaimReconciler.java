package dev.plumbline.job.coordinate;

import dev.plumbline.cluster.NodeLease;
import dev.plumbline.cluster.NodeStore;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Compares the claims of this node with the database and releases the chunks of expired nodes. Confined to an event
 * loop.
 */
final class ClaimReconciler implements NodeLease.Listener, ChunkClaimer.Claims {
    private static final Logger LOG = LoggerFactory.getLogger(ClaimReconciler.class);

    /** Renewals between two runs of the maintenance that is seldom needed. */
    private static final int MAINTENANCE_RENEWALS = 6;

    private final WorkStore store;
    private final NodeLease lease;
    private final Collection<String> modules;
    private final Set<WorkStore.ChunkId> held;
    private final Listener listener;
    private Set<WorkStore.ChunkId> unknownClaims = Set.of();
    private long owner;
    private long tick;
    private long renewals;
    private boolean valid;
    private boolean closed;
    private boolean renewedBefore;

    interface Listener {
        /** The node was registered with a new ID and holds no chunks. */
        void onRegistered(long owner);

        /**
         * The chunks that the node holds according to the database.
         *
         * @param sinceTick chunks claimed at or after this tick can be missing
         */
        void onClaimsRead(Set<WorkStore.ChunkId> claimed, long sinceTick);

        /** Chunks of an expired node were released. */
        void onChunksReleased();
    }

    /** @param held the chunks that this node holds at present */
    ClaimReconciler(
            WorkStore store,
            NodeLease lease,
            Collection<String> modules,
            Set<WorkStore.ChunkId> held,
            Listener listener) {
        this.store = store;
        this.lease = lease;
        this.modules = modules;
        this.held = held;
        this.listener = listener;
    }

    void start() {
        lease.subscribe(this);
    }

    @Override
    public boolean valid() {
        return valid;
    }

    @Override
    public long owner() {
        return owner;
    }

    @Override
    public Future<List<WorkStore.ClaimedChunk>> claim(long claimant, ChunkClaimer.Plan plan) {
        return store.claim(claimant, plan.maxChunks(), plan.filter());
    }

    long tick() {
        return tick;
    }

    @Override
    public void onRegistered(long id) {
        if (!closed) {
            owner = id;
            valid = true;
            unknownClaims = Set.of();
            listener.onRegistered(id);
        }
    }

    @Override
    public void onExpired() {
        valid = false;
    }

    @Override
    public void onRenewalFailed() {
        renewedBefore = false;
    }

    @Override
    public void onRenewed(NodeStore.Renewal renewal) {
        if (valid) {
            maintain(renewal.othersExpired());
        }
    }

    /** Not directly after an outage, because all leases have expired and all nodes are about to renew them. */
    private void maintain(boolean othersExpired) {
        if (renewedBefore) {
            boolean due = ++renewals % MAINTENANCE_RENEWALS == 0;
            if (othersExpired) {
                reapExpiredNodes();
            }
            if (due) {
                store.failUnsupportedJobs(modules).onFailure(ClaimReconciler::logFailure);
            }
            if (due || !held.isEmpty()) {
                reconcile(true);
            }
        }
        renewedBefore = true;
    }

    private void reapExpiredNodes() {
        store.reapExpiredNode()
                .onSuccess(reaped -> {
                    if (reaped != null) {
                        LOG.atWarn()
                                .addKeyValue("node", reaped.node())
                                .addKeyValue("chunks", reaped.chunks())
                                .addKeyValue("complete", reaped.complete())
                                .log("released chunks of expired node");
                        listener.onChunksReleased();
                        reapExpiredNodes();
                    }
                })
                .onFailure(ClaimReconciler::logFailure);
    }

    /**
     * Compares the claims in memory with the database and drops lost chunks.
     *
     * @param withOrphans whether orphaned chunks are released
     */
    void reconcile(boolean withOrphans) {
        if (!valid) {
            return;
        }
        long startTick = ++tick;
        long claimant = owner;
        store.findClaimed(claimant)
                .onSuccess(claimed -> {
                    if (claimant != owner || closed) {
                        return;
                    }
                    listener.onClaimsRead(Set.copyOf(claimed), startTick);
                    if (withOrphans) {
                        releaseOrphans(claimed);
                    }
                })
                .onFailure(ClaimReconciler::logFailure);
    }

    /** Releases claims whose response was lost: the database has them, but not this node. */
    private void releaseOrphans(List<WorkStore.ChunkId> claimed) {
        Set<WorkStore.ChunkId> unheld = new HashSet<>(claimed);
        unheld.removeAll(held);
        Set<WorkStore.ChunkId> orphans = new HashSet<>(unheld);
        orphans.retainAll(unknownClaims);
        unheld.removeAll(orphans);
        unknownClaims = unheld;
        release(orphans, "orphaned chunks released").onFailure(ClaimReconciler::logFailure);
    }

    /** Call only while no claim is in progress. */
    @Override
    public Future<Void> releaseUnheld() {
        long claimant = owner;
        return store.findClaimed(claimant).compose(claimed -> {
            Set<WorkStore.ChunkId> unheld = new HashSet<>(claimed);
            unheld.removeAll(held);
            return claimant == owner ? release(unheld, "lost claim released") : Future.succeededFuture();
        });
    }

    private Future<Void> release(Set<WorkStore.ChunkId> released, String event) {
        if (released.isEmpty()) {
            return Future.succeededFuture();
        }
        LOG.atWarn().addKeyValue("chunks", released.size()).log(event);
        return store.release(owner, released);
    }

    /** Releases all chunks of this node; no more are claimed. */
    Future<Void> releaseAll() {
        closed = true;
        if (!valid) {
            return Future.succeededFuture();
        }
        valid = false;
        return store.findClaimed(owner)
                .compose(claimed -> claimed.isEmpty() ? Future.succeededFuture() : store.release(owner, claimed));
    }

    private static void logFailure(Throwable failure) {
        if (!(failure instanceof DatabaseUnavailableException)) {
            LOG.error("job maintenance failed", failure);
        }
    }
}
