package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.job.store.WorkStore.ChunkId;
import dev.plumbline.job.store.WorkStore.ClaimedChunk;
import dev.plumbline.job.store.WorkStore.LineResult;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.TestDatabase;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Concurrent operations of many nodes on few jobs. */
@Tag("integration")
class WorkStoreRaceTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Duration LONG = Duration.ofMinutes(10);
    private static final int COORDINATORS = 6;
    private static final ExecutorService THREADS = Executors.newFixedThreadPool(COORDINATORS + 2);

    private static JobTables tables;
    private static List<Database> pools;

    @BeforeAll
    static void open() {
        tables = new JobTables(DATABASE.open());
        pools = new ArrayList<>();
        for (int i = 0; i < COORDINATORS + 2; i++) {
            pools.add(DATABASE.open());
        }
    }

    @AfterAll
    static void close() {
        THREADS.shutdownNow();
    }

    @BeforeEach
    void begin() {
        tables.ids("select terminate_job(id, 'cancelled', interval '1 day'), id from job order by id");
    }

    private static WorkStore store(int pool) {
        return JobTables.work(pools.get(pool));
    }

    private static <T> List<T> atOnce(List<Callable<T>> all) throws Exception {
        List<Future<T>> running = new ArrayList<>();
        for (Callable<T> one : all) {
            running.add(THREADS.submit(one));
        }
        List<T> results = new ArrayList<>();
        for (Future<T> one : running) {
            results.add(one.get(2, TimeUnit.MINUTES));
        }
        return results;
    }

    @Test
    void aChunkIsClaimedOnce() throws Exception {
        long account = tables.account();
        long other = tables.account();
        for (int i = 0; i < 30; i++) {
            tables.job(i % 3 == 0 ? other : account, 500);
        }
        List<Callable<List<ChunkId>>> claimants = new ArrayList<>();
        for (int i = 0; i < COORDINATORS; i++) {
            WorkStore store = store(i);
            int most = 1 + i;
            claimants.add(() -> {
                long owner = await(tables.nodes().register(LONG));
                List<ChunkId> mine = new ArrayList<>();
                for (; ; ) {
                    List<ClaimedChunk> claimed =
                            await(store.claim(owner, most, JobTables.wanted(JobTables.MODULES, Set.of(), false)));
                    if (claimed.isEmpty()) {
                        return mine;
                    }
                    claimed.forEach(chunk -> mine.add(chunk.id()));
                }
            });
        }

        List<ChunkId> all = atOnce(claimants).stream().flatMap(List::stream).toList();

        assertThat(all).doesNotHaveDuplicates().hasSize(300);
        assertThat(all).extracting(ChunkId::attempt).containsOnly(1);
        tables.assertCountsAreConsistent();
    }

    /** All locking operations concurrently. A failed statement, such as a deadlock, fails the test. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void concurrentOperationsNeitherDeadlockNorCorruptCounts(long seed) throws Exception {
        List<Long> accounts = List.of(tables.account(), tables.account(), tables.account());
        for (int i = 0; i < 6; i++) {
            tables.job(accounts.get(i % 3), 120, withRepeats(120));
        }
        AtomicBoolean over = new AtomicBoolean();
        CountDownLatch living = new CountDownLatch(COORDINATORS);
        List<Callable<Integer>> all = new ArrayList<>();
        for (int i = 0; i < COORDINATORS; i++) {
            Coordinator coordinator = new Coordinator(store(i), new Random(seed * 100 + i));
            all.add(() -> {
                try {
                    return coordinator.live(60);
                } finally {
                    living.countDown();
                    over.set(living.getCount() == 0);
                }
            });
        }
        all.add(() -> disturb(pools.get(COORDINATORS), accounts, new Random(seed), over));
        all.add(() -> versionsGrow(pools.get(COORDINATORS + 1), over));

        atOnce(all);

        tables.assertCountsAreConsistent();
        tables.ids("select deregister_node(id, 1000000), id from node order by id");
        long latest = tables.job(accounts.get(0), 120, withRepeats(120));
        new Coordinator(store(0), new Random(seed)).finishEverything();
        tables.assertCountsAreConsistent();
        assertThat(tables.ids("select id from job where state not in ('completed', 'cancelled', 'failed')"))
                .isEmpty();
        assertThat(tables.job(latest).getString("state")).isEqualTo("completed");
    }

    private static Integer[] withRepeats(int lines) {
        Integer[] firstIndexes = new Integer[lines];
        for (int i = 0; i < lines; i++) {
            firstIndexes[i] = i % 7 == 6 ? i - 6 : i;
        }
        return firstIndexes;
    }

    /** A node that claims, writes, records, releases, expires and deregisters at random. */
    private static final class Coordinator {
        private final WorkStore store;
        private final Random random;
        private final Map<ChunkId, List<LineResult>> left = new HashMap<>();
        private long owner;

        Coordinator(WorkStore store, Random random) {
            this.store = store;
            this.random = random;
            this.owner = await(tables.nodes().register(LONG));
        }

        int live(int steps) {
            for (int i = 0; i < steps; i++) {
                switch (random.nextInt(12)) {
                    case 0 -> await(store.reapExpiredNode());
                    case 1, 6 -> await(tables.nodes().renew(owner, Duration.ZERO));
                    case 2 -> {
                        if (!await(tables.nodes().renew(owner, LONG)).renewed()) {
                            left.clear();
                            owner = await(tables.nodes().register(LONG));
                        }
                    }
                    case 3 -> await(store.release(owner, some()));
                    case 4 -> {
                        Map<ChunkId, List<Integer>> lines = new HashMap<>();
                        some().forEach(chunk -> lines.put(chunk, List.of(1, 2)));
                        await(store.recordInFlight(owner, lines));
                    }
                    case 5 -> {
                        if (random.nextInt(8) == 0) {
                            await(tables.nodes().deregister(owner));
                        }
                    }
                    case 7, 8 -> claim();
                    default -> write(some());
                }
            }
            return steps;
        }

        private void claim() {
            await(store.claim(owner, 1 + random.nextInt(4), JobTables.wanted(JobTables.MODULES, Set.of(), false)))
                    .forEach(claimed -> left.put(claimed.id(), JobTables.lines(claimed, "pass", "{}")));
        }

        private List<ChunkId> some() {
            return left.keySet().stream().filter(chunk -> random.nextBoolean()).toList();
        }

        private void write(List<ChunkId> chunks) {
            List<LineResult> lines = new ArrayList<>();
            List<ChunkId> ended = new ArrayList<>();
            for (ChunkId chunk : chunks) {
                List<LineResult> open = left.get(chunk);
                int most = random.nextInt(open.size() + 1);
                lines.addAll(open.subList(0, most));
                if (most == open.size()) {
                    ended.add(chunk);
                }
                left.put(chunk, open.subList(most, open.size()));
            }
            List<ChunkId> lost = await(store.writeResults(owner, lines, Set.copyOf(ended)));
            lost.forEach(left::remove);
            ended.forEach(left::remove);
        }

        void finishEverything() {
            for (claim(); !left.isEmpty(); claim()) {
                while (!left.isEmpty()) {
                    write(List.copyOf(left.keySet()));
                }
            }
        }
    }

    /** Creates, cancels and expires jobs and accounts. */
    private static int disturb(Database database, List<Long> accounts, Random random, AtomicBoolean over) {
        JobTables mine = new JobTables(database);
        JobStore jobs = new JobStore(database, Duration.ZERO, new JobStore.Quotas(0, 0));
        WorkStore work = new WorkStore(database, database, Duration.ZERO);
        int done = 0;
        while (!over.get()) {
            long account = accounts.get(random.nextInt(accounts.size()));
            switch (random.nextInt(6)) {
                case 0 -> {
                    // one row, because two rows in random order could cause a deadlock that the product does not have
                    mine.sql(
                            """
              update job set created_at = created_at - interval '1 hour'
              where id = (select id from job where state = 'queued' order by random() limit 1)""");
                    await(work.failUnsupportedJobs(List.of("another")));
                }
                case 1 -> await(jobs.purgeExpired(database, 1_000));
                case 2 -> {
                    mine.sql("update account set deleted_at = clock_timestamp() where id = $1", account);
                    await(JobStore.cancelJobsOfDeletedAccounts(database, 1_000));
                    mine.sql("update account set deleted_at = null where id = $1", account);
                }
                case 3 ->
                    mine.ids("select id from job order by random() limit 1").forEach(job -> {
                        String token = mine.row("select token from job where id = $1", job)
                                .getString(0);
                        accounts.forEach(id -> await(jobs.cancel(new JobMessage.CancelJob(id, token))));
                    });
                default -> mine.job(account, 1 + random.nextInt(200), null);
            }
            done++;
        }
        return done;
    }

    private static int versionsGrow(Database database, AtomicBoolean over) {
        Map<Long, Long> seen = new HashMap<>();
        int looks = 0;
        while (!over.get()) {
            await(database.query("select id, version, pending_chunks from job", Tuple.tuple()))
                    .forEach(row -> seen.merge(row.getLong(0), row.getLong(1), (before, now) -> {
                        assertThat(now).isGreaterThanOrEqualTo(before);
                        return now;
                    }));
            looks++;
        }
        return looks;
    }
}
