package dev.plumbline.job.coordinate;

import dev.plumbline.bus.CheckRouter;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.concurrent.ContextFutures;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims chunks for this node, runs their lines and writes the results. One per node. Confined to an event loop. */
public final class JobCoordinator {
    private static final Logger LOG = LoggerFactory.getLogger(JobCoordinator.class);
    private static final int CHUNK_LINES = 50;
    private static final int MAX_CHUNKS = 8;
    private static final int MAX_PARKED = 4_000;
    private static final int MAX_PARKED_PER_ACCOUNT = 1_000;
    private static final int MAX_SUSPECTS = 2_000;
    private static final int MAX_SUSPECTS_PER_ACCOUNT = 100;
    private static final long MAX_UNWRITTEN_BYTES = 16L << 20;

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final CheckRouter router;
    private final Duration poll;
    private final ClaimReconciler claims;
    private final ChunkClaimer claimer;
    private final ChunkIntake intake;
    private final ResultWriter writer;
    private final LineChecker checker;
    private final LineDispatcher dispatcher;
    private final InFlightRecorder recorder;
    private final CrashRecovery crashRecovery;
    private final WaitingLineRecorder waitingLines;
    private final Map<WorkStore.ChunkId, Chunk> chunks = new HashMap<>();

    private boolean stopping;

    /**
     * @param lease started by the caller
     * @param notified whether this node is notified of waiting chunks at present
     * @param onJobChange receives the ID of a job when this node has completed or lost one of its chunks
     */
    public record Dependencies(
            Vertx vertx,
            CheckRouter router,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultCache results,
            WorkStore store,
            Clock clock,
            CoordinatorSettings settings,
            NodeLease lease,
            BooleanSupplier notified,
            LongConsumer onJobChange) {}

    public JobCoordinator(Dependencies dependencies) {
        this.vertx = dependencies.vertx();
        this.modules = dependencies.modules();
        this.router = dependencies.router();
        WorkStore store = dependencies.store();
        ErrorResults errors = new ErrorResults(dependencies.clock());
        this.writer = new ResultWriter(dependencies.vertx(), store, errors::ofRejectedResult, released -> {
            drop(released);
            dependencies.onJobChange().accept(released.job());
        });
        this.checker = new LineChecker(router, dependencies.results(), writer, errors, LineChecker.REPLY_MARGIN_MS);
        this.dispatcher = new LineDispatcher(
                dependencies.vertx(), router, dependencies.settings().perHost(), this::start, System::nanoTime);
        this.poll = dependencies.settings().poll();
        this.claims =
                new ClaimReconciler(store, dependencies.lease(), modules.names(), chunks.keySet(), new OwnedChunks());
        this.intake = new ChunkIntake(
                modules,
                dependencies.policy(),
                dependencies.results(),
                errors,
                writer,
                chunk -> chunks.put(chunk.id(), chunk),
                this::dispatch);
        this.claimer = new ChunkClaimer(
                dependencies.vertx(),
                claims,
                this::plan,
                claimed -> claimed.forEach(this::tryAccept),
                dependencies.notified());
        this.recorder = new InFlightRecorder(dependencies.vertx(), store, claims::owner, this::drop);
        this.waitingLines = new WaitingLineRecorder(store, claims::owner, dispatcher::waitingForTargets);
        this.crashRecovery = new CrashRecovery(dependencies.vertx(), recorder, checker, this::drop, claimer::claim);
    }

    private final class OwnedChunks implements ClaimReconciler.Listener {
        @Override
        public void onRegistered(long owner) {
            chunks.values().forEach(Chunk::markLost);
            chunks.clear();
            writer.startLease(owner);
            claimer.claim();
        }

        @Override
        public void onClaimsRead(Set<WorkStore.ChunkId> claimed, long sinceTick) {
            List<WorkStore.ChunkId> lost = new ArrayList<>();
            chunks.forEach((id, chunk) -> {
                if (chunk.claimTick() < sinceTick && !claimed.contains(id)) {
                    lost.add(id);
                }
            });
            lost.forEach(JobCoordinator.this::drop);
        }

        @Override
        public void onChunksReleased() {
            claimer.poll();
        }
    }

    /** Starts on the current event loop. */
    public void start() {
        Context context = vertx.getOrCreateContext();
        router.onChange(() -> context.runOnContext(changed -> onNodesChanged()));
        dispatcher.update();
        vertx.setPeriodic(poll.toMillis(), fired -> claimer.poll());
        vertx.setPeriodic(WaitingLineRecorder.INTERVAL_MS, fired -> waitingLines.write());
        claims.start();
    }

    private void onNodesChanged() {
        dispatcher.update();
        // permits change often while other coordinators are busy
        if (!claimer.queueEmpty() && dispatcher.shouldClaim()) {
            claimer.claim();
        }
    }

    /** Claims chunks if there is capacity, because chunks may wait. */
    public void wake() {
        claimer.wake();
    }

    /** Reads the claims from the database if this node holds chunks of a job, because the job was cancelled. */
    public void reconcile(long job) {
        if (chunks.keySet().stream().anyMatch(chunk -> chunk.job() == job)) {
            claims.reconcile(false);
        }
    }

    public int active() {
        return dispatcher.active() + crashRecovery.active();
    }

    /** The number of claimed lines that wait for a permit, their host or their run node. */
    public int waiting() {
        return dispatcher.waiting();
    }

    public int unwritten() {
        return writer.pendingLines();
    }

    /**
     * Stops claiming, waits for lines in progress, writes their results and releases the chunks.
     *
     * @param timeout maximum time to wait for lines in progress
     */
    public Future<Void> stop(Duration timeout) {
        stopping = true;
        claimer.stop();
        dispatcher.close();
        crashRecovery.close();
        return ContextFutures.awaitUntil(vertx, () -> active() == 0, timeout)
                .compose(reached -> writer.drain())
                .compose(written -> recordAttempts())
                .compose(recorded -> claims.releaseAll());
    }

    /** Records the attempts without a result before the chunks are released. */
    private Future<Void> recordAttempts() {
        Map<WorkStore.ChunkId, List<Integer>> attempts = new HashMap<>();
        if (claims.valid()) {
            chunks.forEach((id, chunk) -> attempts.put(id, chunk.attempts()));
        }
        attempts.values().removeIf(List::isEmpty);
        return recorder.close(attempts).otherwiseEmpty();
    }

    /** What this node can claim; null if it has no capacity. */
    private ChunkClaimer.@Nullable Plan plan() {
        int capacity = Math.max(0, dispatcher.capacity() - intake.lookups());
        if (capacity == 0 && dispatcher.availablePermits() == 0
                || dispatcher.parked() >= 2 * MAX_PARKED
                || writer.pendingBytes() >= MAX_UNWRITTEN_BYTES) {
            return null;
        }
        // A node without capacity still claims the first lines of new accounts.
        boolean parkedFull = dispatcher.parked() >= MAX_PARKED;
        boolean newAccountsOnly = parkedFull || capacity == 0;
        Set<Long> excludedAccounts = dispatcher.accountsWithParked(parkedFull ? 1 : MAX_PARKED_PER_ACCOUNT);
        if (newAccountsOnly) {
            excludedAccounts.addAll(dispatcher.activeAccounts());
            excludedAccounts.addAll(intake.accountsWithLookups());
        }
        return new ChunkClaimer.Plan(
                newAccountsOnly ? 1 : Math.min(MAX_CHUNKS, Math.max(1, capacity / CHUNK_LINES)),
                new WorkStore.ClaimFilter(
                        modules.names(),
                        excludedAccounts,
                        newAccountsOnly,
                        crashRecovery.lineCount() < MAX_SUSPECTS
                                ? crashRecovery.accountsWithPending(MAX_SUSPECTS_PER_ACCOUNT)
                                : null));
    }

    /** Drops a chunk that cannot be processed; reconciliation releases it. */
    private void tryAccept(WorkStore.ClaimedChunk claimed) {
        try {
            intake.accept(claimed, claims.tick());
        } catch (RuntimeException failure) {
            LOG.atError().addKeyValue("chunk", claimed.id()).setCause(failure).log("chunk dispatch failed");
            drop(claimed.id());
        }
    }

    private void dispatch(Chunk chunk, List<PendingLine> lines) {
        if (chunk.lost() || stopping) {
            return;
        }
        if (chunk.crashed()) {
            crashRecovery.add(chunk, lines);
        } else {
            lines.forEach(dispatcher::add);
            dispatcher.dispatch();
        }
    }

    private void start(PendingLine line) {
        if (crashRecovery.includes(line)) {
            dispatcher.complete(line);
            crashRecovery.add(line.chunk(), List.of(line));
            return;
        }
        recorder.start(line, () -> check(line));
    }

    private void check(PendingLine line) {
        if (line.chunk().lost()) {
            recorder.remove(line);
            dispatcher.complete(line);
            dispatcher.dispatch();
            return;
        }
        checker.check(line).onComplete((outcome, failure) -> {
            recorder.remove(line);
            if (failure != null) {
                drop(line.chunk().id());
            }
            if (failure == null && outcome.retryMs() > 0 && !line.chunk().lost()) {
                if (outcome.nodeLost()) {
                    dispatcher.complete(line);
                    crashRecovery.add(line.chunk(), List.of(line));
                } else if (outcome.temporary()) {
                    dispatcher.completeAndRetry(line, outcome.retryMs(), outcome.limit());
                } else {
                    dispatcher.defer(line, outcome.retryMs(), outcome.limit());
                }
            } else {
                dispatcher.complete(line, outcome == null ? null : outcome.limit());
            }
            dispatcher.dispatch();
            if (dispatcher.shouldClaim()) {
                claimer.claim();
            }
        });
    }

    private void drop(WorkStore.ChunkId id) {
        Chunk chunk = chunks.remove(id);
        if (chunk != null) {
            chunk.markLost();
        }
    }
}
