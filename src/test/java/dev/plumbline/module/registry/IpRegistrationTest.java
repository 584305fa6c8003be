package dev.plumbline.module.registry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.RdapNetworks;
import dev.plumbline.lab.RegistryFixture;
import dev.plumbline.probe.routing.OriginProbe;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import dev.plumbline.support.DebianTool;
import dev.plumbline.target.InvalidTargetException;
import dev.plumbline.target.TargetParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Lookups of addresses at RDAP servers on loopback. */
class IpRegistrationTest {
    private static final ModuleDefinition<IpRegistration.Evidence> MODULE = SheetModule.load(new IpRegistration());
    private static final String GOOGLE =
            RdapNetworks.arin("8.8.8.0", "8.8.8.255", "GOGL", "Google LLC", "abuse@google.test", "15169");
    private static final String RIPE =
            RdapNetworks.ripe("193.0.0.0", "193.0.7.255", "RIPE-NCC", "NL", "RIPE NCC", "abuse@ripe.test");

    private static RegistryFixture fixture;

    @BeforeAll
    static void start(@TempDir Path folder) {
        fixture = new RegistryFixture(folder, "com");
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @BeforeEach
    void pages() {
        fixture.rdapPaths().clear();
        fixture.page("/rdap/ip/8.8.8.8", 200, GOOGLE);
        fixture.page(
                "/rdap/autnum/15169",
                200,
                "{\"objectClassName\":\"autnum\",\"startAutnum\":15169,\"endAutnum\":15169,\"name\":\"GOOGLE\"}");
    }

    private static CheckResult check(String ip) {
        try {
            return fixture.check(MODULE, TargetParser.parse(MODULE.description(), ip), Map.of(), 10_000);
        } catch (InvalidTargetException invalid) {
            throw new AssertionError(ip, invalid);
        }
    }

    @Test
    void returnsTheNetworkAndItsOrigin() {
        CheckResult result = check("8.8.8.8");

        assertThat(result.error()).isNull();
        assertThat(result.findings()).isEmpty();
        assertThat(result.fields())
                .containsEntry("cidr", "8.8.8.0/24")
                .containsEntry("name", "GOGL")
                .containsEntry("org", "Google LLC")
                .containsEntry("country", null)
                .containsEntry("rir", "ARIN")
                .containsEntry("abuse_email", "abuse@google.test")
                .containsEntry("asn", 15169L)
                .containsEntry("as_name", "GOOGLE")
                .containsEntry("reserved", false);
        assertThat(fixture.rdapPaths()).containsExactly("/rdap/ip/8.8.8.8", "/rdap/autnum/15169");
    }

    /** The registry publishes AS15169. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "-",
            delimiter = ';',
            value = {
                "64496 | 8.8.8.0/24 | US | arin | 2001-01-01; 64496; ''",
                "15169 | 8.8.8.0/24 | US | arin | 2001-01-01; 15169; ''",
                "15169 64496 | 8.8.8.0/24 | US | arin |; -; several_origin_as",
                "unknown; -; origin_lookup_failed",
                "-; -; not_announced",
            })
    void usesTheZonesOfTheOperator(@Nullable String txt, @Nullable Long asn, String codes) {
        fixture.page("/rdap/autnum/64496", 404, "");
        fixture.dns().removeRecords("8.8.8.8.origin.test");
        if (txt != null) {
            fixture.dns().record("8.8.8.8.origin.test. 0 IN TXT \"" + txt + "\"");
        }
        fixture.origins(Map.of(OriginProbe.V4, List.of("origin.test")));
        CheckResult result;
        try {
            result = check("8.8.8.8");
        } finally {
            fixture.origins(Map.of());
        }

        assertThat(result.fields()).containsEntry("asn", asn).containsEntry("cidr", "8.8.8.0/24");
        assertThat(String.join(" ", codes(result))).isEqualTo(codes);
    }

    @Test
    void followsARedirectToAnotherRegistry() {
        fixture.page("/rdap/ip/193.0.6.139", request -> {
            boolean ripe = request.authority().host().equals("rdap.db.ripe.net");
            request.response()
                    .setStatusCode(ripe ? 200 : 302)
                    .putHeader("location", fixture.base("rdap.db.ripe.net") + "ip/193.0.6.139")
                    .end(ripe ? RIPE : "");
        });

        CheckResult result = check("193.0.6.139");

        assertThat(result.fields())
                .containsEntry("rir", "RIPE NCC")
                .containsEntry("country", "NL")
                .containsEntry("org", "RIPE NCC")
                .containsEntry("asn", null);
        assertThat(codes(result)).containsExactly("origin_as_unknown");
    }

    @Test
    void keepsTheRegionalRegistryOfANationalOne() {
        fixture.name("rdap.national.test");
        fixture.page("/rdap/ip/8.1.0.1", request -> {
            boolean national = request.authority().host().equals("rdap.national.test");
            request.response()
                    .setStatusCode(national ? 200 : 301)
                    .putHeader("location", fixture.base("rdap.national.test") + "ip/8.1.0.1")
                    .end(national ? RdapNetworks.arin("8.1.0.0", "8.1.0.255", "NIR", "Org", "a@b.test", "1,2") : "");
        });

        CheckResult result = check("8.1.0.1");

        assertThat(result.fields()).containsEntry("rir", "ARIN").containsEntry("asn", null);
        assertThat(codes(result)).containsExactly("several_origin_as");
    }

    @Test
    void blocksARedirectToAPrivateAddress() {
        fixture.page("/rdap/ip/8.2.0.1", request -> request.response()
                .setStatusCode(302)
                .putHeader("location", "http://10.0.0.1/ip/8.2.0.1")
                .end());
        fixture.page("/rdap/ip/8.2.0.2", request -> request.response()
                .setStatusCode(302)
                .putHeader("location", "/rdap/ip/8.2.0.2?again=" + request.query() + "x")
                .end());

        assertThat(check("8.2.0.1").error().code()).isEqualTo(ErrorCode.REDIRECT_BLOCKED);
        assertThat(check("8.2.0.2").error().code()).isEqualTo(ErrorCode.REGISTRY_UNAVAILABLE);
        assertThat(fixture.rdapPaths().stream().filter("/rdap/ip/8.2.0.2"::equals))
                .hasSize(4);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, special_purpose, true, 0",
        "2001:db8::1, special_purpose, true, 0",
        "7.0.0.1, not_allocated, true, 0",
        "2c00::1, not_allocated, true, 0",
        "8.9.0.1, not_registered, false, 1",
        "2001:610::1, not_registered, false, 1"
    })
    void distinguishesUnregisteredAddresses(String ip, String code, boolean reserved, int requests) {
        CheckResult result = check(ip);

        assertThat(result.error()).isNull();
        assertThat(codes(result)).containsExactly(code);
        assertThat(result.fields()).containsEntry("reserved", reserved).containsEntry("cidr", null);
        assertThat(fixture.rdapPaths()).hasSize(requests);
    }

    @Test
    void treatsTheEntireAddressSpaceAsNotRegistered() {
        fixture.page(
                "/rdap/ip/8.3.0.1",
                200,
                RdapNetworks.ripe("0.0.0.0", "255.255.255.255", "IANA-BLK", "EU", "IANA", "a@b.test"));

        assertThat(codes(check("8.3.0.1"))).containsExactly("not_registered");
    }

    @Test
    void reportsReservedNetworksAndMissingAbuseContacts() {
        fixture.page(
                "/rdap/ip/8.4.0.1",
                200,
                "{\"startAddress\":\"8.4.0.0\",\"endAddress\":\"8.4.255.255\",\"status\":[\"reserved\"],\"name\":\"R\"}");
        fixture.page(
                "/rdap/ip/8.4.1.1",
                200,
                "{\"startAddress\":\"8.4.0.0\",\"endAddress\":\"8.4.255.255\",\"name\":\"X\"}");
        fixture.page(
                "/rdap/ip/8.4.2.1",
                200,
                "{\"startAddress\":\"8.4.0.0\",\"endAddress\":\"8.4.255.255\",\"entities\":[{\"roles\":[\"abuse\"]}]}");

        assertThat(check("8.4.0.1").fields()).containsEntry("reserved", true);
        assertThat(codes(check("8.4.0.1"))).containsExactly("marked_reserved", "origin_as_unknown");
        assertThat(codes(check("8.4.1.1"))).containsExactly("no_abuse_contact", "origin_as_unknown");
        assertThat(codes(check("8.4.2.1"))).containsExactly("origin_as_unknown");
    }

    @ParameterizedTest
    @CsvSource({"429, RATE_LIMITED", "403, RATE_LIMITED", "500, REGISTRY_UNAVAILABLE", "200, REGISTRY_UNAVAILABLE"})
    void reportsAnErrorOfTheServer(int status, ErrorCode code) {
        fixture.page("/rdap/ip/8.5.0.1", status, "{\"errorCode\":1}");

        CheckResult result = check("8.5.0.1");

        assertThat(result.error().code()).isEqualTo(code);
        assertThat(result.error().message()).contains("rdap.arin.net");
    }

    @Test
    void keepsTheNetworkIfTheLookupOfTheAsNumberFails() {
        fixture.page("/rdap/autnum/15169", 429, "");
        CheckResult limited = check("8.8.8.8");
        assertThat(limited.fields()).containsEntry("asn", 15169L).containsEntry("as_name", null);
        assertThat(codes(limited)).containsExactly("as_name_unknown");

        fixture.page("/rdap/autnum/15169", 404, "");
        assertThat(codes(check("8.8.8.8"))).isEmpty();
    }

    /** The same registrations as WHOIS text, read with Debian's whois. */
    @Tag("integration")
    @Test
    void agreesWithWhois() throws Exception {
        fixture.iana()
                .respond(
                        "193.0.0.1",
                        """
                    % Abuse contact for '193.0.0.0 - 193.0.7.255' is 'abuse@ripe.test'

                    inetnum:        193.0.0.0/21
                    netname:        RIPE-NCC
                    org-name:       RIPE NCC
                    country:        NL
                    """);
        fixture.page("/rdap/ip/193.0.0.1", 200, RIPE);

        Map<String, Object> fields = check("193.0.0.1").fields();

        List<String> whois = whois("193.0.0.1");
        assertThat(whois)
                .contains(
                        "inetnum: " + fields.get("cidr"),
                        "netname: " + fields.get("name"),
                        "org-name: " + fields.get("org"),
                        "country: " + fields.get("country"),
                        "% Abuse contact for '193.0.0.0 - 193.0.7.255' is '" + fields.get("abuse_email") + "'");
    }

    private static List<String> whois(String ip) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(
                        DebianTool.require("whois").toString(),
                        "-h",
                        "127.0.0.1",
                        "-p",
                        "" + fixture.iana().port(),
                        ip)
                .redirectErrorStream(true)
                .start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return output.lines()
                .map(line -> line.strip().replaceAll(":\\s+", ": "))
                .collect(Collectors.toList());
    }

    private static List<String> codes(CheckResult result) {
        return result.findings().stream().map(Finding::code).toList();
    }
}
