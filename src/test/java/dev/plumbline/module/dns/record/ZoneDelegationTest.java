package dev.plumbline.module.dns.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.DnsResponses;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Name;

class ZoneDelegationTest {
    @Test
    void targetsAreSortedWithoutDuplicates() {
        assertThat(ZoneDelegation.targets(DnsResponses.response(
                                "a.test",
                                "NS",
                                "a.test. 60 IN NS ns2.a.test.",
                                "a.test. 60 IN NS ns1.b.test.",
                                "a.test. 60 IN NS ns1.a.test.",
                                "a.test. 60 IN NS NS2.a.test.")
                        .records()))
                .extracting(Name::toString)
                .containsExactly("ns1.a.test.", "ns2.a.test.", "ns1.b.test.");
    }
}
