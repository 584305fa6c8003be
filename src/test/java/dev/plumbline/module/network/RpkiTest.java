package dev.plumbline.module.network;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.result.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Rcode;

/** Domains of the DNS lab, a file with known payloads, and zones in the form of Team Cymru. */
class RpkiTest {
    private static final ModuleDefinition<Rpki.Evidence> MODULE = SheetModule.load(new Rpki());
    private static final Map<String, List<String>> ZONES =
            Map.of(OriginProbe.V4, List.of("origin.test"), OriginProbe.V6, List.of("origin6.test."));

    @TempDir
    static Path folder;

    private static DnsFixture fixture;
    private static String payloads;

    @BeforeAll
    static void start() throws IOException {
        payloads = Files.writeString(
                        folder.resolve("payloads.json"),
                        """
                {"roas": [
                  {"asn": "AS64496", "prefix": "192.0.2.0/24", "maxLength": 24, "ta": "test"},
                  {"asn": "AS64496", "prefix": "2001:db8::/32", "maxLength": 48, "ta": "test"},
                  {"asn": "AS64499", "prefix": "203.0.113.0/25", "maxLength": 25, "ta": "test"},
                  {"asn": "AS64501", "prefix": "203.0.113.128/26", "maxLength": 26, "ta": "test"},
                  {"asn": "AS0", "prefix": "203.0.113.192/26", "maxLength": 32, "ta": "test"}%s]}
                """
                                .formatted(manyAuthorized()))
                .toString();
        fixture = DnsFixture.start();
        fixture.dns()
                .address("good.test", "192.0.2.1", "2001:db8:1::1")
                .address("www.good.test", "192.0.2.1")
                .address("mx.good.test", "192.0.2.2")
                .address("ns.good.test", "192.0.2.3")
                .record("good.test. 60 IN NS ns.good.test.")
                .record("good.test. 60 IN MX 10 mx.good.test.")
                .address("single.test", "192.0.2.1")
                .empty("www.single.test")
                .record("single.test. 60 IN NS ns.good.test.")
                .record("single.test. 60 IN MX 10 single.test.")
                .address("bad.test", "203.0.113.1")
                .empty("www.bad.test")
                .record("bad.test. 60 IN NS ns.good.test.")
                .record("bad.test. 60 IN MX 10 mx.mail.test.")
                .address("mx.mail.test", "192.0.2.2")
                .record("mail.test. 60 IN NS ns.mail.test.")
                .empty("mail.test")
                .address("ns.mail.test", "198.51.100.1")
                .address("other.test", "203.0.113.2", "203.0.113.129", "203.0.113.193", "203.0.113.3")
                .empty("www.other.test")
                .record("other.test. 60 IN NS ns.good.test.")
                .address("lost.test", "192.0.2.4")
                .behave("www.lost.test", DnsFaults.rcode(Rcode.SERVFAIL))
                .record("lost.test. 60 IN NS ns.good.test.")
                .address("hidden.test", "10.1.2.3")
                .address("nested.test", "2001:db8:2::1")
                .empty("www.nested.test")
                .record("nested.test. 60 IN NS ns.good.test.")
                .record("nested.test. 60 IN MX 10 mx.provider.test.")
                .address("mx.provider.test", "192.0.2.2")
                .behave("provider.test", DnsFaults.rcode(Rcode.SERVFAIL))
                .address("many.test", "100.20.0.1", "100.20.1.1")
                .empty("www.many.test")
                .record("many.test. 60 IN NS ns.good.test.")
                .record("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.0.0.0.8.b.d.0.1.0.0.2.origin6.test. 60 IN TXT"
                        + " \"64500 | 2001:db8::/32 | US | arin |\"")
                .record("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.2.0.0.0.8.b.d.0.1.0.0.2.origin6.test. 60 IN TXT"
                        + " \"64496 | 2001:db8:2::/48 | US | arin |\"")
                .record("1.0.20.100.origin.test. 60 IN TXT \"64500 | 100.20.0.0/24 | US | arin |\"")
                .record("1.1.20.100.origin.test. 60 IN TXT \"65012 | 100.20.1.0/24 | US | arin |\"")
                .record("1.2.0.192.origin.test. 60 IN TXT \"64496 | 192.0.2.0/24 | US | arin | 2001-01-01\"")
                .record("2.2.0.192.origin.test. 60 IN TXT \"64496 | 192.0.2.0/24 | US | arin | 2001-01-01\"")
                .record("3.2.0.192.origin.test. 60 IN TXT \"64496 | 192.0.2.0/24 | US | arin | 2001-01-01\"")
                .behave("4.2.0.192.origin.test", DnsFaults.rcode(Rcode.SERVFAIL))
                .record("1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.1.0.0.0.8.b.d.0.1.0.0.2.origin6.test. 60 IN TXT"
                        + " \"64496 | 2001:db8:1::/48 | US | arin | 2001-01-01\"")
                .record("1.113.0.203.origin.test. 60 IN TXT \"64500 64499 | 203.0.113.0/25 | US | arin |\"")
                .record("2.113.0.203.origin.test. 60 IN TXT \"64499 | 203.0.113.0/26 | US | arin |\"")
                .record("129.113.0.203.origin.test. 60 IN TXT \"64501 | 203.0.113.128/26 | US | arin |\"")
                .record("193.113.0.203.origin.test. 60 IN TXT \"64501 | 203.0.113.192/26 | US | arin |\"")
                .record("1.100.51.198.origin.test. 60 IN TXT \"64502 | 198.51.100.0/24 | US | arin |\"");
    }

    /** Payloads of twelve AS for one prefix. */
    private static String manyAuthorized() {
        StringBuilder json = new StringBuilder();
        for (int asn = 65_001; asn <= 65_012; asn++) {
            json.append(", {\"asn\": \"AS%d\", \"prefix\": \"100.20.0.0/16\", \"maxLength\": 16}".formatted(asn));
        }
        return json.toString();
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @BeforeEach
    void configure() {
        fixture.rpki(payloads).origins(ZONES);
    }

    private static CheckResult check(String domain) {
        return fixture.check(MODULE, domain, "");
    }

    private static List<String> rows(CheckResult result) {
        List<?> rows = (List<?>) result.fields().get("addresses");
        return rows.stream()
                .map(row ->
                        ((Map<?, ?>) row).values().stream().map(String::valueOf).collect(Collectors.joining(" ")))
                .toList();
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }

    @Test
    void validatesTheRoutesOfAllServers() {
        CheckResult result = check("good.test");

        assertThat(rows(result))
                .containsExactly(
                        "good.test [web] 192.0.2.1 64496 192.0.2.0/24 valid true",
                        "good.test [web] 2001:db8:1::1 64496 2001:db8:1::/48 valid true",
                        "www.good.test [web] 192.0.2.1 64496 192.0.2.0/24 valid true",
                        "mx.good.test [mail] 192.0.2.2 64496 192.0.2.0/24 valid true",
                        "ns.good.test [nameserver, mail_nameserver] 192.0.2.3 64496 192.0.2.0/24 valid true");
        assertThat(result.fields()).containsEntry("invalid_count", 0).containsEntry("not_found_count", 0);
        assertThat(result.findings()).isEmpty();
        assertThat(result.verdict()).isEqualTo(Verdict.PASS);
    }

    @Test
    void aHostHasAllItsRoles() {
        assertThat(rows(check("single.test")))
                .containsExactly(
                        "single.test [web, mail] 192.0.2.1 64496 192.0.2.0/24 valid true",
                        "ns.good.test [nameserver, mail_nameserver] 192.0.2.3 64496 192.0.2.0/24 valid true");
    }

    @Test
    void reportsInvalidRoutesAndRoutesWithoutRoa() {
        CheckResult result = check("bad.test");

        assertThat(rows(result))
                .containsExactly(
                        "bad.test [web] 203.0.113.1 64500 203.0.113.0/25 invalid true",
                        "bad.test [web] 203.0.113.1 64499 203.0.113.0/25 valid true",
                        "mx.mail.test [mail] 192.0.2.2 64496 192.0.2.0/24 valid true",
                        "ns.good.test [nameserver] 192.0.2.3 64496 192.0.2.0/24 valid true",
                        "ns.mail.test [mail_nameserver] 198.51.100.1 64502 198.51.100.0/24 not_found false");
        assertThat(result.fields()).containsEntry("invalid_count", 1).containsEntry("not_found_count", 1);
        assertThat(result.findings())
                .extracting(Finding::message)
                .containsExactly(
                        "The route 203.0.113.0/25 from AS64500 of bad.test is invalid. ROAs authorize only AS64499."
                                + " Networks that validate routes do not accept it.",
                        "No ROA covers 198.51.100.0/24 (ns.mail.test), so other networks cannot detect a hijack of these prefixes.");
        assertThat(result.verdict()).isEqualTo(Verdict.FAIL);
    }

    @Test
    void statesWhyARouteIsInvalid() {
        CheckResult result = check("other.test");

        assertThat(result.findings())
                .filteredOn(finding -> finding.code().equals("rpki_invalid"))
                .extracting(finding -> finding.message().replaceFirst(".* is invalid\\. ", ""))
                .containsExactly(
                        "The ROA of this AS authorizes prefixes of at most 25 bits. Networks that validate routes do not accept it.",
                        "The ROA does not authorize any AS to announce it. Networks that validate routes do not accept it.");
        // 203.0.113.3 does not have a route, so it can be neither valid nor invalid
        assertThat(codes(result)).containsExactly("rpki_invalid", "rpki_invalid", "not_announced");
        assertThat(rows(result)).contains("other.test [web] 203.0.113.3 null null null true");
        assertThat(result.fields()).containsEntry("invalid_count", 2).containsEntry("not_found_count", 0);
    }

    /** Routers use the most specific route. That of AS64500 is invalid and less specific. */
    @Test
    void validatesTheMostSpecificRouteOnly() {
        CheckResult result = check("nested.test");

        assertThat(rows(result)).contains("nested.test [web] 2001:db8:2::1 64496 2001:db8:2::/48 valid true");
        assertThat(rows(result)).noneMatch(row -> row.contains("64500"));
        assertThat(codes(result)).doesNotContain("rpki_invalid");
    }

    @Test
    void namesTheZoneWhoseNameserversAreUnknown() {
        CheckResult result = check("nested.test");

        assertThat(result.findings())
                .filteredOn(finding -> finding.code().equals("lookup_failed"))
                .singleElement()
                .satisfies(finding -> assertThat(finding.message()).endsWith("unknown: provider.test."));
    }

    /** The reason does not depend on the number of payloads. */
    @Test
    void statesTheReasonIfManyPayloadsCoverARoute() {
        List<String> messages = check("many.test").findings().stream()
                .filter(finding -> finding.code().equals("rpki_invalid"))
                .map(Finding::message)
                .toList();

        assertThat(messages).hasSize(2);
        assertThat(messages).anySatisfy(message -> assertThat(message)
                .matches(".*from AS64500 .* ROAs authorize only (AS650\\d\\d, ){9}AS650\\d\\d and others\\..*"));
        assertThat(messages).anySatisfy(message -> assertThat(message)
                .contains("from AS65012 ", "The ROA of this AS authorizes prefixes of at most 16 bits."));
    }

    /** Unknown routes are not valid, and the counts are not determined. */
    @Test
    void doesNotCountIfALookupFails() {
        CheckResult result = check("lost.test");

        assertThat(rows(result))
                .containsExactly(
                        "lost.test [web] 192.0.2.4 null null null true",
                        "ns.good.test [nameserver] 192.0.2.3 64496 192.0.2.0/24 valid true");
        assertThat(codes(result)).containsExactly("origin_lookup_failed", "lookup_failed");
        assertThat(result.fields()).containsEntry("invalid_count", null).containsEntry("not_found_count", null);
        assertThat(result.error()).isNull();
    }

    @Test
    void withoutZonesOnlyAddressesWithoutPayloadHaveAStatus() {
        fixture.origins(Map.of());

        CheckResult mixed = check("bad.test");
        CheckResult covered = check("good.test");

        assertThat(rows(mixed))
                .containsExactly(
                        "bad.test [web] 203.0.113.1 null null null true",
                        "mx.mail.test [mail] 192.0.2.2 null null null true",
                        "ns.good.test [nameserver] 192.0.2.3 null null null true",
                        "ns.mail.test [mail_nameserver] 198.51.100.1 null null not_found false");
        assertThat(codes(mixed)).containsExactly("rpki_not_found", "origin_not_configured");
        assertThat(mixed.findings().get(1).action()).contains("`asn.zones`");
        assertThat(mixed.fields()).containsEntry("invalid_count", null).containsEntry("not_found_count", null);
        assertThat(codes(covered)).containsExactly("origin_not_configured");
        assertThat(covered.error().code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
        assertThat(covered.error().message()).contains("`asn.zones`");
        assertThat(covered.verdict()).isEqualTo(Verdict.ERROR);
    }

    /** A zone that does not exist must not make all routes disappear. */
    @Test
    void doesNotTrustZonesWithoutAnyRoute() {
        fixture.origins(Map.of(OriginProbe.V4, List.of("missing.test"), OriginProbe.V6, List.of("missing.test")));

        CheckResult result = check("good.test");

        assertThat(codes(result)).containsExactly("not_announced");
        assertThat(result.error().code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
        assertThat(result.error().message()).contains("`asn.zones`", "do not contain a route for any address");
    }

    @Test
    void namesTheMissingSetting() {
        fixture.rpki(null);

        CheckResult result = check("good.test");

        assertThat(result.fields())
                .containsEntry("addresses", null)
                .containsEntry("invalid_count", null)
                .containsEntry("not_found_count", null);
        assertThat(codes(result)).containsExactly("validator_not_configured");
        assertThat(result.findings().get(0).action()).contains("`rpki.validator`");
        assertThat(result.error().code()).isEqualTo(ErrorCode.NOT_CONFIGURED);
    }

    @Test
    void aValidatorWithoutDataIsNotAResult() throws IOException {
        fixture.rpki(
                Files.writeString(folder.resolve("broken.json"), "{\"roas\":[").toString());

        CheckResult result = check("bad.test");

        assertThat(result.findings()).isEmpty();
        assertThat(result.error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
    }

    @Test
    void reportsErrorsOfTheDomain() {
        assertThat(check("missing.test").error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        assertThat(check("hidden.test").error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        // the operator of the zones must not receive private addresses
        assertThat(fixture.dns().queries("3.2.1.10.origin.test")).isZero();
    }
}
