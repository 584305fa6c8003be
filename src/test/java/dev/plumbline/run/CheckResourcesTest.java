package dev.plumbline.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.budget.CpuPool;
import dev.plumbline.budget.LimitExceededException;
import dev.plumbline.budget.MemoryBudget;
import dev.plumbline.budget.NodeBudget;
import dev.plumbline.budget.TestCpuAllowances;
import dev.plumbline.bus.Message;
import dev.plumbline.concurrent.EventLoopLag;
import dev.plumbline.support.Await;
import io.vertx.core.Promise;
import io.vertx.core.Vertx;
import io.vertx.core.internal.VertxInternal;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class CheckResourcesTest {
    private final Vertx vertx = Vertx.vertx();
    private final AtomicLong loopAheadNanos = new AtomicLong();
    private final AtomicLong observedNanos = new AtomicLong();
    /** After each pause of the event loop. */
    private final long startNanos = System.nanoTime() + Duration.ofHours(1).toNanos();

    private final AtomicLong checkNanos = new AtomicLong(startNanos);
    private final EventLoopLag lag = new EventLoopLag(
            vertx, () -> System.nanoTime() + loopAheadNanos.get(), delay -> observedNanos.addAndGet(delay));
    private final NodeBudget node = new NodeBudget(new MemoryBudget(vertx, 64 << 20, 1), new CpuPool(1, 8));
    private final CheckResources resources = CheckResources.open(node, "client", false, lag, checkNanos::get);

    @AfterEach
    void close() {
        resources.close();
        node.close();
        Await.value(vertx.close());
    }

    /** The event loop loses time in delays of at most two seconds, which are not pauses. */
    private void lose(long millis) {
        for (long left = millis; left > 0; left -= 2_000) {
            long nanos = Duration.ofMillis(Math.min(left, 2_000)).toNanos();
            long expected = observedNanos.get() + nanos - Duration.ofMillis(60).toNanos();
            loopAheadNanos.addAndGet(nanos);
            Await.until(() -> observedNanos.get() >= expected);
        }
    }

    @ParameterizedTest
    @CsvSource({"0, 3000", "2000, 1000", "4000, 0", "7000, 2000"})
    void lostTimeExtendsTheTimeLimitByFiveSecondsAtMost(long lostMs, long expectedMs) {
        LongSupplier clock = resources.clock();

        lose(lostMs);
        checkNanos.set(startNanos + Duration.ofMillis(Math.max(3_000, lostMs)).toNanos());

        assertThat((clock.getAsLong() - startNanos) / 1e6).isBetween(expectedMs - 1_000.0, expectedMs + 500.0);
    }

    @ParameterizedTest
    @CsvSource({
        "400, 600, true, false",
        "600, 1500, true, true",
        "600, 1500, false, false",
        "600, 4000, true, false",
        "4000, 20000, true, false",
        "6000, 30000, true, true",
        "6000, 30000, false, false"
    })
    void aTimeoutIsRefusedIfLostTimeCanBeItsCause(long lostMs, long durationMs, boolean timedOut, boolean refused) {
        lose(lostMs);
        checkNanos.set(startNanos + Duration.ofMillis(durationMs).toNanos());

        assertThat(resources.refusal(timedOut)).isEqualTo(refused ? Message.Refused.Reason.CPU : null);
    }

    /** The other event loop sent the lookup that the check waits for. */
    @Test
    void aTimeoutIsRefusedIfAnotherEventLoopLostTheTime() {
        AtomicReference<Thread> losing = new AtomicReference<>();
        long lostNanos = Duration.ofSeconds(4).toNanos();
        EventLoopLag loops = new EventLoopLag(
                vertx,
                () -> System.nanoTime() + (Thread.currentThread() == losing.get() ? lostNanos : 0),
                observedNanos::addAndGet);
        Thread other = onNewEventLoop(() -> {
            loops.current();
            return Thread.currentThread();
        });
        try (CheckResources waiting =
                onNewEventLoop(() -> CheckResources.open(node, "client", false, loops, checkNanos::get))) {
            observedNanos.set(0);
            losing.set(other);
            Await.until(() -> observedNanos.get() >= lostNanos / 2);
            checkNanos.addAndGet(lostNanos);

            assertThat(waiting.refusal(true)).isEqualTo(Message.Refused.Reason.CPU);
            assertThat(waiting.refusal(false)).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"false, 1000", "true, 3000"})
    void compositeChecksHaveMoreCpuTime(boolean composite, long maxMs) {
        try (CheckResources check = CheckResources.open(node, "client", composite, lag, checkNanos::get)) {
            TestCpuAllowances.use(check.cpu(), maxMs - 500);
            assertThat(Await.value(check.cpu().execute(CpuPool.Purpose.PARSING, () -> "ran")))
                    .isEqualTo("ran");

            TestCpuAllowances.use(check.cpu(), 500);
            assertThat(Await.failure(check.cpu().execute(CpuPool.Purpose.PARSING, () -> "ran")))
                    .isInstanceOf(LimitExceededException.class)
                    .hasMessageContaining(" " + maxMs + " ms of CPU time");
        }
    }

    private <T> T onNewEventLoop(Supplier<T> action) {
        Promise<T> result = Promise.promise();
        ((VertxInternal) vertx).createEventLoopContext().runOnContext(ran -> result.complete(action.get()));
        return Await.value(result.future());
    }
}
