package dev.plumbline.input;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class JobNameTest {
    @Test
    void theNameHasTheToolAndTheNumberOfTargets() {
        assertThat(JobName.ofTargets("HTTP status", 305)).isEqualTo("HTTP status, 305 targets");
        assertThat(JobName.ofTargets("HTTP status", 1)).isEqualTo("HTTP status, 1 target");
        assertThat(JobName.ofTargets("HTTP status", 1204)).isEqualTo("HTTP status, 1,204 targets");
    }

    @Test
    void aRetryNamesTheOriginalJob() {
        String retry = JobName.ofFailedLines("HTTP status, 305 targets", 12);

        assertThat(retry).isEqualTo("12 failed lines of HTTP status, 305 targets");
        assertThat(JobName.ofFailedLines(retry, 1)).isEqualTo("1 failed line of HTTP status, 305 targets");
        assertThat(JobName.fault(JobName.ofFailedLines("\ud83d\ude00".repeat(100), 12)))
                .isNull();
    }
}
