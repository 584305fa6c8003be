package dev.plumbline.postgres;

import static dev.plumbline.support.TestDatabase.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.support.Await;
import dev.plumbline.support.CapturedLog;
import dev.plumbline.support.TestDatabase;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.sqlclient.Tuple;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("integration")
class RetentionTaskTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final Duration PERIOD = Duration.ofMillis(10);

    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
    private Vertx vertx;
    private RetentionTask retention;

    @BeforeEach
    void open() {
        vertx = Vertx.vertx();
    }

    @AfterEach
    void close() {
        retention.stop();
        await(vertx.close());
    }

    private void start(Database maintenance, RetentionTask.Task... tasks) {
        retention = new RetentionTask(vertx, maintenance, PERIOD, List.of(tasks), registry);
    }

    private void start(RetentionTask.Task... tasks) {
        start(DATABASE.open(), tasks);
    }

    private double failures(String task) {
        return registry.get("plumbline.retention.failures")
                .tag("task", task)
                .counter()
                .count();
    }

    @Test
    void deletesSlicesUntilOneIsNotFull() {
        AtomicInteger left = new AtomicInteger(3 * RetentionTask.MAX_SLICE + 5);
        AtomicInteger calls = new AtomicInteger();
        start(new RetentionTask.Task("rows", (database, slice) -> {
            calls.incrementAndGet();
            int deleted = Math.min(left.get(), slice);
            left.addAndGet(-deleted);
            return Future.succeededFuture(deleted);
        }));
        Await.until(() -> left.get() == 0);
        assertThat(calls).hasValueGreaterThanOrEqualTo(4);
    }

    @Test
    void aFailedDeletionDoesNotStopTheOthers() {
        AtomicInteger others = new AtomicInteger();
        try (CapturedLog log = new CapturedLog()) {
            start(
                    new RetentionTask.Task("broken", (database, slice) -> {
                        throw new IllegalStateException("a fault that the test wants");
                    }),
                    new RetentionTask.Task(
                            "away", (database, slice) -> Future.failedFuture(new DatabaseUnavailableException("away"))),
                    new RetentionTask.Task("other", (database, slice) -> {
                        others.incrementAndGet();
                        return Future.succeededFuture(0);
                    }));
            Await.until(() -> others.get() > 4);

            assertThat(log.text())
                    .contains("retention failed task=\"broken\" failures=\"1\"")
                    .contains("retention failed task=\"broken\" failures=\"3\"")
                    .contains("retention failed task=\"away\" failures=\"3\"")
                    .doesNotContain("task=\"away\" failures=\"1\"", "failures=\"4\"");
            assertThat(failures("broken")).isGreaterThanOrEqualTo(3);
            assertThat(failures("other")).isZero();
        }
    }

    @Test
    void aSliceIsReducedAfterATimeoutAndEnlargedAfterASuccess() {
        List<Integer> slices = new CopyOnWriteArrayList<>();
        start(new RetentionTask.Task("slow", (database, slice) -> {
            slices.add(slice);
            return slice > 50
                    ? Future.failedFuture(new DatabaseOverloadedException("timeout"))
                    : Future.succeededFuture(slice);
        }));
        Await.until(() -> slices.size() > 5);
        assertThat(slices).startsWith(1_000, 250, 62, 15, 30, 60);
    }

    @Test
    void repeatedTimeoutsAreReportedAlthoughTheSlicesBecomeSmaller() {
        AtomicInteger calls = new AtomicInteger();
        try (CapturedLog log = new CapturedLog()) {
            start(new RetentionTask.Task(
                    "locked",
                    (database, slice) -> calls.incrementAndGet() <= 3
                            ? Future.failedFuture(new DatabaseOverloadedException("timeout"))
                            : Future.succeededFuture(0)));
            Await.until(() -> calls.get() > 4);

            assertThat(log.text())
                    .contains("retention failed task=\"locked\" failures=\"3\"")
                    .doesNotContain("failures=\"1\"", "failures=\"2\"");
        }
    }

    @Test
    void aBacklogOfSlowRowsIsDeleted() {
        Database database = DATABASE.open();
        await(database.query("create table slow_row (id int primary key)"));
        await(database.query("insert into slow_row select generate_series(1, 300)"));
        await(
                database.query(
                        """
          create function delay() returns trigger language plpgsql as $$
          begin
            perform pg_sleep(0.005);
            return old;
          end $$"""));
        await(database.query("create trigger delay before delete on slow_row for each row execute function delay()"));
        // all rows take three times the timeout
        Database maintenance = new Database(vertx, DATABASE.url(), 1, Duration.ofMillis(500));
        start(maintenance, new RetentionTask.Task("slow_row", (pool, slice) -> pool.query(
                        "delete from slow_row where id in (select id from slow_row limit $1)", Tuple.of(slice))
                .map(rows -> rows.rowCount())));
        Await.until(() -> await(database.query("select from slow_row limit 1")).size() == 0);
        assertThat(failures("slow_row")).isPositive();
    }
}
