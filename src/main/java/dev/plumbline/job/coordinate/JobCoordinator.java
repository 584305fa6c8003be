package dev.plumbline.job.coordinate;

import com.google.common.collect.HashMultiset;
import com.google.common.collect.Multiset;
import dev.plumbline.check.CheckError;
import dev.plumbline.check.CheckResult;
import dev.plumbline.check.ErrorCode;
import dev.plumbline.check.InvalidTargetException;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.ModuleDescription;
import dev.plumbline.check.Options;
import dev.plumbline.check.ResultAssembler;
import dev.plumbline.check.Target;
import dev.plumbline.check.TargetParser;
import dev.plumbline.check.TargetPolicy;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.ResultKey;
import dev.plumbline.result.ResultLookup;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import java.time.Clock;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Claims chunks of jobs for this node, has their lines checked, and has the results written. Used
 * on one event loop; one for each node.
 */
public final class JobCoordinator {
    private static final Logger LOG = LoggerFactory.getLogger(JobCoordinator.class);
    private static final int CHUNK_LINES = 50;
    private static final int MOST_CHUNKS = 8;
    private static final int MOST_PARKED = 4_000;
    private static final int MOST_PARKED_OF_ACCOUNT = 1_000;
    private static final int MOST_SUSPECTS = 2_000;
    private static final int MOST_SUSPECTS_OF_ACCOUNT = 100;
    private static final long MOST_UNWRITTEN_BYTES = 16L << 20;
    private static final int MOST_STRIKES = 3;
    private static final long QUIET_POLL_MS = 20;

    private final ModuleCatalogue modules;
    private final TargetPolicy policy;
    private final ResultLookup known;
    private final WorkStore store;
    private final Clock clock;
    private final NodeLease membership;
    private final ResultWriter writer;
    private final LineChecker checks;
    private final LineDispatcher dispatcher;
    private final CrashRecovery suspects;
    private final Map<WorkStore.ChunkId, Chunk> chunks = new HashMap<>();

    /** Accounts of the lines of which it is being looked up whether their result is known. */
    private final Multiset<Long> lookedUp = HashMultiset.create();

    private boolean claiming;
    private boolean claimAgain;
    private boolean stopping;

    /** All that a coordinator works with. */
    public record Dependencies(
            Vertx vertx,
            dev.plumbline.bus.MessageBus bus,
            ModuleCatalogue modules,
            TargetPolicy policy,
            ResultLookup known,
            WorkStore store,
            Clock clock,
            CoordinatorSettings manners) {}

    public JobCoordinator(Dependencies parts) {
        this.modules = parts.modules();
        this.policy = parts.policy();
        this.known = parts.known();
        this.store = parts.store();
        this.clock = parts.clock();
        this.writer = new ResultWriter(parts.vertx(), store, this::lose);
        this.checks = new LineChecker(parts.bus(), known, writer, clock);
        this.dispatcher = new LineDispatcher(
                parts.vertx(), parts.manners().permits(), parts.manners().perHost(), this::begin, System::nanoTime);
        this.membership = new NodeLease(parts.vertx(), store, parts.manners(), modules.names(), new OwnedChunks());
        this.suspects = new CrashRecovery(parts.vertx(), store, membership::owner, checks, this::lose, this::claim);
    }

    /** What the membership of this node has to know and to tell. */
    private final class OwnedChunks implements NodeLease.Holder {
        @Override
        public void bornAs(long owner) {
            chunks.values().forEach(Chunk::lose);
            chunks.clear();
            writer.writeAs(owner);
            claim();
        }

        @Override
        public void holds(Set<WorkStore.ChunkId> held, long sinceTick) {
            List<WorkStore.ChunkId> gone = new ArrayList<>();
            chunks.forEach((id, chunk) -> {
                if (chunk.bornTick() < sinceTick && !held.contains(id)) {
                    gone.add(id);
                }
            });
            gone.forEach(JobCoordinator.this::lose);
        }

        @Override
        public boolean knows(WorkStore.ChunkId chunk) {
            return chunks.containsKey(chunk);
        }

        @Override
        public void tick() {
            claim();
        }
    }

    public void start() {
        membership.start();
    }

    /** There may be something to claim. */
    public void wake() {
        claim();
    }

    /** A job was cancelled: what of it is in hand is to be forgotten soon. */
    public void cancelled() {
        membership.compare();
    }

    /** Lines that are being checked. */
    public int active() {
        return dispatcher.active() + suspects.active();
    }

    /** Lines that were claimed and wait for their host or their turn. */
    public int waiting() {
        return dispatcher.inHand() - dispatcher.active() + dispatcher.parked();
    }

    public int unwritten() {
        return writer.waitingLines();
    }

    /**
     * Begins nothing more, waits for the lines under way, writes what they found, and gives the rest
     * back to others.
     *
     * @param mostMillis how long to wait for lines under way
     */
    public Future<Void> stop(Vertx vertx, long mostMillis) {
        stopping = true;
        dispatcher.close();
        suspects.close();
        Promise<Void> quiet = Promise.promise();
        awaitQuiet(vertx, System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(mostMillis), quiet);
        return quiet.future().compose(reached -> writer.drain()).compose(written -> membership.end());
    }

    private void awaitQuiet(Vertx vertx, long untilNanos, Promise<Void> quiet) {
        if (active() == 0 || System.nanoTime() - untilNanos >= 0) {
            quiet.complete();
        } else {
            vertx.setTimer(QUIET_POLL_MS, later -> awaitQuiet(vertx, untilNanos, quiet));
        }
    }

    private void claim() {
        if (stopping || claiming || !membership.alive()) {
            claimAgain = claiming;
            return;
        }
        int room = Math.max(0, dispatcher.room() - lookedUp.size());
        if (room == 0 && dispatcher.free() == 0
                || dispatcher.parked() >= 2 * MOST_PARKED
                || writer.waitingBytes() >= MOST_UNWRITTEN_BYTES) {
            return;
        }
        claiming = true;
        // What fills this node, or waits here, is never in the way of others' first lines.
        boolean crowded = dispatcher.parked() >= MOST_PARKED;
        boolean newcomersOnly = crowded || room == 0;
        int most = newcomersOnly ? 1 : Math.min(MOST_CHUNKS, Math.max(1, room / CHUNK_LINES));
        var notOf = dispatcher.parkedAccounts(crowded ? 1 : MOST_PARKED_OF_ACCOUNT);
        if (newcomersOnly) {
            notOf.addAll(dispatcher.busyAccounts());
            notOf.addAll(lookedUp.elementSet());
        }
        WorkStore.Wanted wanted = new WorkStore.Wanted(
                modules.names(),
                notOf,
                newcomersOnly,
                suspects.inHand() < MOST_SUSPECTS ? suspects.accounts(MOST_SUSPECTS_OF_ACCOUNT) : null);
        long claimer = membership.owner();
        store.claim(claimer, most, wanted).onComplete((claimed, failure) -> {
            claiming = false;
            if (failure != null || claimer != membership.owner()) {
                // the next tick tries again; what another life claimed is others' by now
                return;
            }
            claimed.forEach(this::tryToTake);
            if (claimed.size() == most || claimAgain) {
                claimAgain = false;
                claim();
            }
        });
    }

    /** A chunk that cannot be taken is forgotten, and so found again and given back. */
    private void tryToTake(WorkStore.Claimed claimed) {
        try {
            take(claimed);
        } catch (RuntimeException fault) {
            LOG.atError().addKeyValue("chunk", claimed.id()).setCause(fault).log("chunk dispatch failed");
            lose(claimed.id());
        }
    }

    private void take(WorkStore.Claimed claimed) {
        ModuleDefinition<?> module = modules.find(claimed.module());
        if (module == null) {
            return; // found again and given back
        }
        ModuleDescription description = module.description();
        Options.Parsed parsed = Options.parse(description, claimed.options());
        Options options = parsed.options();
        Chunk chunk = new Chunk(
                claimed, description, options == null ? Options.defaults(description) : options, membership.tick());
        chunks.put(chunk.id(), chunk);
        if (chunk.finished()) {
            writer.end(chunk);
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
                        withoutTarget(
                                chunk,
                                ErrorCode.INTERNAL,
                                "The options of the job are no longer valid. Create the job again."));
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
            lookedUp.add(chunk.accountId(), lines.size());
            known.find(lines.stream().map(PendingLine::key).toList()).onComplete((answers, failure) -> {
                lookedUp.remove(chunk.accountId(), lines.size());
                dispatch(chunk, failure == null ? unknown(lines, answers) : lines);
            });
        }
    }

    /** The line to be checked; null where its result is known without. */
    private @Nullable PendingLine line(Chunk chunk, int index, String input) {
        Target target;
        try {
            target = TargetParser.parse(chunk.module(), input);
        } catch (InvalidTargetException invalid) {
            write(chunk, index, withoutTarget(chunk, ErrorCode.INVALID_TARGET, String.valueOf(invalid.getMessage())));
            return null;
        }
        PendingLine line = new PendingLine(chunk, index, target, ResultKey.of(chunk.module(), target, chunk.options()));
        String refusal = policy.refusal(target);
        if (refusal != null) {
            write(chunk, index, failed(line, ErrorCode.TARGET_BLOCKED, refusal));
            return null;
        }
        if (chunk.strikes(index) >= MOST_STRIKES) {
            write(
                    chunk,
                    index,
                    failed(
                            line,
                            ErrorCode.INTERNAL,
                            "The check was aborted because the service crashed repeatedly while running it."));
            return null;
        }
        return line;
    }

    private List<PendingLine> unknown(List<PendingLine> lines, List<@Nullable RenderedResult> answers) {
        List<PendingLine> rest = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            PendingLine line = lines.get(i);
            RenderedResult answer = answers.get(i);
            if (answer == null) {
                rest.add(line);
            } else if (!line.chunk().lost()) {
                writer.add(line.chunk(), line.index(), answer.verdict(), answer.asLine(true));
            }
        }
        return rest;
    }

    private void dispatch(Chunk chunk, List<PendingLine> lines) {
        if (chunk.lost() || stopping) {
            return;
        }
        if (chunk.suspect()) {
            suspects.add(chunk, lines);
        } else {
            lines.forEach(dispatcher::add);
            dispatcher.pump();
        }
    }

    private void begin(PendingLine line) {
        checks.check(line).onComplete((pauseMs, fault) -> {
            if (fault != null) {
                lose(line.chunk().id());
            }
            if (fault == null && pauseMs > 0 && !line.chunk().lost()) {
                dispatcher.putOff(line, pauseMs);
            } else {
                dispatcher.end(line);
            }
            dispatcher.pump();
            if (dispatcher.hungry()) {
                claim();
            }
        });
    }

    private void lose(WorkStore.ChunkId id) {
        Chunk chunk = chunks.remove(id);
        if (chunk != null) {
            chunk.lose();
        }
    }

    private CheckResult withoutTarget(Chunk chunk, ErrorCode code, String message) {
        return ResultAssembler.withoutTarget(chunk.module(), new CheckError(code, message), clock.instant());
    }

    private CheckResult failed(PendingLine line, ErrorCode code, String message) {
        return ResultAssembler.failed(
                line.chunk().module(), line.target(), new CheckError(code, message), clock.instant(), 0);
    }

    private void write(Chunk chunk, int index, CheckResult result) {
        writer.add(chunk, index, result.verdict().id(), RenderedResult.asLine(result));
    }
}
