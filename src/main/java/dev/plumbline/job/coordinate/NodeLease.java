package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The life of this coordinator among the others: under which number it claims, that it renews its
 * lease, that it notices when it was declared dead, and that it declares others dead. Used on one
 * event loop.
 */
final class NodeLease {
    private static final Logger LOG = LoggerFactory.getLogger(NodeLease.class);

    private final Vertx vertx;
    private final WorkStore store;
    private final CoordinatorSettings manners;
    private final Collection<String> modules;
    private final Holder holder;
    private Set<WorkStore.ChunkId> unknown = Set.of();
    private long owner;
    private long tick;
    private boolean alive;
    private boolean ended;
    private boolean inTouch;
    private boolean renewing;

    /** What the coordinator holds in memory. */
    interface Holder {
        /** It begins to live, or anew: it holds nothing. */
        void bornAs(long owner);

        /**
         * What it holds by the database's word.
         *
         * @param sinceTick what it took later may be missing
         */
        void holds(Set<WorkStore.ChunkId> held, long sinceTick);

        boolean knows(WorkStore.ChunkId chunk);

        /** Some time has passed. */
        void tick();
    }

    NodeLease(Vertx vertx, WorkStore store, CoordinatorSettings manners, Collection<String> modules, Holder holder) {
        this.vertx = vertx;
        this.store = store;
        this.manners = manners;
        this.modules = modules;
        this.holder = holder;
    }

    void start() {
        vertx.setPeriodic(manners.poll().toMillis(), due -> holder.tick());
        vertx.setPeriodic(manners.renewal().toMillis(), due -> renew());
        register();
    }

    boolean alive() {
        return alive;
    }

    long owner() {
        return owner;
    }

    /** Counts the comparisons of memory and database. */
    long tick() {
        return tick;
    }

    private void register() {
        if (ended) {
            return;
        }
        store.register(manners.lease())
                .onSuccess(id -> {
                    owner = id;
                    alive = true;
                    unknown = Set.of();
                    holder.bornAs(id);
                })
                .onFailure(away -> vertx.setTimer(manners.poll().toMillis(), again -> register()));
    }

    private void renew() {
        if (!alive || ended || renewing) {
            return;
        }
        renewing = true;
        store.renew(owner, manners.lease()).onComplete((alright, failure) -> {
            renewing = false;
            if (ended) {
                return;
            }
            if (failure != null) {
                inTouch = false;
            } else if (!alright) {
                LOG.atWarn().addKeyValue("node", owner).log("own lease expired");
                alive = false;
                register();
            } else {
                lookAround();
            }
        });
    }

    /** Not right after an outage: the leases of all have run out, and all are about to renew them. */
    private void lookAround() {
        if (inTouch) {
            rescue();
            store.giveUp(modules).onFailure(NodeLease::complain);
            compare(true);
        }
        inTouch = true;
    }

    private void rescue() {
        store.rescue()
                .onSuccess(rescued -> {
                    if (rescued) {
                        LOG.warn("lease of another node expired");
                        holder.tick();
                        rescue();
                    }
                })
                .onFailure(NodeLease::complain);
    }

    /** Looks up what this coordinator holds, so that it forgets what it has lost. */
    void compare() {
        compare(false);
    }

    private void compare(boolean regular) {
        if (!alive) {
            return;
        }
        long since = ++tick;
        long heldBy = owner;
        store.held(heldBy).onSuccess(held -> {
            if (heldBy != owner || ended) {
                return;
            }
            holder.holds(Set.copyOf(held), since);
            if (regular) {
                giveBackOrphans(held);
            }
        });
    }

    /** A claim whose answer was lost: nobody knows of it but the database. */
    private void giveBackOrphans(List<WorkStore.ChunkId> held) {
        Set<WorkStore.ChunkId> still = new HashSet<>(held);
        still.removeIf(holder::knows);
        Set<WorkStore.ChunkId> orphans = new HashSet<>(still);
        orphans.retainAll(unknown);
        still.removeAll(orphans);
        unknown = still;
        if (!orphans.isEmpty()) {
            LOG.atWarn().addKeyValue("chunks", orphans.size()).log("orphaned chunks released");
            store.release(owner, orphans).onFailure(NodeLease::complain);
        }
    }

    /** Gives everything back and ends. */
    Future<Void> end() {
        ended = true;
        if (!alive) {
            return Future.succeededFuture();
        }
        alive = false;
        return store.end(owner);
    }

    private static void complain(Throwable failure) {
        if (!(failure instanceof dev.plumbline.store.DatabaseUnavailableException)) {
            LOG.error("job maintenance failed", failure);
        }
    }
}
