package dev.plumbline.job.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.job.coordinate.ScriptedModule;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.job.store.WorkStore;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Fairness between accounts and hosts. */
@Tag("integration")
class JobFairnessTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    /** New and released chunks are claimed because of notifications only. */
    private static final JobNodeSettings WITHOUT_POLLING =
            new JobNodeSettings(1_000, 0, Duration.ofMinutes(1), Duration.ofMinutes(10), Duration.ofMinutes(10));

    private static JobTables tables;

    @BeforeAll
    static void open() {
        tables = new JobTables(DATABASE.open());
    }

    private static JobNodeSettings manners(int permits, int perHost) {
        return new JobNodeSettings(
                permits, perHost, Duration.ofMinutes(1), Duration.ofMillis(200), Duration.ofMillis(50));
    }

    private static List<String> names(String kind, int lines) {
        return IntStream.range(0, lines).mapToObj(i -> kind + "." + i + ".test").toList();
    }

    @Test
    void aSmallJobCompletesWhileAnotherAccountHasTenThousandLines() {
        long busy = tables.account();
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), module, manners(64, 0))) {
            List<JobMessage.JobSnapshot> jobs = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                jobs.add(node.create(busy, names("hold.job-" + i, 500)));
            }
            Await.until(() -> module.started().size() >= 56);

            for (int i = 0; i < 3; i++) {
                long other = tables.account();
                JobMessage.JobSnapshot small = node.create(other, List.of("pass.small-" + i + ".test"));
                assertThat(node.ended(other, small.token()).pass()).isEqualTo(1);
            }

            assertThat(module.started()).as("all shared permits are in use").hasSize(56 + 3);
            assertThat(jobs).allMatch(job -> tables.job(job.id()).getValue("finished_at") == null);
            jobs.forEach(job -> node.cancel(busy, job.token()));
        }
        tables.assertCountsAreConsistent();
    }

    /** The limits of a target are shared fairly between accounts. */
    @Test
    void aCheckKnowsTheAccountOfItsJob() {
        long one = tables.account();
        long two = tables.account();
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), module, manners(64, 0))) {
            node.ended(one, node.create(one, List.of("pass.one.test")).token());
            node.ended(two, node.create(two, List.of("pass.two.test")).token());

            assertThat(module.accounts())
                    .containsOnly(Map.entry("pass.one.test", one), Map.entry("pass.two.test", two));
        }
    }

    @Test
    void newAccountsShareTheReservedPermits() {
        long busy = tables.account();
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), module, manners(64, 0))) {
            JobMessage.JobSnapshot held = node.create(busy, names("hold.all", 500));
            Await.until(() -> module.started().size() >= 56);

            List<JobMessage.JobSnapshot> jobs = new ArrayList<>();
            List<Long> accounts = new ArrayList<>();
            for (int i = 0; i < 12; i++) {
                accounts.add(tables.account());
                jobs.add(node.create(accounts.get(i), names("pass.newcomer-" + i, 120)));
            }
            for (int i = 0; i < 12; i++) {
                assertThat(node.ended(accounts.get(i), jobs.get(i).token()).pass())
                        .isEqualTo(120);
            }
            node.cancel(busy, held.token());
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void idleNodesShareAJob() {
        long account = tables.account();
        ScriptedModule module = new ScriptedModule();
        try (JobNode first = new JobNode(DATABASE.url(), module, WITHOUT_POLLING);
                JobNode second = new JobNode(DATABASE.url(), module, WITHOUT_POLLING);
                JobNode third = new JobNode(DATABASE.url(), module, WITHOUT_POLLING)) {
            // all nodes are registered and receive notifications
            for (JobNode node : List.of(first, second, third)) {
                node.ended(
                        account,
                        node.create(account, List.of("pass.ready.test")).token());
            }
            JobMessage.JobSnapshot job = first.create(account, names("hold.shared", 500));
            Await.until(() -> tables.ids("select 1 from job_chunk where job_id = $1 and state = 'waiting'", job.id())
                    .isEmpty());

            assertThat(tables.ids("select count(*) from job_chunk where job_id = $1 group by owner", job.id()))
                    .as("chunks per node")
                    .hasSize(3);
            first.cancel(account, job.token());
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void releasedChunksAreClaimedWithoutPolling() {
        long account = tables.account();
        WorkStore stopping = JobTables.work(DATABASE.open());
        long owner = Await.value(tables.nodes().register(Duration.ofMinutes(1)));
        tables.job(account, 3);
        List<WorkStore.ChunkId> held =
                Await.value(stopping.claim(owner, 1, JobTables.wanted(List.of("scripted"), List.of(), false))).stream()
                        .map(WorkStore.ClaimedChunk::id)
                        .toList();
        try (JobNode node = new JobNode(DATABASE.url(), new ScriptedModule(), WITHOUT_POLLING)) {
            node.ended(account, node.create(account, List.of("pass.ready.test")).token());

            Await.value(stopping.release(owner, held));

            Await.until(() -> tables.job(held.get(0).job()).getValue("finished_at") != null);
        }
    }

    @Test
    void anIdleNodeDoesNotPollWhileItReceivesNotifications() {
        long account = tables.account();
        JobNodeSettings onlyPolling =
                new JobNodeSettings(8, 0, Duration.ofHours(1), Duration.ofHours(1), Duration.ofMillis(50));
        try (JobNode node = new JobNode(DATABASE.url(), new ScriptedModule(), onlyPolling)) {
            node.ended(account, node.create(account, List.of("pass.once.test")).token());

            Await.until(() -> tables.ids(
                            """
                    select pid::bigint from pg_stat_activity
                    where query like '%from claim_job_chunks%' and pid <> pg_backend_pid()
                      and query_start > clock_timestamp() - interval '1 second'""")
                    .isEmpty());
        }
    }

    @Test
    void linesOfOneHostDoNotBlockOtherHosts() {
        long account = tables.account();
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), module, manners(64, 2))) {
            List<JobMessage.JobSnapshot> crowd = new ArrayList<>();
            for (int i = 0; i < 80; i++) {
                crowd.add(node.create(account, List.of("hold.crowd.test"), true));
            }
            Await.until(() -> module.started().size() == 2);

            JobMessage.JobSnapshot others = node.create(account, names("pass.elsewhere", 200));
            assertThat(node.ended(account, others.token()).pass()).isEqualTo(200);
            assertThat(module.started().stream().filter("hold.crowd.test"::equals))
                    .hasSize(2);

            module.release("hold.crowd.test");
            crowd.forEach(
                    job -> assertThat(node.ended(account, job.token()).pass()).isEqualTo(1));
        }
        tables.assertCountsAreConsistent();
    }

    @Test
    void cancellingAJobThatWaitsForItsHostUnblocksOtherJobs() {
        long account = tables.account();
        ScriptedModule module = new ScriptedModule();
        try (JobNode node = new JobNode(DATABASE.url(), module, manners(64, 1))) {
            JobMessage.JobSnapshot first = node.create(account, List.of("hold.gate.test"), true);
            Await.until(() -> module.started().size() == 1);
            JobMessage.JobSnapshot cancelled = node.create(account, List.of("hold.gate.test"), true);
            JobMessage.JobSnapshot last = node.create(account, List.of("hold.gate.test"), true);
            Await.until(() -> tables.job(last.id()).getInteger("running") == 1);

            node.cancel(account, cancelled.token());
            module.release("hold.gate.test");

            assertThat(node.ended(account, first.token()).pass()).isEqualTo(1);
            assertThat(node.ended(account, last.token()).pass()).isEqualTo(1);
            assertThat(node.read(account, cancelled.token()).cancelled()).isEqualTo(1);
        }
        tables.assertCountsAreConsistent();
    }
}
