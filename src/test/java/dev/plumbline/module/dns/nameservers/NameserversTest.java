package dev.plumbline.module.dns.nameservers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.AuthoritativeZone;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsLab;
import dev.plumbline.lab.NameserverFixture;
import dev.plumbline.probe.dns.HostAddresses;
import dev.plumbline.result.CheckError;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import dev.plumbline.sheet.Options;
import dev.plumbline.target.IpAddressText;
import java.io.IOException;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;

/** Checks of zones on nameservers that respond in good, broken and hostile ways. */
class NameserversTest {
    private static final ModuleDefinition<NameserverEvidence> MODULE = SheetModule.load(new Nameservers());
    private static NameserverFixture dns;
    private static final List<String> DELEGATIONS = new ArrayList<>();

    @BeforeAll
    static void start() throws IOException {
        dns = new NameserverFixture();
        String[] nsRecords = {"@ NS ns1", "@ NS ns2", "www A 192.0.2.1"};
        delegate("good", zone("good", nsRecords), zone("good", nsRecords));
        delegate("lame", zone("lame", nsRecords), DnsFaults.rcode(Rcode.REFUSED));
        delegate("upward", DnsFaults.upwardReferral(), DnsFaults.upwardReferral());
        delegate("gone", zone("gone", nsRecords), null);
        delegate("dead", null, null);
        delegate("hostile", DnsFaults.garbage(), DnsFaults.compressionLoop());
        delegate("wrongowner", DnsFaults.wrongOwner(), DnsFaults.wrongRecordCounts());
        delegate("serials", zone("serials", nsRecords), AuthoritativeZone.of("serials.test", 8, nsRecords));
        delegate(
                "recursive",
                zone("recursive", nsRecords),
                zone("recursive", nsRecords).recursive());
        delegate("transfer", zone("transfer", nsRecords).transferable(), zone("transfer", nsRecords));
        delegate("differ", zone("differ", "@ NS ns1"), zone("differ", "@ NS ns1"));
        delegate("stale", zone("stale", nsRecords), zone("stale", "@ NS ns1"));
        delegate("inside", zone("inside", "@ NS ns1", "@ NS ns.office.internal."), zone("inside", nsRecords));
        String tcpless = delegate("tcpless", zone("tcpless", nsRecords), null);
        dns.serve(tcpless, zone("tcpless", nsRecords)).closeTcp();
        delegate("truncated", truncating(zone("truncated", nsRecords)), truncating(zone("truncated", nsRecords)));
        delegate("private", zone("private", "@ NS ns1", "@ NS ns2"), null);
        dns.resolver().removeRecords("ns2.private.test").address("ns2.private.test", "10.1.2.3");
        delegate("alias", zone("alias", nsRecords), zone("alias", nsRecords));
        dns.resolver().alias("ns2.alias.test", "ns1.good.test").removeRecords("ns2.alias.test");
        dns.resolver().alias("ns2.alias.test", "ns1.good.test");
        delegate("lost", zone("lost", "@ NS ns1", "@ NS ns.gone.test."), null);
        DELEGATIONS.add("lost NS ns.gone.test.");
        single();
        many();
        glue();
        newServer();
        dns.resolver().address("split.test", "192.0.2.1", "10.0.0.1");
        DELEGATIONS.add("split NS ns1.good.test.");
        dns.serveParent("test", AuthoritativeZone.of("test", 1, DELEGATIONS.toArray(String[]::new)));
    }

    private static AuthoritativeZone zone(String label, String... records) {
        return AuthoritativeZone.of(label + ".test", 7, records);
    }

    private static DnsLab.Behavior truncating(DnsLab.Behavior behavior) {
        return (query, standard, transport, count) -> transport == DnsLab.Transport.UDP
                ? DnsFaults.truncated().reply(query, standard, transport, count)
                : behavior.reply(query, standard, transport, count);
    }

    /** Delegates a zone to ns1 and ns2 at two addresses. Null: no server. Returns the address of ns2. */
    private static String delegate(String label, DnsLab.Behavior first, DnsLab.Behavior second) {
        String address = "";
        for (int i = 1; i <= 2; i++) {
            DnsLab.Behavior behavior = i == 1 ? first : second;
            address = dns.address();
            String name = "ns" + i + "." + label;
            DELEGATIONS.add(label + " NS " + name);
            DELEGATIONS.add(name + " A " + address);
            dns.resolver().address(name + ".test", address);
            if (behavior != null) {
                dns.serve(address, behavior);
            }
        }
        return address;
    }

    private static void single() {
        String address = dns.address();
        DELEGATIONS.add("single NS ns1.single");
        DELEGATIONS.add("ns1.single A " + address);
        dns.resolver().address("ns1.single.test", address);
        dns.serve(address, zone("single", "@ NS ns1"));
    }

    private static void many() {
        List<String> records = new ArrayList<>();
        for (int i = 1; i <= 13; i++) {
            records.add("@ NS ns" + i);
        }
        AuthoritativeZone zone = zone("many", records.toArray(String[]::new)).recursive();
        for (int i = 1; i <= 13; i++) {
            String address = dns.address();
            DELEGATIONS.add("many NS ns" + i + ".many");
            DELEGATIONS.add("ns" + i + ".many A " + address);
            dns.resolver().address("ns" + i + ".many.test", address);
            dns.serve(address, zone);
        }
    }

    /** The parent zone has no glue for ns1, and a wrong one for ns2. */
    private static void glue() {
        DELEGATIONS.add("glue NS ns1.glue");
        DELEGATIONS.add("glue NS ns2.glue");
        DELEGATIONS.add("ns2.glue A " + dns.address());
        for (String name : List.of("ns1", "ns2")) {
            String address = dns.address();
            dns.resolver().address(name + ".glue.test", address);
            dns.serve(address, zone("glue", "@ NS ns1", "@ NS ns2"));
        }
    }

    private static String newAddress;

    private static void newServer() {
        newAddress = dns.address();
        dns.serve(newAddress, (query, standard, transport, count) -> {
            String name = query.getQuestion().getName().toString(true);
            AuthoritativeZone zone = name.endsWith("planned.test")
                    ? zone("planned", "@ NS ns1.new.test.", "@ A 192.0.2.7")
                    : zone("good", "@ NS ns1.new.test.", "@ A 192.0.2.7", "local A 10.0.0.1");
            return zone.reply(query, standard, transport, count);
        });
        dns.resolver().address("ns1.new.test", newAddress).address("ns2.new.test", newAddress);
    }

    @AfterAll
    static void stop() {
        dns.close();
    }

    private static CheckResult check(String domain) {
        return dns.check(MODULE, domain, Map.of());
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    private static String message(CheckResult result, String code) {
        return result.findings().stream()
                .filter(finding -> finding.code().equals(code))
                .findFirst()
                .orElseThrow()
                .message();
    }

    @Test
    void reportsNameserversThatMatchTheDelegation() {
        CheckResult result = check("good.test");

        assertThat(result.error()).isNull();
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
        assertThat(codes(result)).containsExactly("no_ipv6");
        assertThat(result.fields())
                .containsEntry("parent_child_match", true)
                .containsEntry("serials_match", true)
                .containsEntry("network_count", 2)
                .containsEntry("tcp_ok", true)
                .containsEntry("lame", List.of())
                .containsEntry("open_recursion", List.of())
                .containsEntry("zone_transfer_open", List.of());
        assertThat(result.fields().get("servers").toString())
                .contains("name=ns1.good.test", "answers=true, authoritative=true, serial=7", "recursion=false");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "lame | fail | lame_delegation | REFUSED",
                "upward | fail | no_authoritative_server | upward.test",
                "upward | fail | lame_delegation | not authoritative",
                "gone | warn | unresponsive_servers | connection refused",
                "serials | warn | serials_differ | 7, 8",
                "recursive | fail | open_recursion | ns2.recursive.test",
                "transfer | warn | zone_transfer_open | ns1.transfer.test",
                "tcpless | warn | tcp_closed | ns2.tcpless.test",
                "differ | warn | missing_in_zone | ns2.differ.test",
                "stale | warn | ns_records_differ | ns2.stale.test",
                "single | warn | single_nameserver | ns1.single.test",
                "private | fail | private_address | ns2.private.test",
                "alias | fail | nameserver_is_alias | ns2.alias.test",
                "lost | fail | dangling_reference | ns.gone.test",
                "glue | fail | missing_glue | ns1.glue.test",
                "glue | fail | glue_differs | ns2.glue.test",
                "truncated | pass | no_ipv6 | truncated.test",
                "many | fail | open_recursion | more",
                "many | fail | not_queried | 127.1",
            })
    void reportsProblems(String label, String verdict, String code, String text) {
        CheckResult result = check(label + ".test");

        assertThat(result.error()).isNull();
        assertThat(result.verdict().id()).isEqualTo(verdict);
        assertThat(message(result, code)).contains(text);
        assertThat(result.toString()).doesNotContain("10.1.2.3");
    }

    @Test
    void findsNameserversThatOnlyTheZoneLists() {
        String address = dns.address();
        dns.serve(address, zone("good", "@ NS ns1", "@ NS ns2", "@ NS ns1.new.test."));

        CheckResult result = dns.check(MODULE, "good.test", Map.of("servers", address));

        assertThat(result.fields()).containsEntry("parent_child_match", false);
        assertThat(message(result, "delegation_differs")).contains("ns1.good.test");
    }

    @ParameterizedTest
    @CsvSource({"dead, CONNECT_REFUSED", "hostile, DNS_SERVFAIL"})
    void reportsAnErrorIfNoNameserverResponds(String label, ErrorCode code) {
        CheckResult result = check(label + ".test");

        assertThat(result.error().code()).isEqualTo(code);
        assertThat(result.error().message()).startsWith("No nameserver of " + label + ".test responded.");
        assertThat(result.verdict()).isEqualTo(Verdict.ERROR);
        assertThat(codes(result)).contains("unresponsive_servers");
        assertThat(result.fields()).containsEntry("parent_child_match", null);
    }

    @Test
    void ignoresRecordsOfOtherOwners() {
        assertThat(codes(check("wrongowner.test")))
                .contains("no_authoritative_server", "lame_delegation", "unresponsive_servers");
    }

    @Test
    void reportsTheZoneOfANameInsideAZone() {
        dns.resolver().record("good.test. 300 IN NS ns1.good.test.");

        CheckResult result = check("www.good.test");

        assertThat(message(result, "not_a_zone")).contains("www.good.test", "zone good.test");
        assertThat(result.fields()).containsEntry("parent_child_match", true);
        dns.resolver().removeRecords("good.test");
    }

    @Test
    void reportsNamesThatAreNotDelegated() {
        CheckResult result = check("missing.test");

        assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        assertThat(result.error().message()).contains("missing.test", "zone test");
    }

    @Test
    void rejectsSplitHorizonNamesBeforeAQueryOfNameservers() {
        int before = dns.queries();

        CheckResult result = check("split.test");

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(dns.queries()).isEqualTo(before);
        assertThat(result.toString()).doesNotContain("10.0.0.1");
    }

    @Test
    void withholdsPrivateNamesOfNameservers() {
        CheckResult result = check("inside.test");

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(result.toString()).doesNotContain("office");
    }

    @Test
    void staysWithinTheRequestBudget() {
        int before = dns.queries();

        CheckResult result = check("many.test");

        // A request to a nameserver is one UDP query, or one TCP connection with two queries.
        assertThat(dns.queries() - before).isLessThanOrEqualTo(25 + NameserverSurvey.MAX_ADDRESSES);
        assertThat(result.fields().get("servers")).asInstanceOf(LIST).hasSize(13);
        assertThat(result.fields()).containsEntry("network_count", 2);
    }

    @Test
    void queriesNamedServersBeforeTheDelegation() {
        CheckResult result =
                dns.check(MODULE, "planned.test", Map.of("servers", List.of("ns1.new.test", "ns2.new.test")));

        assertThat(result.error()).isNull();
        assertThat(codes(result)).contains("not_delegated", "server_not_listed", "shared_address");
        assertThat(message(result, "server_not_listed"))
                .contains("ns2.new.test")
                .doesNotContain("ns1.new.test");
        assertThat(result.fields().get("servers").toString()).contains("name=ns1.new.test", "serial=7");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "10.0.0.1",
                "127.0.0.1",
                "::1",
                "169.254.169.254",
                "ns2.private.test",
                "localhost",
                "db.corp.example"
            })
    void doesNotQueryNamedServersThatAreNotAllowed(String server) {
        int before = dns.queries();

        CheckResult result = dns.check(MODULE, "good.test", Map.of("servers", List.of(newAddress, server)));

        assertThat(result.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(dns.queries()).isEqualTo(before);
    }

    @Test
    void rejectsMalformedServers() {
        assertThat(dns.check(MODULE, "good.test", Map.of("servers", "a..b"))
                        .error()
                        .code())
                .isEqualTo(ErrorCode.INVALID_TARGET);
        for (String servers : List.of("a.test:5353", "a b", "a,b,c,d,e", "https://a.test/")) {
            assertThat(Options.parse(MODULE.description(), Map.of("servers", servers))
                            .faults())
                    .as(servers)
                    .isNotEmpty();
        }
        assertThat(Options.parse(MODULE.description(), Map.of("servers", "a.test,192.0.2.1,2001:db8::1,b.test"))
                        .faults())
                .isEmpty();
    }

    @Test
    void doesNotJudgeTheNetworksIfAnAddressLookupFailed() {
        Name zone = Name.fromConstantString("a.test.");
        List<InetAddress> ips = List.of(IpAddressText.parse("192.0.2.1"), IpAddressText.parse("192.0.2.2"));
        HostAddresses known = HostAddresses.found(ips);
        HostAddresses failed = new HostAddresses(
                HostAddresses.State.FAILED, List.of(), false, null, new CheckError(ErrorCode.DNS_TIMEOUT, "Timeout."));

        assertThat(networkFindings(zone, known)).contains("single_network");
        assertThat(networkFindings(zone, failed))
                .contains("address_lookup_failed")
                .doesNotContain("single_network");
    }

    /** The findings of a zone with two addresses of one nameserver, and those of another. */
    private static List<String> networkFindings(Name zone, HostAddresses second) {
        List<InetAddress> ips = List.of(IpAddressText.parse("192.0.2.3"), IpAddressText.parse("192.0.2.4"));
        HostAddresses first = HostAddresses.found(ips);
        List<NameserverEvidence.Server> servers = List.of(
                new NameserverEvidence.Server("ns1.a.test", zone, first, List.of(), List.of()),
                new NameserverEvidence.Server("ns2.a.test", zone, second, List.of(), List.of()));
        return MODULE
                .evaluate(
                        new NameserverEvidence(zone, zone, null, null, false, servers),
                        Options.defaults(MODULE.description()))
                .findings()
                .stream()
                .map(Finding::code)
                .toList();
    }

    @Test
    void reportsAFailedLookupOfTheParentZone() {
        assertThat(check("domain.unknown").error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
    }
}
