package dev.plumbline.probe.registry;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class WhoisReferralTest {
    @Test
    void findsTheReferral() {
        String text = "% IANA WHOIS server\n\nrefer:        whois.nic.test\n\ndomain:       TEST\n";

        assertThat(Objects.requireNonNull(WhoisReferral.find(text, WhoisReferral.IANA_KEYS, 43))
                        .text())
                .isEqualTo("whois.nic.test");
        assertThat(WhoisReferral.find("domain: TEST\n", WhoisReferral.IANA_KEYS, 43))
                .isNull();
    }

    @Test
    void ignoresReferralsToOtherPorts() {
        String text = "whois: a.test:25\nwhois: b.test:4343\nwhois: whois://c.test:43/\n";

        assertThat(Objects.requireNonNull(WhoisReferral.find(text, WhoisReferral.IANA_KEYS, 43))
                        .text())
                .isEqualTo(
                        Objects.requireNonNull(WhoisReferral.server("c.test")).text());
        assertThat(Objects.requireNonNull(WhoisReferral.find(text, WhoisReferral.IANA_KEYS, 4343))
                        .port())
                .isEqualTo(4343);
        assertThat(WhoisReferral.find("Whois Server: a.test:25\n", WhoisReferral.REGISTRY_KEYS, 43))
                .isNull();
    }

    /** Searching all following text for the colon of each line would take hours. */
    @Test
    @Timeout(60)
    void readsLongLinesInLinearTime() {
        assertThat(WhoisReferral.find("\n".repeat(4_000_000), WhoisReferral.IANA_KEYS, 43))
                .isNull();
        assertThat(WhoisReferral.find("a\n".repeat(2_000_000) + ":", WhoisReferral.REGISTRY_KEYS, 43))
                .isNull();
    }
}
