package dev.plumbline.lab;

import dev.plumbline.signature.RsaKeyPairs;
import java.security.GeneralSecurityException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

/**
 * Healthy domains of the shape that large mail providers and their customers have, as of 2026: numbers and names of MX
 * hosts, nameservers, SPF includes, DKIM selectors and aliases. Responses of the lab have addresses of the lab.
 */
public final class MailProviderZones {
    /** The number of domains. */
    public static final int DOMAINS = 8;

    private static final String TARGET = "127.15.9.1";
    private static final String KEY = publicKey();

    private final DnsLab dns;
    private final SignedZones signed;
    private final SignedZone ch = topLevel("ch.");
    private final SignedZone com = topLevel("com.");

    /**
     * A domain.
     *
     * @param providers the domains of other operators that its records name
     */
    public record Domain(String name, List<String> providers) {}

    private final List<Domain> domains = new ArrayList<>();

    private MailProviderZones(DnsLab dns) {
        this.dns = dns;
        SignedZone root = topLevel(".");
        SignedZone net = topLevel("net.");
        List.of(com, ch, net).forEach(root::delegate);
        this.signed = new SignedZones(root, com, ch, net);
    }

    private static SignedZone topLevel(String origin) {
        return SignedZone.of(origin).denial(SignedZone.Denial.NSEC3_OPT_OUT, 0, "");
    }

    /** Adds the zones to a server. */
    public static MailProviderZones addTo(DnsLab dns) {
        MailProviderZones zones = new MailProviderZones(dns);
        zones.google();
        zones.microsoft();
        zones.proton();
        zones.fastmail();
        zones.ovh();
        zones.manyIncludes();
        dns.sign(zones.signed);
        return zones;
    }

    public List<Domain> domains() {
        return domains;
    }

    /** In the form of {@code dns.trust_anchors}. */
    public String trustAnchor() {
        return signed.trustAnchor();
    }

    private void google() {
        dns.record("_spf.google.com. 60 IN TXT \"v=spf1 include:_netblocks.google.com include:_netblocks2.google.com "
                + "include:_netblocks3.google.com ~all\"");
        for (String block : List.of("", "2", "3")) {
            dns.record("_netblocks" + block + ".google.com. 60 IN TXT \"v=spf1 ip4:192.0.2.0/24 ~all\"");
        }
        domain("google.com", List.of(), List.of("smtp.google.com"), hosts("ns", 4, "google.com"));
        txt("google.com", "v=spf1 include:_spf.google.com ~all");
        key("20230601._domainkey.google.com");

        List<String> exchanges = new ArrayList<>(List.of("aspmx.l.google.com"));
        exchanges.addAll(hosts("alt", 4, "aspmx.l.google.com"));
        domain(
                "workspace.com",
                List.of("google.com", "googledomains.com"),
                exchanges,
                hosts("ns-cloud-a", 4, "googledomains.com"));
        txt("workspace.com", "v=spf1 include:_spf.google.com ~all");
        key("google._domainkey.workspace.com");
    }

    private void microsoft() {
        List<String> servers = List.of(
                "ns1-05.azure-dns.com", "ns2-05.azure-dns.net", "ns3-05.azure-dns.org", "ns4-05.azure-dns.info");
        for (String name :
                List.of("spf.protection.outlook.com", "spf-a.outlook.com", "spf-b.outlook.com", "spf-a.hotmail.com")) {
            dns.record(name + ". 60 IN TXT \"v=spf1 ip4:192.0.2.0/24 -all\"");
        }
        for (String name : List.of("_spf-ssg-b.microsoft.com", "_spf-ssg-c.microsoft.com")) {
            dns.record(name + ". 60 IN TXT \"v=spf1 ip4:192.0.2.0/24 -all\"");
        }
        domain(
                "outlook.com",
                List.of("azure-dns.com", "hotmail.com", "microsoft.com"),
                List.of("outlook-com.olc.protection.outlook.com"),
                servers);
        txt(
                "outlook.com",
                "v=spf1 include:spf-a.outlook.com include:spf-b.outlook.com ip4:192.0.2.0/24 "
                        + "include:spf.protection.outlook.com include:spf-a.hotmail.com "
                        + "include:_spf-ssg-b.microsoft.com include:_spf-ssg-c.microsoft.com ~all");
        domain(
                "tenant.com",
                List.of("outlook.com", "onmicrosoft.com", "azure-dns.com"),
                List.of("tenant-com.mail.protection.outlook.com"),
                servers);
        txt("tenant.com", "v=spf1 include:spf.protection.outlook.com -all");
        for (String selector : List.of("selector1", "selector2")) {
            String target = selector + "-tenant-com._domainkey.tenant.onmicrosoft.com";
            dns.alias(selector + "._domainkey.tenant.com", target);
            key(target);
        }
    }

    /** Signed, with TLSA records of the MX hosts. */
    private void proton() {
        SignedZone zone = SignedZone.of("protonmail.ch.")
                .record("mail A " + TARGET)
                .record("mailsec A " + TARGET)
                .record("_25._tcp.mail TLSA 3 1 1 " + "ab".repeat(32))
                .record("_25._tcp.mailsec TLSA 3 1 1 " + "ab".repeat(32))
                .record("_spf TXT \"v=spf1 ip4:192.0.2.0/24 include:_spf2.protonmail.ch ~all\"")
                .record("_spf2 TXT \"v=spf1 ip4:192.0.2.0/24 ~all\"");
        ch.delegate(zone);
        signed.add(zone);
        domain(
                "mailbox-at-proton.com",
                List.of("protonmail.ch", "proton.ch"),
                List.of("mail.protonmail.ch", "mailsec.protonmail.ch"),
                hosts("ns", 3, "registrar.net"));
        txt("mailbox-at-proton.com", "v=spf1 include:_spf.protonmail.ch ~all");
        for (String selector : List.of("protonmail", "protonmail2", "protonmail3")) {
            String target = selector + ".domainkey.d4e5f6.domains.proton.ch";
            dns.alias(selector + "._domainkey.mailbox-at-proton.com", target);
            key(target);
        }
    }

    /** Mail, SPF and nameservers of one provider. */
    private void fastmail() {
        dns.record("spf.messagingengine.com. 60 IN TXT \"v=spf1 ip4:192.0.2.0/24 ~all\"");
        domain(
                "hosted-at-fastmail.com",
                List.of("messagingengine.com", "fmhosted.com"),
                List.of("in1-smtp.messagingengine.com", "in2-smtp.messagingengine.com"),
                hosts("ns", 2, "messagingengine.com"));
        txt("hosted-at-fastmail.com", "v=spf1 include:spf.messagingengine.com ?all");
        for (String selector : List.of("fm1", "fm2", "fm3")) {
            String target = selector + ".hosted-at-fastmail.com.dkim.fmhosted.com";
            dns.alias(selector + "._domainkey.hosted-at-fastmail.com", target);
            key(target);
        }
    }

    /** Website, mail, nameservers and keys of one provider, signed, with TLSA records. */
    private void ovh() {
        SignedZone zone = SignedZone.of("ovh.net.").record("mx TXT \"v=spf1 ip4:192.0.2.0/24 ~all\"");
        for (int i = 0; i < 5; i++) {
            zone.record("mx" + i + ".mail A " + TARGET);
            zone.record("_25._tcp.mx" + i + ".mail TLSA 3 1 1 " + "ab".repeat(32));
        }
        for (String host : List.of("dns111", "ns111", "cdn")) {
            zone.record(host + " A " + TARGET);
        }
        for (int i = 1; i <= 2; i++) {
            zone.record("ovhmo" + i + "-selector1._domainkey TXT " + DnsLab.quoted("v=DKIM1; p=" + KEY));
        }
        zone.record("hosted-at-ovh.com._report._dmarc TXT v=DMARC1");
        SignedZone net = signed.zone("net.");
        net.delegate(zone);
        signed.add(zone);
        List<String> exchanges = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            exchanges.add("mx" + i + ".mail.ovh.net");
        }
        domain("hosted-at-ovh.com", List.of("ovh.net"), exchanges, List.of("dns111.ovh.net", "ns111.ovh.net"));
        txt("hosted-at-ovh.com", "v=spf1 include:mx.ovh.net ~all");
        dns.removeRecords("www.hosted-at-ovh.com").alias("www.hosted-at-ovh.com", "cdn.ovh.net");
        // for aliases, which the lab follows outside the signed zones
        dns.address("cdn.ovh.net", TARGET);
        for (int i = 1; i <= 2; i++) {
            key("ovhmo" + i + "-selector1._domainkey.ovh.net");
            dns.alias("selector" + i + "._domainkey.hosted-at-ovh.com", "ovhmo" + i + "-selector1._domainkey.ovh.net");
        }
    }

    /** Ten SPF lookups, of which six are at the provider of website, mail, nameservers and keys. */
    private void manyIncludes() {
        String provider = "provider.net";
        StringBuilder spf = new StringBuilder("v=spf1 include:spf." + provider);
        txt("spf." + provider, "v=spf1 " + String.join(" ", includes("spf", 5, provider)) + " -all");
        includes("_spf", 4, "newsletter.com").forEach(include -> spf.append(' ').append(include));
        domain(
                "ten-lookups.com",
                List.of(provider, "newsletter.com"),
                hosts("mx", 5, provider),
                hosts("ns", 4, provider));
        txt("ten-lookups.com", spf + " -all");
        for (String selector : List.of("selector1", "selector2", "s1", "s2")) {
            dns.alias(selector + "._domainkey.ten-lookups.com", selector + ".dkim." + provider);
            key(selector + ".dkim." + provider);
        }
        for (String host : List.of("www", "mta-sts")) {
            dns.removeRecords(host + ".ten-lookups.com").alias(host + ".ten-lookups.com", host + "." + provider);
            dns.address(host + "." + provider, TARGET);
        }
    }

    private List<String> includes(String prefix, int count, String domain) {
        return hosts(prefix, count, domain).stream()
                .peek(host -> txt(host, "v=spf1 ip4:192.0.2.0/24 -all"))
                .map(host -> "include:" + host)
                .toList();
    }

    private static String publicKey() {
        try {
            return Base64.getEncoder()
                    .encodeToString(RsaKeyPairs.generate(2048).getPublic().getEncoded());
        } catch (GeneralSecurityException unsupported) {
            throw new IllegalStateException(unsupported);
        }
    }

    private void key(String name) {
        txt(name, "v=DKIM1; k=rsa; p=" + KEY);
    }

    private void txt(String name, String text) {
        dns.record(name + ". 60 IN TXT " + DnsLab.quoted(text));
    }

    private static List<String> hosts(String prefix, int count, String domain) {
        List<String> hosts = new ArrayList<>();
        for (int i = 1; i <= count; i++) {
            hosts.add(prefix + i + "." + domain);
        }
        return hosts;
    }

    private void domain(String name, List<String> providers, List<String> exchanges, List<String> servers) {
        domains.add(new Domain(name, providers));
        // the first provider is that of the mail
        String reports = exchanges.get(0).endsWith("." + name) ? name : providers.get(0);
        dns.record(name + "._report._dmarc." + reports + ". 60 IN TXT \"v=DMARC1\"");
        dns.empty("_domainkey." + name)
                .address(name, TARGET)
                .record(name + ". 60 IN SOA ns1." + name + ". host." + name + ". 1 7200 900 1209600 300")
                .record("_dmarc." + name + ". 60 IN TXT \"v=DMARC1; p=reject; rua=mailto:d@" + reports
                        + "; ruf=mailto:f@" + reports + "\"")
                .record("_smtp._tls." + name + ". 60 IN TXT \"v=TLSRPTv1; rua=mailto:t@" + name + "\"")
                .record("_mta-sts." + name + ". 60 IN TXT \"v=STSv1; id=1\"")
                .record("default._bimi." + name + ". 60 IN TXT \"v=BIMI1; l=https://" + name + "/logo.svg\"")
                .record(name + ". 60 IN CAA 0 issue \"ca.test\"");
        dns.address("www." + name, TARGET).address("mta-sts." + name, TARGET);
        for (int i = 0; i < exchanges.size(); i++) {
            dns.record(name + ". 60 IN MX " + (10 + i) + " " + exchanges.get(i) + ".")
                    .address(exchanges.get(i), TARGET);
        }
        for (String server : servers) {
            dns.record(name + ". 60 IN NS " + server + ".").address(server, TARGET);
        }
    }
}
