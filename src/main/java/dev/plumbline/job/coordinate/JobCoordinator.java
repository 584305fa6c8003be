package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.bus.CheckRouter;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.cluster.NodeLease;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.postgres.DatabaseUnavailableException;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultJson;
import dev.plumbline.result.store.ResultKey;
import dev.plumbline.result.store.ResultLookup;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.Target;
import dev.plumbline.target.TargetParser;
import dev.plumbline.target.TargetPolicy;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
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
    private static final long STOP_POLL_MS = 20;

    /** The pause after a claim, in which other nodes claim their share. */
    private static final long CLAIM_PAUSE_MS = 50;

    private static final long LOST_CLAIM_RETRY_MS = 100;

    /** Interval of claims of an idle node that is notified of waiting chunks. */
    private static final long IDLE_CLAIM_NANOS = TimeUnit.SECONDS.toNanos(5);

    /** More than the time for which a claim can run in the database after its connection was closed. */
    private static final long LATE_CLAIM_MS = 1_000;

    private final Vertx vertx;
    private final ModuleCatalogue modules;
    private final TargetPolicy policy;
    private final ResultLookup results;
    private final WorkStore store;
    private final ErrorResults errors;
    private final CheckRouter router;
    private final Duration poll;
    private final BooleanSupplier notified;
    private final ClaimReconciler claims;
    private final ResultWriter writer;
    private final LineChecker checker;
    private final LineDispatcher dispatcher;
    private final InFlightRecorder recorder;
    private final CrashRecovery crashRecovery;
    private final WaitingLineRecorder waitingLines;
    private final Map<WorkStore.ChunkId, Chunk> chunks = new HashMap<>();

    /** Accounts of the lines whose cached results are being looked up. */
    private final Multiset<Long> lookups = HashMultiset.create();

    private boolean claiming;
    private boolean claimAgain;
    private boolean claimScheduled;

    /** No chunk waited at the time of the last claim. */
    private boolean queueEmpty;

    private long lastClaimNanos;

    /** The response to a claim was lost, so that the node can hold chunks that it does not know. */
    private boolean claimLost;

    private boolean lateClaimPossible;
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
            ResultLookup results,
            WorkStore store,
            Clock clock,
            CoordinatorSettings settings,
            NodeLease lease,
            BooleanSupplier notified,
            LongConsumer onJobChange) {}

    public JobCoordinator(Dependencies dependencies) {
        this.vertx = dependencies.vertx();
        this.modules = dependencies.modules();
        this.policy = dependencies.policy();
        this.results = dependencies.results();
        this.store = dependencies.store();
        this.errors = new ErrorResults(dependencies.clock());
        this.router = dependencies.router();
        this.notified = dependencies.notified();
        this.writer = new ResultWriter(dependencies.vertx(), store, errors::ofRejectedResult, released -> {
            drop(released);
            dependencies.onJobChange().accept(released.job());
        });
        this.checker = new LineChecker(router, results, writer, dependencies.clock());
        this.dispatcher = new LineDispatcher(
                dependencies.vertx(), router, dependencies.settings().perHost(), this::start, System::nanoTime);
        this.poll = dependencies.settings().poll();
        this.claims = new ClaimReconciler(store, dependencies.lease(), modules.names(), new OwnedChunks());
        this.recorder = new InFlightRecorder(dependencies.vertx(), store, claims::owner, this::drop);
        this.waitingLines = new WaitingLineRecorder(store, claims::owner, dispatcher::waitingForTargets);
        this.crashRecovery = new CrashRecovery(dependencies.vertx(), recorder, checker, this::drop, this::claim);
    }

    /** Callbacks of the reconciliation. */
    private final class OwnedChunks implements ClaimReconciler.Listener {
        @Override
        public void onRegistered(long owner) {
            chunks.values().forEach(Chunk::markLost);
            chunks.clear();
            writer.startLease(owner);
            claim();
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
        public boolean holds(WorkStore.ChunkId chunk) {
            return chunks.containsKey(chunk);
        }

        @Override
        public boolean isEmpty() {
            return chunks.isEmpty();
        }

        @Override
        public void onChunksReleased() {
            poll();
        }
    }

    /** Starts on the current event loop. */
    public void start() {
        Context context = vertx.getOrCreateContext();
        router.onChange(() -> context.runOnContext(changed -> onNodesChanged()));
        dispatcher.update();
        vertx.setPeriodic(poll.toMillis(), fired -> poll());
        vertx.setPeriodic(WaitingLineRecorder.INTERVAL_MS, fired -> waitingLines.write());
        claims.start();
    }

    private void poll() {
        if (!queueEmpty || !notified.getAsBoolean() || System.nanoTime() - lastClaimNanos >= IDLE_CLAIM_NANOS) {
            claim();
        }
    }

    private void onNodesChanged() {
        dispatcher.update();
        // permits change often while other coordinators are busy
        if (!queueEmpty && dispatcher.shouldClaim()) {
            claim();
        }
    }

    /** Claims chunks if there is capacity, because chunks may wait. */
    public void wake() {
        queueEmpty = false;
        claim();
    }

    /** Reads the claims from the database if this node holds chunks of a job, because the job was cancelled. */
    public void reconcile(long job) {
        if (chunks.keySet().stream().anyMatch(chunk -> chunk.job() == job)) {
            claims.reconcile();
        }
    }

    /** The number of lines in progress. */
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
     * @param timeoutMillis maximum time to wait for lines in progress
     */
    public Future<Void> stop(Vertx vertx, long timeoutMillis) {
        stopping = true;
        dispatcher.close();
        crashRecovery.close();
        Promise<Void> idle = Promise.promise();
        awaitIdle(vertx, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMillis), idle);
        return idle.future()
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

    private void awaitIdle(Vertx vertx, long deadlineNanos, Promise<Void> idle) {
        if (active() == 0 || System.nanoTime() - deadlineNanos >= 0) {
            idle.complete();
        } else {
            vertx.setTimer(STOP_POLL_MS, fired -> awaitIdle(vertx, deadlineNanos, idle));
        }
    }

    private void claim() {
        if (stopping || claiming || !claims.valid()) {
            claimAgain = claiming;
            return;
        }
        if (claimLost) {
            releaseLostClaim();
            return;
        }
        int capacity = Math.max(0, dispatcher.capacity() - lookups.size());
        if (capacity == 0 && dispatcher.availablePermits() == 0
                || dispatcher.parked() >= 2 * MAX_PARKED
                || writer.pendingBytes() >= MAX_UNWRITTEN_BYTES) {
            return;
        }
        claiming = true;
        // A node without capacity still claims the first lines of new accounts.
        boolean parkedFull = dispatcher.parked() >= MAX_PARKED;
        boolean newAccountsOnly = parkedFull || capacity == 0;
        int maxChunks = newAccountsOnly ? 1 : Math.min(MAX_CHUNKS, Math.max(1, capacity / CHUNK_LINES));
        var excludedAccounts = dispatcher.accountsWithParked(parkedFull ? 1 : MAX_PARKED_PER_ACCOUNT);
        if (newAccountsOnly) {
            excludedAccounts.addAll(dispatcher.activeAccounts());
            excludedAccounts.addAll(lookups.elementSet());
        }
        WorkStore.ClaimFilter filter = new WorkStore.ClaimFilter(
                modules.names(),
                excludedAccounts,
                newAccountsOnly,
                crashRecovery.lineCount() < MAX_SUSPECTS
                        ? crashRecovery.accountsWithPending(MAX_SUSPECTS_PER_ACCOUNT)
                        : null);
        long owner = claims.owner();
        store.claim(owner, maxChunks, filter).onComplete((claimed, failure) -> {
            claiming = false;
            if (failure instanceof DatabaseUnavailableException) {
                claimLost = true;
                lateClaimPossible = true;
                claimLater(LOST_CLAIM_RETRY_MS);
                return;
            }
            if (failure != null) {
                // retried with the next tick
                LOG.error("claim failed", failure);
                return;
            }
            if (owner != claims.owner()) {
                // chunks claimed under an expired lease belong to other nodes
                return;
            }
            queueEmpty = claimed.isEmpty() && !claimAgain && filter.includesAll();
            lastClaimNanos = System.nanoTime();
            claimed.forEach(this::tryAccept);
            if (claimed.size() == maxChunks || claimAgain) {
                claimAgain = false;
                claim();
            } else if (!claimed.isEmpty()) {
                claimLater(CLAIM_PAUSE_MS);
            }
        });
    }

    private void claimLater(long delayMs) {
        if (!claimScheduled) {
            claimScheduled = true;
            vertx.setTimer(delayMs, fired -> {
                claimScheduled = false;
                claim();
            });
        }
    }

    /** Releases chunks that the node holds according to the database, but does not know. No claim is in progress. */
    private void releaseLostClaim() {
        claiming = true;
        claims.releaseUnheld().onComplete((released, failure) -> {
            claiming = false;
            if (failure != null) {
                claimLater(LOST_CLAIM_RETRY_MS);
                return;
            }
            claimLost = false;
            if (lateClaimPossible) {
                lateClaimPossible = false;
                vertx.setTimer(LATE_CLAIM_MS, fired -> {
                    claimLost = true;
                    claim();
                });
            }
            claim();
        });
    }

    /** Drops a chunk that cannot be processed; reconciliation releases it. */
    private void tryAccept(WorkStore.ClaimedChunk claimed) {
        try {
            accept(claimed);
        } catch (RuntimeException failure) {
            LOG.atError().addKeyValue("chunk", claimed.id()).setCause(failure).log("chunk dispatch failed");
            drop(claimed.id());
        }
    }

    private void accept(WorkStore.ClaimedChunk claimed) {
        ModuleDefinition<?> module = modules.find(claimed.module());
        if (module == null) {
            return; // released by reconciliation
        }
        ModuleDescription description = module.description();
        Options.Parsed parsed = Options.parse(description, claimed.options());
        Options options = parsed.options();
        Chunk chunk = new Chunk(
                claimed, description, options == null ? Options.defaults(description) : options, claims.tick());
        chunks.put(chunk.id(), chunk);
        if (chunk.finished()) {
            writer.complete(chunk);
            return;
        }
        List<PendingLine> lines = new ArrayList<>();
        for (int i = 0; i < chunk.checks().size(); i++) {
            int index = chunk.checks().get(i);
            String input = chunk.inputs().get(i);
            if (options == null) {
                write(
                        chunk,
                        index,
                        errors.withoutTarget(
                                chunk,
                                new CheckError(
                                        ErrorCode.INTERNAL,
                                        "The options of the job are no longer valid. Create a new job.")));
                continue;
            }
            PendingLine line = line(chunk, index, input);
            if (line != null) {
                lines.add(line);
            }
        }
        if (chunk.fresh()) {
            dispatch(chunk, lines);
        } else {
            lookups.add(chunk.accountId(), lines.size());
            results.find(lines.stream().map(PendingLine::key).toList()).onComplete((results, failure) -> {
                lookups.remove(chunk.accountId(), lines.size());
                dispatch(chunk, failure == null ? withoutCachedResult(lines, results) : lines);
            });
        }
    }

    /** Parses a line; null if its result was written without a check. */
    private @Nullable PendingLine line(Chunk chunk, int index, String input) {
        Target target;
        try {
            target = TargetParser.parse(chunk.module(), input);
        } catch (InvalidTargetException invalid) {
            write(
                    chunk,
                    index,
                    errors.withoutTarget(
                            chunk, new CheckError(ErrorCode.INVALID_TARGET, String.valueOf(invalid.getMessage()))));
            return null;
        } catch (RuntimeException failure) {
            // without a result, the chunk would be claimed again forever
            LOG.atError()
                    .addKeyValue("chunk", chunk.id())
                    .addKeyValue("line", index)
                    .setCause(failure)
                    .log("line parsing failed");
            write(chunk, index, errors.withoutTarget(chunk, CheckError.INTERNAL));
            return null;
        }
        PendingLine line = new PendingLine(
                chunk,
                index,
                target,
                ResultKey.of(chunk.module().module(), target, chunk.options().key()));
        String refusal = policy.refusal(target, chunk.options().connectTo());
        if (refusal != null) {
            write(chunk, index, errors.of(line, new CheckError(ErrorCode.TARGET_BLOCKED, refusal)));
            return null;
        }
        CheckError exhausted = LineChecker.exhausted(line);
        if (exhausted != null) {
            write(chunk, index, errors.of(line, exhausted));
            return null;
        }
        return line;
    }

    private List<PendingLine> withoutCachedResult(List<PendingLine> lines, List<@Nullable RenderedResult> results) {
        List<PendingLine> remaining = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            PendingLine line = lines.get(i);
            RenderedResult result = results.get(i);
            if (result == null) {
                remaining.add(line);
            } else if (!line.chunk().lost()) {
                writer.add(line.chunk(), line.index(), result.verdict(), result.toLine());
            }
        }
        return remaining;
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
                claim();
            }
        });
    }

    private void drop(WorkStore.ChunkId id) {
        Chunk chunk = chunks.remove(id);
        if (chunk != null) {
            chunk.markLost();
        }
    }

    private void write(Chunk chunk, int index, CheckResult result) {
        writer.add(chunk, index, result.verdict().id(), RenderedResult.toLine(ResultJson.write(result), 0));
    }
}
