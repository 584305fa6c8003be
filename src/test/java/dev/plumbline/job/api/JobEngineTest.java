package dev.plumbline.job.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.JobMessage;
import dev.plumbline.bus.JobState;
import dev.plumbline.job.coordinate.ScriptedModule;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.json.JsonObject;
import io.vertx.sqlclient.Tuple;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs from creation to the last result, on one and two nodes. */
@Tag("integration")
class JobEngineTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final JobNodeSettings SETTINGS =
            new JobNodeSettings(64, 0, Duration.ofMillis(800), Duration.ofMillis(200), Duration.ofMillis(50));

    private final ScriptedModule module = new ScriptedModule();

    private JobNode node() {
        return new JobNode(DATABASE.url(), module, SETTINGS);
    }

    private static long account() {
        return TestDatabase.await(DATABASE.open()
                        .query("insert into account (email, plan) values ('a@example.test', 'pro') returning id"))
                .iterator()
                .next()
                .getLong(0);
    }

    private static List<JsonObject> bodies(List<JobMessage.ResultLine> lines) {
        return lines.stream()
                .map(line -> new JsonObject(new String(line.result(), StandardCharsets.UTF_8)))
                .toList();
    }

    private static List<String> names(String kind, int from, int to) {
        return IntStream.range(from, to).mapToObj(i -> kind + "." + i + ".test").toList();
    }

    @Test
    void everyLineHasAResultInOrderAndCountsAreConsistent() {
        long account = account();
        List<String> items = new ArrayList<>(names("pass", 0, 200));
        items.addAll(names("warn", 0, 40));
        items.addAll(names("fail", 0, 30));
        items.addAll(List.of("no \u0000target", "", "denied.test", "throw.me.test", "busy.me.test"));
        Collections.shuffle(items, new java.util.Random(7));
        try (JobNode node = node()) {
            JobMessage.JobSnapshot created = node.create(account, items);
            assertThat(created.state()).isEqualTo(JobState.QUEUED);

            JobMessage.JobSnapshot job = node.ended(account, created.token());

            assertThat(job.state()).isEqualTo(JobState.COMPLETED);
            assertThat(job.pass()).isEqualTo(201);
            assertThat(job.warn()).isEqualTo(40);
            assertThat(job.fail()).isEqualTo(30);
            assertThat(job.error()).isEqualTo(4);
            assertThat(job.pending() + job.running() + job.cancelled()).isZero();
            List<JobMessage.ResultLine> lines = node.results(job);
            assertThat(lines).extracting(JobMessage.ResultLine::input).isEqualTo(items);
            List<JsonObject> bodies = bodies(lines);
            for (int i = 0; i < items.size(); i++) {
                assertThat(lines.get(i).index()).isEqualTo(i);
                String input = items.get(i);
                assertThat(bodies.get(i).getString("target"))
                        .isEqualTo(input.isEmpty() || input.contains(" ") ? null : input);
            }
        }
    }

    @Test
    void aRejectedRegistrationIsLoggedAndRepeated() {
        long account = account();
        Database database = DATABASE.open();
        Await.value(database.query("alter table node add constraint no_nodes check (false) not valid"));
        try (CapturedLog log = new CapturedLog();
                JobNode node = node()) {
            JobMessage.JobSnapshot created = node.create(account, names("pass", 5_000, 5_001));
            try {
                Await.until(() -> log.text().contains("no_nodes"));
            } finally {
                Await.value(database.query("alter table node drop constraint no_nodes"));
            }
            assertThat(node.ended(account, created.token()).pass()).isOne();
        }
    }

    @Test
    void duplicateTargetsShareOneCheck() {
        long account = account();
        List<String> items = new ArrayList<>(Collections.nCopies(200, "warn.same.test"));
        items.addAll(names("pass", 1000, 1100));
        items.addAll(Collections.nCopies(100, "WARN.same.TEST."));
        try (JobNode node = node()) {
            JobMessage.JobSnapshot job =
                    node.ended(account, node.create(account, items).token());

            assertThat(job.warn()).isEqualTo(300);
            assertThat(job.pass()).isEqualTo(100);
            assertThat(module.started()).containsOnlyOnce("warn.same.test");
            assertThat(bodies(node.results(job)))
                    .extracting(body -> body.getString("verdict"))
                    .startsWith("warn")
                    .endsWith("warn")
                    .hasSize(400);
        }
    }

    @Test
    void cachedResultsAreUsedUnlessTheJobIsFresh() {
        long account = account();
        try (JobNode node = node()) {
            node.ended(account, node.create(account, List.of("known.test")).token());
            JobMessage.JobSnapshot again = node.ended(
                    account, node.create(account, List.of("known.test")).token());

            assertThat(bodies(node.results(again)).get(0).getBoolean("cached")).isTrue();
            assertThat(module.started()).containsOnlyOnce("known.test");
        }
    }

    @Test
    void aLineWhoseResultTheDatabaseRejectsIsCheckedOnce() {
        long account = account();
        Database database = DATABASE.open();
        TestDatabase.await(
                database.query(
                        """
                alter table job_result add constraint test check (
                  verdict <> 'warn' or convert_from(body, 'UTF8') not like '%unstorable%') not valid"""));
        List<String> items = new ArrayList<>(names("pass", 3000, 3049));
        items.add("warn.unstorable.test");
        try (JobNode node = node()) {
            JobMessage.JobSnapshot job =
                    node.ended(account, node.create(account, items).token());

            assertThat(job.pass()).isEqualTo(49);
            assertThat(job.error()).isEqualTo(1);
            JsonObject line = bodies(node.results(job)).get(49);
            assertThat(line.getString("target")).isEqualTo("warn.unstorable.test");
            assertThat(line.getJsonObject("error").getString("code")).isEqualTo("internal");
            assertThat(module.started()).doesNotHaveDuplicates();
        }
        TestDatabase.await(database.query("alter table job_result drop constraint test"));
    }

    @Test
    void aCancelledJobKeepsExistingResults() {
        long account = account();
        try (JobNode node = node()) {
            JobMessage.JobSnapshot created =
                    node.create(account, List.of("pass.kept.test", "hold.on.test", "hold.off.test"));
            Await.until(() -> node.read(account, created.token()).done() >= 1);
            assertThat(node.read(account, created.token()).runningRanges()).isEqualTo(List.of(0, 3));

            JobMessage.JobSnapshot cancelled = node.cancel(account, created.token());

            assertThat(cancelled.state()).isEqualTo(JobState.CANCELLED);
            assertThat(cancelled.pass()).isEqualTo(1);
            assertThat(cancelled.cancelled()).isEqualTo(2);
            assertThat(node.cancel(account, created.token())).isEqualTo(cancelled);
            module.release("hold.on.test");
            module.release("hold.off.test");
            assertThat(node.read(account, created.token())).isEqualTo(cancelled);
        }
    }

    @Test
    void theLinesOfACancelledJobAreDroppedAtOnce() {
        long account = account();
        JobNodeSettings withoutRenewal =
                new JobNodeSettings(1, 0, Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofMillis(50));
        List<String> items = new ArrayList<>(List.of("hold.first.test"));
        items.addAll(names("pass", 6000, 6020));
        try (JobNode node = new JobNode(DATABASE.url(), module, withoutRenewal)) {
            JobMessage.JobSnapshot created = node.create(account, items);
            Await.until(() -> node.waiting() == 20);

            node.cancel(account, created.token());

            Await.until(() -> node.waiting() == 0);
            assertThat(module.started()).containsExactly("hold.first.test");
            module.release("hold.first.test");
        }
    }

    @Test
    void anotherNodeTakesOverAfterACrash() {
        long account = account();
        JobNode dead = node();
        JobMessage.JobSnapshot created = dead.create(account, names("hold", 500, 520));
        Await.until(() -> module.started().stream()
                        .filter(name -> name.startsWith("hold.5"))
                        .count()
                == 20);
        dead.close();
        names("hold", 500, 520).forEach(module::release);
        try (JobNode other = node()) {
            JobMessage.JobSnapshot job = other.ended(account, created.token());

            assertThat(job.state()).isEqualTo(JobState.COMPLETED);
            assertThat(job.pass()).isEqualTo(20);
        }
    }

    @Test
    void otherNodesAreNotifiedOfANewJob() {
        long account = account();
        JobNodeSettings withoutPolling =
                new JobNodeSettings(64, 0, Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofMinutes(10));
        try (JobNode first = node();
                JobNode second = new JobNode(DATABASE.url(), module, withoutPolling)) {
            first.drain();
            JobMessage.JobSnapshot created = first.create(account, names("pass", 4000, 4060));

            assertThat(second.ended(account, created.token()).pass()).isEqualTo(60);
        }
    }

    @Test
    void aClaimWhoseResponseIsLostIsReleased() {
        long account = account();
        Database database = DATABASE.open();
        FaultInjectionProxy proxy =
                new FaultInjectionProxy(DATABASE.vertx(), DATABASE.server().port());
        // no reconciliation
        JobNodeSettings longRenewal =
                new JobNodeSettings(64, 0, Duration.ofHours(1), Duration.ofMinutes(10), Duration.ofMillis(50));
        try (JobNode creator = node();
                JobNode node = new JobNode(
                        DATABASE.url().replaceFirst(":\\d+/", ":" + proxy.port() + "/"), module, longRenewal)) {
            creator.drain();
            node.ended(
                    account,
                    node.create(account, List.of("pass.registered.test")).token());
            Promise<Void> locked = Promise.promise();
            Promise<Void> unlock = Promise.promise();
            Future<Void> claimsLocked = database.inTransaction(connection -> connection
                    .query("select 1 from node for update")
                    .execute()
                    .compose(rows -> {
                        locked.complete();
                        return unlock.future();
                    }));
            Await.value(locked.future());
            JobMessage.JobSnapshot created = creator.create(account, names("pass", 5000, 5020));
            Await.until(() -> count(database, "select count(*) from pg_locks where not granted") > 0);
            proxy.dropResponses();
            unlock.complete();
            Await.value(claimsLocked);
            Await.until(() -> count(
                            database,
                            "select count(*) from job_chunk where owner is not null and job_id = " + created.id())
                    == 1);
            proxy.refuseConnections();
            proxy.forwardData();
            proxy.acceptConnections();

            assertThat(creator.ended(account, created.token()).pass()).isEqualTo(20);
        }
    }

    private static long count(Database database, String sql) {
        return Await.value(database.query(sql)).iterator().next().getLong(0);
    }

    @Test
    void aStoppingNodeReleasesItsChunks() {
        long account = account();
        try (JobNode first = node();
                JobNode second = node()) {
            JobMessage.JobSnapshot created = first.create(account, names("pass", 2000, 2400));
            first.drain();

            assertThat(second.ended(account, created.token()).pass()).isEqualTo(400);
            assertThat(TestDatabase.await(DATABASE.open()
                                    .query(
                                            "select sum(crash_count) from job_chunk where job_id = $1",
                                            Tuple.of(created.id())))
                            .iterator()
                            .next()
                            .getLong(0))
                    .isZero();
        }
    }
}
