package dev.plumbline.job.coordinate;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.job.api.JobNode;
import dev.plumbline.job.api.JobNodeSettings;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.sheet.ModuleDescription;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.json.JsonObject;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Nodes that crash or freeze during a check. */
@Tag("integration")
class CrashRecoveryTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final JobNodeSettings SETTINGS =
            new JobNodeSettings(64, 0, Duration.ofMillis(800), Duration.ofMillis(200), Duration.ofMillis(50));

    /** The time in which a poisoned line crashes its node. */
    private static final long POISON_MS = 100;

    private static JobTables tables;

    @BeforeAll
    static void open() {
        tables = new JobTables(DATABASE.open());
    }

    private static List<String> names(String kind, int lines) {
        return IntStream.range(0, lines).mapToObj(i -> kind + "." + i + ".test").toList();
    }

    private static boolean ended(long job) {
        return tables.job(job).getValue("finished_at") != null;
    }

    private static List<JsonObject> bodies(JobNode node, long account, String token) {
        return node.results(node.read(account, token)).stream()
                .map(line -> new JsonObject(new String(line.result(), StandardCharsets.UTF_8)))
                .toList();
    }

    /** Creates a job through another node, because this one can crash or freeze before it replies. */
    private static JobMessage.JobSnapshot create(long account, List<String> items, Map<String, Object> options) {
        try (JobNode creator = new JobNode(DATABASE.url(), new ScriptedModule(), SETTINGS)) {
            creator.drain();
            return creator.create(account, items, options, true);
        }
    }

    /** Starts nodes that crash until all jobs have ended; returns the number of crashes. */
    private static int crashUntilEnded(List<JobMessage.JobSnapshot> jobs) {
        int crashes = 0;
        while (!jobs.stream().allMatch(job -> ended(job.id()))) {
            ScriptedModule module = new ScriptedModule();
            JobNode node = new JobNode(DATABASE.url(), module, SETTINGS);
            AtomicBoolean dead = new AtomicBoolean();
            module.onPoison(() -> node.crashAfter(POISON_MS, () -> dead.set(true)));
            Await.until(() -> dead.get() || jobs.stream().allMatch(job -> ended(job.id())));
            node.close();
            crashes += dead.get() ? 1 : 0;
        }
        return crashes;
    }

    /** The indexes of the lines with an internal error; all others passed. */
    private static List<Integer> internalErrors(long account, JobMessage.JobSnapshot created) {
        try (JobNode node = new JobNode(DATABASE.url(), new ScriptedModule(), SETTINGS)) {
            JobMessage.JobSnapshot head = node.read(account, created.token());
            assertThat(head.state()).isEqualTo(JobState.COMPLETED);
            List<JsonObject> bodies = bodies(node, account, created.token());
            List<Integer> errors = IntStream.range(0, bodies.size())
                    .filter(i -> bodies.get(i).getJsonObject("error") != null)
                    .boxed()
                    .toList();
            assertThat(head.pass()).isEqualTo(bodies.size() - errors.size());
            errors.forEach(i -> assertThat(bodies.get(i).getJsonObject("error").getString("code"))
                    .isEqualTo("internal"));
            return errors;
        }
    }

    @Test
    void aCrashingLineIsFoundAndOtherLinesComplete() {
        long account = tables.account();
        List<String> items = new ArrayList<>(names("pass.one", 120));
        items.set(33, "poison.one.test");
        JobMessage.JobSnapshot created = create(account, items, Map.of());
        JobMessage.JobSnapshot innocent = create(account, names("pass.innocent", 120), Map.of());

        assertThat(crashUntilEnded(List.of(created, innocent))).isEqualTo(2);

        assertThat(internalErrors(account, created)).containsExactly(33);
        assertThat(internalErrors(account, innocent)).isEmpty();
        tables.assertCountsAreConsistent();
    }

    @Test
    void aJobOfCrashingLinesEndsAfterThreeCrashes() {
        long account = tables.account();
        JobMessage.JobSnapshot created = create(account, names("poison.many", 60), Map.of());
        JobMessage.JobSnapshot innocent = create(account, names("pass.beside", 60), Map.of());

        assertThat(crashUntilEnded(List.of(created, innocent))).isLessThanOrEqualTo(3);

        assertThat(internalErrors(account, created)).hasSize(60);
        assertThat(internalErrors(account, innocent)).isEmpty();
        tables.assertCountsAreConsistent();
    }

    @Test
    void aSuspectDoesNotRunBesideALineThatWasNotRecorded() {
        long account = tables.account();
        WorkStore store = JobTables.work(DATABASE.open());
        JobMessage.JobSnapshot innocent = create(account, List.of("slow.recorded.test"), Map.of());
        JobMessage.JobSnapshot created = create(account, names("poison.unrecorded", 10), Map.of());
        long owner = await(tables.nodes().register(Duration.ofMinutes(10)));
        List<WorkStore.ClaimedChunk> claimed =
                await(store.claim(owner, 8, JobTables.wanted(JobTables.MODULES, Set.of(), false)));
        claimed.stream()
                .filter(chunk -> chunk.id().job() == innocent.id())
                .forEach(chunk -> await(store.recordInFlight(owner, Map.of(chunk.id(), List.of(0)))));
        await(tables.nodes().renew(owner, Duration.ZERO));

        assertThat(crashUntilEnded(List.of(innocent, created))).isEqualTo(3);

        assertThat(internalErrors(account, innocent)).isEmpty();
        assertThat(internalErrors(account, created)).hasSize(10);
        tables.assertCountsAreConsistent();
    }

    /** Crashes a node after these held lines started; those before the last ones were released and have results. */
    private static void crashWhileHolding(JobMessage.JobSnapshot created, int results, int started) {
        ScriptedModule module = new ScriptedModule();
        JobNodeSettings few =
                new JobNodeSettings(8, 0, Duration.ofMillis(800), Duration.ofMillis(200), Duration.ofMillis(50));
        try (JobNode node = new JobNode(DATABASE.url(), module, few)) {
            int before = tables.job(created.id()).getInteger("pass");
            Await.until(() -> {
                module.started().stream().limit(results - before).forEach(module::release);
                return module.started().size() == started - before
                        && tables.job(created.id()).getInteger("pass") == results;
            });
            // recorded
            Await.until(() -> tables.ids(
                            """
                            select job_id from job_chunk
                            where job_id = $1 and state = 'claimed' and cardinality(in_flight) = $2""",
                            created.id(),
                            started - results)
                    .contains(created.id()));
        }
    }

    @Test
    void threeCrashesOfNodesDoNotEndLinesThatWaited() {
        long account = tables.account();
        JobMessage.JobSnapshot created = create(account, names("hold.waiting", 30), Map.of());
        // an eighth of the permits is reserved for other accounts
        crashWhileHolding(created, 0, 7);
        // the suspects complete one after the other, then ten others start
        crashWhileHolding(created, 7, 17);
        // these complete one after the other, then the next one starts
        crashWhileHolding(created, 17, 18);

        ScriptedModule module = new ScriptedModule();
        names("hold.waiting", 30).forEach(module::release);
        try (JobNode node = new JobNode(DATABASE.url(), module, SETTINGS)) {
            assertThat(node.ended(account, created.token()).pass()).isEqualTo(30);
        }
        assertThat(tables.text("select array_to_string(attempts, ' ') from job_chunk where job_id = $1", created.id()))
                .as("lines that waited had no attempt")
                .isEqualTo("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17");
        tables.assertCountsAreConsistent();
    }

    @Test
    void resultsAfterTheLeaseExpiredAreIgnored() {
        long account = tables.account();
        ScriptedModule frozenModule = new ScriptedModule(" of the frozen");
        List<String> items = new ArrayList<>(names("hold", 30));
        items.addAll(names("pass", 20));
        items.add("freeze.me.test");
        items.addAll(names("warn", 20));
        try (JobNode frozen = new JobNode(DATABASE.url(), frozenModule, SETTINGS)) {
            JobMessage.JobSnapshot created = create(account, items, Map.of());
            Await.until(() -> frozenModule.started().contains("freeze.me.test"));
            ScriptedModule successorModule = new ScriptedModule(" of the successor");
            successorModule.thaw();
            names("hold", 30).forEach(successorModule::release);
            JobMessage.JobSnapshot done;
            List<JsonObject> results;
            try (JobNode successor = new JobNode(DATABASE.url(), successorModule, SETTINGS)) {
                done = successor.ended(account, created.token());
                results = bodies(successor, account, created.token());
            }
            assertThat(done.state()).isEqualTo(JobState.COMPLETED);
            assertThat(done.pass()).isEqualTo(51);
            assertThat(done.warn()).isEqualTo(20);

            names("hold", 30).forEach(frozenModule::release);
            frozenModule.thaw();

            assertThat(frozen.ended(
                                    account,
                                    frozen.create(account, List.of("next.test")).token())
                            .pass())
                    .as("the node has registered again")
                    .isEqualTo(1);
            assertThat(frozen.read(account, created.token())).isEqualTo(done);
            assertThat(bodies(frozen, account, created.token())).isEqualTo(results);
            assertThat(results.get(50).getJsonObject("fields").getString("text"))
                    .isEqualTo("freeze.me.test of the successor");
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void aPauseOfTheProcessIsNotAResult() {
        long account = tables.account();
        ScriptedModule module = new ScriptedModule();
        JobNodeSettings longLease =
                new JobNodeSettings(64, 0, Duration.ofMinutes(1), Duration.ofMillis(200), Duration.ofMillis(50));
        List<String> items = new ArrayList<>(names("hold.paused", 30));
        items.add("freeze.paused.test");
        try (JobNode node = new JobNode(DATABASE.url(), module, longLease)) {
            JobMessage.JobSnapshot created = create(account, items, Map.of(ModuleDescription.TIMEOUT_MS, 1_000));
            Await.until(() -> module.started().contains("freeze.paused.test"));
            // longer than the timeout of the checks and of their replies
            long resumeNanos = System.nanoTime() + Duration.ofSeconds(7).toNanos();
            Await.until(() -> System.nanoTime() > resumeNanos);
            module.thaw();
            Await.until(() -> module.started().size() == 2 * items.size());
            names("hold.paused", 30).forEach(module::release);

            assertThat(node.ended(account, created.token()).pass()).isEqualTo(31);
        }
        tables.assertCountsAreConsistent();
    }

    /** Claims all chunks without running them. */
    private static long claimEverything(WorkStore store) {
        long owner = await(tables.nodes().register(Duration.ofMinutes(10)));
        while (!await(store.claim(owner, 8, JobTables.wanted(JobTables.MODULES, Set.of(), false)))
                .isEmpty()) {}
        return owner;
    }

    @Test
    void aRejectedSuspectIsRetried() {
        long account = tables.account();
        WorkStore store = JobTables.work(DATABASE.open());
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), new ScriptedModule(), SETTINGS)) {
            node.drain();
            JobMessage.JobSnapshot first = node.create(account, List.of("late.suspect.test"), true);
            long one = claimEverything(store);
            JobMessage.JobSnapshot second = node.create(account, List.of("pass.suspect.test"), true);
            long other = claimEverything(store);
            try (JobNode successor = new JobNode(DATABASE.url(), module, SETTINGS)) {
                await(tables.nodes().renew(one, Duration.ZERO));
                Await.until(() -> module.started().contains("late.suspect.test"));
                await(tables.nodes().renew(other, Duration.ZERO));
                assertThat(successor.ended(account, second.token()).pass()).isEqualTo(1);
                assertThat(ended(first.id())).isFalse();

                module.release("late.suspect.test");

                assertThat(successor.ended(account, first.token()).pass()).isEqualTo(1);
            }
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void suspectsOfOneAccountDoNotBlockOtherAccounts() {
        long busy = tables.account();
        long other = tables.account();
        WorkStore store = JobTables.work(DATABASE.open());
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), new ScriptedModule(), SETTINGS)) {
            node.drain();
            List<JobMessage.JobSnapshot> crowd = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                crowd.add(node.create(busy, names("hold.crowd-" + i, 300), true));
            }
            JobMessage.JobSnapshot small = node.create(other, names("pass.small", 30), true);
            await(tables.nodes().renew(claimEverything(store), Duration.ZERO));
            try (JobNode successor = new JobNode(DATABASE.url(), module, SETTINGS)) {
                // groups complete one after the other; there are enough to outlast the creation of the small job on a
                // slow machine
                Await.until(() -> {
                    module.started().stream()
                            .filter(name -> name.startsWith("hold."))
                            .forEach(module::release);
                    return ended(small.id());
                });
                assertThat(crowd).anyMatch(job -> !ended(job.id()));
                crowd.forEach(job -> successor.cancel(busy, job.token()));
                assertThat(successor.read(other, small.token()).pass()).isEqualTo(30);
            }
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void linesOfACrashedNodeDoNotBlockOtherLines() {
        long account = tables.account();
        ScriptedModule deadModule = new ScriptedModule();
        JobNodeSettings many =
                new JobNodeSettings(1_000, 0, Duration.ofMillis(800), Duration.ofMillis(200), Duration.ofMillis(50));
        JobNode dead = new JobNode(DATABASE.url(), deadModule, many);
        List<JobMessage.JobSnapshot> jobs = new ArrayList<>();
        for (int i = 0; i < 14; i++) {
            jobs.add(dead.create(account, names("hold.job-" + i, 60), true));
        }
        Await.until(() -> deadModule.started().size() == 14 * 60);
        dead.close();

        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), module, many)) {
            Await.until(() -> !module.started().isEmpty());
            JobMessage.JobSnapshot other = node.create(tables.account(), List.of("pass.other.test"));
            assertThat(node.ended(tables.job(other.id()).getLong("account_id"), other.token())
                            .pass())
                    .isEqualTo(1);
            assertThat(jobs).allMatch(job -> !ended(job.id()));

            for (int i = 0; i < 14; i++) {
                names("hold.job-" + i, 60).forEach(module::release);
            }
            jobs.forEach(
                    job -> assertThat(node.ended(account, job.token()).pass()).isEqualTo(60));
        }
        tables.assertCountsAreConsistent();
    }
}
