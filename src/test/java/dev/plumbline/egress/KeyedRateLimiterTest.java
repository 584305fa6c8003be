package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.OverloadFailure;
import dev.plumbline.config.Config;
import dev.plumbline.result.TargetLimit;
import dev.plumbline.support.FakeTime;
import io.vertx.core.Future;
import java.util.ArrayList;
import java.util.List;
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
    private final FakeTime time = new FakeTime();

    private KeyedRateLimiter<String> limiter(int perSecond, int concurrent) {
        return new KeyedRateLimiter<>(new Config.OutboundLimit(perSecond, concurrent), time::nanos, time);
    }

    private static boolean acquired(Future<TargetLimit.Type> entry) {
        return entry.succeeded();
    }

    @Test
    void isUnlimitedWithoutLimits() {
        assertThat(limiter(0, 0).isUnlimited()).isTrue();
        assertThat(limiter(1, 0).isUnlimited()).isFalse();
        assertThat(limiter(0, 1).isUnlimited()).isFalse();
    }

    @Test
    void limitsConcurrencyAndServesWaitersInOrder() {
        KeyedRateLimiter<String> limiter = limiter(0, 2);
        List<Future<TargetLimit.Type>> permits = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            permits.add(limiter.acquire("a", 5_000, 0));
        }
        assertThat(permits).extracting(KeyedRateLimiterTest::acquired).containsExactly(true, true, false, false, false);
        assertThat(acquired(limiter.acquire("b", 5_000, 0))).isTrue();
        limiter.release("a", 0);
        assertThat(permits).extracting(KeyedRateLimiterTest::acquired).containsExactly(true, true, true, false, false);
        limiter.release("a", 0);
        limiter.release("a", 0);
        assertThat(permits).allMatch(KeyedRateLimiterTest::acquired);
        limiter.release("a", 0);
        limiter.release("a", 0);
        limiter.release("b", 0);
        assertThat(limiter.size()).isZero();
    }

    @Test
    void servesInstantChecksFirstAndAccountsRoundRobin() {
        KeyedRateLimiter<String> limiter = limiter(0, 1);
        assertThat(acquired(limiter.acquire("a", 5_000, 1))).isTrue();
        List<String> served = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            limiter.acquire("a", 5_000, 1).onSuccess(permit -> served.add("first"));
        }
        limiter.acquire("a", 5_000, 2).onSuccess(permit -> served.add("second"));
        limiter.acquire("a", 5_000, 3).onSuccess(permit -> served.add("third"));
        limiter.acquire("a", 5_000, 0).onSuccess(permit -> served.add("instant"));

        limiter.release("a", 1);
        limiter.release("a", 0);
        for (int i = 0; i < 5; i++) {
            limiter.release("a", List.of(1, 2, 3, 1, 1).get(i));
        }

        assertThat(served).containsExactly("instant", "first", "second", "third", "first", "first");
        assertThat(limiter.size()).isZero();
    }

    @Test
    void reservesPermitsForOtherAccounts() {
        KeyedRateLimiter<String> limiter = limiter(0, 8);
        List<Future<TargetLimit.Type>> lines = new ArrayList<>();
        for (int i = 0; i < 9; i++) {
            lines.add(limiter.acquire("a", 1_000, 1));
        }
        assertThat(lines).filteredOn(KeyedRateLimiterTest::acquired).hasSize(7);

        assertThat(acquired(limiter.acquire("a", 0, 2))).isTrue();
        limiter.release("a", 2);
        assertThat(acquired(limiter.acquire("a", 0, 0))).isTrue();
        limiter.release("a", 0);
        assertThat(lines).filteredOn(KeyedRateLimiterTest::acquired).hasSize(7);
        limiter.release("a", 1);
        assertThat(lines).filteredOn(KeyedRateLimiterTest::acquired).hasSize(8);

        time.advance(1_010);
        assertThat(lines.get(8).cause()).isInstanceOf(OverloadFailure.class);
        for (int i = 0; i < 7; i++) {
            limiter.release("a", 1);
        }
        assertThat(limiter.size()).isZero();
    }

    /** The lines of another account do not make a line wait longer than one round. */
    @Test
    void acceptsACallerBehindManyLinesOfAnotherAccount() {
        KeyedRateLimiter<String> limiter = limiter(1, 0);
        assertThat(acquired(limiter.acquire("a", 0, 1))).isTrue();
        List<Future<TargetLimit.Type>> lines = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            lines.add(limiter.acquire("a", 10_000, 1));
        }
        assertThat(limiter.acquire("a", 2_500, 1).cause()).isInstanceOf(OverloadFailure.class);

        Future<TargetLimit.Type> other = limiter.acquire("a", 2_500, 2);
        time.advance(2_010);

        assertThat(acquired(other)).isTrue();
        assertThat(lines).filteredOn(KeyedRateLimiterTest::acquired).hasSize(1);
    }

    @Test
    void limitsPermitsPerSecond() {
        KeyedRateLimiter<String> limiter = limiter(3, 0);
        List<Future<TargetLimit.Type>> permits = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            permits.add(limiter.acquire("a", 60_000, 0));
            limiter.release("a", 0);
        }
        assertThat(permits).filteredOn(KeyedRateLimiterTest::acquired).hasSize(3);
        time.advance(998);
        assertThat(permits).filteredOn(KeyedRateLimiterTest::acquired).hasSize(3);
        time.advance(10);
        assertThat(permits).filteredOn(KeyedRateLimiterTest::acquired).hasSize(6);
        time.advance(2_000);
        assertThat(permits).allMatch(KeyedRateLimiterTest::acquired);
    }

    @Test
    void rejectsAtOnceIfTheWaitWouldBeTooLong() {
        KeyedRateLimiter<String> limiter = limiter(1, 0);
        assertThat(acquired(limiter.acquire("a", 0, 0))).isTrue();
        assertThat(limiter.acquire("a", 500, 0).cause())
                .isInstanceOfSatisfying(OverloadFailure.class, busy -> assertThat(busy.retryAfter())
                        .hasSeconds(1));
        Future<TargetLimit.Type> second = limiter.acquire("a", 1_500, 0);
        assertThat(limiter.acquire("a", 1_500, 0).cause()).isInstanceOf(OverloadFailure.class);
        time.advance(1_002);
        assertThat(acquired(second)).isTrue();
    }

    @Test
    void failsAtTheWaitTimeout() {
        KeyedRateLimiter<String> limiter = limiter(0, 1);
        Future<TargetLimit.Type> first = limiter.acquire("a", 100, 0);
        Future<TargetLimit.Type> second = limiter.acquire("a", 100, 0);
        Future<TargetLimit.Type> third = limiter.acquire("a", 5_000, 0);
        time.advance(101);
        assertThat(acquired(first)).isTrue();
        assertThat(second.cause()).isInstanceOf(OverloadFailure.class);
        limiter.release("a", 0);
        assertThat(acquired(third)).isTrue();
        limiter.release("a", 0);
        assertThat(limiter.size()).isZero();
    }

    @Test
    void aCancelledWaitFails() {
        KeyedRateLimiter<String> limiter = limiter(0, 1);
        Future<TargetLimit.Type> first = limiter.acquire("a", 5_000, 0);
        Future<TargetLimit.Type> instant = limiter.acquire("a", 5_000, 0);
        Future<TargetLimit.Type> line = limiter.acquire("a", 5_000, 7);
        Future<TargetLimit.Type> last = limiter.acquire("a", 5_000, 8);

        limiter.cancel("a", instant);
        limiter.cancel("a", line);
        limiter.cancel("a", first);
        limiter.release("a", 0);

        assertThat(first.succeeded()).as("first permit").isTrue();
        assertThat(instant.cause()).isInstanceOf(OverloadFailure.class);
        assertThat(line.cause()).isInstanceOf(OverloadFailure.class);
        assertThat(last.succeeded()).isTrue();
        limiter.release("a", 8);
        assertThat(limiter.size()).isZero();
    }

    @Test
    void limitsTheQueue() {
        KeyedRateLimiter<String> limiter = limiter(0, 1);
        assertThat(acquired(limiter.acquire("a", 1_000, 0))).isTrue();
        for (int i = 0; i < KeyedRateLimiter.MAX_QUEUED_PER_KEY; i++) {
            assertThat(limiter.acquire("a", 1_000, 0).isComplete()).isFalse();
        }
        assertThat(limiter.acquire("a", 1_000, 0).cause()).isInstanceOf(OverloadFailure.class);
        assertThat(acquired(limiter.acquire("b", 1_000, 0))).isTrue();
        for (int key = 0; key < 9; key++) {
            assertThat(acquired(limiter.acquire("k" + key, 1_000, 0))).isTrue();
            for (int i = 0; i < KeyedRateLimiter.MAX_QUEUED_PER_KEY; i++) {
                assertThat(limiter.acquire("k" + key, 1_000, 0).isComplete()).isFalse();
            }
        }
        assertThat(limiter.acquire("b", 1_000, 0).cause()).isInstanceOf(OverloadFailure.class);
    }

    @Test
    void dropsTheStateOfIdleKeys() {
        KeyedRateLimiter<String> limiter = limiter(5, 5);
        for (int i = 0; i < 5_000; i++) {
            limiter.acquire("k" + i, 1_000, 0);
            limiter.release("k" + i, 0);
        }
        assertThat(limiter.size()).isEqualTo(5_000);
        limiter.acquire("busy", 1_000, 0);
        time.advance(4_000);
        assertThat(limiter.size()).isEqualTo(1);
        limiter.release("busy", 0);
        assertThat(limiter.size()).isZero();
        assertThat(time.isIdle()).isTrue();
    }

    @Property(tries = 200)
    void neverExceedsItsLimits(
            @ForAll @IntRange(min = 0, max = 4) int perSecond,
            @ForAll @IntRange(min = 0, max = 4) int concurrent,
            @ForAll @Size(max = 60) List<@IntRange(min = 0, max = 400) Integer> steps) {
        KeyedRateLimiter<String> limiter = limiter(perSecond, concurrent);
        List<Long> permits = new ArrayList<>();
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger settled = new AtomicInteger();
        for (int step : steps) {
            limiter.acquire("a", 100_000, 0).onSuccess(done -> {
                settled.incrementAndGet();
                permits.add(time.nanos());
                int now = inside.incrementAndGet();
                if (concurrent > 0) {
                    assertThat(now).isLessThanOrEqualTo(concurrent);
                }
                time.after(step, () -> {
                    inside.decrementAndGet();
                    limiter.release("a", 0);
                });
            });
            time.advance(step % 37);
        }
        time.advance(200_000);
        assertThat(settled).hasValue(steps.size());
        assertThat(limiter.size()).isZero();
        for (int i = perSecond; perSecond > 0 && i < permits.size(); i++) {
            assertThat(permits.get(i) - permits.get(i - perSecond)).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(1));
        }
    }

    @Test
    void respectsLimitsWithManyThreads() throws InterruptedException {
        KeyedRateLimiter<String> limiter =
                new KeyedRateLimiter<>(new Config.OutboundLimit(0, 3), System::nanoTime, (millis, task) -> () -> {});
        ExecutorService threads = Executors.newFixedThreadPool(8);
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        int permits = 900;
        CountDownLatch left = new CountDownLatch(permits);
        for (int i = 0; i < permits; i++) {
            threads.execute(() -> limiter.acquire("a", 60_000, 0).onSuccess(acquired -> {
                most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                threads.execute(() -> {
                    inside.decrementAndGet();
                    limiter.release("a", 0);
                    left.countDown();
                });
            }));
        }
        assertThat(left.await(20, TimeUnit.SECONDS)).isTrue();
        threads.shutdown();
        assertThat(most.get()).isBetween(1, 3);
        assertThat(limiter.size()).isZero();
    }
}
