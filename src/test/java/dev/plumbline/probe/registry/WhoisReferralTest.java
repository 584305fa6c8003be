package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WhoisReferralTest {
    @Test
    void findsTheReferral() {
        String text = "% IANA WHOIS server\n\nrefer:        whois.nic.test\n\ndomain:       TEST\n";

        assertThat(Objects.requireNonNull(WhoisReferral.fromIana(text, 43)).text())
                .isEqualTo("whois.nic.test");
        assertThat(WhoisReferral.fromIana("domain: TEST\n", 43)).isNull();
    }

    @Test
    void ignoresReferralsToOtherPorts() {
        String text = "whois: a.test:25\nwhois: b.test:4343\nwhois: whois://c.test:43/\n";

        assertThat(Objects.requireNonNull(WhoisReferral.fromIana(text, 43)).text())
                .isEqualTo(
                        Objects.requireNonNull(WhoisReferral.server("c.test")).text());
        assertThat(Objects.requireNonNull(WhoisReferral.fromIana(text, 4343)).port())
                .isEqualTo(4343);
        assertThat(WhoisReferral.fromRegistry("Whois Server: a.test:25\n", 43)).isNull();
    }

    /** Searching all following text for the colon of each line would take hours. */
    @Test
    @Timeout(60)
    void readsLongLinesInLinearTime() {
        assertThat(WhoisReferral.fromIana("\n".repeat(4_000_000), 43)).isNull();
        assertThat(WhoisReferral.fromRegistry("a\n".repeat(2_000_000) + ":", 43))
                .isNull();
    }
}
