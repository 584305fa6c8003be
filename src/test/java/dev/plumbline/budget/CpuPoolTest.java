package dev.plumbline.budget;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.CpuPool.Purpose;
import dev.plumbline.support.Await;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class CpuPoolTest {
    private final CpuPool pool = new CpuPool(1, 8);
    private final CountDownLatch blocked = new CountDownLatch(1);

    @AfterEach
    void close() {
        blocked.countDown();
        pool.close();
    }

    private CpuAllowance allowance(String client) {
        return new CpuAllowance(pool, client, 50);
    }

    /** Occupies the thread of the pool until {@link #blocked} is released. */
    private void block() {
        allowance("blocker").execute(Purpose.PARSING, () -> blocked.await(1, TimeUnit.MINUTES));
        Await.until(() -> pool.queued() == 0);
    }

    private static boolean burn(long cpuMillis) {
        long end = CpuPool.threadNanos() + TimeUnit.MILLISECONDS.toNanos(cpuMillis);
        while (CpuPool.threadNanos() < end) {
            Thread.onSpinWait();
        }
        return true;
    }

    @Test
    void clientsTakeTurns() {
        block();
        List<String> order = Collections.synchronizedList(new ArrayList<>());
        CpuAllowance first = allowance("first");
        CpuAllowance second = allowance("second");
        List<Future<Boolean>> tasks = List.of(
                first.execute(Purpose.PARSING, () -> order.add("first")),
                first.execute(Purpose.PARSING, () -> order.add("first")),
                second.execute(Purpose.PARSING, () -> order.add("second")),
                second.execute(Purpose.PARSING, () -> order.add("second")));

        blocked.countDown();

        tasks.forEach(Await::value);
        assertThat(order).containsExactly("first", "second", "first", "second");
    }

    @Test
    void eachPurposeHasItsOwnQueue() {
        block();
        List<Future<Integer>> parsing = new ArrayList<>();
        for (int client = 0; client < 9; client++) {
            parsing.add(allowance("" + client).execute(Purpose.PARSING, () -> 1));
        }
        CpuAllowance other = allowance("other");
        Future<Integer> signature = other.execute(Purpose.SIGNATURES, () -> 2);

        assertThat(Await.failure(parsing.get(8))).isInstanceOf(NodeExhaustedException.class);
        assertThat(pool.queued()).isEqualTo(9);
        blocked.countDown();
        assertThat(Await.value(signature)).isEqualTo(2);
        assertThat(other.refused()).isFalse();
    }

    @Test
    void decodingDoesNotUseAllThreads() {
        try (CpuPool two = new CpuPool(2, 8)) {
            CpuAllowance check = new CpuAllowance(two, "client", 50);
            check.execute(Purpose.DECODING, () -> blocked.await(1, TimeUnit.MINUTES));
            Await.until(() -> two.queued() == 0);
            Future<Integer> decoding = check.execute(Purpose.DECODING, () -> 1);

            assertThat(Await.value(check.execute(Purpose.PARSING, () -> 2))).isEqualTo(2);
            assertThat(decoding.isComplete()).isFalse();
            blocked.countDown();

            assertThat(Await.value(decoding)).isEqualTo(1);
        }
    }

    @Test
    void workOfACheckThatEndedDoesNotRun() {
        block();
        CpuAllowance ended = allowance("ended");
        List<String> runs = new ArrayList<>();
        Future<Boolean> queued = ended.execute(Purpose.PARSING, () -> runs.add("ran"));

        ended.close();

        assertThat(Await.failure(queued)).isInstanceOf(NodeExhaustedException.class);
        assertThat(pool.queued()).isZero();
        blocked.countDown();
        assertThat(Await.failure(ended.execute(Purpose.PARSING, () -> 1))).isInstanceOf(NodeExhaustedException.class);
        assertThat(runs).isEmpty();
    }

    @Test
    void aCheckThatEndedIsNotRefused() {
        block();
        CpuAllowance composite = allowance("composite");
        CpuAllowance part = composite.part();
        Future<Integer> queued = part.execute(Purpose.PARSING, () -> 1);

        part.close();

        assertThat(Await.failure(queued)).isInstanceOf(NodeExhaustedException.class);
        assertThat(Await.failure(part.execute(Purpose.PARSING, () -> 1))).isInstanceOf(NodeExhaustedException.class);
        assertThat(part.refused()).isFalse();
        assertThat(composite.refused()).isFalse();
    }

    @Test
    void aFullQueueRefusesTheCheckAndItsComposite() {
        block();
        CpuAllowance composite = allowance("composite");
        CpuAllowance part = composite.part();
        List<Future<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            tasks.add(part.execute(Purpose.PARSING, () -> 1));
        }

        assertThat(Await.failure(tasks.get(4))).isInstanceOf(NodeExhaustedException.class);
        assertThat(part.refused()).isTrue();
        assertThat(composite.refused()).isTrue();
    }

    @Test
    void waitsAtTheSameTimeCountOnceAndForTheComposite() {
        block();
        CpuAllowance composite = allowance("composite");
        CpuAllowance part = composite.part();
        long start = System.nanoTime();
        List<Future<Integer>> tasks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            tasks.add(part.execute(Purpose.PARSING, () -> 1));
        }
        Await.until(() -> composite.waitedNanos() > TimeUnit.MILLISECONDS.toNanos(20));
        blocked.countDown();
        tasks.forEach(Await::value);

        long waited = part.waitedNanos();
        assertThat(waited).isBetween(TimeUnit.MILLISECONDS.toNanos(20), System.nanoTime() - start);
        assertThat(composite.waitedNanos()).isPositive();
        assertThat(part.waitedNanos()).as("after the last wait").isEqualTo(waited);
    }

    @Test
    void completedTasksDoNotWait() {
        CpuAllowance check = allowance("a");
        for (int i = 0; i < 5_000; i++) {
            Await.value(check.execute(Purpose.PARSING, () -> 1));
        }

        long waited = check.waitedNanos();
        long start = System.nanoTime();
        Await.until(() -> System.nanoTime() - start > TimeUnit.MILLISECONDS.toNanos(5));
        assertThat(check.waitedNanos()).isEqualTo(waited);
    }

    @Test
    void aCheckThatUsedItsCpuTimeStartsNoMoreWork() {
        CpuAllowance check = allowance("a");
        assertThat(Await.value(check.execute(Purpose.PARSING, () -> burn(60)))).isTrue();

        assertThat(Await.failure(check.execute(Purpose.PARSING, () -> 1)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessage("Processing the responses takes more than 50 ms of CPU time, the limit for each check.");
        assertThat(check.refused()).isFalse();
    }

    @Test
    void aPartUsesTheCpuTimeOfTheWhole() {
        CpuAllowance whole = allowance("a");
        assertThat(Await.value(whole.part().execute(Purpose.PARSING, () -> burn(60))))
                .isTrue();

        assertThat(Await.failure(whole.part().execute(Purpose.PARSING, () -> 1)))
                .isInstanceOf(LimitExceededException.class);
    }

    @Test
    void workThatThrowsFails() {
        assertThat(Await.failure(allowance("a").execute(Purpose.PARSING, () -> {
                    throw new IllegalStateException("expected failure");
                })))
                .hasMessage("expected failure");
    }
}
