package dev.plumbline.lab;

import java.util.List;

/** Names of the DNS lab with the records of DKIM, TLSRPT, MTA-STS and BIMI. */
final class MailPolicyZones {
    private MailPolicyZones() {}

    static void fill(DnsLab dns) {
        for (String domain : List.of("policies.lab.test", "nopolicies.lab.test", "badpolicies.lab.test")) {
            dns.address(domain, "127.0.0.1").record(domain + ". 300 IN MX 10 mail." + domain + ".");
        }
        dns.record("_smtp._tls.policies.lab.test. 300 IN TXT \"v=TLSRPTv1\\; rua=mailto:tls@policies.lab.test\"")
                .record("_smtp._tls.badpolicies.lab.test. 300 IN TXT \"v=TLSRPTv1\\; rua=tls@policies.lab.test\"");
    }

    /** The expected results. */
    static List<LabTarget> targets() {
        return List.of(
                new LabTarget("tls-rpt", "policies.lab.test", "verdict=pass"),
                new LabTarget("tls-rpt", "nopolicies.lab.test", "verdict=warn; no record"),
                new LabTarget("tls-rpt", "badpolicies.lab.test", "verdict=fail; the address is not a URI"));
    }
}
