package dev.plumbline.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.bus.Message;
import java.util.List;
import org.junit.jupiter.api.Test;

class LinePermitsTest {
    private static final String NODE = "10.0.0.3:5701";

    private final LinePermits permits = new LinePermits(64);

    private boolean report(int bulkPermits, int free) {
        return permits.update(new Message.RunCapacity(NODE, bulkPermits, free));
    }

    private void start(int lines) {
        for (int i = 0; i < lines; i++) {
            permits.start(NODE);
        }
    }

    @Test
    void aNodeWithoutAReportHasTheAssumedPermits() {
        assertThat(permits.of(NODE)).isEqualTo(64);

        permits.update(List.of(NODE), 4);
        assertThat(permits.of(NODE)).isEqualTo(16);
        permits.update(List.of(NODE), 100);
        assertThat(permits.of(NODE)).as("at least one").isEqualTo(1);
    }

    @Test
    void theOnlyCoordinatorHasAllPermits() {
        permits.update(List.of(NODE), 1);

        assertThat(report(192, 192)).isTrue();
        assertThat(permits.of(NODE)).isEqualTo(192);
        start(192);
        assertThat(report(192, 0)).isFalse();
        assertThat(permits.of(NODE)).isEqualTo(192);
    }

    @Test
    void aCoordinatorBorrowsItsShareOfTheFreePermits() {
        permits.update(List.of(NODE), 2);
        report(192, 192);
        assertThat(permits.of(NODE)).isEqualTo(96);

        start(84);
        assertThat(permits.of(NODE)).as("new lines do not raise the permits").isEqualTo(96);
        assertThat(report(192, 108)).isTrue();
        assertThat(permits.of(NODE)).isEqualTo(138);

        start(40);
        report(192, 68);
        assertThat(permits.of(NODE)).isEqualTo(158);
    }

    @Test
    void borrowedPermitsAreReturnedWhileOthersNeedThem() {
        permits.update(List.of(NODE), 2);
        start(150);

        report(192, -38);
        assertThat(permits.of(NODE)).isEqualTo(131);

        for (int i = 0; i < 60; i++) {
            permits.end(NODE);
        }
        report(192, 18);
        assertThat(permits.of(NODE)).as("its own share is kept").isEqualTo(99);
        report(192, -20);
        assertThat(permits.of(NODE)).isEqualTo(96);
    }

    @Test
    void theReportOfANodeThatLeftIsForgotten() {
        report(8, 8);
        assertThat(permits.of(NODE)).isEqualTo(8);

        permits.update(List.of("10.0.0.4:5701"), 1);

        assertThat(permits.of(NODE)).isEqualTo(64);
    }
}
