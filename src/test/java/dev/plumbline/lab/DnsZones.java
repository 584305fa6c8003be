package dev.plumbline.lab;

import java.util.List;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Names of the DNS lab with valid and invalid records, for the DNS and mail modules. */
final class DnsZones {
    private DnsZones() {}

    static void fill(DnsLab dns) {
        dns.address("full.lab.test", "127.0.0.1")
                .record("full.lab.test. 300 IN MX 10 mail.full.lab.test.")
                .record("full.lab.test. 300 IN MX 20 smtp.full.lab.test.")
                .address("mail.full.lab.test", "127.0.0.1")
                .alias("smtp.full.lab.test", "mail.full.lab.test")
                .empty("ns1.full.lab.test")
                .empty("ns2.full.lab.test")
                .record("full.lab.test. 300 IN NS ns1.full.lab.test.")
                .record("full.lab.test. 300 IN NS ns2.full.lab.test.")
                .record("full.lab.test. 300 IN SOA ns1.full.lab.test. host.full.lab.test. 1 2 3 4 5")
                .record("full.lab.test. 300 IN TXT \"v=spf1 mx include:_spf.lab\" \".test -all\"")
                .record("full.lab.test. 300 IN TXT " + ("\"" + "long ".repeat(50) + "\" ").repeat(12))
                .record("full.lab.test. 300 IN CAA 0 issue \"ca.test\"")
                .record("full.lab.test. 300 IN HTTPS 1 . alpn=h2")
                .record("full.lab.test. 300 IN SRV 0 0 443 full.lab.test.")
                .record("_spf.lab.test. 300 IN TXT \"v=spf1 ip4:192.0.2.0/24 ?all\"")
                .record("_dmarc.full.lab.test. 300 IN TXT \"v=DMARC1\\; p=reject\\; rua=mailto:a@other.test\"")
                .record("full.lab.test._report._dmarc.other.test. 300 IN TXT \"v=DMARC1\"")
                .alias("dangling.lab.test", "missing.lab.test")
                .alias("circle.lab.test", "round.lab.test")
                .alias("round.lab.test", "circle.lab.test")
                .record("nullmx.lab.test. 300 IN MX 0 .")
                .record("spfloop.lab.test. 300 IN TXT \"v=spf1 include:spfloop.lab.test -all\"")
                .address("oldserver.lab.test", "127.0.0.1")
                .behave("oldserver.lab.test", DnsFaults.only(Type.HTTPS, DnsFaults.rcode(Rcode.SERVFAIL)))
                .record("soa.lab.test. 300 IN SOA ns1.soa.lab.test. host.soa.lab.test. 7 14400 3600 1209600 3600")
                .record("soa.lab.test. 300 IN NS ns1.soa.lab.test.")
                .record("badsoa.lab.test. 300 IN SOA . . 0 7200 7200 3600 3600")
                .behave("refusing.lab.test", DnsFaults.rcode(Rcode.REFUSED))
                .behave("lame.lab.test", DnsFaults.upwardReferral())
                .record("inmail.lab.test. 300 IN MX 10 mail.office.internal.")
                .record("numbermail.lab.test. 300 IN MX 10 192.0.2.1.")
                .record("2.0.0.127.bl.lab.test. 300 IN A 127.0.0.2")
                .record("35.216.184.93.bl.lab.test. 300 IN A 127.0.0.4")
                .record("35.216.184.93.bl.lab.test. 300 IN TXT \"Sends spam, see https://bl.lab.test/\"")
                .record("36.216.184.93.bl.lab.test. 300 IN A 127.255.255.254")
                .record("36.216.184.93.bl.lab.test. 300 IN TXT \"Error: open resolver\"")
                .address("listed.lab.test", "93.184.216.34", "93.184.216.35")
                .record("neutral.lab.test. 300 IN TXT \"v=spf1 ?all\"")
                .record("_dmarc.neutral.lab.test. 300 IN TXT \"v=DMARC1; p=none; rua=mailto:a@neutral.lab.test\"");
    }

    /** The expected results. */
    static List<LabTarget> targets() {
        return List.of(
                new LabTarget("dns-records", "full.lab.test", "verdict=pass"),
                new LabTarget("dns-records", "dangling.lab.test", "verdict=fail; the CNAME target does not exist"),
                new LabTarget("dns-records", "circle.lab.test", "verdict=fail; CNAME loop"),
                new LabTarget("dns-records", "oldserver.lab.test", "verdict=warn; HTTPS queries fail"),
                new LabTarget("dns-records", "refusing.lab.test", "dns_servfail"),
                new LabTarget("dns-records", "lame.lab.test", "dns_servfail"),
                new LabTarget("dns-records", "mixed.lab.test", "target_blocked"),
                new LabTarget("dns-records", "metadata.lab.test", "target_blocked"),
                new LabTarget("dns-records", "no-such-name.lab.test", "dns_nxdomain"),
                new LabTarget("dns-records", "silent.lab.test", "dns_timeout"),
                new LabTarget("dnsbl", "93.184.216.34", "verdict=pass; not listed"),
                new LabTarget("dnsbl", "listed.lab.test", "verdict=fail; the second address is listed"),
                new LabTarget("dnsbl", "93.184.216.36", "verdict=warn; the blocklist rejects the query"),
                new LabTarget("dnsbl", "mixed.lab.test", "target_blocked"),
                new LabTarget("email-address", "jane@full.lab.test", "verdict=pass"),
                new LabTarget("email-address", "jane@oldserver.lab.test", "verdict=warn; no MX record"),
                new LabTarget("email-address", "jane..doe@full.lab.test", "verdict=fail; two dots"),
                new LabTarget("email-address", "jane@nullmx.lab.test", "verdict=fail; null MX"),
                new LabTarget("email-address", "jane@no-such-name.lab.test", "dns_nxdomain"),
                new LabTarget("dns-propagation", "full.lab.test", "verdict=pass"),
                new LabTarget(
                        "dns-propagation", "oldserver.lab.test", "verdict=warn; one resolver does not have the record"),
                new LabTarget("soa", "soa.lab.test", "verdict=pass"),
                new LabTarget("soa", "full.lab.test", "verdict=warn; the zone expires after 4 seconds"),
                new LabTarget("soa", "badsoa.lab.test", "verdict=fail; without a primary nameserver"),
                new LabTarget("mx", "full.lab.test", "verdict=warn; one mail server is an alias"),
                new LabTarget("mx", "nullmx.lab.test", "verdict=pass; null MX"),
                new LabTarget("mx", "inmail.lab.test", "target_blocked"),
                new LabTarget("mx", "lame.lab.test", "dns_servfail"),
                new LabTarget("mx", "numbermail.lab.test", "verdict=fail; an address instead of a hostname"),
                new LabTarget("spf", "neutral.lab.test", "verdict=warn; the result is neutral"),
                new LabTarget("dmarc", "neutral.lab.test", "verdict=warn; the policy is none"),
                new LabTarget("spf", "full.lab.test", "verdict=pass"),
                new LabTarget("spf", "spfloop.lab.test", "verdict=fail; the record includes itself"),
                new LabTarget("dmarc", "full.lab.test", "verdict=pass"),
                new LabTarget("dmarc", "nullmx.lab.test", "verdict=fail; no DMARC record"),
                new LabTarget("dnssec", "secure.test", "verdict=pass"),
                new LabTarget("dnssec", "nsec3.test", "verdict=pass"),
                new LabTarget("dnssec", "salted.test", "verdict=warn; NSEC3 with iterations and salt"),
                new LabTarget("dnssec", "iterated.test", "verdict=fail; too many NSEC3 iterations"),
                new LabTarget("dnssec", "island.test", "status=insecure; DS record missing"),
                new LabTarget("dnssec", "full.lab.test", "status=insecure; not signed"),
                new LabTarget("dnssec", "expired.test", "failure=signature_expired"),
                new LabTarget("dnssec", "future.test", "failure=signature_not_yet_valid"),
                new LabTarget("dnssec", "bogus.test", "failure=signature_invalid"),
                new LabTarget("dnssec", "stripped.test", "failure=dnskey_missing"),
                new LabTarget("dnssec", "mismatch.test", "failure=ds_mismatch"),
                new LabTarget("dnssec", "undenied.test", "verdict=fail; no NSEC records"),
                new LabTarget("dnssec", "no.secure.test", "dns_nxdomain"));
    }
}
