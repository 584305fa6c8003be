package dev.plumbline.job.coordinate;

import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.DatabaseUnavailableException;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims chunks while this node has capacity, one claim at a time. Confined to an event loop. */
final class ChunkClaimer {
    private static final Logger LOG = LoggerFactory.getLogger(ChunkClaimer.class);

    /** The pause after a claim, in which other nodes claim their share. */
    private static final long CLAIM_PAUSE_MS = 50;

    private static final long LOST_CLAIM_RETRY_MS = 100;

    /** Interval of claims of an idle node that is notified of waiting chunks. */
    private static final long IDLE_CLAIM_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** More than the time for which a claim can run in the database after its connection was closed. */
    private static final long LATE_CLAIM_MS = 1_000;

    private enum State {
        IDLE,
        CLAIMING,
        /** A claim is in progress, and another was requested: chunks may have been added since it began. */
        CLAIMING_AGAIN,
        /** The chunks of a claim whose response was lost are being released. */
        RELEASING,
        STOPPED
    }

    /** Whether the node can hold chunks that it does not know, because the response to a claim was lost. */
    private enum Unknown {
        NONE,
        /** The claim may have been made already, or may still be made. */
        LOST,
        /** The claim may have been made after the release of the first ones. */
        LATE
    }

    private final Vertx vertx;
    private final Claims claims;
    private final Supplier<@Nullable Plan> plans;
    private final Consumer<List<WorkStore.ClaimedChunk>> onClaimed;
    private final BooleanSupplier notified;

    private State state = State.IDLE;
    private Unknown unknown = Unknown.NONE;
    private boolean scheduled;

    /** No chunk waited at the time of the last claim. */
    private boolean queueEmpty;

    private long lastClaimNanos;

    /** @param maxChunks at least 1 */
    record Plan(int maxChunks, WorkStore.ClaimFilter filter) {}

    /** The claims of this node in the database. */
    interface Claims {
        /** Whether this node has a lease. */
        boolean valid();

        /** The ID of the lease, under which chunks are claimed. */
        long owner();

        Future<List<WorkStore.ClaimedChunk>> claim(long owner, Plan plan);

        /** Releases the chunks that this node holds according to the database, but does not know. */
        Future<?> releaseUnheld();
    }

    /**
     * @param plans supplies what can be claimed at present; null if the node has no capacity
     * @param onClaimed receives the chunks of a claim under the current lease
     * @param notified whether this node is notified of waiting chunks at present
     */
    ChunkClaimer(
            Vertx vertx,
            Claims claims,
            Supplier<@Nullable Plan> plans,
            Consumer<List<WorkStore.ClaimedChunk>> onClaimed,
            BooleanSupplier notified) {
        this.vertx = vertx;
        this.claims = claims;
        this.plans = plans;
        this.onClaimed = onClaimed;
        this.notified = notified;
    }

    /** Claims chunks, unless none waited the last time and a notification would have announced new ones. */
    void poll() {
        if (!queueEmpty || !notified.getAsBoolean() || System.nanoTime() - lastClaimNanos >= IDLE_CLAIM_NANOS) {
            claim();
        }
    }

    /** Claims chunks, because chunks may wait. */
    void wake() {
        queueEmpty = false;
        claim();
    }

    /** Whether no chunk waited at the time of the last claim. */
    boolean queueEmpty() {
        return queueEmpty;
    }

    void stop() {
        state = State.STOPPED;
    }

    /** Claims chunks if there is capacity; after the claim in progress if there is one. */
    void claim() {
        if (state == State.CLAIMING) {
            state = State.CLAIMING_AGAIN;
        }
        if (state != State.IDLE || !claims.valid()) {
            return;
        }
        if (unknown != Unknown.NONE) {
            releaseUnknown();
            return;
        }
        Plan plan = plans.get();
        if (plan == null) {
            return;
        }
        state = State.CLAIMING;
        long owner = claims.owner();
        claims.claim(owner, plan).onComplete((claimed, failure) -> claimed(plan, owner, claimed, failure));
    }

    private void claimed(
            Plan plan, long owner, @Nullable List<WorkStore.ClaimedChunk> claimed, @Nullable Throwable failure) {
        boolean again = state == State.CLAIMING_AGAIN;
        if (state != State.STOPPED) {
            state = State.IDLE;
        }
        if (failure instanceof DatabaseUnavailableException) {
            unknown = Unknown.LOST;
            claimLater(LOST_CLAIM_RETRY_MS);
        } else if (claimed == null) {
            // retried with the next tick
            LOG.error("claim failed", failure);
        } else if (owner != claims.owner()) {
            // chunks claimed under an expired lease belong to other nodes
            if (again) {
                claim();
            }
        } else {
            queueEmpty = claimed.isEmpty() && !again && plan.filter().includesAll();
            lastClaimNanos = System.nanoTime();
            onClaimed.accept(claimed);
            if (again || claimed.size() == plan.maxChunks()) {
                claim();
            } else if (!claimed.isEmpty()) {
                claimLater(CLAIM_PAUSE_MS);
            }
        }
    }

    private void claimLater(long delayMs) {
        if (!scheduled) {
            scheduled = true;
            vertx.setTimer(delayMs, fired -> {
                scheduled = false;
                claim();
            });
        }
    }

    /** Releases chunks that the node holds according to the database, but does not know. No claim is in progress. */
    private void releaseUnknown() {
        state = State.RELEASING;
        claims.releaseUnheld().onComplete((released, failure) -> {
            if (state != State.STOPPED) {
                state = State.IDLE;
            }
            if (failure != null) {
                claimLater(LOST_CLAIM_RETRY_MS);
                return;
            }
            if (unknown == Unknown.LOST) {
                vertx.setTimer(LATE_CLAIM_MS, fired -> {
                    unknown = unknown == Unknown.NONE ? Unknown.LATE : unknown;
                    claim();
                });
            }
            unknown = Unknown.NONE;
            claim();
        });
    }
}
