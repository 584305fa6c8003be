package dev.plumbline.job.store;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.account.Scope;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobMessage.CreateReply;
import dev.plumbline.bus.JobMessage.JobCreated;
import dev.plumbline.bus.JobMessage.JobQuotaExceeded;
import dev.plumbline.bus.JobMessage.QuotaStatus;
import dev.plumbline.bus.JobState;
import dev.plumbline.check.ModuleCatalogue;
import dev.plumbline.job.api.JobCreator;
import dev.plumbline.job.coordinate.ScriptedModule;
import dev.plumbline.job.store.JobStore.Quotas;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Creation, state transitions and retention of jobs. */
@Tag("integration")
class JobStoreTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Set<String> STEPS = Set.of(
            "queued running",
            "running completed",
            "queued cancelling",
            "running cancelling",
            "cancelling cancelled",
            "queued failed",
            "running failed");

    private static TestAccounts accounts;
    private static JobTables tables;

    /** Two nodes. */
    private static List<dev.plumbline.postgres.Database> nodes;

    @BeforeAll
    static void open() {
        accounts = new TestAccounts(DATABASE.open());
        tables = new JobTables(DATABASE.open());
        nodes = List.of(DATABASE.open(), DATABASE.open());
    }

    /** Job IDs of one day. */
    private static final long DAY = 1L << 32;

    private static JobStore store(int node, int perKey, int perAccount) {
        return new JobStore(nodes.get(node), JobTables.KEEP, new Quotas(perKey, perAccount));
    }

    private static Future<CreateReply> create(JobStore store, TestAccounts.Key key) {
        return create(store, key, null, "body");
    }

    private static Future<CreateReply> create(
            JobStore store, TestAccounts.Key key, @Nullable String name, String bodyHash) {
        return create(store, key, name, bodyHash, 1);
    }

    private static Future<CreateReply> create(
            JobStore store, TestAccounts.Key key, @Nullable String name, String bodyHash, int charge) {
        return store.create(
                new JobMessage.CreateJob(
                        JobTables.token(),
                        key.accountId(),
                        key.keyId(),
                        "test",
                        "scripted",
                        List.of("one.test"),
                        Map.of(),
                        false,
                        name == null ? null : new JobMessage.Idempotency(name, bodyHash),
                        charge,
                        null),
                null);
    }

    private static TestAccounts.Key anotherKey(TestAccounts.Key of) {
        return accounts.key(of.accountId(), Scope.values());
    }

    private static long jobs(TestAccounts.Key ofAccount) {
        return tables.number("select count(*) from job where account_id = $1", ofAccount.accountId());
    }

    private static long charges(String policy, long key) {
        return tables.number(
                "select coalesce(sum(cardinality(charges)), 0) from quota_window where policy = $1 and key = $2",
                policy,
                Long.toString(key));
    }

    /** Concurrent creations on both nodes. */
    private static List<CreateReply> createAtOnce(int perKey, int perAccount, List<TestAccounts.Key> keys) {
        List<Future<CreateReply>> underWay = new ArrayList<>();
        for (int i = 0; i < keys.size(); i++) {
            underWay.add(create(store(i % 2, perKey, perAccount), keys.get(i)));
        }
        return underWay.stream().map(TestDatabase::await).toList();
    }

    private static long created(List<CreateReply> replies) {
        return replies.stream().filter(JobCreated.class::isInstance).count();
    }

    @Test
    void concurrentCreationsOfAKeyAreLimitedToSixty() {
        TestAccounts.Key key = accounts.key();
        TestAccounts.Key other = anotherKey(key);

        List<CreateReply> replies =
                createAtOnce(60, 600, IntStream.range(0, 90).mapToObj(i -> key).toList());

        assertThat(created(replies)).isEqualTo(60);
        assertThat(jobs(key)).isEqualTo(60);
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isEqualTo(60);
        assertThat(charges(QuotaStatus.PER_ACCOUNT, key.accountId())).isEqualTo(60);
        JobQuotaExceeded refused = (JobQuotaExceeded) replies.stream()
                .filter(JobQuotaExceeded.class::isInstance)
                .findFirst()
                .orElseThrow();
        assertThat(refused.exceeded().policy()).isEqualTo(QuotaStatus.PER_KEY);
        assertThat(refused.exceeded().limit()).isEqualTo(60);
        assertThat(refused.exceeded().remaining()).isZero();
        assertThat(refused.retryAfterSeconds()).isBetween(3_500, 3_600);
        assertThat(await(create(store(0, 60, 600), other))).isInstanceOf(JobCreated.class);
    }

    @Test
    void creationsOfAllKeysOfAnAccountAreLimitedToSixHundred() {
        TestAccounts.Key first = accounts.key();
        List<TestAccounts.Key> keys = new ArrayList<>(List.of(first));
        while (keys.size() < 11) {
            keys.add(anotherKey(first));
        }

        List<CreateReply> replies = new ArrayList<>();
        for (int round = 0; round < 6; round++) {
            replies.addAll(createAtOnce(
                    60,
                    600,
                    IntStream.range(0, 110).mapToObj(i -> keys.get(i % 11)).toList()));
        }

        assertThat(created(replies)).isEqualTo(600);
        assertThat(jobs(first)).isEqualTo(600);
        assertThat(charges(QuotaStatus.PER_ACCOUNT, first.accountId())).isEqualTo(600);
        assertThat(keys.stream()
                        .mapToLong(key -> charges(QuotaStatus.PER_KEY, key.keyId()))
                        .sum())
                .as("a request over the quota of the account is not charged to the key")
                .isEqualTo(600);
        assertThat(replies)
                .filteredOn(JobQuotaExceeded.class::isInstance)
                .extracting(reply -> ((JobQuotaExceeded) reply).exceeded().policy())
                .contains(QuotaStatus.PER_ACCOUNT);
    }

    @Test
    void aDeniedCreationChangesNothingAndChargesExpire() {
        TestAccounts.Key key = accounts.key();
        JobStore store = store(0, 3, 2);
        assertThat(created(List.of(await(create(store, key)), await(create(store, key)))))
                .isEqualTo(2);

        JobQuotaExceeded denied = (JobQuotaExceeded) await(create(store, key, "named", "body"));

        assertThat(denied.exceeded().policy()).isEqualTo(QuotaStatus.PER_ACCOUNT);
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isEqualTo(2);
        assertThat(jobs(key)).isEqualTo(2);
        assertThat(tables.number("select count(*) from job_request where key_id = $1", key.keyId()))
                .isZero();

        tables.sql(
                """
        update quota_window set charges = array(select t - 3600000000 from unnest(charges) t)
        where key in ($1, $2)""",
                Long.toString(key.keyId()),
                Long.toString(key.accountId()));
        assertThat(await(create(store, key, "named", "body"))).isInstanceOf(JobCreated.class);
    }

    @Test
    void theFirstJobOfAListIsChargedForAllOrNoneIsCreated() {
        TestAccounts.Key key = accounts.key();
        JobStore store = store(0, 5, 4);
        JobCreated single = (JobCreated) await(create(store, key));

        JobQuotaExceeded denied = (JobQuotaExceeded) await(create(store, key, "list", "body", 4));

        assertThat(single.quotas()).extracting(QuotaStatus::remaining).containsExactly(4, 3);
        assertThat(denied.exceeded()).isEqualTo(new QuotaStatus(QuotaStatus.PER_ACCOUNT, 4, 3, 3_600));
        assertThat(denied.quotas()).extracting(QuotaStatus::remaining).containsExactly(4, 3);
        assertThat(denied.retryAfterSeconds()).isBetween(3_500, 3_600);
        assertThat(jobs(key)).isEqualTo(1);
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isEqualTo(1);

        JobCreated first = (JobCreated) await(create(store, key, "list 1", "body", 3));
        assertThat(first.quotas()).extracting(QuotaStatus::remaining).containsExactly(1, 0);
        JobCreated second = (JobCreated) await(create(store, key, "list 2", "body", 0));
        assertThat(second.quotas()).isEmpty();
        assertThat(((JobCreated) await(create(store, key, "list 1", "body", 3))).replayed())
                .isTrue();
        assertThat(jobs(key)).isEqualTo(3);
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isEqualTo(4);
        assertThat(charges(QuotaStatus.PER_ACCOUNT, key.accountId())).isEqualTo(4);
    }

    @Test
    void aListWithMoreJobsThanTheQuotaIsNeverCreated() {
        TestAccounts.Key key = accounts.key();

        JobQuotaExceeded denied = (JobQuotaExceeded) await(create(store(0, 3, 0), key, "list", "body", 4));

        assertThat(denied.exceeded().remaining()).isEqualTo(3);
        assertThat(jobs(key)).isZero();
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isZero();
    }

    /** Nodes of the previous version call it. */
    @Test
    void theFunctionOfThePreviousVersionChargesEachJob() {
        TestAccounts.Key key = accounts.key();

        for (int i = 0; i < 2; i++) {
            tables.row(
                    """
            select * from create_charged_job($1, $2, $3, 'old', 'scripted', '{}', false, array['\\x61'::bytea], null, null,
              null, 5, 0, 3600000000, 1)""",
                    JobTables.token(),
                    key.accountId(),
                    key.keyId());
        }

        assertThat(jobs(key)).isEqualTo(2);
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isEqualTo(2);
    }

    @Test
    void nodesOfThePreviousVersionDoNotPassASpan() {
        TestAccounts.Key key = accounts.key();

        tables.row(
                """
            select * from create_job($1, $2, $3, 'old', 'scripted', '{}', false, array['\\x61'::bytea], null, null,
              null, 5, 0, 3600000000, 1, null)""",
                JobTables.token(),
                key.accountId(),
                key.keyId());

        assertThat(tables.number(
                        "select count(*) from job where account_id = $1 and traceparent is null", key.accountId()))
                .isEqualTo(1);
    }

    @Test
    void aLimitOfZeroDisablesTheQuota() {
        TestAccounts.Key key = accounts.key();

        JobCreated free = (JobCreated) await(create(store(0, 0, 0), key));
        JobCreated ofKey = (JobCreated) await(create(store(0, 1, 0), key));
        JobQuotaExceeded denied = (JobQuotaExceeded) await(create(store(0, 1, 0), key));

        assertThat(free.quotas()).isEmpty();
        assertThat(ofKey.quotas()).extracting(JobMessage.QuotaStatus::policy).containsExactly(QuotaStatus.PER_KEY);
        assertThat(denied.exceeded().remaining()).isZero();
        assertThat(charges(QuotaStatus.PER_ACCOUNT, key.accountId())).isZero();
    }

    @Test
    void concurrentRequestsWithOneIdempotencyKeyCreateOneJob() {
        TestAccounts.Key key = accounts.key();

        List<Future<CreateReply>> underWay = new ArrayList<>();
        for (int i = 0; i < 40; i++) {
            underWay.add(create(store(i % 2, 60, 600), key, "again", "body"));
        }
        List<CreateReply> replies = underWay.stream().map(TestDatabase::await).toList();

        List<JobCreated> told = replies.stream()
                .filter(JobCreated.class::isInstance)
                .map(JobCreated.class::cast)
                .toList();
        assertThat(told).filteredOn(reply -> !reply.replayed()).hasSize(1);
        assertThat(told).extracting(JobCreated::job).containsOnly(told.get(0).job());
        assertThat(replies)
                .filteredOn(reply -> !(reply instanceof JobCreated))
                .allMatch(JobMessage.IdempotencyPending.class::isInstance);
        assertThat(jobs(key)).isEqualTo(1);
        assertThat(charges(QuotaStatus.PER_KEY, key.keyId())).isEqualTo(1);
        JobCreated later = (JobCreated) await(create(store(1, 60, 600), key, "again", "body"));
        assertThat(later.replayed()).isTrue();
        assertThat(later.job()).isEqualTo(told.get(0).job());
    }

    @Test
    void aReplayReturnsTheInitialJobAndIsNotCharged() {
        TestAccounts.Key key = accounts.key();
        JobCreated first = (JobCreated) await(create(store(0, 1, 1), key, "n", "body"));
        tables.row(
                "select terminate_job($1, 'cancelled', interval '1 day')",
                first.job().id());

        JobCreated again = (JobCreated) await(create(store(1, 1, 1), key, "n", "body"));

        assertThat(again.replayed()).isTrue();
        assertThat(again.job()).isEqualTo(first.job());
        assertThat(again.job().state()).isEqualTo(JobState.QUEUED);
    }

    @Test
    void anIdempotencyKeyIsBoundToApiKeyAndBodyForADay() {
        TestAccounts.Key key = accounts.key();
        TestAccounts.Key other = anotherKey(key);
        JobStore store = store(0, 60, 600);
        JobCreated first = (JobCreated) await(create(store, key, "n", "body"));

        assertThat(await(create(store, key, "n", "another body"))).isInstanceOf(JobMessage.IdempotencyMismatch.class);
        assertThat(((JobCreated) await(create(store, other, "n", "another body"))).replayed())
                .isFalse();
        age(key, "23 hours 59 minutes");
        assertThat(((JobCreated) await(create(store, key, "n", "body"))).replayed())
                .isTrue();

        age(key, "1 minute");
        JobCreated next = (JobCreated) await(create(store, key, "n", "another body"));
        assertThat(next.replayed()).isFalse();
        assertThat(next.job().id()).isNotEqualTo(first.job().id());
        assertThat(((JobCreated) await(create(store, key, "n", "another body"))).job())
                .isEqualTo(next.job());

        age(key, "24 hours");
        assertThat(await(JobStore.purgeIdempotencyKeys(nodes.get(0), 100))).isEqualTo(1);
    }

    private static void age(TestAccounts.Key key, String by) {
        tables.sql(
                "update job_request set created_at = created_at - $2::text::interval where key_id = $1",
                key.keyId(),
                by);
    }

    static Stream<Arguments> steps() {
        List<String> states =
                Arrays.stream(JobState.values()).map(JobStoreTest::id).toList();
        return states.stream().flatMap(from -> states.stream().map(to -> Arguments.of(from, to)));
    }

    private static String id(JobState state) {
        return state.name().toLowerCase(Locale.ROOT);
    }

    @ParameterizedTest
    @MethodSource("steps")
    void invalidStateTransitionsAreRejected(String from, String to) {
        long account = tables.account();
        long job = tables.number(
                """
            insert into job (
              token, account_id, name, module, options, fresh, state, total, pass, cancelled, pending_chunks)
            values ($1, $2, 'test', 'scripted', '{}', false, $3, 1, $4, $5, 0) returning id""",
                JobTables.token(),
                account,
                from,
                from.equals("completed") ? 1 : 0,
                from.equals("cancelled") || from.equals("failed") ? 1 : 0);
        Future<?> step = nodes.get(0)
                .query(
                        "update job set state = $2, pass = $3, cancelled = $4 where id = $1",
                        Tuple.of(
                                job,
                                to,
                                to.equals("completed") ? 1 : 0,
                                to.equals("cancelled") || to.equals("failed") ? 1 : 0));

        if (from.equals(to) || STEPS.contains(from + " " + to)) {
            await(step);
            assertThat(tables.job(job).getString("state")).isEqualTo(to);
        } else {
            assertThatThrownBy(() -> await(step))
                    .hasMessageContaining("invalid job state transition from " + from + " to " + to);
            assertThat(tables.job(job).getString("state")).isEqualTo(from);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "update job set state = 'running', running = 4 where id = $1",
                "update job set pass = 2, fail = 2 where id = $1",
                "update job set running = -1 where id = $1",
                "update job set pending_chunks = -1 where id = $1",
                "update job set total = 501 where id = $1",
                "update job set total = 0 where id = $1",
                "update job set state = 'paused' where id = $1",
                "update job_chunk set state = 'claimed' where job_id = $1",
                "update job_chunk set state = 'claimed', owner = 123456789 where job_id = $1",
                "insert into job_result values ($1, 0, 1, 'pass', null, null)",
                "insert into job_result values ($1, 0, 1, 'pass', 1, 'x')",
                "insert into job_result values ($1, 0, 1, 'good', null, 'x')",
            })
    void theDatabaseRejectsInvalidRows(String statement) {
        long job = tables.job(tables.account(), 3);

        assertThatThrownBy(() -> tables.sql(statement, job)).isInstanceOf(PgException.class);
    }

    @Test
    void expiredJobsAreHiddenAtOnceAndDeletedInBatches() {
        long account = tables.account();
        long old = finished(account, 300);
        long young = finished(account, 20);
        tables.sql("update job set expires_at = clock_timestamp() where id = $1", old);
        JobStateStore heads = new JobStateStore(DATABASE.vertx(), nodes.get(0));

        assertThat(await(heads.find(tables.job(old).getString("token"))).expired())
                .isTrue();
        assertThat(await(heads.find(tables.job(young).getString("token"))).expired())
                .isFalse();
        JobMessage.ListJobs all = new JobMessage.ListJobs(account, 10, null);
        assertThat(((JobMessage.JobList) await(heads.list(all))).jobs())
                .extracting(JobMessage.JobSnapshot::id)
                .containsExactly(young);

        List<Long> left = new ArrayList<>();
        while (tables.number("select purge_jobs(100, interval '0')") == 100) {
            left.add(tables.number("select count(*) from job_result where job_id = $1", old));
        }
        assertThat(left).containsExactly(200L, 100L, 0L);
        assertThat(tables.job(old).getValue("purged_at")).isNotNull();
        assertThat(tables.number("select count(*) from job_input where job_id = $1", old))
                .isZero();
        assertThat(tables.number("select count(*) from job_chunk where job_id = $1", old))
                .isZero();
        assertThat(await(heads.find(tables.job(old).getString("token"))).expired())
                .isTrue();
        assertThat(tables.number("select count(*) from job_result where job_id = $1", young))
                .isEqualTo(20);

        tables.sql("update job set purged_at = purged_at - interval '1 year' where id = $1", old);
        assertThat(tables.number("select purge_jobs(100, interval '0')")).isEqualTo(1);
        assertThat(tables.ids("select id from job where account_id = $1", account))
                .containsExactly(young);
    }

    @Test
    void largeResultsArePurgedInSmallerSlices() {
        long account = tables.account();
        long job = finished(account, 40);
        tables.sql("alter table job_result alter column body set storage external");
        tables.sql("update job_result set body = convert_to(repeat('x', 65536), 'UTF8') where job_id = $1", job);
        tables.sql("update job set expires_at = clock_timestamp() where id = $1", job);

        assertThat(tables.number("select purge_jobs(100, interval '0')")).isEqualTo(100);
        // 9 per row: one, and eight times 8 KiB
        assertThat(tables.number("select count(*) from job_result where job_id = $1", job))
                .isEqualTo(28);
        while (tables.number("select purge_jobs(1, interval '0')") > 0) {}
        assertThat(tables.job(job).getValue("purged_at")).isNotNull();
    }

    @Test
    void resultsAreDroppedWithTheirPartitionWhenAllJobsOfItHaveExpired() {
        JobStore store = store(0, 0, 0);
        while (await(store.maintainPartitions(nodes.get(0), 1)) > 0) {}
        long account = tables.account();
        long today = finished(account, 2);
        long oldDay = today / DAY - 40;
        tables.sql("create table job_result_" + oldDay + " (like job_result including all)");
        tables.sql("alter table job_result attach partition job_result_%d for values from (%d) to (%d)"
                .formatted(oldDay, oldDay * DAY, (oldDay + 1) * DAY));
        tables.sql("insert into job_result_partition values ($1, $2)", (int) oldDay, (int) oldDay + 1);
        long first = movedTo(oldDay, finished(account, 3));
        long second = movedTo(oldDay, finished(account, 4));
        tables.sql("update job set expires_at = clock_timestamp() where id = $1", first);

        assertThat(await(store.maintainPartitions(nodes.get(0), 1))).isZero();
        assertThat(results(first) + results(second)).isEqualTo(7);

        tables.sql("update job set expires_at = clock_timestamp() where id = $1", second);
        assertThat(await(store.maintainPartitions(nodes.get(0), 1))).isEqualTo(1);
        assertThat(await(store.maintainPartitions(nodes.get(0), 1))).isZero();
        assertThat(results(first) + results(second)).isZero();
        assertThat(results(today)).isEqualTo(2);
        assertThat(tables.texts("select to_regclass('job_result_" + oldDay + "')::text"))
                .containsExactly((String) null);

        tables.sql("update job set expires_at = clock_timestamp() - interval '3 days' where account_id = $1", account);
        while (await(store.purgeExpired(nodes.get(0), 100)) > 0) {}
        assertThat(tables.ids("select id from job where account_id = $1 and purged_at is null", account))
                .isEmpty();
    }

    @Test
    void jobsAreCreatedWhilePartitionsCannotBeCreated() {
        long account = tables.account();
        int lastDay = (int) tables.number("select max(end_day)::bigint - 3 from job_result_partition");
        try {
            tables.sql("create table withheld as select * from job_result_partition where first_day >= $1", lastDay);
            tables.sql("delete from job_result_partition where first_day >= $1", lastDay);

            assertThat(results(finished(account, 5))).isEqualTo(5);
        } finally {
            tables.sql("insert into job_result_partition select * from withheld");
            tables.sql("drop table withheld");
        }
    }

    /** Changes the ID of a finished job, as if it had been created on that day. */
    private static long movedTo(long day, long job) {
        long moved = day * DAY + job % DAY;
        tables.sql("delete from job_chunk where job_id = $1", job);
        tables.sql("update job set id = $2 where id = $1", job, moved);
        tables.sql("update job_input set job_id = $2 where job_id = $1", job, moved);
        tables.sql("update job_result set job_id = $2 where job_id = $1", job, moved);
        return moved;
    }

    private static long results(long job) {
        return tables.number("select count(*) from job_result where job_id = $1", job);
    }

    private static long finished(long account, int lines) {
        long job = tables.job(account, lines);
        WorkStore work = JobTables.work(nodes.get(0));
        long owner = await(tables.nodes().register(java.time.Duration.ofMinutes(10)));
        WorkStore.ClaimFilter wanted = JobTables.wanted(JobTables.MODULES, othersThan(account), false);
        List<WorkStore.ClaimedChunk> chunks = await(work.claim(owner, 20, wanted));
        // a node claims a share of the waiting chunks if other nodes are registered
        while (!chunks.isEmpty()) {
            for (WorkStore.ClaimedChunk claimed : chunks) {
                assertThat(await(
                                work.writeResults(owner, JobTables.lines(claimed, "pass", "{}"), Set.of(claimed.id()))))
                        .isEmpty();
            }
            chunks = await(work.claim(owner, 20, wanted));
        }
        await(tables.nodes().deregister(owner));
        assertThat(tables.job(job).getString("state")).isEqualTo("completed");
        return job;
    }

    private static List<Long> othersThan(long account) {
        return tables.ids("select id from account where id <> $1", account);
    }

    @Test
    void jobsOfADeletedAccountAreCancelledAndExpire() {
        long leaving = tables.account();
        long staying = tables.account();
        long done = finished(leaving, 3);
        long queued = tables.job(leaving, 3);
        long other = tables.job(staying, 3);
        tables.sql("update account set deleted_at = clock_timestamp() where id = $1", leaving);

        assertThat(tables.number("select cancel_jobs_of_deleted_accounts(1)")).isEqualTo(1);
        assertThat(tables.number("select cancel_jobs_of_deleted_accounts(10)")).isEqualTo(1);
        assertThat(tables.number("select cancel_jobs_of_deleted_accounts(10)")).isZero();

        assertThat(tables.job(done).getString("state")).isEqualTo("completed");
        assertThat(tables.job(queued).getString("state")).isEqualTo("cancelled");
        assertThat(tables.job(other).getString("state")).isEqualTo("queued");
        while (await(store(0, 0, 0).purgeExpired(nodes.get(0), 100)) > 0) {}
        assertThat(tables.number("select count(*) from job_result where job_id = $1", done))
                .isZero();
        assertThat(tables.number("select count(*) from job_chunk where job_id = $1", other))
                .isEqualTo(1);
    }

    @Test
    void onlyTheOwnerCanCancelAJob() {
        TestAccounts.Key key = accounts.key();
        JobMessage.JobSnapshot job = ((JobCreated) await(create(store(0, 0, 0), key))).job();

        await(store(0, 0, 0).cancel(new JobMessage.CancelJob(tables.account(), job.token())));
        assertThat(tables.job(job.id()).getString("state")).isEqualTo("queued");
        await(store(0, 0, 0).cancel(new JobMessage.CancelJob(key.accountId(), job.token())));
        assertThat(tables.job(job.id()).getString("state")).isEqualTo("cancelled");
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void everyLineIsCheckedOrADuplicateOfACheckedLine(long seed) {
        Random random = new Random(seed);
        int names = 1 + random.nextInt(random.nextBoolean() ? 8 : 600);
        List<String> items = new ArrayList<>();
        // large inputs are parsed on a worker thread
        items.add("no target " + "x".repeat(seed % 3 == 0 ? 70_000 : 7));
        random.ints(random.nextInt(500), 0, names).forEach(n -> items.add(spelled(n, random)));
        int lines = items.size();
        TestAccounts.Key key = accounts.key();
        JobCreator intake = new JobCreator(
                DATABASE.vertx(), new ModuleCatalogue(List.of(new ScriptedModule())), store(0, 0, 0), () -> {});
        JobCreated reply = (JobCreated) await(intake.create(new JobMessage.CreateJob(
                JobTables.token(),
                key.accountId(),
                key.keyId(),
                "test",
                ScriptedModule.NAME,
                items,
                Map.of(),
                false,
                null,
                1,
                null)));

        Map<String, Integer> firstIndexes = new HashMap<>();
        Set<Integer> checks = new TreeSet<>();
        Set<Integer> all = new TreeSet<>();
        IntStream.range(0, lines).forEach(i -> firstIndexes.putIfAbsent(normal(items.get(i)), i));
        int chunks = 0;
        for (Row chunk : await(nodes.get(0)
                .query(
                        "select * from job_chunk where job_id = $1 order by number",
                        Tuple.of(reply.job().id())))) {
            List<Integer> checked = Arrays.asList(chunk.getArrayOfIntegers("checks"));
            Integer[] copies = chunk.getArrayOfIntegers("duplicates");
            Integer[] copyOf = chunk.getArrayOfIntegers("duplicate_of");
            assertThat(chunk.getInteger("number")).isEqualTo(chunks++);
            assertThat(checked).hasSizeBetween(1, 50);
            assertThat(checks.addAll(checked) && all.addAll(checked)).isTrue();
            for (int i = 0; i < copies.length; i++) {
                assertThat(all.add(copies[i]))
                        .as("line %s comes once", copies[i])
                        .isTrue();
                assertThat(checked).contains(copyOf[i]);
                assertThat(firstIndexes.get(normal(items.get(copies[i])))).isEqualTo(copyOf[i]);
            }
        }
        assertThat(checks).isEqualTo(new TreeSet<>(firstIndexes.values()));
        assertThat(all).hasSize(lines).allMatch(index -> index >= 0 && index < lines);
        assertThat(tables.job(reply.job().id()).getInteger("pending_chunks")).isEqualTo(chunks);
    }

    private static String spelled(int name, Random random) {
        String text = name % 10 == 9 ? "no target " + name : "name-" + name + ".test";
        return name % 10 == 9 || random.nextBoolean() ? text : text.toUpperCase(Locale.ROOT) + ".";
    }

    private static String normal(String item) {
        return item.startsWith("no target")
                ? item
                : item.toLowerCase(Locale.ROOT).replaceAll("\\.$", "");
    }
}
