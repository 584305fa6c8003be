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
        String retry = JobName.ofLinesWithError("HTTP status, 305 targets", 12);

        assertThat(retry).isEqualTo("12 lines with an error from HTTP status, 305 targets");
        assertThat(JobName.ofLinesWithError(retry, 1)).isEqualTo("1 line with an error from HTTP status, 305 targets");
        assertThat(JobName.fault(JobName.ofLinesWithError("\ud83d\ude00".repeat(100), 12)))
                .isNull();
    }
}
