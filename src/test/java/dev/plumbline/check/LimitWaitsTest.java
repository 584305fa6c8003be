package dev.plumbline.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LimitWaitsTest {
    private final LimitWaits whole = new LimitWaits(null);
    private final LimitWaits part = new LimitWaits(whole);
    private final LimitWaits other = new LimitWaits(whole);
    private long latestNanos;

    @Test
    void aWaitOfAnotherPartExtendsThePartThatWaitsForItsRequest() {
        Runnable first = part.join();
        Runnable second = part.join();
        waitOnce(other);
        first.run();
        first.run();
        waitOnce(other);
        second.run();
        long extension = part.extensionNanos();
        waitOnce(other);

        assertThat(extension).isEqualTo(whole.nanos() - latestNanos).isPositive();
        assertThat(part.extensionNanos()).isEqualTo(extension);
        assertThat(part.nanos()).isZero();
    }

    @Test
    void anOwnWaitExtendsTheDeadline() {
        waitOnce(part);

        assertThat(part.extensionNanos()).isEqualTo(part.nanos()).isPositive();
        assertThat(other.extensionNanos()).isZero();
    }

    @Test
    void aWholeCheckIsNotExtendedByOthers() {
        Runnable end = whole.join();
        waitOnce(part);
        end.run();

        assertThat(whole.extensionNanos()).isEqualTo(whole.nanos());
    }

    private void waitOnce(LimitWaits waits) {
        long before = whole.nanos();
        waits.start().accept(null);
        latestNanos = whole.nanos() - before;
    }
}
