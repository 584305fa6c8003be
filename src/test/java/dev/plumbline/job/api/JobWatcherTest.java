package dev.plumbline.job.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.job.store.JobStateStore;
import dev.plumbline.job.store.JobTables;
import dev.plumbline.postgres.Database;
import dev.plumbline.support.Await;
import dev.plumbline.support.StatementCounter;
import dev.plumbline.support.TestDatabase;
import io.vertx.core.Context;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Long polling of jobs. */
@Tag("integration")
class JobWatcherTest {
    @RegisterExtension
    static final TestDatabase DATABASE = new TestDatabase();

    private static final int CROWD = 500;

    private final List<Future<JobStateStore.@Nullable OwnedJob>> answers = new ArrayList<>();
    private JobTables tables;
    private StatementCounter counter;
    private Database database;
    private Context context;
    private JobWatcher watch;
    private long job;
    private String token;

    @BeforeEach
    void open() {
        tables = new JobTables(DATABASE.open());
        counter = new StatementCounter(DATABASE.vertx(), DATABASE.url());
        database = new Database(DATABASE.vertx(), counter.url(), 4, Duration.ofSeconds(5));
        context = DATABASE.vertx().getOrCreateContext();
        watch = new JobWatcher(DATABASE.vertx(), new JobStateStore(DATABASE.vertx(), database));
        job = tables.job(tables.account(), 3);
        token = tables.job(job).getString("token");
    }

    @AfterEach
    void close() {
        Await.value(database.close());
    }

    private void await(int waiters, Predicate<JobStateStore.OwnedJob> enough, long waitMs) {
        for (int i = 0; i < waiters; i++) {
            Promise<JobStateStore.@Nullable OwnedJob> answer = Promise.promise();
            answers.add(answer.future());
            context.runOnContext(now -> watch.await(token, enough, waitMs).onComplete(answer));
        }
    }

    private static boolean isFinal(JobStateStore.OwnedJob found) {
        return found.head().state().isFinal();
    }

    @Test
    void aWatchedJobIsReadOncePerSecond() {
        long begin = System.nanoTime();
        await(CROWD, JobWatcherTest::isFinal, 20_000);
        Await.until(() -> counter.executed() >= 3);
        await(CROWD, JobWatcherTest::isFinal, 20_000);

        tables.ids("select terminate_job(id, 'cancelled', interval '1 day'), id from job");

        answers.forEach(answer -> assertThat(isFinal(Await.value(answer))).isTrue());
        long seconds = TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin);
        assertThat(counter.executed()).isLessThanOrEqualTo((int) seconds + 2);
    }

    @Test
    void aChangeByThisNodeIsReadAtOnce() {
        watch = new JobWatcher(
                DATABASE.vertx(), new JobStateStore(DATABASE.vertx(), database), TimeUnit.HOURS.toMillis(1));
        await(CROWD, JobWatcherTest::isFinal, 1_000_000);
        Await.until(() -> watch.size() == 1);
        tables.ids("select terminate_job(id, 'cancelled', interval '1 day'), id from job");

        context.runOnContext(changed -> watch.onChange(job));

        answers.forEach(answer -> assertThat(isFinal(Await.value(answer))).isTrue());
        assertThat(counter.executed()).isEqualTo(2);
    }

    @Test
    void aChangeDuringTheFirstReadIsNotLost() {
        watch = new JobWatcher(
                DATABASE.vertx(), new JobStateStore(DATABASE.vertx(), database), TimeUnit.HOURS.toMillis(1));
        await(1, JobWatcherTest::isFinal, 1_000_000);
        context.runOnContext(changed -> watch.onChange(job));

        Await.until(() -> counter.executed() == 2);
    }

    @Test
    void timeoutReturnsTheLatestState() {
        await(CROWD, JobWatcherTest::isFinal, 50);
        answers.forEach(answer -> assertThat(Await.value(answer).head().id()).isEqualTo(job));

        assertThat(counter.executed()).isEqualTo(1);
    }

    @Test
    void aJobWithoutWaitersIsRemoved() {
        await(1, JobWatcherTest::isFinal, 1);
        Await.value(answers.get(0));

        Await.until(() -> watch.size() == 0);
        assertThat(counter.executed()).isEqualTo(1);
    }

    @Test
    void anUnknownJobReturnsNullAtOnce() {
        token = "job_0000000000000000000000";
        await(3, JobWatcherTest::isFinal, 20_000);

        answers.forEach(answer -> assertThat(Await.value(answer)).isNull());
        assertThat(watch.size()).isZero();
    }
}
