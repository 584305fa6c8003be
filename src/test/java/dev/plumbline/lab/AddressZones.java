package dev.plumbline.lab;

import java.util.List;

/** Names of the DNS lab for the modules about CAA records, reverse DNS and IPv6. */
final class AddressZones {
    private AddressZones() {}

    static void fill(DnsLab dns) {
        dns.empty("www.caa.lab.test")
                .record("caa.lab.test. 300 IN CAA 0 issue \"ca1.example.net; validationmethods=dns-01\"")
                .record("caa.lab.test. 300 IN CAA 0 issuewild \";\"")
                .record("caa.lab.test. 300 IN CAA 0 iodef \"mailto:security@lab.test\"")
                .empty("no-caa.lab.test")
                .record("wild-caa.lab.test. 300 IN CAA 0 issuewild \"ca1.example.net\"")
                .record("bad-caa.lab.test. 300 IN CAA 0 issue \"%%%%%\"")
                .record("critical-caa.lab.test. 300 IN CAA 128 tbs \"Unknown\"");
    }

    /** The expected results. */
    static List<LabTarget> targets() {
        return List.of(
                new LabTarget("caa", "www.caa.lab.test", "verdict=pass; the records of the parent"),
                new LabTarget("caa", "no-caa.lab.test", "found=false"),
                new LabTarget("caa", "wild-caa.lab.test", "verdict=warn; only wildcard certificates are restricted"),
                new LabTarget("caa", "bad-caa.lab.test", "verdict=fail; malformed value"),
                new LabTarget("caa", "critical-caa.lab.test", "verdict=fail; unknown critical tag"),
                new LabTarget("caa", "servfail.lab.test", "dns_servfail"));
    }
}
