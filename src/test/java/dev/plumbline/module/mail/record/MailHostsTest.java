package dev.plumbline.module.mail.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsResponses;
import dev.plumbline.probe.dns.DnsLookupResult;
import org.junit.jupiter.api.Test;

class MailHostsTest {
    @Test
    void namesAreSortedByPreferenceAndName() {
        MailHosts hosts = MailHosts.of(
                new DnsLookupResult(
                        "MX",
                        DnsResponses.response(
                                "a.test",
                                "MX",
                                "a.test. 60 IN MX 20 mx3.a.test.",
                                "a.test. 60 IN MX 10 mx2.a.test.",
                                "a.test. 60 IN MX 10 MX1.a.test."),
                        null),
                "a.test");

        assertThat(hosts.names()).containsExactly("mx1.a.test", "mx2.a.test", "mx3.a.test");
    }
}
