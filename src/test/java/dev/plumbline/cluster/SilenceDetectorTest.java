package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class SilenceDetectorTest {
    private final AtomicLong nanos = new AtomicLong();
    private final SilenceDetector detector = new SilenceDetector("self", nanos::get);

    /** Time passes; each node in {@code sending} sends a message every second. */
    private List<String> after(int seconds, List<String> nodes, String... sending) {
        List<String> silent = List.of();
        for (int i = 0; i < seconds; i++) {
            nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
            List.of(sending).forEach(detector::hear);
            silent = detector.silent(nodes);
        }
        return silent;
    }

    @Test
    void aNodeIsSilentAfterSevenSecondsWithoutMessage() {
        List<String> nodes = List.of("a", "b");

        after(1, nodes, "a", "b");

        assertThat(after(7, nodes, "a")).isEmpty();
        assertThat(after(1, nodes, "a")).containsExactly("b");
        assertThat(detector.hear("b")).isTrue();
        assertThat(detector.silent(nodes)).isEmpty();
    }

    @Test
    void thisNodeIsNeverSilent() {
        assertThat(after(20, List.of("self", "a"))).containsExactly("a");
    }

    @Test
    void aPauseOfThisProcessIsNotASilenceOfOthers() {
        List<String> nodes = List.of("a", "b");
        after(1, nodes, "a", "b");
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        detector.hear("a");

        assertThat(detector.silent(nodes)).isEmpty();
    }

    @Test
    void aNewNodeIsSilentUntilItsFirstMessage() {
        after(1, List.of("a"), "a");

        assertThat(after(1, List.of("a", "b"), "a")).containsExactly("b");
        assertThat(after(1, List.of("a", "b"), "a", "b")).isEmpty();
    }
}
