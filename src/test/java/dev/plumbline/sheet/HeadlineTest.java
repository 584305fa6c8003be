package dev.plumbline.sheet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.result.Consequence;
import dev.plumbline.result.Level;
import dev.plumbline.support.Descriptions;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HeadlineTest {
    private static final List<FieldDescription> FIELDS = List.of(
            Descriptions.integer("status", "Status", "The status."),
            Descriptions.number("total_ms", "Time", "The time."),
            Descriptions.integer("days_remaining", "Days", "The days."),
            Descriptions.oneOf(Descriptions.string("problem", "Problem", "The problem."), "none", "weak_key"),
            Descriptions.bool("open", "Open", "Whether it is open."),
            Descriptions.string("text", "Text", "A text."),
            Descriptions.time("at", "Time", "A time."),
            Descriptions.array("names", "Names", "Names.", FieldType.STRING),
            Descriptions.table("hops", "Hops", "Hops.", Descriptions.integer("status", "Status", "The status.")),
            Descriptions.object("records", "Records", "Lists by type."));
    private static final List<FindingCode> FINDINGS = List.of(new FindingCode(
            "port_closed",
            "Port closed",
            Level.FAIL,
            null,
            "Closed.",
            "Open it.",
            null,
            0,
            Consequence.RECOMMENDED,
            List.of()));

    private static @Nullable String headline(String template, Map<String, ?> fields) {
        return Headline.parse(Map.of("otherwise", template), FIELDS, FINDINGS).of(fields, List.of(), true);
    }

    @Test
    void quantitiesHaveUnits() {
        assertThat(headline("{status}, {total_ms}", Map.of("status", 200, "total_ms", 84.4)))
                .isEqualTo("200, 84 ms");
        assertThat(headline("{total_ms}", Map.of("total_ms", 3.25))).isEqualTo("3.3 ms");
        assertThat(headline("{total_ms}", Map.of("total_ms", 1250))).isEqualTo("1.25 s");
    }

    @ParameterizedTest
    @CsvSource({
        "12, Expires in 12 days",
        "1, Expires in 1 day",
        "0, Expires in less than a day",
        "-1, Expired less than a day ago",
        "-2, Expired 1 day ago",
        "-12, Expired 11 days ago",
        "-1201, Expired 3 years ago",
    })
    void expiryIsRelative(int days, String text) {
        assertThat(headline("{days_remaining:expiry}", Map.of("days_remaining", days)))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({"68, 68 days left", "1, 1 day left", "0, less than a day left", "-1,"})
    void daysRemainHaveNoValueAfterTheExpiry(int days, String text) {
        assertThat(headline("{days_remaining:days} left", Map.of("days_remaining", days)))
                .isEqualTo(text);
    }

    @Test
    void dateFormatPrintsTheDay() {
        assertThat(headline("until {at:date}", Map.of("at", Instant.parse("2027-01-31T23:59:59Z"))))
                .isEqualTo("until 31 Jan 2027");
        assertThat(headline("until {at:date}", Map.of("at", "2027-01-31T23:59:59.000Z")))
                .isEqualTo("until 31 Jan 2027");
        assertThat(headline("until {at:date}", Map.of("at", "soon"))).isNull();
    }

    @Test
    void expiredHasNoValueBeforeTheExpiry() {
        assertThat(headline("{days_remaining:expired}", Map.of("days_remaining", 12)))
                .isNull();
        assertThat(headline("{days_remaining:expired}", Map.of("days_remaining", -12)))
                .isEqualTo("Expired 11 days ago");
    }

    @Test
    void expiryStartsWithACapitalOnlyAtTheStart() {
        assertThat(headline("Self-signed, {days_remaining:expiry}", Map.of("days_remaining", 12)))
                .isEqualTo("Self-signed, expires in 12 days");
    }

    @Test
    void listsAreShortened() {
        assertThat(headline("{names}", Map.of("names", List.of("a", "b", "c", "d", "e"))))
                .isEqualTo("a, b, c and 2 more");
        assertThat(headline("weak: {names:count}", Map.of("names", List.of("a", "b"))))
                .isEqualTo("weak: 2");
        List<Map<String, Integer>> hops = List.of(Map.of("status", 301), Map.of("status", 302));
        assertThat(headline("{hops.status:path}", Map.of("hops", hops))).isEqualTo("301 → 302");
    }

    @Test
    void listsOfAnObjectAreCounted() {
        Map<String, List<String>> records = new LinkedHashMap<>();
        records.put("A", List.of("192.0.2.1", "192.0.2.2"));
        records.put("MX", List.of());
        records.put("TXT", List.of("v=spf1 -all"));

        assertThat(headline("{records:counts}", Map.of("records", records))).isEqualTo("2 A, 1 TXT");
    }

    @Test
    void partsInBracketsAreOmittedWithoutValue() {
        String template = "[{hops.status:path} → ]{status}[, {total_ms}]";

        assertThat(headline(template, Map.of("status", 200, "hops", List.of(Map.of("status", 301)))))
                .isEqualTo("301 → 200");
        assertThat(headline(template, Map.of("status", 200, "hops", List.of(), "total_ms", 5)))
                .isEqualTo("200, 5 ms");
        assertThat(headline(template, Map.of("total_ms", 5))).isNull();
    }

    @Test
    void textOfTargetsIsPrintableAndShort() {
        assertThat(headline("{text}", Map.of("text", "a\u202eb\nc`" + "x".repeat(300))))
                .startsWith("a b c'x")
                .endsWith("x…")
                .hasSize(81);
        assertThat(headline("{text}", Map.of("text", ""))).isNull();
    }

    @Test
    void firstCaseThatAppliesIsUsed() {
        Map<String, String> cases = new LinkedHashMap<>();
        cases.put("port_closed", "closed");
        cases.put("problem=weak_key", "{problem}");
        cases.put("open=true|false", "{status}");
        cases.put("otherwise", "other");
        Headline headline = Headline.parse(cases, FIELDS, FINDINGS);

        assertThat(headline.of(Map.of("problem", "weak_key"), List.of("port_closed"), true))
                .isEqualTo("closed");
        assertThat(headline.of(Map.of("problem", "weak_key"), List.of(), true)).isEqualTo("weak key");
        assertThat(headline.of(Map.of("open", true, "status", 1), List.of(), true))
                .isEqualTo("1");
        assertThat(headline.of(Map.of("open", true), List.of(), true)).isEqualTo("other");
    }

    @Test
    void resultWithErrorUsesOnlyFindings() {
        Map<String, String> cases = new LinkedHashMap<>();
        cases.put("port_closed", "closed");
        cases.put("open=false", "not open");
        cases.put("otherwise", "{status}");
        Headline headline = Headline.parse(cases, FIELDS, FINDINGS);

        assertThat(headline.of(Map.of("open", false, "status", 200), List.of(), false))
                .isNull();
        assertThat(headline.of(Map.of("open", false), List.of("port_closed"), false))
                .isEqualTo("closed");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "port_open | x | headline port_open: finding port_open is not declared",
                "opened=true | x | headline opened=true: field opened is not declared",
                "open=yes | x | headline open=yes: open cannot be yes",
                "problem=weak | x | headline problem=weak: problem cannot be weak",
                "total_ms=1 | x | headline total_ms=1: total_ms cannot be 1",
                "otherwise | {missing} | field missing is not declared",
                "otherwise | {hops.time} | field hops.time is not declared",
                "otherwise | {open} | field open cannot be displayed as plain",
                "otherwise | {status:count} | field status cannot be displayed as count",
                "otherwise | {text:expiry} | field text cannot be displayed as expiry",
                "otherwise | {names:counts} | field names cannot be displayed as counts",
                "otherwise | {status:size} | headline otherwise: format size is not known",
                "otherwise | {Status} | contains a placeholder that is not valid",
                "otherwise | [{status} | brackets do not match",
            })
    void namesTheDeclarationThatIsNotValid(String condition, String text, String fault) {
        assertThatThrownBy(() -> Headline.parse(Map.of(condition, text), FIELDS, FINDINGS))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(fault);
    }
}
