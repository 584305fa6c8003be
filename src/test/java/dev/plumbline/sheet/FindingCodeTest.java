package dev.plumbline.sheet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.result.Consequence;
import dev.plumbline.result.Level;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FindingCodeTest {
    @ParameterizedTest
    @CsvSource(
            nullValues = "null",
            value = {
                "RFC 9110, https://www.rfc-editor.org/rfc/rfc9110",
                "RFC 9110 section 15.5.5, https://www.rfc-editor.org/rfc/rfc9110#section-15.5.5",
                "'RFC 5280, section 4.1.2.5', https://www.rfc-editor.org/rfc/rfc5280#section-4.1.2.5",
                "RFC 9110 sections 15.4.2 and 15.4.9, https://www.rfc-editor.org/rfc/rfc9110#section-15.4.2",
                "Fetch Standard <https://fetch.spec.whatwg.org/#nosniff>, https://fetch.spec.whatwg.org/#nosniff",
                "CA/B Baseline Requirements, null",
                "null, null",
            })
    void linksItsReference(String reference, String url) {
        FindingCode code = new FindingCode(
                "a", "A", Level.INFO, null, "M.", "A.", reference, 0, Consequence.RECOMMENDED, List.of());

        assertThat(code.referenceUrl()).isEqualTo(url);
        assertThat(String.valueOf(code.reference())).doesNotContain("<");
    }
}
