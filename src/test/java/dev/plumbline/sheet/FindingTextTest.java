package dev.plumbline.sheet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.result.ErrorCode;
import java.util.List;
import org.junit.jupiter.api.Test;

class FindingTextTest {
    @Test
    void sentencesAreSeparatedBySpaces() {
        assertThat(FindingText.of(List.of("Line 1 is empty.", "Line 2 is too long.")))
                .isEqualTo("Line 1 is empty. Line 2 is too long.");
    }

    @Test
    void constantsArePrintedAsWords() {
        assertThat(FindingText.of(ErrorCode.CONNECT_TIMEOUT)).isEqualTo("connect timeout");
    }

    @Test
    void otherItemsAreSeparatedByCommas() {
        assertThat(FindingText.of(List.of("a.example", "b.example"))).isEqualTo("a.example, b.example");
        assertThat(FindingText.of(List.of("a.example.", "b.example."))).isEqualTo("a.example., b.example.");
    }
}
