package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.AuthoritativeZone;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.NameserverFixture;
import dev.plumbline.probe.dns.PropagationResolvers;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Rcode;

/** Compares three resolvers, of which the third has old records, and a fourth that does not respond. */
class DnsPropagationTest {
    private static final ModuleDefinition<DnsPropagation.Evidence> MODULE = SheetModule.load(new DnsPropagation());
    private static final String[] RECORDS = {
        "moved.zone.test. 60 IN A 192.0.2.1",
        "moved.zone.test. 60 IN A 192.0.2.2",
        "text.zone.test. 60 IN TXT \"new\"",
        "same.zone.test. 60 IN MX 10 mail.zone.test.",
        "added.zone.test. 60 IN TXT \"new\"",
        "alias.zone.test. 60 IN CNAME target.other.test.",
        "target.other.test. 60 IN A 192.0.2.9",
        "late.zone.test. 60 IN TXT \"new\"",
        "inside.zone.test. 60 IN MX 10 mail.office.internal.",
    };
    private static NameserverFixture dns;
    private static final Map<String, List<String>> RESOLVERS = new LinkedHashMap<>();

    @BeforeAll
    static void start() {
        dns = new NameserverFixture();
        String nameserver = dns.address();
        dns.resolver().record("zone.test. 60 IN NS ns.zone.test.").address("ns.zone.test", nameserver);
        List<String> zone = new ArrayList<>(List.of("@ NS ns"));
        for (String record : RECORDS) {
            if (record.contains(".zone.test. 60 IN")) {
                String[] parts = record.split(" ", 5);
                zone.add(parts[0] + " " + parts[3] + " " + parts[4]);
            }
        }
        dns.serve(nameserver, AuthoritativeZone.of("zone.test", 1, zone.toArray(String[]::new)));
        for (String name : List.of("one", "two", "old")) {
            String address = dns.address();
            DnsLab resolver = dns.serve(address, null);
            RESOLVERS.put(name, List.of(address + ":53"));
            boolean old = name.equals("old");
            for (String record : RECORDS) {
                if (!old || !record.startsWith("added")) {
                    resolver.record(old ? record.replace("new", "old").replace("192.0.2.2", "192.0.2.3") : record);
                }
            }
            if (old) {
                resolver.behave("broken.zone.test", DnsFaults.rcode(Rcode.SERVFAIL))
                        .behave("late.zone.test", DnsFaults.garbage());
            }
        }
        dns.resolver()
                .address("split.zone.test", "10.0.0.1")
                .behave("unknown.zone.test", DnsFaults.rcode(Rcode.SERVFAIL));
    }

    @AfterAll
    static void stop() {
        dns.close();
    }

    private static CheckResult check(String domain, String type, Map<String, List<String>> resolvers) {
        return dns.check(
                MODULE, domain, Map.of("type", type), PropagationResolvers.class, PropagationResolvers.of(resolvers));
    }

    private static CheckResult check(String domain, String type) {
        return check(domain, type, RESOLVERS);
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "same.zone.test | MX | pass | 100.0 |",
                "moved.zone.test | A | pass | 66.7 | addresses_differ",
                "text.zone.test | TXT | warn | 66.7 | records_differ",
                "added.zone.test | TXT | warn | 66.7 | missing_on_resolvers",
                "missing.zone.test | A | pass | 100.0 | name_does_not_exist",
                "late.zone.test | TXT | pass | 100.0 | unresponsive_resolvers",
                "alias.zone.test | A | pass | 100.0 | authoritative_records_unknown",
                "alias.zone.test | CNAME | pass | 100.0 |",
            })
    void comparesResolversWithTheNameservers(
            String domain, String type, String verdict, double agreement, String code) {
        CheckResult result = check(domain, type);

        assertThat(result.error()).isNull();
        assertThat(codes(result)).as(result.toString()).isEqualTo(code == null ? List.of() : List.of(code));
        assertThat(result.verdict().id()).isEqualTo(verdict);
        assertThat(result.fields()).containsEntry("agreement_percent", agreement);
    }

    @Test
    void reportsTheRecordsOfEachResolver() {
        CheckResult result = check("text.zone.test", "TXT");

        assertThat(result.fields()).containsEntry("authoritative", List.of("\"new\""));
        assertThat(result.fields().get("answers").toString())
                .contains(
                        "server=one, rcode=NOERROR, records=[\"new\"]", "server=old, rcode=NOERROR, records=[\"old\"]");
        assertThat(result.findings().get(0).message()).contains("1 of 3", "old", "60 seconds");
    }

    @Test
    void reportsResolversThatCannotResolveTheName() {
        CheckResult result = check("broken.zone.test", "A");

        assertThat(codes(result)).contains("resolver_errors");
        assertThat(result.findings().toString()).contains("old (SERVFAIL)");
        assertThat(result.fields()).containsEntry("agreement_percent", 100.0);
    }

    @ParameterizedTest
    @CsvSource({"split.zone.test, A", "inside.zone.test, MX"})
    void withholdsPrivateRecords(String domain, String type) {
        CheckResult result = check(domain, type);

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.toString()).doesNotContain("office", "10.0.0.1");
    }

    @ParameterizedTest
    @ValueSource(strings = {"split.zone.test", "unknown.zone.test", "printer.local", "db.corp.example"})
    void doesNotSendNamesThatCanBePrivateToPublicResolvers(String domain) {
        int before = dns.queries();

        assertThat(check(domain, "TXT").error().code()).isIn(ErrorCode.TARGET_BLOCKED, ErrorCode.DNS_SERVFAIL);

        assertThat(dns.queries()).isEqualTo(before);
    }

    @Test
    void reportsThatNoResolversAreConfigured() {
        CheckResult result = check("same.zone.test", "MX", Map.of());

        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(result.error().message()).contains("No public resolvers are configured", "`dns.propagation`");
    }

    @Tag("integration")
    @Test
    void reportsAnErrorIfNoResolverResponds() {
        CheckResult result = check("same.zone.test", "MX", Map.of("gone", List.of(dns.address() + ":53")));

        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_TIMEOUT);
        assertThat(codes(result)).containsExactly("unresponsive_resolvers");
        assertThat(result.fields()).containsEntry("agreement_percent", null);
    }

    @Test
    void queriesResolversThroughTheGuard() {
        CheckResult result = check(
                "same.zone.test",
                "MX",
                Map.of(
                        "inside",
                        List.of("10.0.0.1:53"),
                        "port",
                        List.of("127.15.3.1:5353"),
                        "one",
                        RESOLVERS.get("one")));

        assertThat(result.findings().get(0).message()).contains("inside", "port");
        assertThat(result.fields()).containsEntry("agreement_percent", 100.0);
    }

    @Test
    void namesResolversWithSeveralAddresses() {
        assertThat(PropagationResolvers.of(Map.of("a", List.of("192.0.2.1:53", "[2001:db8::1]:5353")))
                        .all())
                .extracting(
                        resolver -> resolver.name() + " " + resolver.address().port())
                .containsExactly("a 192.0.2.1 53", "a 2001:db8::1 5353");
    }
}
