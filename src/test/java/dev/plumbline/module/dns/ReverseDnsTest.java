package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.support.Dig;
import dev.plumbline.support.NamedServer;
import dev.plumbline.target.IpAddressText;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.ReverseMap;
import org.xbill.DNS.Type;

/** Reverse lookups in the DNS lab and on bind9. */
class ReverseDnsTest {
    private static final ModuleDefinition<ReverseDns.Evidence> MODULE = SheetModule.load(new ReverseDns());
    private static final String V6 = "2001:db8::25";
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
        ptr("192.0.2.1", "mail.example.net");
        ptr("192.0.2.2", "other.example.net");
        ptr("192.0.2.3", "mail3.example.net", "other.example.net");
        ptr("192.0.2.5", "nowhere.example.net");
        ptr("192.0.2.6", "broken.example.net");
        ptr("192.0.2.7", "inside.example.net");
        ptr("192.0.2.8", "db1.corp.example");
        ptr("192.0.2.9", "host_9.example.net");
        ptr("192.0.2.10", "alias.example.net");
        ptr("192.0.2.11", "192-0-2-11.dynamic.example.net");
        ptr("192.0.2.12", "localhost");
        ptr("192.0.2.14", "broken.example.net", "mail14.example.net");
        ptr("192.0.2.16", "half.example.net");
        ptr(V6, "mail6.example.net");
        for (int i = 0; i < 12; i++) {
            ptr("192.0.2.13", "n" + i + ".example.net");
        }
        fixture.dns()
                .address("mail.example.net", "192.0.2.1", V6)
                .address("other.example.net", "192.0.2.99")
                .address("mail3.example.net", "192.0.2.3")
                .behave("broken.example.net", DnsFaults.rcode(Rcode.SERVFAIL))
                .address("inside.example.net", "192.0.2.7", "10.1.2.3")
                .address("host_9.example.net", "192.0.2.9")
                .alias("alias.example.net", "target.example.net")
                .address("target.example.net", "192.0.2.10")
                .address("192-0-2-11.dynamic.example.net", "192.0.2.11")
                .address("n0.example.net", "192.0.2.13")
                .address("mail14.example.net", "192.0.2.14")
                .address("half.example.net", "192.0.2.99")
                .behave("half.example.net", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)))
                .address("mail6.example.net", V6)
                .behave("15.2.0.192.in-addr.arpa", DnsFaults.rcode(Rcode.SERVFAIL));
    }

    private static void ptr(String ip, String... names) {
        for (String name : names) {
            fixture.dns().record(reverse(ip) + " 60 IN PTR " + name + ".");
        }
    }

    private static String reverse(String ip) {
        return ReverseMap.fromAddress(IpAddressText.parse(ip)).toString();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static CheckResult check(String ip) {
        return fixture.check(MODULE, ip, "");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "192.0.2.1 | mail.example.net | true | - | pass",
                "2001:db8:0::25 | mail6.example.net | true | - | pass",
                "192.0.2.2 | other.example.net | false | not_confirmed | fail",
                "192.0.2.3 | mail3.example.net other.example.net | true | some_not_confirmed several_ptr | warn",
                "192.0.2.4 | | false | no_ptr | warn",
                "192.0.2.5 | nowhere.example.net | false | not_confirmed | fail",
                "192.0.2.6 | broken.example.net | null | forward_lookup_failed | error",
                "192.0.2.7 | | false | private_names_hidden | warn",
                "192.0.2.9 | host_9.example.net | true | invalid_hostname | warn",
                "192.0.2.10 | alias.example.net | true | ptr_points_to_alias | warn",
                "192.0.2.11 | 192-0-2-11.dynamic.example.net | true | generic_name | pass",
                "192.0.2.14 | broken.example.net mail14.example.net | true | forward_lookup_failed several_ptr | warn",
                "192.0.2.16 | half.example.net | null | forward_lookup_failed | error"
            })
    void reportsNamesAndTheirConfirmation(String ip, String names, String confirmed, String codes, String verdict) {
        CheckResult result = check(ip);

        assertThat(result.fields())
                .containsEntry("ptr", names == null ? List.of() : List.of(names.split(" ")))
                .containsEntry("forward_confirmed", confirmed.equals("null") ? null : Boolean.valueOf(confirmed));
        assertThat(result.findings())
                .extracting(Finding::code)
                .isEqualTo(codes.equals("-") ? List.of() : List.of(codes.split(" ")));
        assertThat(result.verdict()).isEqualTo(Verdict.valueOf(verdict.toUpperCase(Locale.ROOT)));
    }

    @Test
    void doesNotDiscloseInternalNames() {
        CheckResult blocked = check("192.0.2.8");
        assertThat(blocked.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(blocked.toString()).doesNotContain("corp.example", "db1");
        CheckResult hidden = check("192.0.2.7");
        assertThat(hidden.toString()).doesNotContain("inside.example", "10.1.2.3");
        assertThat(check("192.0.2.12").toString()).doesNotContain("127.0.0.1");
    }

    @Test
    void looksUpTheFirstNamesOnly() {
        CheckResult result = check("192.0.2.13");

        assertThat((List<?>) result.fields().get("ptr")).hasSize(ReverseDns.MAX_NAMES);
        assertThat(result.findings()).extracting(Finding::code).contains("many_ptr", "some_not_confirmed");
        assertThat(fixture.dns().queries("n9.example.net")).isZero();
    }

    @Test
    void reportsAFailedLookupAsAnError() {
        assertThat(check("192.0.2.15").error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    }

    @ParameterizedTest
    @CsvSource({
        "192.0.2.11, 192-0-2-11.example.net, true",
        "192.0.2.11, 11.2.0.192.example.net, true",
        "192.0.2.11, host192x0x2x11.example.net, true",
        "192.0.2.11, ip-192-000-002-011.example.net, true",
        "192.0.2.11, 192000002011.example.net, true",
        "192.0.2.11, c000020b.example.net, true",
        "192.0.2.11, 192-0-2-110.example.net, false",
        "192.0.2.11, mx11.example.net, false",
        "192.0.2.11, 2-11.example.net, false",
        "2001:db8::25, 2001-db8--25.example.net, true",
        "2001:db8::25, 2001-db8-0-0-0-0-0-25.example.net, true",
        "2001:db8::25, 20010db8000000000000000000000025.example.net, true",
        "2001:db8::25, 5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.example.net, true",
        "2001:db8::25, mail-25.example.net, false"
    })
    void recognizesGeneratedNames(String ip, String name, boolean generic) {
        assertThat(ReverseDns.isGeneric(name, IpAddressText.parse(ip))).isEqualTo(generic);
    }

    @Test
    void recognizesGeneratedNamesInLinearTime() {
        for (String part : List.of("1", "0", "1.", "0-", "a")) {
            String name = part.repeat(1_000_000 / part.length());

            assertTimeoutPreemptively(
                    Duration.ofSeconds(5), () -> ReverseDns.isGeneric(name, IpAddressText.parse("1.0.1.1")));
        }
    }

    /** Zones of RFC 2317 section 4, and IPv6 names of RFC 3596 section 2.5. */
    @Tag("integration")
    @Test
    void agreesWithDigOnBind(@TempDir Path folder) throws Exception {
        Map<String, String> zones = new LinkedHashMap<>();
        zones.put(
                "2.0.192.in-addr.arpa",
                """
            1 IN PTR mail.domain.example.
            2 IN CNAME 2.0/25.2.0.192.in-addr.arpa.
            129 IN CNAME 129.128-25
            130 IN CNAME missing.128-25
            131 IN PTR UPPER.Domain.example.
            131 IN PTR second.domain.example.
            """);
        zones.put("128-25.2.0.192.in-addr.arpa", "129 IN PTR host1.domain.example.\n");
        zones.put(
                "8.b.d.0.1.0.0.2.ip6.arpa",
                "5.2.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0 IN PTR six.domain.example.\n");
        zones.put(
                "domain.example",
                """
            mail IN A 192.0.2.1
            host1 IN A 192.0.2.129
            upper IN A 192.0.2.131
            second IN A 192.0.2.9
            six IN AAAA 2001:db8::25
            """);
        try (NamedServer named = NamedServer.start(folder, zones)) {
            for (String ip : List.of("192.0.2.1", "192.0.2.129", "192.0.2.130", "192.0.2.131", "192.0.2.77", V6)) {
                CheckResult result = fixture.check(MODULE, named.address(), ip, "");

                List<String> answer = Dig.query(named.port(), "+noall", "+answer", "-x", ip);
                List<String> ptr = answer.stream()
                        .filter(line -> line.matches(".*\\sPTR\\s.*"))
                        .map(line -> line.replaceFirst(".*\\s(.*)\\.", "$1"))
                        .sorted()
                        .toList();
                assertThat(result.fields()).as(ip).containsEntry("ptr", ptr);
                boolean confirmed = false;
                for (String name : ptr) {
                    String type = ip.contains(":") ? "AAAA" : "A";
                    confirmed |= Dig.query(named.port(), "+short", name, type).contains(ip);
                }
                assertThat(result.fields()).as(ip).containsEntry("forward_confirmed", confirmed);
                assertThat(result.findings().stream().anyMatch(f -> f.code().equals("delegated")))
                        .as(ip)
                        .isEqualTo(answer.stream().anyMatch(line -> line.matches(".*\\sCNAME\\s.*")));
            }
        }
    }
}
