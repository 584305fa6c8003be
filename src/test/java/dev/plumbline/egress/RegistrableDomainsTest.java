package dev.plumbline.egress;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class RegistrableDomainsTest {
    private final RegistrableDomains domains = new RegistrableDomains();

    @ParameterizedTest
    @CsvSource({
        "example.com, example.com",
        "_25._tcp.mx.example.co.uk, example.co.uk",
        "_dmarc.example.co.uk, example.co.uk",
        "a_.b.example.co.uk, example.co.uk",
        "x\\.y.example.co.uk, example.co.uk",
        "victim.github.io, github.io",
        "a.b.c.test, c.test",
        "9.8.7.6.in-addr.arpa, 8.7.6.in-addr.arpa",
        "128-25.9.8.7.6.in-addr.arpa, 8.7.6.in-addr.arpa",
        "6.in-addr.arpa, 6.in-addr.arpa",
        "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.2.2.2.8.b.d.0.1.0.0.2.ip6.arpa, 2.2.2.2.8.b.d.0.1.0.0.2.ip6.arpa",
        "com,",
        "co.uk,",
        "_x.co.uk,",
        "test,",
        "'',",
    })
    void findsTheDomainWhoseNameserversAreQueried(String name, String domain) {
        assertThat(domains.ofDnsName(name)).isEqualTo(domain);
    }
}
