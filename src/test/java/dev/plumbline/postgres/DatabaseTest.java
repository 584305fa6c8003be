package dev.plumbline.postgres;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.support.Await;
import dev.plumbline.support.FaultInjectionProxy;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
class DatabaseTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private FaultInjectionProxy proxy;
    private Database database;

    @BeforeEach
    void open() {
        proxy = new FaultInjectionProxy(DATABASE.vertx(), DATABASE.server().port());
        String url = DATABASE.url().replaceFirst(":\\d+/", ":" + proxy.port() + "/");
        database = open(url, 2, TIMEOUT, TIMEOUT.multipliedBy(3));
        Await.until(this::works);
    }

    private static Database open(String url, int size, Duration timeout, Duration idleTimeout) {
        return new Database(
                DATABASE.vertx(),
                url,
                new Database.PoolSettings("test", size, timeout, idleTimeout),
                new DiskSpaceMonitor(DATABASE.vertx()));
    }

    @AfterEach
    void close() {
        database.close();
        proxy.refuseConnections();
    }

    private boolean works() {
        try {
            return one(await(database.query("select $1::int", Tuple.of(1)))) == 1;
        } catch (DatabaseUnavailableException e) {
            return false;
        }
    }

    private static int one(RowSet<Row> rows) {
        return rows.iterator().next().getInteger(0);
    }

    private void assertUnavailable(Future<?> future) {
        assertThatThrownBy(() -> await(future)).isInstanceOf(DatabaseUnavailableException.class);
    }

    @Test
    void refusedConnectionsFailAtOnceAndRecoveryIsAutomatic() {
        proxy.refuseConnections();
        Await.until(() -> !works() && !database.available());
        assertThat(database.query("select 1").failed()).as("without waiting").isTrue();
        assertThat(database.inTransaction(c -> c.query("select 1").execute()).failed())
                .isTrue();
        assertUnavailable(database.ping());

        proxy.acceptConnections();
        Await.until(database::available);
        assertThat(works()).isTrue();
    }

    @Test
    void anUnresponsiveDatabaseFailsAllCallersAndRecoveryIsAutomatic() {
        proxy.dropData();
        List<Future<?>> asked = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            asked.add(database.query("select 1"));
        }
        asked.forEach(this::assertUnavailable);
        assertThat(database.available()).isFalse();
        assertThat(database.query("select 1").failed()).as("without waiting").isTrue();

        proxy.forwardData();
        Await.until(database::available);
        assertThat(works()).isTrue();
    }

    @Test
    void aStatementTimeoutIsNotAnOutage() {
        assertUnavailable(database.query("select pg_sleep(20)"));
        assertThat(database.available()).isTrue();
        assertThat(works()).isTrue();
    }

    @Test
    void aWaitForAConnectionIsNotAnOutage() {
        // the server ends a statement 600 ms before the client does
        Database small = open(DATABASE.url(), 2, TIMEOUT.multipliedBy(6), TIMEOUT.multipliedBy(18));
        List<Future<?>> waiting = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            waiting.add(small.query("select pg_sleep(20)"));
        }
        for (Future<?> query : waiting) {
            assertThatThrownBy(() -> await(query)).isInstanceOf(DatabaseOverloadedException.class);
            assertThat(small.available()).isTrue();
        }
        await(small.close());
    }

    /** A statement that waited for a connection gets its response after the deadline. */
    @Test
    void aLockedTableIsNotAnOutage() {
        Database small = open(DATABASE.url(), 1, TIMEOUT.multipliedBy(4), TIMEOUT.multipliedBy(18));
        Database other = open(DATABASE.url(), 1, TIMEOUT.multipliedBy(40), TIMEOUT.multipliedBy(80));
        await(small.query("create table if not exists locked ()"));
        await(other.inTransaction(
                lock -> lock.query("lock table locked").execute().compose(locked -> {
                    List<Future<?>> waiting = new ArrayList<>();
                    for (int i = 0; i < 10; i++) {
                        waiting.add(DATABASE.vertx()
                                .timer(1 + 400L * i)
                                .compose(later -> small.query("select from locked"))
                                .otherwise(failure -> {
                                    assertThat(failure).isInstanceOf(DatabaseOverloadedException.class);
                                    assertThat(small.available()).isTrue();
                                    return null;
                                }));
                    }
                    return Future.all(waiting);
                })));
        await(Future.all(small.close(), other.close()));
    }

    @Test
    void anInvalidStatementIsNotAnOutage() {
        assertThatThrownBy(() -> await(database.query("select nothing from nowhere")))
                .isInstanceOf(PgException.class);
        assertThatThrownBy(() -> await(database.query("select 1 / $1::int", Tuple.of(0))))
                .isInstanceOf(PgException.class);
        assertThatThrownBy(() -> await(database.query("select $1::int", Tuple.of("Timeout"))))
                .isNotInstanceOf(DatabaseUnavailableException.class);
        assertThatThrownBy(() -> await(database.query("select $1::int", Tuple.of(1, 2))))
                .isNotInstanceOf(DatabaseUnavailableException.class);
        assertThat(database.available()).isTrue();
    }

    @Test
    void anErrorInTheCodeOfATransactionIsNotAnOutage() {
        assertThatThrownBy(() -> await(database.inTransaction(
                        c -> c.query("select 1").execute().map(rows -> {
                            throw new IllegalStateException("not known");
                        }))))
                .isInstanceOf(IllegalStateException.class);
        assertThat(database.available()).isTrue();
    }

    @Test
    void aTransactionIsAtomic() {
        await(database.query("create table if not exists purse (balance int)"));
        assertThatThrownBy(() -> await(database.inTransaction(
                        c -> c.query("insert into purse values (1)").execute().compose(r -> c.query("select 1 / 0")
                                .execute()))))
                .isInstanceOf(PgException.class);
        assertThat(one(await(database.query("select count(*)::int from purse"))))
                .isZero();
        await(database.inTransaction(
                c -> c.query("insert into purse values (1)").execute()));
        assertThat(one(await(database.query("select count(*)::int from purse"))))
                .isOne();
    }

    @Test
    void anIdleConnectionIsNotClosedWhenItIsUsed() {
        Duration idle = Duration.ofSeconds(2);
        Database pooled = open(DATABASE.url(), 8, TIMEOUT.multipliedBy(10), idle);
        for (int round = 0; round < 6; round++) {
            List<Future<?>> burst = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                burst.add(pooled.query("select 1"));
            }
            burst.forEach(TestDatabase::await);
            await(DATABASE.vertx().timer(idle.toMillis() - 1 + round, TimeUnit.MILLISECONDS));
        }
        await(pooled.close());
    }

    @Test
    void aReadWhoseConnectionWasClosedIsRepeatedOnce() {
        proxy.closeOnData(1);
        assertThat(one(await(database.read("select $1::int", Tuple.of(7))))).isEqualTo(7);

        proxy.closeOnData(2);
        assertUnavailable(database.read("select $1::int", Tuple.of(7)));
        Await.until(this::works);

        await(database.query("create table visit (id int)"));
        proxy.closeOnData(1);
        assertUnavailable(database.query("insert into visit values (1)"));
        Await.until(this::works);
        assertThat(one(await(database.query("select count(*)::int from visit"))))
                .as("not repeated, because the outcome of a write is unknown")
                .isZero();
    }

    @Test
    void aStatementIsPreparedAgainAfterItsResultTypeChanged() {
        await(database.query("create table wide (a int)"));
        await(database.query("insert into wide values (1)"));
        String all = "select * from wide where a = $1";
        for (int column = 0; column < 3; column++) {
            List<Future<RowSet<Row>>> burst = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                burst.add(database.query(all, Tuple.of(1)));
            }
            int expected = 1 + column;
            burst.forEach(rows -> assertThat(await(rows).columnsNames()).hasSize(expected));
            await(database.query("alter table wide add column b" + column + " int"));
        }
    }

    @Test
    void theSettingsOfAConnectionDoNotDependOnTheServer() {
        await(
                database.query(
                        """
          do $$
          begin
            execute format('alter database %I set jit = on', current_database());
            execute format('alter database %I set max_parallel_workers_per_gather = 2', current_database());
          end $$"""));
        Database fresh = open(DATABASE.url(), 1, TIMEOUT.multipliedBy(10), TIMEOUT.multipliedBy(20));
        Row settings = await(fresh.query(
                        "select current_setting('jit'), current_setting('max_parallel_workers_per_gather')"))
                .iterator()
                .next();
        assertThat(settings.getString(0)).isEqualTo("off");
        assertThat(settings.getString(1)).isEqualTo("0");
        await(fresh.close());
    }

    @Test
    void anInvalidUrlIsRejectedWithoutRepeatingIt() {
        for (String url : List.of("mysql://u:secret@h/d", "postgresql://u:secret@[::1:x", "secret")) {
            assertThatThrownBy(() -> new Database(DATABASE.vertx(), url, 1, TIMEOUT))
                    .isInstanceOf(PostgresException.class)
                    .hasMessageStartingWith("database.url")
                    .hasMessageNotContaining("secret");
        }
    }
}
