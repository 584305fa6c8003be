package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.OverloadFailure;
import dev.plumbline.concurrent.Scheduler;
import dev.plumbline.config.Config;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;
import org.junit.jupiter.api.Test;

class KeyedRateLimiterTest {
    /** A clock that stands until it is moved, and runs what is due then. */
    private static final class FakeTime implements Scheduler {
        private record Task(long at, long order, Runnable task) {}

        private final PriorityQueue<Task> tasks =
                new PriorityQueue<>(Comparator.comparingLong(Task::at).thenComparingLong(Task::order));
        private long now = Long.MAX_VALUE - 3_000_000_000L;
        private long order;

        long nanos() {
            return now;
        }

        @Override
        public Runnable after(long millis, Runnable task) {
            Task due = new Task(elapsed() + millis * 1_000_000, order++, task);
            tasks.add(due);
            return () -> tasks.remove(due);
        }

        private long elapsed() {
            return now - (Long.MAX_VALUE - 3_000_000_000L);
        }

        void pass(long millis) {
            long end = elapsed() + millis * 1_000_000;
            while (!tasks.isEmpty() && tasks.peek().at() <= end) {
                Task due = tasks.remove();
                now += due.at() - elapsed();
                due.task().run();
            }
            now += end - elapsed();
        }
    }

    private final FakeTime time = new FakeTime();

    private KeyedRateLimiter<String> gate(int perSecond, int concurrent) {
        return new KeyedRateLimiter<>(new Config.OutboundLimit(perSecond, concurrent), time::nanos, time);
    }

    private static boolean entered(Future<Void> entry) {
        return entry.succeeded();
    }

    @Test
    void isOpenWithoutLimits() {
        assertThat(gate(0, 0).isOpen()).isTrue();
        assertThat(gate(1, 0).isOpen()).isFalse();
        assertThat(gate(0, 1).isOpen()).isFalse();
    }

    @Test
    void letsSoManyInAtOnceAndTheRestInTheOrderTheyCame() {
        KeyedRateLimiter<String> gate = gate(0, 2);
        List<Future<Void>> entries = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            entries.add(gate.enter("a", 5_000));
        }
        assertThat(entries).extracting(KeyedRateLimiterTest::entered).containsExactly(true, true, false, false, false);
        assertThat(entered(gate.enter("b", 5_000))).isTrue();
        gate.leave("a");
        assertThat(entries).extracting(KeyedRateLimiterTest::entered).containsExactly(true, true, true, false, false);
        gate.leave("a");
        gate.leave("a");
        assertThat(entries).allMatch(KeyedRateLimiterTest::entered);
        gate.leave("a");
        gate.leave("a");
        gate.leave("b");
        assertThat(gate.size()).isZero();
    }

    @Test
    void letsSoManyInInAnySecond() {
        KeyedRateLimiter<String> gate = gate(3, 0);
        List<Future<Void>> entries = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            entries.add(gate.enter("a", 60_000));
            gate.leave("a");
        }
        assertThat(entries).filteredOn(KeyedRateLimiterTest::entered).hasSize(3);
        time.pass(998);
        assertThat(entries).filteredOn(KeyedRateLimiterTest::entered).hasSize(3);
        time.pass(10);
        assertThat(entries).filteredOn(KeyedRateLimiterTest::entered).hasSize(6);
        time.pass(2_000);
        assertThat(entries).allMatch(KeyedRateLimiterTest::entered);
    }

    @Test
    void refusesAtOnceWhoWouldWaitTooLongForThePace() {
        KeyedRateLimiter<String> gate = gate(1, 0);
        assertThat(entered(gate.enter("a", 0))).isTrue();
        assertThat(gate.enter("a", 500).cause())
                .isInstanceOfSatisfying(OverloadFailure.class, busy -> assertThat(busy.retryAfter())
                        .hasSeconds(1));
        Future<Void> second = gate.enter("a", 1_500);
        assertThat(gate.enter("a", 1_500).cause()).isInstanceOf(OverloadFailure.class);
        time.pass(1_002);
        assertThat(entered(second)).isTrue();
    }

    @Test
    void givesUpWaitingInTime() {
        KeyedRateLimiter<String> gate = gate(0, 1);
        Future<Void> first = gate.enter("a", 100);
        Future<Void> second = gate.enter("a", 100);
        Future<Void> third = gate.enter("a", 5_000);
        time.pass(101);
        assertThat(entered(first)).isTrue();
        assertThat(second.cause()).isInstanceOf(OverloadFailure.class);
        gate.leave("a");
        assertThat(entered(third)).isTrue();
        gate.leave("a");
        assertThat(gate.size()).isZero();
    }

    @Test
    void boundsTheLine() {
        KeyedRateLimiter<String> gate = gate(0, 1);
        assertThat(entered(gate.enter("a", 1_000))).isTrue();
        for (int i = 0; i < KeyedRateLimiter.MOST_WAITING_FOR_ONE; i++) {
            assertThat(gate.enter("a", 1_000).isComplete()).isFalse();
        }
        assertThat(gate.enter("a", 1_000).cause()).isInstanceOf(OverloadFailure.class);
        assertThat(entered(gate.enter("b", 1_000))).isTrue();
        for (int key = 0; key < 9; key++) {
            assertThat(entered(gate.enter("k" + key, 1_000))).isTrue();
            for (int i = 0; i < KeyedRateLimiter.MOST_WAITING_FOR_ONE; i++) {
                assertThat(gate.enter("k" + key, 1_000).isComplete()).isFalse();
            }
        }
        assertThat(gate.enter("b", 1_000).cause()).isInstanceOf(OverloadFailure.class);
    }

    @Test
    void forgetsWhatIsIdle() {
        KeyedRateLimiter<String> gate = gate(5, 5);
        for (int i = 0; i < 5_000; i++) {
            gate.enter("k" + i, 1_000);
            gate.leave("k" + i);
        }
        assertThat(gate.size()).isEqualTo(5_000);
        gate.enter("busy", 1_000);
        time.pass(4_000);
        assertThat(gate.size()).isEqualTo(1);
        gate.leave("busy");
        assertThat(gate.size()).isZero();
        assertThat(time.tasks).isEmpty();
    }

    @Property(tries = 200)
    void neverExceedsItsLimits(
            @ForAll @IntRange(min = 0, max = 4) int perSecond,
            @ForAll @IntRange(min = 0, max = 4) int concurrent,
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 400) Integer> steps) {
        KeyedRateLimiter<String> gate = gate(perSecond, concurrent);
        List<Long> entries = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger settled = new AtomicInteger();
        for (int step : steps) {
            gate.enter("a", 100_000).onSuccess(done -> {
                settled.incrementAndGet();
                entries.add(time.nanos());
                int now = inside.incrementAndGet();
                if (concurrent > 0) {
                    assertThat(now).isLessThanOrEqualTo(concurrent);
                }
                time.after(step, () -> {
                    inside.decrementAndGet();
                    gate.leave("a");
                });
            });
            time.pass(step % 37);
        }
        time.pass(200_000);
        assertThat(settled).hasValue(steps.size());
        assertThat(gate.size()).isZero();
        for (int i = perSecond; perSecond > 0 && i < entries.size(); i++) {
            assertThat(entries.get(i) - entries.get(i - perSecond)).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @Test
    void holdsItsLimitUnderManyThreads() throws InterruptedException {
        KeyedRateLimiter<String> gate =
                new KeyedRateLimiter<>(new Config.OutboundLimit(0, 3), System::nanoTime, (millis, task) -> () -> {});
        ExecutorService threads = Executors.newFixedThreadPool(8);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int entries = 900;
        CountDownLatch left = new CountDownLatch(entries);
        for (int i = 0; i < entries; i++) {
            threads.execute(() -> gate.enter("a", 60_000).onSuccess(entered -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                threads.execute(() -> {
                    inside.decrementAndGet();
                    gate.leave("a");
                    left.countDown();
                });
            }));
        }
        assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
        threads.shutdown();
        assertThat(most.get()).isBetween(1, 3);
        assertThat(gate.size()).isZero();
    }
}
