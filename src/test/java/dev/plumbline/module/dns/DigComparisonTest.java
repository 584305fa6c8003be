package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.module.dns.DnsRecords.Evidence;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import java.net.InetAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Rcode;

/** Compares the records with the output of dig for the same BIND server. */
@Tag("integration")
class DigComparisonTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new DnsRecords());
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @Test
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        String types = "A,AAAA,CNAME,MX,NS,TXT,SOA,CAA,HTTPS,SRV,SVCB,TLSA,DS,PTR,NAPTR,SSHFP,URI";
        try (NamedServer named = NamedServer.start(
                folder,
                Map.of(
                        "zone.test",
                        """
                @ IN A 192.0.2.1
                @ 120 IN A 192.0.2.2
                @ IN AAAA 2001:db8::1:0:0:1
                @ IN MX 10 Mail
                @ IN MX 20 mail.other.test.
                @ IN TXT "v=spf1 " "-all"
                @ IN TXT "quote \\" back \\\\ \\195\\188 ;"
                @ IN CAA 0 issue "ca.test; a=b"
                @ IN CAA 128 iodef "mailto:a@zone.test"
                @ IN HTTPS 1 . alpn=h2,h3 ipv4hint=192.0.2.1 port=8443
                @ IN HTTPS 2 @ mandatory=alpn,port alpn=h2 port=8443 ipv6hint=2001:db8::1,2001:db8:0:1::2
                @ IN HTTPS 3 svc alpn=h3 no-default-alpn ech=AEX+DQBBNg== ipv6hint=2001:db8::ffff key65400=abc
                @ IN SVCB 0 other.test.
                @ IN URI 10 1 "https://zone.test/"
                @ IN NAPTR 100 10 "S" "SIP+D2U" "" _sip._udp.zone.test.
                @ IN SSHFP 4 2 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                _443._tcp IN TLSA 3 1 1 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
                _sip._udp IN SRV 1 2 5060 sip
                www IN CNAME @
                chain IN CNAME www
                away IN CNAME target.other.test.
                dangling IN CNAME nobody
                *.wild IN A 192.0.2.9
                long IN TXT %s
                empty.below IN A 192.0.2.3
                """
                                .formatted(("\"" + "y".repeat(255) + "\" ").repeat(60)),
                        "other.test",
                        "target IN A 192.0.2.4\n"))) {
            for (String name : List.of(
                    "zone.test",
                    "www.zone.test",
                    "chain.zone.test",
                    "away.zone.test",
                    "dangling.zone.test",
                    "x.wild.zone.test",
                    "wild.zone.test",
                    "long.zone.test",
                    "below.zone.test",
                    "_443._tcp.zone.test",
                    "_sip._udp.zone.test",
                    "no.zone.test")) {
                CheckResult result = fixture.check(MODULE, named.address(), name, "types=" + types);

                List<String> actual = new ArrayList<>();
                records(result)
                        .forEach((type, rows) -> rows.forEach(row -> actual.add("%s. %s IN %s %s"
                                .formatted(row.get("name"), row.get("ttl_seconds"), type, row.get("data")))));
                List<String> expected = new ArrayList<>();
                for (String type : types.split(",")) {
                    Dig.query(named.port(), "+noall", "+answer", "+nosplit", name, type).stream()
                            .map(line -> line.replaceAll("\\s+", " "))
                            .filter(line -> !expected.contains(line))
                            .forEach(expected::add);
                }
                assertThat(actual.stream()
                                .map(line -> line.replaceAll("\\s+", " "))
                                .toList())
                        .as(name)
                        .containsExactlyInAnyOrderElementsOf(expected);
                List<String> comments = Dig.query(named.port(), "+noall", "+comments", name, "A");
                assertThat(comments.toString())
                        .contains("status: " + result.fields().get("rcode") + ",")
                        .contains("flags: qr " + ((boolean) result.fields().get("authoritative") ? "aa " : ""));
                assertThat(result.fields()).containsEntry("wildcard", name.endsWith("wild.zone.test"));
            }
        }
    }

    @Test
    void agreesWithDigOnLameDelegations(@TempDir Path folder) throws Exception {
        String zone =
                """
        good IN NS ns
        refusing IN NS ns
        upward IN NS ns
        half IN NS ns
        half IN NS gone
        dead IN NS gone
        ns IN A 127.0.0.2
        gone IN A 127.0.0.3
        """;
        try (NamedServer resolver = NamedServer.start(folder, Map.of("zone.test", zone));
                DnsLab ns = DnsLab.start(InetAddress.getByName("127.0.0.2"), resolver.port())) {
            for (String name : List.of("good.zone.test", "half.zone.test")) {
                ns.address(name, "192.0.2.1").record(name + ". 60 IN TXT \"known\"");
                ns.behave(name, DnsFaults.authoritative(name));
                ns.behave(random(name), DnsFaults.authoritative(name));
            }
            ns.behave("refusing.zone.test", DnsFaults.rcode(Rcode.REFUSED));
            ns.behave("upward.zone.test", DnsFaults.upwardReferral());

            for (String name : List.of("good", "half", "refusing", "upward", "dead")) {
                boolean lame = !name.equals("good") && !name.equals("half");
                CheckResult result = fixture.check(MODULE, resolver.address(), name + ".zone.test", "types=A,AAAA,TXT");

                for (String type : List.of("A", "AAAA", "TXT")) {
                    assertThat(Dig.query(resolver.port(), "+noall", "+comments", name + ".zone.test", type)
                                    .toString())
                            .contains("status: " + result.fields().get("rcode") + ",");
                }
                assertThat(result.fields())
                        .as(name)
                        .containsEntry("rcode", lame ? "SERVFAIL" : "NOERROR")
                        .containsEntry("authoritative", false);
                assertThat(records(result).keySet()).containsExactlyElementsOf(lame ? List.of() : List.of("A", "TXT"));
                assertThat(result.error() == null ? null : result.error().code())
                        .isEqualTo(lame ? ErrorCode.DNS_SERVFAIL : null);
                assertThat(codes(result.findings())).isEqualTo(lame ? List.of() : List.of("no_ipv6"));
            }
            assertThat(ns.queries("upward.zone.test")).isPositive();
            assertThat(ns.queries("refusing.zone.test")).isPositive();
        }
    }

    @SuppressWarnings("unchecked")
    private static Map<String, List<Map<String, Object>>> records(CheckResult result) {
        return (Map<String, List<Map<String, Object>>>) result.fields().get("records");
    }

    /** The random name below a name that the module looks up. */
    private static String random(String name) {
        return DnsRecords.RANDOM_LABEL + "." + name;
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }
}
