package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.AuthoritativeZone;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.NameserverFixture;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Evaluation;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import java.io.IOException;
import java.time.LocalDate;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Type;

class SoaTest {
    private static final ModuleDefinition<Soa.Evidence> MODULE = SheetModule.load(new Soa());
    private static final LocalDate TODAY = LocalDate.of(2026, 11, 23);
    private static NameserverFixture dns;

    @BeforeAll
    static void start() {
        dns = new NameserverFixture();
        zone("same", 7, 7);
        zone("differ", 7, 8);
        String silent = zone("half", 7);
        dns.serve(silent, DnsFaults.rcode(Rcode.REFUSED));
        dns.resolver()
                .record("www.same.test. 60 IN A 192.0.2.1")
                .alias("alias.same.test", "elsewhere.test")
                .address("split.test", "10.0.0.1")
                .record("split.test. 60 IN SOA ns1.split.test. host.split.test. 1 14400 3600 1209600 3600")
                .record("inside.test. 60 IN SOA dc1.office.internal. host.inside.test. 1 14400 3600 1209600 3600")
                .record("unlisted.test. 60 IN SOA ns1.same.test. host.same.test. 7 14400 3600 1209600 3600")
                .behave("unlisted.test", DnsFaults.only(Type.NS, DnsFaults.rcode(Rcode.SERVFAIL)))
                .behave("broken.test", DnsFaults.rcode(Rcode.SERVFAIL));
    }

    /**
     * A zone with a nameserver for each serial number, and one more without a server. Returns the address of the last.
     */
    private static String zone(String label, long... serials) {
        String zone = label + ".test";
        dns.resolver()
                .record(zone + ". 60 IN SOA ns1." + zone + ". host.master." + zone + ". 7 14400 3600 1209600 3600");
        String address = "";
        for (int i = 1; i <= Math.max(2, serials.length); i++) {
            address = dns.address();
            dns.resolver()
                    .record(zone + ". 60 IN NS ns" + i + "." + zone + ".")
                    .address("ns" + i + "." + zone, address);
            if (i <= serials.length) {
                dns.serve(address, AuthoritativeZone.of(zone, serials[i - 1], "@ NS ns1", "@ NS ns2"));
            }
        }
        return address;
    }

    @AfterAll
    static void stop() {
        dns.close();
    }

    private static CheckResult check(String domain) {
        return dns.check(MODULE, domain, Map.of());
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }

    @Test
    void reportsTheRecord() {
        CheckResult result = check("same.test");

        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(result.findings()).isEmpty();
        assertThat(result.fields())
                .containsEntry("primary", "ns1.same.test")
                .containsEntry("contact", "host@master.same.test")
                .containsEntry("serial", 7L)
                .containsEntry("refresh", 14400L)
                .containsEntry("retry", 3600L)
                .containsEntry("expire", 1209600L)
                .containsEntry("minimum", 3600L)
                .containsEntry("errors", List.of());
    }

    @ParameterizedTest
    @CsvSource({
        "differ.test, serials_differ, '7, 8'",
        "half.test, servers_not_compared, ns2.half.test",
        "www.same.test, not_a_zone, zone same.test",
        "alias.same.test, not_a_zone, zone same.test",
        "unlisted.test, nameservers_unknown, lookup of unlisted.test failed"
    })
    void comparesNameservers(String domain, String code, String text) {
        CheckResult result = check(domain);

        assertThat(codes(result.findings())).as(result.toString()).containsExactly(code);
        assertThat(result.findings().get(0).message()).contains(text);
    }

    @ParameterizedTest
    @CsvSource({
        "missing.test, DNS_NXDOMAIN",
        "split.test, TARGET_BLOCKED",
        "inside.test, TARGET_BLOCKED",
        "broken.test, DNS_SERVFAIL"
    })
    void reportsErrors(String domain, ErrorCode code) {
        CheckResult result = check(domain);

        assertThat(result.error().code()).isEqualTo(code);
        assertThat(result.toString()).doesNotContain("10.0.0.1", "office");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ns1.a.test. host.a.test. 2026112301 86400 7200 3600000 172800 | minimum_high",
                "ns1.a.test. host.a.test. 2026112301 14400 3600 1209600 3600 |",
                "ns1.a.test. host.a.test. 0 14400 3600 1209600 3600 | serial_zero",
                "ns1.a.test. host.a.test. 2026112501 14400 3600 1209600 3600 | serial_in_future",
                "ns1.a.test. host.a.test. 2026112499 14400 3600 1209600 3600 |",
                "ns1.a.test. host.a.test. 1795400000 14400 3600 1209600 3600 |",
                "ns1.a.test. host.a.test. 2027023001 14400 3600 1209600 3600 |",
                "ns1.a.test. host.a.test. 4294967295 14400 3600 1209600 3600 |",
                "hidden.a.test. host.a.test. 1 14400 3600 1209600 3600 | primary_not_listed",
                ". host.a.test. 1 14400 3600 1209600 3600 | primary_invalid",
                "ns_1.a.test. host.a.test. 1 14400 3600 1209600 3600 | primary_invalid",
                "ns1. host.a.test. 1 14400 3600 1209600 3600 | primary_invalid",
                "ns1.a.test. . 1 14400 3600 1209600 3600 | contact_invalid",
                "ns1.a.test. a.test. 1 14400 3600 1209600 3600 | contact_invalid",
                "ns1.a.test. host\\@a.test.a.test. 1 14400 3600 1209600 3600 | contact_invalid",
                "ns1.a.test. first\\.last.a.test. 1 14400 3600 1209600 3600 |",
                "ns1.a.test. host.a.test. 1 1199 600 1209600 3600 | refresh_low",
                "ns1.a.test. host.a.test. 1 86401 3600 1209600 3600 | refresh_high",
                "ns1.a.test. host.a.test. 1 14400 179 1209600 3600 | retry_low",
                "ns1.a.test. host.a.test. 1 14400 14400 1209600 3600 | retry_not_below_refresh",
                "ns1.a.test. host.a.test. 1 14400 3600 604799 3600 | expire_low",
                "ns1.a.test. host.a.test. 1 14400 3600 3628801 3600 | expire_high",
                "ns1.a.test. host.a.test. 1 14400 3600 14400 3600 | expire_not_above_refresh",
                "ns1.a.test. host.a.test. 1 14400 3600 1209600 59 | minimum_low",
                "ns1.a.test. host.a.test. 1 14400 3600 1209600 86401 | minimum_high",
            })
    void evaluatesValues(String data, String code) throws IOException {
        Evaluation evaluation = evaluate(data);

        assertThat(codes(evaluation.findings())).isEqualTo(code == null ? List.of() : List.of(code));
        boolean contradiction = code != null && code.matches(".*_(invalid|below_refresh|above_refresh)");
        assertThat(evaluation.fields().get("errors")).asInstanceOf(LIST).hasSize(contradiction ? 1 : 0);
    }

    @Test
    void decodesTheMailbox() throws IOException {
        assertThat(evaluate("ns1.a.test. first\\.last.a.test. 1 14400 3600 1209600 3600")
                        .fields())
                .containsEntry("contact", "first.last@a.test");
        assertThat(evaluate("ns1.a.test. . 1 14400 3600 1209600 3600").fields()).containsEntry("contact", ".");
    }

    private static Evaluation evaluate(String data) throws IOException {
        Name zone = Name.fromConstantString("a.test.");
        Record soa = Record.fromString(zone, Type.SOA, DClass.IN, 3600, data, Name.root);
        Map<String, Long> serials = new HashMap<>(Map.of("ns1.a.test", 1L));
        return MODULE.evaluate(
                new Soa.Evidence(
                        zone, (SOARecord) soa, List.of(Name.fromConstantString("ns1.a.test.")), serials, TODAY),
                Options.defaults(MODULE.description()));
    }
}
