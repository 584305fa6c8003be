package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobMessage.WaitingLines;
import dev.plumbline.job.store.WorkStore.ChunkId;
import dev.plumbline.job.store.WorkStore.ClaimedChunk;
import dev.plumbline.job.store.WorkStore.LineResult;
import dev.plumbline.result.RenderedResult;
import dev.plumbline.result.store.ResultCache;
import dev.plumbline.result.store.ResultStore;
import dev.plumbline.support.TestDatabase;
import io.vertx.sqlclient.Row;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Claims, leases and results in the database. */
@Tag("integration")
class WorkStoreTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Duration LONG = Duration.ofMinutes(10);

    /** Lets the lease of a node expire. */
    private static final Duration OVER = Duration.ZERO;

    private static JobTables tables;
    private static WorkStore store;

    @BeforeAll
    static void open() {
        store = JobTables.work(DATABASE.open());
        tables = new JobTables(DATABASE.open());
    }

    /** Removes claims and nodes of the previous test. */
    @AfterEach
    void end() {
        tables.assertCountsAreConsistent();
        tables.ids("select terminate_job(id, 'cancelled', interval '1 day'), id from job order by id");
        tables.ids("select deregister_node(id, 1000000), id from node order by id");
    }

    private static long living() {
        return await(tables.nodes().register(LONG));
    }

    private static List<ClaimedChunk> claim(long owner, int most) {
        return await(store.claim(owner, most, JobTables.wanted(JobTables.MODULES, Set.of(), false)));
    }

    private static ClaimedChunk claimOne(long owner) {
        List<ClaimedChunk> claimed = claim(owner, 1);
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private static List<ChunkId> write(long owner, List<LineResult> lines, ChunkId... ended) {
        return await(store.writeResults(owner, lines, Set.of(ended)));
    }

    private static void crash(long owner) {
        assertThat(await(tables.nodes().renew(owner, OVER)).renewed()).isTrue();
        assertThat(await(store.reapExpiredNode())).isNotNull();
    }

    @Test
    void aNodeWithAnExpiredLeaseCannotClaimOrWrite() {
        long job = tables.job(tables.account(), 5);
        long frozen = living();
        ClaimedChunk held = claimOne(frozen);

        crash(frozen);

        assertThat(await(tables.nodes().renew(frozen, LONG)).renewed()).isFalse();
        assertThat(claim(frozen, 8)).isEmpty();
        assertThat(await(store.findClaimed(frozen))).isEmpty();
        assertThat(watch(frozen, held.id(), List.of(0))).isFalse();
        assertThat(write(frozen, JobTables.lines(held, "fail", "late"), held.id()))
                .containsExactly(held.id());
        await(store.release(frozen, List.of(held.id())));
        assertThat(tables.number("select count(*) from job_result where job_id = $1", job))
                .isZero();
        assertThat(tables.job(job).getInteger("running")).isZero();
        assertThat(tables.job(job).getString("state")).isEqualTo("running");
    }

    @Test
    void linesOfAllNodesThatWaitForTargetsAreRead() {
        long job = tables.job(tables.account(), 200);
        String token = tables.job(job).getString("token");
        JobStateStore states = new JobStateStore(DATABASE.vertx(), DATABASE.open());
        long first = living();
        long second = living();
        claimOne(first);
        claimOne(second);
        WaitingLines rate = new WaitingLines("192.0.2.7", "20 connections per second", 20, 30);

        await(store.recordWaiting(
                first, Map.of(job, List.of(rate, new WaitingLines("192.0.2.8", "8 concurrent connections", 0, 35)))));
        await(store.recordWaiting(second, Map.of(job, List.of(rate), job + 1, List.of(rate))));
        assertThat(await(states.find(token)).head().waiting())
                .containsExactly(
                        new WaitingLines("192.0.2.7", "20 connections per second", 20, 60),
                        new WaitingLines("192.0.2.8", "8 concurrent connections", 0, 35));

        WaitingLines all = new WaitingLines("192.0.2.7", "20 connections per second", 20, 150);
        await(store.recordWaiting(second, Map.of(job, List.of(all))));
        JobMessage.JobSnapshot snapshot = await(states.find(token)).head();
        assertThat(snapshot.waiting().stream().mapToInt(WaitingLines::lines).sum())
                .as("not more than have no result")
                .isEqualTo(snapshot.running());

        await(store.recordWaiting(second, Map.of(job, List.of(rate))));
        crash(first);
        assertThat(await(states.find(token)).head().waiting()).containsExactly(rate);
        await(store.recordWaiting(second, Map.of()));
        assertThat(await(states.find(token)).head().waiting()).isEmpty();
        long version = await(states.find(token)).head().version();
        await(store.recordWaiting(second, Map.of(job, List.of(rate))));
        assertThat(await(states.find(token)).head().version()).isEqualTo(version);
    }

    @Test
    void takeoverChecksMissingLinesAndLateResultsAreIgnored() {
        long job = tables.job(tables.account(), 5);
        long frozen = living();
        ClaimedChunk held = claimOne(frozen);
        List<LineResult> all = JobTables.lines(held, "warn", "early");
        assertThat(write(frozen, all.subList(0, 2))).isEmpty();
        crash(frozen);
        long successor = living();

        ClaimedChunk taken = claimOne(successor);
        assertThat(taken.id().attempt()).isEqualTo(2);
        assertThat(taken.crashCount()).isEqualTo(1);
        assertThat(taken.checks()).containsExactly(2, 3, 4);
        assertThat(taken.inputs()).containsExactly("line-2.test", "line-3.test", "line-4.test");
        assertThat(tables.job(job).getInteger("running")).isEqualTo(3);
        assertThat(write(frozen, all, held.id())).containsExactly(held.id());
        assertThat(write(successor, JobTables.lines(taken, "pass", "successor"), taken.id()))
                .isEmpty();
        assertThat(write(frozen, all, held.id())).containsExactly(held.id());

        Row ended = tables.job(job);
        assertThat(ended.getString("state")).isEqualTo("completed");
        assertThat(ended.getInteger("warn")).isEqualTo(2);
        assertThat(ended.getInteger("pass")).isEqualTo(3);
        assertThat(tables.number("select count(*) from job_result where job_id = $1 and body = 'successor'", job))
                .isEqualTo(3);
    }

    @Test
    void onlyTheOwnerOfAChunkCanWriteToIt() {
        tables.job(tables.account(), 3);
        long holder = living();
        long stranger = living();
        ClaimedChunk held = claimOne(holder);

        assertThat(write(stranger, JobTables.lines(held, "pass", "strange"), held.id()))
                .containsExactly(held.id());
        assertThat(watch(stranger, held.id(), List.of(0))).isFalse();
        await(store.release(stranger, List.of(held.id())));

        assertThat(await(store.findClaimed(holder))).containsExactly(held.id());
        assertThat(tables.number("select count(*) from job_result where body = 'strange'"))
                .isZero();
    }

    @Test
    void cachedResultsOfLinesReferToTheJobResult() {
        tables.job(tables.account(), 3);
        long owner = living();
        ClaimedChunk held = claimOne(owner);
        Instant earlier = Instant.now().truncatedTo(ChronoUnit.MILLIS);
        Instant later = earlier.plusMillis(1);
        ResultStore known = new ResultStore(DATABASE.vertx(), DATABASE.open());

        write(
                owner,
                List.of(
                        shared(held, 0, "both", later),
                        shared(held, 1, "both", earlier),
                        shared(held, 2, "one", earlier)));

        RenderedResult both = await(known.find("both"));
        assertThat(both.result()).asString(UTF_8).isEqualTo("{\"line\":0}");
        assertThat(both.checkedAt()).isEqualTo(later);
        assertThat(both.expiresAt()).isEqualTo(later.plusSeconds(600));
        RenderedResult one = await(known.find("one"));
        assertThat(one.result()).asString(UTF_8).isEqualTo("{\"line\":2}");
        assertThat(one.checkedAt()).isEqualTo(earlier);
        tables.ids(
                """
        insert into result_cache (key, job_id, index, checked_at, expires_at)
        values ('purged', 0, 0, now(), now() + interval '1 minute') returning job_id""");
        assertThat(await(known.find("purged"))).isNull();
    }

    private static LineResult shared(ClaimedChunk held, int index, String key, Instant checkedAt) {
        return new LineResult(
                held.id(),
                index,
                "pass",
                RenderedResult.toLine(("{\"line\":" + index + "}").getBytes(UTF_8), 0),
                new ResultCache.LineCacheEntry(key, checkedAt, checkedAt.plusSeconds(600)));
    }

    @Test
    void writesWithAnOldAttemptAreIgnored() {
        tables.job(tables.account(), 3);
        long owner = living();
        ClaimedChunk first = claimOne(owner);
        await(store.release(owner, List.of(first.id())));
        ClaimedChunk second = claimOne(owner);

        assertThat(second.id().attempt()).isEqualTo(2);
        assertThat(second.crashCount()).isZero();
        assertThat(write(owner, JobTables.lines(first, "pass", "old"), first.id()))
                .containsExactly(first.id());
        assertThat(watch(owner, first.id(), List.of(0))).isFalse();
        assertThat(tables.number("select count(*) from job_result where body = 'old'"))
                .isZero();
    }

    @Test
    void theChunksOfAnExpiredNodeAreReleasedInSlices() {
        long account = tables.account();
        int jobs = WorkStore.RELEASE_SLICE + 50;
        for (int i = 0; i < jobs; i++) {
            tables.job(account, 1);
        }
        long silent = living();
        List<ClaimedChunk> claimed = claim(silent, jobs);
        assertThat(claimed).hasSize(jobs);
        Map<ChunkId, List<Integer>> inFlight = new HashMap<>();
        claimed.forEach(chunk -> inFlight.put(chunk.id(), List.of(0)));
        assertThat(await(store.recordInFlight(silent, inFlight))).hasSize(jobs);
        assertThat(await(tables.nodes().renew(silent, OVER)).renewed()).isTrue();

        WorkStore.ReapedChunks first = await(store.reapExpiredNode());
        assertThat(first).isEqualTo(new WorkStore.ReapedChunks(silent, WorkStore.RELEASE_SLICE, false));
        assertThat(await(tables.nodes().renew(silent, Duration.ofMinutes(1))).renewed())
                .as("the lease has ended")
                .isFalse();
        assertThat(claim(silent, 1)).isEmpty();
        assertThat(await(store.findClaimed(silent))).hasSize(50);

        assertThat(await(store.reapExpiredNode())).isEqualTo(new WorkStore.ReapedChunks(silent, 50, true));
        assertThat(await(store.reapExpiredNode())).isNull();
        for (ClaimedChunk chunk : claimed) {
            Row row = tables.chunk(chunk.id());
            assertThat(row.getString("state")).isEqualTo("waiting");
            assertThat(row.getInteger("crash_count")).isEqualTo(1);
            assertThat(row.getArrayOfIntegers("suspects")).containsExactly(0);
        }
    }

    @Test
    void manyChunksAreReleasedWhenANodeStops() {
        long account = tables.account();
        int jobs = WorkStore.RELEASE_SLICE + 1;
        for (int i = 0; i < jobs; i++) {
            tables.job(account, 1);
        }
        long owner = living();
        assertThat(claim(owner, jobs)).hasSize(jobs);
        await(tables.nodes().deregister(owner));
        assertThat(await(store.findClaimed(owner))).isEmpty();
        assertThat(await(tables.nodes().renew(owner, Duration.ofMinutes(1))).renewed())
                .isFalse();
    }

    @Test
    void nodesShareFewWaitingChunks() {
        tables.job(tables.account(), 500);
        List<Long> owners = List.of(living(), living(), living());

        assertThat(claim(owners.get(0), 8)).hasSize(4);
        assertThat(claim(owners.get(1), 8)).hasSize(2);
        assertThat(claim(owners.get(2), 8)).hasSize(2);
        assertThat(claim(owners.get(0), 8)).hasSize(1);
        assertThat(claim(owners.get(1), 8)).hasSize(1);
        assertThat(claim(owners.get(2), 8)).isEmpty();
    }

    @Test
    void aNodeClaimsAllItCanIfManyChunksWait() {
        for (int i = 0; i < 3; i++) {
            tables.job(tables.account(), 500);
        }
        living();

        assertThat(claim(living(), 8)).hasSize(8);
    }

    @Test
    void anExpiredNodeHasNoShare() {
        tables.job(tables.account(), 300);
        await(tables.nodes().register(OVER));

        assertThat(claim(living(), 8)).hasSize(6);
    }

    @Test
    void onlyExpiredLeasesAreReaped() {
        tables.job(tables.account(), 100);
        long silent = living();
        long alive = living();
        ClaimedChunk ofSilent = claimOne(silent);
        ClaimedChunk ofAlive = claimOne(alive);

        crash(silent);

        assertThat(await(store.findClaimed(alive))).containsExactly(ofAlive.id());
        assertThat(await(store.reapExpiredNode())).isNull();
        assertThat(tables.chunk(ofSilent.id()).getString("state")).isEqualTo("waiting");
    }

    private static boolean watch(long owner, ChunkId chunk, List<Integer> lines) {
        return await(store.recordInFlight(owner, Map.of(chunk, lines))).contains(chunk);
    }

    /** Claims a chunk with a new node, records lines, and lets its lease expire. */
    private static ClaimedChunk crashWith(Integer... lines) {
        long owner = living();
        ClaimedChunk claimed = claimOne(owner);
        assertThat(watch(owner, claimed.id(), List.of(lines))).isTrue();
        crash(owner);
        return claimed;
    }

    private static int crashCount(long job) {
        return tables.job(job).getInteger("crash_count");
    }

    @Test
    void theLinesInFlightAtACrashBecomeSuspects() {
        long job = tables.job(tables.account(), 5);
        long first = living();
        claimOne(first);
        crash(first);
        assertThat(crashCount(job)).as("no line was in progress").isZero();

        crashWith(0, 1, 2);
        assertThat(crashCount(job)).isEqualTo(1);
        ClaimedChunk narrowed = crashWith(1);
        assertThat(narrowed.crashCount()).isEqualTo(2);
        assertThat(narrowed.suspects()).containsExactly(0, 1, 2);
        assertThat(narrowed.jobCrashCount()).isEqualTo(1);
        assertThat(narrowed.attempts()).containsExactly(0, 1, 2);

        ClaimedChunk found = claimOne(living());
        assertThat(found.suspects()).containsExactly(0, 1, 2, 1);
        assertThat(found.jobCrashCount()).isEqualTo(2);
        assertThat(found.attempts()).as("lines that waited had no attempt").containsExactly(0, 1, 2, 1);
    }

    @Test
    void threeCrashesEndAJob() {
        long job = tables.job(tables.account(), 3);
        crashWith(0, 1);
        crashWith(0);
        crashWith(1);

        assertThat(crashCount(job)).isEqualTo(3);
    }

    @Test
    void aCrashOfManyNodesIsOneCrashOfTheJob() {
        long job = tables.job(tables.account(), 250);
        List<Long> owners = List.of(living(), living(), living());
        for (long owner : owners) {
            ClaimedChunk claimed = claimOne(owner);
            assertThat(watch(owner, claimed.id(), claimed.checks())).isTrue();
        }

        owners.forEach(WorkStoreTest::crash);

        assertThat(crashCount(job)).isEqualTo(1);
        assertThat(tables.number("select count(*) from job_chunk where job_id = $1 and crash_count = 1", job))
                .as("also chunks that were waiting")
                .isEqualTo(5);
        assertThat(tables.number("select sum(cardinality(suspects)) from job_chunk where job_id = $1", job))
                .isEqualTo(150);
    }

    @Test
    void severalChunksInFlightAreOneCrashOfTheirJob() {
        long account = tables.account();
        long job = tables.job(account, 100);
        for (int i = 0; i < 2; i++) {
            long owner = living();
            Map<ChunkId, List<Integer>> lines = new HashMap<>();
            claim(owner, 2).forEach(chunk -> lines.put(chunk.id(), chunk.checks()));
            assertThat(await(store.recordInFlight(owner, lines))).hasSize(2);
            assertThat(await(tables.nodes().renew(owner, OVER)).renewed()).isTrue();
            // slices of one chunk
            while (!tables.ids("select expired_node from reap_expired_node(1)").isEmpty()) {}

            assertThat(crashCount(job)).isEqualTo(i + 1);
        }
    }

    @Test
    void theThirdCrashDoesNotCountIfAllSuspectsHaveCompleted() {
        long job = tables.job(tables.account(), 5);
        crashWith(0);
        crashWith(1);
        long owner = living();
        ClaimedChunk claimed = claimOne(owner);
        assertThat(write(owner, JobTables.lines(claimed, "pass", "alone").subList(0, 2)))
                .isEmpty();
        assertThat(watch(owner, claimed.id(), List.of(2))).isTrue();
        crash(owner);

        assertThat(crashCount(job)).isEqualTo(2);
        crashWith(3);
        assertThat(crashCount(job)).as("line 2 has no result").isEqualTo(3);
    }

    @Test
    void completedLinesAreNotSuspects() {
        long job = tables.job(tables.account(), 5);
        long owner = living();
        ClaimedChunk claimed = claimOne(owner);
        assertThat(watch(owner, claimed.id(), List.of(0, 1))).isTrue();
        assertThat(watch(owner, claimed.id(), List.of(1, 2))).isTrue();
        assertThat(write(owner, JobTables.lines(claimed, "pass", "done").subList(1, 2)))
                .isEmpty();

        crash(owner);

        assertThat(tables.chunk(claimed.id()).getArrayOfIntegers("suspects")).containsExactly(2);
        assertThat(crashCount(job)).isEqualTo(1);
    }

    @Test
    void oneNodeClaimsTheCrashedChunksOfAJob() {
        tables.job(tables.account(), 100);
        long other = tables.job(tables.account(), 1);
        crashWith(0);
        long holder = living();
        long waiting = living();
        ClaimedChunk first = claimOne(holder);

        assertThat(claim(waiting, 8)).extracting(chunk -> chunk.id().job()).containsExactly(other);
        assertThat(claim(holder, 8))
                .extracting(chunk -> chunk.id().job())
                .containsExactly(first.id().job());
    }

    @Test
    void releasedChunksHaveNoSuspects() {
        tables.job(tables.account(), 100);
        long owner = living();
        List<ClaimedChunk> claimed = claim(owner, 2);
        assertThat(claimed).hasSize(2);
        for (ClaimedChunk chunk : claimed) {
            assertThat(watch(owner, chunk.id(), List.of(chunk.checks().get(0)))).isTrue();
        }

        await(store.release(owner, List.of(claimed.get(0).id())));
        assertThat(await(store.findClaimed(owner)))
                .containsExactly(claimed.get(1).id());
        await(tables.nodes().deregister(owner));

        for (ClaimedChunk chunk : claimed) {
            Row row = tables.chunk(chunk.id());
            assertThat(row.getString("state")).isEqualTo("waiting");
            assertThat(row.getInteger("crash_count")).isZero();
            assertThat(row.getArrayOfIntegers("in_flight")).isEmpty();
            assertThat(row.getArrayOfIntegers("suspects")).isEmpty();
        }
        assertThat(tables.chunk(claimed.get(1).id()).getArrayOfIntegers("attempts"))
                .as("a later claim counts the recorded attempt")
                .containsExactly(50);
        assertThat(await(tables.nodes().renew(owner, LONG)).renewed()).isFalse();
    }

    @Test
    void writingIsIdempotent() {
        long job = tables.job(tables.account(), 4, new Integer[] {0, 1, 0, 1});
        long owner = living();
        ClaimedChunk claimed = claimOne(owner);
        List<LineResult> lines = JobTables.lines(claimed, "pass", "once");
        assertThat(write(owner, lines.subList(0, 1))).isEmpty();
        Row before = tables.job(job);

        assertThat(write(owner, lines.subList(0, 1))).isEmpty();
        assertThat(tables.job(job).toJson()).isEqualTo(before.toJson());
        assertThat(before.getInteger("pass")).as("duplicate included").isEqualTo(2);
        assertThat(before.getInteger("running")).isEqualTo(2);

        assertThat(write(owner, lines, claimed.id())).isEmpty();
        Row ended = tables.job(job);
        assertThat(ended.getString("state")).isEqualTo("completed");
        assertThat(write(owner, lines, claimed.id())).containsExactly(claimed.id());
        assertThat(tables.job(job).toJson()).isEqualTo(ended.toJson());
    }

    @Test
    void completionWithMissingResultsIsRejected() {
        long job = tables.job(tables.account(), 4);
        long owner = living();
        ClaimedChunk claimed = claimOne(owner);

        assertThat(store.writeResults(
                                owner, JobTables.lines(claimed, "pass", "some").subList(0, 3), Set.of(claimed.id()))
                        .transform(outcome -> io.vertx.core.Future.succeededFuture(outcome.failed()))
                        .toCompletionStage()
                        .toCompletableFuture()
                        .join())
                .isTrue();

        assertThat(tables.job(job).getInteger("pass")).isZero();
        assertThat(await(store.findClaimed(owner))).containsExactly(claimed.id());
    }

    @Test
    void resultsOfACancelledJobAreIgnored() {
        long job = tables.job(tables.account(), 120);
        long owner = living();
        List<ClaimedChunk> claimed = claim(owner, 2);
        assertThat(write(owner, JobTables.lines(claimed.get(0), "pass", "kept").subList(0, 7)))
                .isEmpty();

        tables.row("select terminate_job($1, 'cancelled', interval '1 day')", job);

        assertThat(await(store.findClaimed(owner))).isEmpty();
        assertThat(write(
                        owner,
                        JobTables.lines(claimed.get(1), "pass", "too late"),
                        claimed.get(1).id()))
                .containsExactly(claimed.get(1).id());
        assertThat(claim(owner, 8)).isEmpty();
        Row row = tables.job(job);
        assertThat(row.getString("state")).isEqualTo("cancelled");
        assertThat(row.getInteger("pass")).isEqualTo(7);
        assertThat(row.getInteger("cancelled")).isEqualTo(113);
    }

    @Test
    void claimsFollowTheFairOrderAndTheFilter() {
        long busy = tables.account();
        long other = tables.account();
        long first = tables.job(busy, 200);
        long second = tables.job(busy, 200);
        long late = tables.job(other, 60);
        long owner = living();

        assertThat(await(store.claim(owner, 8, JobTables.wanted(List.of("unknown"), Set.of(), false))))
                .isEmpty();
        assertThat(claim(owner, 3))
                .extracting(ClaimedChunk::id)
                .as("accounts take turns")
                .containsExactly(new ChunkId(first, 0, 1), new ChunkId(late, 0, 1), new ChunkId(first, 1, 1));
        assertThat(await(store.claim(owner, 8, JobTables.wanted(JobTables.MODULES, Set.of(busy), true))))
                .extracting(ClaimedChunk::id)
                .containsExactly(new ChunkId(late, 1, 1));
        assertThat(await(store.claim(owner, 8, JobTables.wanted(JobTables.MODULES, Set.of(busy, other), false))))
                .isEmpty();
        assertThat(claim(owner, 20))
                .hasSize(6)
                .last()
                .extracting(c -> c.id().job())
                .isEqualTo(second);
    }

    @Test
    void aNewAccountPrecedesOlderBacklogs() {
        long busy = tables.account();
        IntStream.range(0, 20).forEach(i -> tables.job(busy, 500));
        long owner = living();
        claim(owner, 3);
        long small = tables.job(tables.account(), 1);

        assertThat(claim(owner, 3)).extracting(c -> c.id().job()).contains(small);
    }

    @Test
    void excludedAccountsDoNotBlockOtherAccounts() {
        long parked = tables.account();
        IntStream.range(0, 60).forEach(i -> tables.job(parked, 500));
        tables.sql("update job_chunk set start_tag = start_tag - 100000 where account_id = $1", parked);
        long one = tables.job(tables.account(), 120);
        long lost = tables.account();
        long suspect = tables.job(lost, 10);
        tables.sql("update job_chunk set start_tag = start_tag + 10, crash_count = 1 where job_id = $1", suspect);
        long other = tables.job(tables.account(), 60);
        tables.sql("update job_chunk set start_tag = start_tag + 20 where job_id = $1", other);
        long owner = living();
        long successor = living();

        assertThat(await(store.claim(
                        owner, 3, new WorkStore.ClaimFilter(JobTables.MODULES, Set.of(parked), false, Set.of(lost)))))
                .extracting(ClaimedChunk::id)
                .containsExactly(new ChunkId(one, 0, 1), new ChunkId(other, 0, 1), new ChunkId(one, 1, 1));
        assertThat(await(store.claim(successor, 8, JobTables.wanted(JobTables.MODULES, Set.of(parked), false))))
                .extracting(ClaimedChunk::id)
                .containsExactly(new ChunkId(suspect, 0, 1), new ChunkId(other, 1, 1), new ChunkId(one, 2, 1));
        assertThat(await(store.claim(successor, 8, JobTables.wanted(JobTables.MODULES, Set.of(parked), false))))
                .isEmpty();
        assertThat(claim(successor, 1)).extracting(ClaimedChunk::accountId).containsExactly(parked);
    }

    @Test
    void jobsOfUnsupportedModulesFailAfterFifteenMinutes() {
        long young = tables.job(tables.account(), 60);
        long old = tables.job(tables.account(), 60);
        ClaimedChunk claimed = claimOne(living());
        assertThat(claimed.id().job()).isEqualTo(young);
        tables.sql("update job set created_at = created_at - interval '16 minutes' where id = $1", old);

        await(store.failUnsupportedJobs(JobTables.MODULES));
        assertThat(tables.job(old).getString("state")).isEqualTo("queued");
        await(store.failUnsupportedJobs(List.of("another")));

        assertThat(tables.job(old).getString("state")).isEqualTo("failed");
        assertThat(tables.job(old).getInteger("cancelled")).isEqualTo(60);
        assertThat(tables.job(young).getString("state")).isEqualTo("running");
    }
}
