package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.OverloadFailure;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.dns.DnsRecords.Evidence;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Level;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Checks of names on a DNS server whose responses are scripted. */
class DnsRecordsTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new DnsRecords());
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start();
        fixture.dns()
                .address("full.test", "192.0.2.1", "2001:db8::1")
                .address("mail.full.test", "192.0.2.1")
                .record("full.test. 300 IN MX 10 mail.full.test.")
                .record("full.test. 300 IN TXT \"v=spf1 \" \"-all\"")
                .record("full.test. 300 IN CAA 0 issue \"ca.test\"")
                .address("inside.test", "192.0.2.1", "10.1.2.3")
                .record("half.test. 300 IN TXT \"known\"")
                .address("half.test", "192.0.2.1")
                .behave("half.test", DnsFaults.only(Type.HTTPS, DnsFaults.rcode(Rcode.SERVFAIL)))
                .address("ldap.test", "192.0.2.1")
                .record("ldap.test. 300 IN SRV 0 0 389 dc1.corp.example.")
                .behave("lame.test", DnsFaults.rcode(Rcode.REFUSED))
                .behave("upward.test", DnsFaults.upwardReferral())
                .record("doubt.test. 300 IN TXT \"known\"")
                .behave(
                        "doubt.test",
                        (query, standard, transport, count) ->
                                query.getQuestion().getType() == Type.TXT
                                        ? standard.toWire()
                                        : DnsFaults.rcode(Rcode.SERVFAIL).reply(query, standard, transport, count))
                .behave("silent.test", DnsFaults.silent())
                .empty("empty.test")
                .alias("circle.test", "round.test")
                .alias("round.test", "circle.test")
                .address("xn--bcher-kva.test", "192.0.2.1");
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    private static CheckResult check(String domain, String query) {
        return fixture.check(MODULE, domain, query);
    }

    @SuppressWarnings("unchecked")
    private static Map<String, List<Map<String, Object>>> records(CheckResult result) {
        return (Map<String, List<Map<String, Object>>>) result.fields().get("records");
    }

    @Test
    void returnsEveryRecord() {
        CheckResult result = check("Full.test.", "");

        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(result.fields()).containsEntry("rcode", "NOERROR").containsEntry("ttl_min", 60);
        Map<String, List<Map<String, Object>>> records = records(result);
        assertThat(records.keySet()).containsExactly("A", "AAAA", "MX", "TXT", "CAA");
        assertThat(records.get("AAAA"))
                .isEqualTo(List.of(Map.of("name", "full.test", "ttl_seconds", 60L, "data", "2001:db8::1")));
        assertThat(records.get("MX").toString())
                .contains("preference=10, host=mail.full.test", "data=10 mail.full.test.");
        assertThat(records.get("TXT").toString()).contains("text=v=spf1 -all", "data=\"v=spf1 \" \"-all\"");
        assertThat(records.get("CAA").toString()).contains("tag=issue, value=ca.test");
    }

    @Test
    void looksUpTheRequestedTypes() {
        CheckResult result = check("full.test", "types=TXT,TXT");

        assertThat(records(result).keySet()).containsExactly("TXT");
        assertThat(records(check("full.test", "types="))).hasSize(5);
        assertThat(MODULE.description().option("types").defaultValue()).isEqualTo(DnsRecords.DEFAULT_TYPES);
        assertThat(Options.parse(MODULE.description(), Map.of("types", "TXT,ANY,AXFR"))
                        .faults()
                        .get(0)
                        .detail())
                .contains("A, AAAA");
    }

    @Test
    void acceptsInternationalNames() {
        assertThat(check("Bücher.test", "types=A").target()).isEqualTo("xn--bcher-kva.test");
        assertThat(check("Bücher.test", "types=A").verdict()).isEqualTo(Verdict.PASS);
    }

    @ParameterizedTest
    @ValueSource(strings = {"inside.test", "inside.test types=TXT"})
    void rejectsNamesWithPrivateAddresses(String input) {
        String[] parts = input.split(" ");
        CheckResult result = check(parts[0], parts.length > 1 ? parts[1] : "");

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.fields().values()).containsOnlyNulls();
        assertThat(result.toString()).doesNotContain("10.1.2.3");
    }

    @Test
    void hidesRecordsThatPointToPrivateNames() {
        CheckResult result = check("ldap.test", "");

        assertThat(codes(result.findings())).contains("private_records_hidden");
        assertThat(result.toString()).doesNotContain("dc1.corp.example");
        assertThat(records(result).keySet()).containsExactly("A");
    }

    @Test
    void doesNotLookUpPrivateNames() {
        assertThat(check("secret.corp.example", "").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(fixture.dns().queries("secret.corp.example")).isZero();
    }

    @ParameterizedTest
    @CsvSource({"SERVFAIL, DNS_SERVFAIL", "silence, DNS_TIMEOUT"})
    void reportsAFailedWildcardLookupAsAnError(String fault, ErrorCode code) {
        String name = "unknown-" + fault.toLowerCase(Locale.ROOT) + ".test";
        fixture.dns().address(name, "192.0.2.1");
        fixture.dns()
                .behave(random(name), fault.equals("silence") ? DnsFaults.silent() : DnsFaults.rcode(Rcode.SERVFAIL));

        CheckResult result = check(name, "types=A");

        assertThat(result.fields()).containsEntry("wildcard", null);
        assertThat(records(result).keySet()).containsExactly("A");
        assertThat(result.error().code()).isEqualTo(code);
        assertThat(result.error().message()).startsWith("The lookup for a wildcard record failed.");
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
    }

    @Test
    void reportsAWildcardWithAPrivateAddress() {
        fixture.dns().address("dev.test", "192.0.2.1").address(random("dev.test"), "10.1.2.3");

        CheckResult result = check("dev.test", "types=A");

        assertThat(result.fields()).containsEntry("wildcard", true);
        assertThat(codes(result.findings())).containsExactly("private_records_hidden", "wildcard");
        assertThat(result.error()).isNull();
        assertThat(result.toString()).doesNotContain("10.1.2.3");
    }

    @Test
    void hidesTheWildcardIfTheAddressesAreUnknown() {
        fixture.dns().behave("unsure.test", DnsFaults.only(Type.A, DnsFaults.rcode(Rcode.SERVFAIL)));
        fixture.dns().empty("unsure.test").address(random("unsure.test"), "192.0.2.1");

        CheckResult result = check("unsure.test", "");

        assertThat(result.fields()).containsEntry("wildcard", null);
        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    }

    @Test
    void returnsOnlyAddressesIfTheNameCanHavePrivateAddresses() {
        fixture.dns()
                .record("veiled.test. 60 IN TXT \"secret\"")
                .behave("veiled.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));

        CheckResult result = check("veiled.test", "types=A,AAAA,TXT");

        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(result.error().message()).startsWith("Only address records are shown");
        assertThat(result.findings())
                .extracting(Finding::message)
                .containsExactly("Lookups of these record types failed: AAAA.");
        assertThat(result.toString()).doesNotContain("secret");
        fixture.dns().record("target.test. 60 IN MX 1 secret.test.").alias("turn.test", "target.test");
        fixture.dns().behave("turn.test", DnsFaults.only(Type.AAAA, DnsFaults.rcode(Rcode.SERVFAIL)));
        CheckResult alias = check("turn.test", "types=A,CNAME,MX");
        assertThat(alias.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(alias.toString()).doesNotContain("secret");
    }

    @Test
    void failsWithOverloadIfTheResolverIsOverloaded() {
        assertThat(fixture.failure(MODULE, 2, "full.test", "A")).isInstanceOf(OverloadFailure.class);
    }

    @Test
    void reportsFailedLookups() {
        assertThat(check("half.test", "").findings())
                .extracting(Finding::message)
                .contains("Lookups of these record types failed: HTTPS.");
        CheckResult lame = check("lame.test", "");
        assertThat(lame.fields()).containsEntry("rcode", "REFUSED");
        assertThat(lame.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(lame.verdict()).isEqualTo(Verdict.ERROR);
        CheckResult upward = check("upward.test", "");
        assertThat(upward.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(upward.fields()).containsEntry("records", Map.of());
        assertThat(codes(upward.findings())).isEmpty();
        assertThat(check("silent.test", "timeout_ms=1000").error().code()).isEqualTo(ErrorCode.DNS_TIMEOUT);
        CheckResult missing = check("missing.test", "");
        assertThat(missing.fields()).containsEntry("rcode", "NXDOMAIN");
        assertThat(missing.error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        assertThat(codes(missing.findings())).containsExactly("name_does_not_exist");
        assertThat(codes(check("circle.test", "").findings())).containsExactly("alias_at_apex", "broken_alias");
        assertThat(codes(check("empty.test", "").findings())).containsExactly("no_records");
    }

    @Test
    void reportsACnameLoopForAnyRequestedType() {
        CheckResult result = check("circle.test", "types=A");

        assertThat(result.error()).isNull();
        assertThat(codes(result.findings())).contains("broken_alias");
        assertThat(result.fields().get("records").toString()).contains("host=round.test");
    }

    @Test
    void distinguishesADnameRecordFromAWildcard() {
        String random = DnsRecords.RANDOM_LABEL;
        fixture.dns()
                .address("www.moved.test", "192.0.2.1")
                .alias(random + ".www.moved.test", random + ".www.target.test")
                .address("www.star.test", "192.0.2.1")
                .alias(random + ".www.star.test", "any.target.test")
                .address("www.both.test", "192.0.2.1")
                .alias(random + ".www.both.test", random + ".www.star.test");

        assertThat(check("www.moved.test", "").fields()).containsEntry("wildcard", false);
        assertThat(check("www.star.test", "").fields()).containsEntry("wildcard", true);
        assertThat(check("www.both.test", "").fields()).containsEntry("wildcard", true);
    }

    @Test
    void formatsServiceBindingsAsDig() {
        fixture.dns()
                .record("svc.test. 300 IN HTTPS 1 . alpn=h2,h3 port=8443 ipv4hint=192.0.2.1,192.0.2.2 "
                        + "ipv6hint=2001:db8:0:0:0:0:0:1,2001:db8::2 key65400=abc")
                .record("svc.test. 300 IN SVCB 0 svc.example.test.");

        String records =
                String.valueOf(check("svc.test", "types=HTTPS,SVCB").fields().get("records"));

        assertThat(records)
                .contains("data=1 . alpn=\"h2,h3\" port=8443 ipv4hint=192.0.2.1,192.0.2.2 "
                        + "ipv6hint=2001:db8::1,2001:db8::2 key65400=\"abc\"")
                .contains("data=0 svc.example.test.");
    }

    @Test
    void returnsNothingIfTheAddressLookupsFail() {
        CheckResult result = check("doubt.test", "");

        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        assertThat(result.fields().get("records").toString()).isEqualTo("{}");
    }

    @Test
    void truncatesALargeResponse() {
        for (int i = 0; i < 400; i++) {
            fixture.dns().record("large.test. 300 IN TXT \"" + i + "x".repeat(120) + "\"");
        }
        CheckResult result = check("large.test", "types=TXT");

        assertThat(result.error()).isNull();
        assertThat(result.truncated()).containsExactly("fields.records");
    }

    @Test
    void reportsANonexistentNameAsAnError() {
        CheckResult missing = check("missing.test", "");

        assertThat(missing.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(missing.findings())
                .extracting(Finding::code, Finding::level)
                .containsExactly(tuple("name_does_not_exist", Level.INFO));
    }

    @Test
    void returnsTheWholeCnameChain() {
        fixture.dns().alias("web.way.test", "www.way.test").alias("www.way.test", "way.test");
        fixture.dns().address("way.test", "192.0.2.1");

        for (String types : List.of("", "types=A")) {
            assertThat(records(check("web.way.test", types)).get("CNAME"))
                    .extracting(row -> row.get("name") + " " + row.get("data"))
                    .containsExactly("web.way.test www.way.test.", "www.way.test way.test.");
        }
    }

    @Test
    void sortsMailServersByPreference() {
        for (String server : List.of("20 b", "10 c", "5 z", "20 a", "100 a")) {
            fixture.dns().record("order.test. 60 IN MX " + server + ".order.test.");
        }

        assertThat(records(check("order.test", "types=MX")).get("MX"))
                .extracting(row -> row.get("data").toString().replace(".order.test.", ""))
                .containsExactly("5 z", "10 c", "20 a", "20 b", "100 a");
    }

    @Test
    void doesNotReportNoRecordsIfTheOnlyRecordIsHidden() {
        fixture.dns().record("_ldap._tcp.hidden.test. 60 IN SRV 0 0 389 dc1.corp.example.");

        for (String types : List.of("", "types=SRV", "types=A,SRV")) {
            CheckResult result = check("_ldap._tcp.hidden.test", types);
            assertThat(codes(result.findings())).doesNotContain("no_records");
        }
        assertThat(codes(check("_ldap._tcp.hidden.test", "").findings())).containsExactly("private_records_hidden");
    }

    @Test
    void looksUpEveryTypeAtTheEndOfALongCnameChain() {
        for (int hop = 0; hop < 8; hop++) {
            fixture.dns().behave("h" + hop + ".far.test", DnsFaults.aliasOnly("h" + (hop + 1) + ".far.test"));
        }
        fixture.dns().address("h8.far.test", "192.0.2.1");
        String all = MODULE.description().option("types").pattern().pattern().replace('|', ',');

        CheckResult result = check("h0.far.test", "types=" + all);

        assertThat(result.error()).isNull();
        assertThat(codes(result.findings())).doesNotContain("lookup_failed");
        assertThat(records(result).get("CNAME")).hasSize(8);
    }

    /** The random name below a name that the module looks up. */
    private static String random(String name) {
        return DnsRecords.RANDOM_LABEL + "." + name;
    }

    private static List<String> codes(List<Finding> findings) {
        return findings.stream().map(Finding::code).toList();
    }
}
