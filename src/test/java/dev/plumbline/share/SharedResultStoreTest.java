package dev.plumbline.share;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.account.AccountAdministration;
import dev.plumbline.account.AccountEmail;
import dev.plumbline.account.PasswordHasher;
import dev.plumbline.account.Plan;
import dev.plumbline.account.TestAccounts;
import dev.plumbline.bus.JobMessage.JobSnapshot;
import dev.plumbline.bus.JobMessage.ResultLine;
import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobStore;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.postgres.Database;
import dev.plumbline.postgres.DiskSpaceMonitor;
import dev.plumbline.share.SharedResult.SharedCheck;
import dev.plumbline.share.SharedResultStore.Created;
import dev.plumbline.share.SharedResultStore.Creation;
import dev.plumbline.share.SharedResultStore.Limits;
import dev.plumbline.share.SharedResultStore.Position;
import dev.plumbline.share.SharedResultStore.Rejection;
import dev.plumbline.support.Await;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.buffer.Buffer;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Copies, limits, deletion and expiry of shared results, with two nodes. */
@Tag("integration")
class SharedResultStoreTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Duration RETENTION = Duration.ofDays(90);
    private static final Limits LIMITS = new Limits(RETENTION, 1_000, 1L << 30);
    private static final int MAX_RESULT_BYTES = 64 << 10;
    private static final SharedCheck CHECK =
            new SharedCheck("http-status", "https://example.com/", Map.of("method", "get"));
    private static final Buffer BODY = Buffer.buffer("{\"module\":\"http-status\"}");
    private static final String TOKEN = "a delete token";

    private static Database database;
    private static Database maintenance;
    private static TestAccounts accounts;
    private static JobTables jobs;
    private static JobStateStore states;

    @BeforeAll
    static void open() {
        database = DATABASE.open();
        maintenance = new Database(
                DATABASE.vertx(),
                DATABASE.url(),
                new Database.PoolSettings("maintenance", 4, Duration.ofSeconds(60)),
                new DiskSpaceMonitor(DATABASE.vertx()));
        accounts = new TestAccounts(database);
        jobs = new JobTables(database);
        states = new JobStateStore(DATABASE.vertx(), database);
    }

    private static SharedResultStore store(Limits limits) {
        return new SharedResultStore(DATABASE.vertx(), DATABASE.open(), maintenance, limits);
    }

    @AfterAll
    static void close() {
        await(maintenance.close());
    }

    /** The total is the sum of the sizes of all results. */
    @AfterEach
    void totalIsConsistent() {
        assertThat(total()).isEqualTo(number("select coalesce(sum(bytes), 0)::bigint from shared_result"));
    }

    private static long total() {
        return number("select bytes from shared_result_total");
    }

    private static long number(String sql, Object... arguments) {
        return await(database.query(sql, Tuple.from(arguments)))
                .iterator()
                .next()
                .getLong(0);
    }

    /**
     * Creates a job with these results.
     *
     * @param state completed or cancelled
     * @param bodies null for a line without a result
     * @param duplicates the index of the line with the same target for lines without an own body
     */
    private static JobSnapshot job(
            long account, String state, List<? extends @Nullable String> bodies, Map<Integer, Integer> duplicates) {
        long id = jobs.job(account, bodies.size());
        int done = 0;
        for (int i = 0; i < bodies.size(); i++) {
            String body = bodies.get(i);
            if (body != null) {
                done++;
                Integer original = duplicates.get(i);
                accounts.sql(
                        "insert into job_result (job_id, index, version, verdict, duplicate_of, body)"
                                + " values ($1, $2, 2, 'pass', $3, $4)",
                        id,
                        i,
                        original,
                        original == null ? Buffer.buffer(body) : null);
            }
        }
        accounts.sql("update job set state = 'running' where id = $1", id);
        if (state.equals("cancelled")) {
            accounts.sql("update job set state = 'cancelling' where id = $1", id);
        }
        accounts.sql(
                "update job set state = $2, version = 2, pass = $3, cancelled = total - $3,"
                        + " finished_at = clock_timestamp(), expires_at = clock_timestamp() + interval '1 day'"
                        + " where id = $1",
                id,
                state,
                done);
        return snapshot(id);
    }

    private static JobSnapshot snapshot(long id) {
        String token = jobs.text("select token from job where id = $1", id);
        return await(states.find(token)).head();
    }

    private static JobSnapshot job(long account, List<String> bodies) {
        return job(account, "completed", bodies, Map.of());
    }

    private static SharedResult created(Creation creation) {
        assertThat(creation).isInstanceOf(Created.class);
        return ((Created) creation).result();
    }

    private static List<ResultLine> lines(SharedResultStore store, SharedResult result, int total) {
        List<ResultLine> lines = new ArrayList<>();
        while (lines.size() < total) {
            List<ResultLine> page = await(store.lines(
                    result.id(), IntStream.range(lines.size(), total).boxed().toList()));
            assertThat(page).isNotEmpty();
            lines.addAll(page);
        }
        return lines;
    }

    private static @Nullable String text(byte @Nullable [] result) {
        return result == null ? null : new String(result, StandardCharsets.UTF_8);
    }

    private static Creation share(SharedResultStore store) {
        return await(store.share(CHECK, BODY, TOKEN));
    }

    @Test
    void idCannotBeGuessed() {
        SharedResultStore store = store(LIMITS);
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 50; i++) {
            ids.add(created(share(store)).id());
        }

        assertThat(ids).hasSize(50).allMatch(id -> id.matches("[0-9A-Za-z]{22}"));
        for (int position = 0; position < 22; position++) {
            int at = position;
            assertThat(ids.stream().map(id -> id.charAt(at)).distinct().count())
                    .as("different characters at %s", at)
                    .isGreaterThan(10);
        }
    }

    @Test
    void checkIsReadFromOtherNodes() {
        SharedResult shared = created(share(store(LIMITS)));
        SharedResultStore other = store(LIMITS);

        SharedResult found = await(other.find(shared.id()));

        assertThat(found.check()).isEqualTo(CHECK);
        assertThat(found.kind()).isEqualTo("check");
        assertThat(Duration.between(found.createdAt(), found.expiresAt()))
                .isBetween(RETENTION.minusSeconds(1), RETENTION.plusSeconds(1));
        assertThat(found.bytes()).isGreaterThan(BODY.length());
        assertThat(text(lines(other, found, 1).get(0).result())).isEqualTo(BODY.toString());
    }

    @Test
    void tokenIsStoredAsHash() {
        SharedResult shared = created(share(store(LIMITS)));

        Row row = accounts.row("select delete_token_hash from shared_result where id = $1", shared.id());

        assertThat(row.getBuffer(0).length()).isEqualTo(32);
        assertThat(row.getBuffer(0).toString(StandardCharsets.ISO_8859_1)).doesNotContain(TOKEN);
    }

    @Test
    void jobIsCopiedWithDuplicatesAndCancelledLines() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        JobSnapshot job =
                job(account, "cancelled", Arrays.asList("{\"a\":1}", "{\"a\":1}", null, "{\"b\":2}"), Map.of(1, 0));

        SharedResult shared = created(await(store.share(account, job)));

        SharedResult found = await(store.find(shared.id()));
        assertThat(found.kind()).isEqualTo("job");
        assertThat(found.job())
                .usingRecursiveComparison()
                .ignoringFields("id", "token", "version", "expiresAt")
                .isEqualTo(job);
        assertThat(found.job().token()).isEqualTo(found.id());
        List<ResultLine> lines = lines(store, found, 4);
        assertThat(lines).extracting(ResultLine::index).containsExactly(0, 1, 2, 3);
        assertThat(lines)
                .extracting(ResultLine::input)
                .containsExactly("line-0.test", "line-1.test", "line-2.test", "line-3.test");
        assertThat(lines)
                .extracting(line -> text(line.result()))
                .containsExactly("{\"a\":1}", "{\"a\":1}", null, "{\"b\":2}");
    }

    @Test
    void largestJobIsCopiedAndReadInPages() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        // not compressible
        byte[] random = new byte[MAX_RESULT_BYTES / 2];
        new Random(1).nextBytes(random);
        StringBuilder hex = new StringBuilder();
        for (byte b : random) {
            hex.append(String.format("%02x", b));
        }
        List<String> bodies =
                IntStream.range(0, 500).mapToObj(i -> hex.substring(i)).toList();
        JobSnapshot job = job(account, bodies);
        long before = total();

        SharedResult shared = created(Await.value(store.share(account, job)));

        long pages = number("select count(*) from shared_result_page where result_id = $1", shared.id());
        // 128 to 192 KiB each
        assertThat(pages).isBetween(160L, 260L);
        assertThat(total() - before).isBetween(4L << 20, 33L << 20);
        List<ResultLine> lines = lines(store, shared, 500);
        assertThat(lines).extracting(line -> text(line.result())).isEqualTo(bodies);
    }

    @Test
    void similarLinesAreCompressedTogether() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        List<String> bodies = IntStream.range(0, 300)
                .mapToObj(i -> "{\"fields\":{\"status\":200,\"final_url\":\"https://example.com/" + i
                        + "\",\"redirects\":[],\"server\":\"nginx\"},\"findings\":[],\"error\":null}")
                .toList();
        long plain = bodies.stream().mapToLong(String::length).sum();

        SharedResult shared = created(await(store.share(account, job(account, bodies))));

        assertThat(await(store.find(shared.id())).bytes()).isLessThan(plain / 2);
    }

    @Test
    void copyOutlivesTheJob() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        JobSnapshot job = job(account, List.of("{\"a\":1}"));
        SharedResult shared = created(await(store.share(account, job)));

        accounts.sql("update job set expires_at = clock_timestamp() - interval '3 days' where id = $1", job.id());
        JobStore retention = new JobStore(database, Duration.ofHours(1), new JobStore.Quotas(0, 0));
        await(retention.purgeExpired(database, 1_000));
        assertThat(number("select count(*) from job_result where job_id = $1", job.id()))
                .isZero();

        assertThat(text(lines(store, shared, 1).get(0).result())).isEqualTo("{\"a\":1}");
        assertThat(await(store.share(account, job))).isEqualTo(Rejection.EXPIRED);
    }

    /** A result that was deleted while the job is copied must not become a cancelled line. */
    @Test
    void incompleteCopyIsNotShared() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        JobSnapshot job = job(account, List.of("{\"a\":1}", "{\"b\":2}"));
        accounts.sql("delete from job_result where job_id = $1 and index = 1", job.id());

        assertThat(await(store.share(account, job))).isEqualTo(Rejection.EXPIRED);
        assertThat(await(store.list(account, Position.START, 10))).isEmpty();
    }

    @Test
    void limitOfAccountHoldsForConcurrentRequests() {
        Limits limits = new Limits(RETENTION, 3, 1L << 30);
        List<SharedResultStore> nodes = List.of(store(limits), store(limits));
        long account = accounts.account(Plan.PRO);
        JobSnapshot job = job(account, List.of("{\"a\":1}"));

        List<Future<Creation>> requests = IntStream.range(0, 12)
                .mapToObj(i -> nodes.get(i % 2).share(account, job))
                .toList();
        await(Future.join(requests));

        assertThat(requests).filteredOn(r -> r.result() instanceof Created).hasSize(3);
        assertThat(requests)
                .filteredOn(r -> r.result() == Rejection.ACCOUNT_LIMIT)
                .hasSize(9);
        // an expired or deleted result does not count
        List<SharedResult> existing = await(nodes.get(0).list(account, Position.START, 10));
        await(nodes.get(0).deleteOfAccount(existing.get(0).id(), account));
        assertThat(await(nodes.get(1).share(account, job))).isInstanceOf(Created.class);
        assertThat(await(nodes.get(1).share(account, job))).isEqualTo(Rejection.ACCOUNT_LIMIT);
        accounts.sql(
                "update shared_result set expires_at = clock_timestamp() where id = $1",
                existing.get(1).id());
        assertThat(await(nodes.get(1).share(account, job))).isInstanceOf(Created.class);
    }

    @Test
    void totalLimitHoldsForConcurrentRequests() {
        long size =
                await(store(LIMITS).find(created(share(store(LIMITS))).id())).bytes();
        Limits limits = new Limits(RETENTION, 1_000, total() + 5 * size + size / 2);
        List<SharedResultStore> nodes = List.of(store(limits), store(limits));

        List<Future<Creation>> requests = IntStream.range(0, 20)
                .mapToObj(i -> nodes.get(i % 2).share(CHECK, BODY, TOKEN))
                .toList();
        await(Future.join(requests));

        assertThat(requests).filteredOn(r -> r.result() instanceof Created).hasSize(5);
        assertThat(requests)
                .filteredOn(r -> r.result() == Rejection.TOTAL_LIMIT)
                .hasSize(15);
        assertThat(total()).isLessThanOrEqualTo(limits.maxBytes());
        assertThat(number("select count(*) from shared_result_page p where not exists ("
                        + "select from shared_result r where r.id = p.result_id)"))
                .isZero();
    }

    @Test
    void deletedResultDoesNotCountAndIsGoneOnAllNodes() {
        SharedResultStore store = store(LIMITS);
        long before = total();
        SharedResult shared = created(share(store));

        assertThat(await(store.deleteWithToken(shared.id(), "another token"))).isFalse();
        assertThat(await(store.find(shared.id()))).isNotNull();
        assertThat(await(store.deleteWithToken(shared.id(), TOKEN))).isTrue();

        SharedResultStore other = store(LIMITS);
        assertThat(await(other.find(shared.id()))).isNull();
        assertThat(await(other.lines(shared.id(), List.of(0)))).isEmpty();
        assertThat(await(other.deleteWithToken(shared.id(), TOKEN))).isFalse();
        assertThat(total()).isEqualTo(before);
    }

    @Test
    void accountDeletesOnlyItsResults() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        long other = accounts.account(Plan.PRO);
        SharedResult shared = created(await(store.share(account, job(account, List.of("{\"a\":1}")))));
        SharedResult check = created(share(store));

        assertThat(await(store.deleteOfAccount(shared.id(), other))).isFalse();
        assertThat(await(store.deleteOfAccount(check.id(), account))).isFalse();
        assertThat(await(store.list(other, Position.START, 10))).isEmpty();
        assertThat(await(store.list(account, Position.START, 10)))
                .extracting(SharedResult::id)
                .containsExactly(shared.id());
        assertThat(await(store.deleteOfAccount(shared.id(), account))).isTrue();
        assertThat(await(store.list(account, Position.START, 10))).isEmpty();
    }

    @Test
    void listIsNewestFirstAndPaginated() {
        SharedResultStore store = store(LIMITS);
        long account = accounts.account(Plan.PRO);
        JobSnapshot job = job(account, List.of("{\"a\":1}"));
        List<String> ids = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ids.add(0, created(await(store.share(account, job))).id());
        }

        List<String> seen = new ArrayList<>();
        Position position = Position.START;
        List<SharedResult> page = await(store.list(account, position, 2));
        while (!page.isEmpty()) {
            page.forEach(result -> seen.add(result.id()));
            position = Position.after(page.get(page.size() - 1));
            page = await(store.list(account, position, 2));
        }

        assertThat(seen).isEqualTo(ids);
        assertThat(await(SharedResultStore.listAll(database, Position.START, 5)))
                .extracting(owned -> owned.result().id())
                .isEqualTo(ids);
    }

    @Test
    void expiredResultsAreHiddenAndThenDeleted() {
        SharedResultStore store = store(new Limits(Duration.ofMillis(1), 1_000, 1L << 30));
        long account = accounts.account(Plan.PRO);
        long before = total();
        SharedResult check = created(share(store));
        SharedResult job = created(await(store.share(account, job(account, List.of("{\"a\":1}")))));
        Await.until(() -> number(
                        "select count(*) from shared_result where id in ($1, $2) and expires_at <= clock_timestamp()",
                        check.id(),
                        job.id())
                == 2);

        assertThat(await(store.find(check.id()))).isNull();
        assertThat(await(store.list(account, Position.START, 10))).isEmpty();
        assertThat(await(store.deleteWithToken(check.id(), TOKEN))).isFalse();

        assertThat(await(SharedResultStore.purgeExpired(database, 1_000))).isPositive();
        assertThat(number("select count(*) from shared_result where id in ($1, $2)", check.id(), job.id()))
                .isZero();
        assertThat(total()).isLessThanOrEqualTo(before);
        assertThat(await(SharedResultStore.purgeExpired(database, 1_000))).isZero();
    }

    /** A slice deletes at least one result, also if that is larger than the slice. */
    @Test
    void purgeIsLimitedBySize() {
        SharedResultStore store = store(LIMITS);
        await(SharedResultStore.purgeExpired(database, 1_000));
        List<String> ids =
                IntStream.range(0, 3).mapToObj(i -> created(share(store)).id()).toList();
        for (String id : ids) {
            accounts.sql("update shared_result set expires_at = clock_timestamp() where id = $1", id);
        }

        assertThat(await(SharedResultStore.purgeExpired(database, 2))).isEqualTo(2);
        assertThat(await(SharedResultStore.purgeExpired(database, 2))).isEqualTo(1);
    }

    @Test
    void deletedAccountDoesNotShareResults() {
        SharedResultStore store = store(LIMITS);
        AccountAdministration administration =
                new AccountAdministration(database, new PasswordHasher(DATABASE.vertx()));
        AccountEmail email = AccountEmail.parse(UUID.randomUUID() + "@plumbline.example");
        await(administration.create(email, Plan.PRO, "a long enough password"));
        long account = await(administration.find(email)).id();
        SharedResult shared = created(await(store.share(account, job(account, List.of("{\"a\":1}")))));

        await(administration.delete(email));

        assertThat(await(store.find(shared.id()))).isNull();
    }
}
