package dev.plumbline.probe.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BodyBudgetTest {
    private static final int MIB = 1024 * 1024;

    @Test
    void reservesHalfForSmallBodies() {
        BodyBudget budget = new BodyBudget(16 * MIB);

        assertThat(budget.acquire(8 * MIB, 8 * MIB)).isTrue();
        assertThat(budget.acquire(1, 2 * MIB)).isFalse();
        assertThat(budget.remaining()).isEqualTo(8 * MIB);
        for (int i = 0; i < 8; i++) {
            assertThat(budget.acquire(MIB, MIB)).isTrue();
        }
        assertThat(budget.acquire(1, MIB)).isFalse();
        budget.release(9 * MIB);
        assertThat(budget.acquire(MIB, 2 * MIB)).isTrue();
    }
}
