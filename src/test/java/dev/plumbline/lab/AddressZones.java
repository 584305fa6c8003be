package dev.plumbline.lab;

import java.util.List;

/** Names of the DNS lab for the modules about CAA records, reverse DNS and IPv6. */
final class AddressZones {
    /** The labels of 2606:2800::1. */
    private static final String V6_NAME = "1." + "0.".repeat(23) + "0.0.8.2.6.0.6.2";

    private AddressZones() {}

    static void fill(DnsLab dns) {
        dns.empty("www.caa.lab.test")
                .record("caa.lab.test. 300 IN CAA 0 issue \"ca1.example.net; validationmethods=dns-01\"")
                .record("caa.lab.test. 300 IN CAA 0 issuewild \";\"")
                .record("caa.lab.test. 300 IN CAA 0 iodef \"mailto:security@lab.test\"")
                .empty("no-caa.lab.test")
                .record("wild-caa.lab.test. 300 IN CAA 0 issuewild \"ca1.example.net\"")
                .record("bad-caa.lab.test. 300 IN CAA 0 issue \"%%%%%\"")
                .record("critical-caa.lab.test. 300 IN CAA 128 tbs \"Unknown\"")
                .record("1.216.184.93.in-addr.arpa. 300 IN PTR mail.reverse.lab.test.")
                .address("mail.reverse.lab.test", "93.184.216.1")
                .record("2.216.184.93.in-addr.arpa. 300 IN PTR mail.reverse.lab.test.")
                .alias("3.216.184.93.in-addr.arpa", "3.0-63.216.184.93.in-addr.arpa")
                .record("3.0-63.216.184.93.in-addr.arpa. 300 IN PTR 93-184-216-3.reverse.lab.test.")
                .address("93-184-216-3.reverse.lab.test", "93.184.216.3")
                .record("5.216.184.93.in-addr.arpa. 300 IN PTR db.office.internal.")
                .behave("6.216.184.93.in-addr.arpa", DnsFaults.rcode(2))
                .record(V6_NAME + ".ip6.arpa. 300 IN PTR six.reverse.lab.test.")
                .address("six.reverse.lab.test", "2606:2800::1")
                .address("v4.lab.test", "127.0.0.1")
                .record("v4.lab.test. 300 IN NS ns.v4.lab.test.")
                .record("v4.lab.test. 300 IN MX 10 mail.v4.lab.test.")
                .address("ns.v4.lab.test", "127.0.0.1")
                .address("mail.v4.lab.test", "127.0.0.1")
                .empty("dns6.lab.test")
                .record("dns6.lab.test. 300 IN NS ns1.dns6.lab.test.")
                .record("dns6.lab.test. 300 IN NS ns2.dns6.lab.test.")
                .address("ns1.dns6.lab.test", "2606:2800::1")
                .address("ns2.dns6.lab.test", "2606:2800::2");
    }

    /** The expected results. */
    static List<LabTarget> targets() {
        return List.of(
                new LabTarget("caa", "www.caa.lab.test", "verdict=pass; the records of the parent"),
                new LabTarget("caa", "no-caa.lab.test", "found=false"),
                new LabTarget("caa", "wild-caa.lab.test", "verdict=warn; only wildcard certificates are restricted"),
                new LabTarget("caa", "bad-caa.lab.test", "verdict=fail; malformed value"),
                new LabTarget("caa", "critical-caa.lab.test", "verdict=fail; unknown critical tag"),
                new LabTarget("caa", "servfail.lab.test", "dns_servfail"),
                new LabTarget("reverse-dns", "93.184.216.1", "forward_confirmed=true"),
                new LabTarget("reverse-dns", "2606:2800::1", "forward_confirmed=true"),
                new LabTarget("reverse-dns", "93.184.216.2", "verdict=fail; the name has another address"),
                new LabTarget("reverse-dns", "93.184.216.3", "verdict=pass; classless delegation, generated name"),
                new LabTarget("reverse-dns", "93.184.216.4", "verdict=warn; no PTR record"),
                new LabTarget("reverse-dns", "93.184.216.5", "target_blocked"),
                new LabTarget("reverse-dns", "93.184.216.6", "dns_servfail"),
                new LabTarget("ipv6-readiness", "v4.lab.test", "verdict=warn; no AAAA records"),
                new LabTarget("ipv6-readiness", "dns6.lab.test", "verdict=pass; no website, nameservers with IPv6"),
                new LabTarget("ipv6-readiness", "servfail.lab.test", "dns_servfail"));
    }
}
