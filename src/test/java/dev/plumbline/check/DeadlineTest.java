package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class DeadlineTest {
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1_000);
    private final AtomicLong waited = new AtomicLong();
    private final Deadline whole = Deadline.in(30_000, nanos::get);

    private void pass(long millis) {
        nanos.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
    }

    private void await(long millis) {
        waited.addAndGet(TimeUnit.MILLISECONDS.toNanos(millis));
        pass(millis);
    }

    @Test
    void waitsExtendADeadline() {
        Deadline part = whole.atMost(10_000, waited::get);
        Deadline half = part.atMost(5_000);

        pass(1_000);
        await(8_000);

        assertThat(part.remainingMillis()).isEqualTo(9_000);
        assertThat(half.remainingMillis()).isEqualTo(4_000);
    }

    @Test
    void waitsDoNotExtendADeadlineBeyondTheWholeOne() {
        Deadline part = whole.atMost(10_000, waited::get);

        await(25_000);
        assertThat(part.remainingMillis()).isEqualTo(5_000);

        pass(5_000);
        assertThat(part.passed()).isTrue();
        assertThat(whole.passed()).isTrue();
    }

    @Test
    void theWholeDeadlineIsReturnedIfItIsNotLater() {
        pass(25_000);

        assertThat(whole.atMost(10_000, waited::get)).isSameAs(whole);
    }
}
