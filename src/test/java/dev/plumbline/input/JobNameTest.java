package dev.plumbline.input;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleCatalogue;
import java.util.List;
import org.junit.jupiter.api.Test;

class JobNameTest {
    @Test
    void theNameHasTheToolAndTheNumberOfTargets() {
        assertThat(JobName.ofTargets("HTTP status", 305)).isEqualTo("HTTP status, 305 targets");
        assertThat(JobName.ofTargets("HTTP status", 1)).isEqualTo("HTTP status, 1 target");
        assertThat(JobName.ofTargets("HTTP status", 1204)).isEqualTo("HTTP status, 1,204 targets");
    }

    @Test
    void theJobsOfAListAreNumbered() {
        assertThat(JobName.ofPart("nightly", 2, 3)).isEqualTo("nightly (2 of 3)");
        assertThat(JobName.ofPart("nightly", 1, 1)).isEqualTo("nightly");
        String name = JobName.ofPart("\ud83d\ude00".repeat(100), 10, 12);
        assertThat(name).endsWith("\ud83d\ude00 (10 of 12)");
        assertThat(name.codePoints()).hasSize(100);
    }

    @Test
    void aRetryNamesTheOriginalJob() {
        String retry = JobName.ofRetry("HTTP status, 305 targets", 12);

        assertThat(retry).isEqualTo("12 checks with an error code from HTTP status, 305 targets");
        assertThat(JobName.ofRetry(retry, 1)).isEqualTo("1 check with an error code from HTTP status, 305 targets");
        assertThat(JobName.ofRetry("\ud83d\ude00".repeat(100), 12).codePoints()).hasSize(100);
    }

    @Test
    void joinersAreAllowedAndOtherFormatCharactersReplacedInDefaultNames() {
        String family = "\ud83d\udc68\u200d\ud83d\udc69";

        assertThat(JobName.fault(family)).isNull();
        assertThat(JobName.ofRetry("a\u202e\u009b" + family, 2))
                .isEqualTo("2 checks with an error code from a\ufffd\ufffd" + family);
        String name = JobName.ofItems(
                List.of("a\u001b\u202eb"),
                ModuleCatalogue.load().find("http-status").description());
        assertThat(name).isEqualTo("a\ufffd\ufffdb");
        assertThat(JobName.fault(name)).isNull();
    }
}
