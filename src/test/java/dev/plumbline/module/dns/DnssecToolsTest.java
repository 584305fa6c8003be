package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.module.dns.Dnssec.Evidence;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.Finding;
import dev.plumbline.support.BindZoneSigner;
import dev.plumbline.support.NamedServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the status with delv and unbound-host, for zones that dnssec-signzone signed and BIND serves. */
@Tag("integration")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DnssecToolsTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Dnssec());
    private static final String EC = "ECDSAP256SHA256";
    private static final String RECORDS =
            """
            @ A 192.0.2.1
            www A 192.0.2.2
            alias CNAME www
            into-expired CNAME www.expired.test.
            *.wild A 192.0.2.3
            host.below A 192.0.2.4
            """;
    private static final UnaryOperator<String> UNCHANGED = UnaryOperator.identity();

    private BindZoneSigner signer;
    private NamedServer named;
    private DnsFixture fixture;

    @BeforeAll
    void start(@TempDir Path folder) throws Exception {
        signer = new BindZoneSigner(folder);
        StringBuilder test = new StringBuilder("ns1 A 127.0.0.1\n");
        for (String algorithm :
                new String[] {"RSASHA1", "RSASHA256", "RSASHA512", EC, "ECDSAP384SHA384", "ED25519", "ED448"}) {
            test.append(zone(algorithm.toLowerCase(Locale.ROOT) + ".test", algorithm, "", UNCHANGED));
        }
        test.append(zone("nsec3.test", EC, "-3 -", UNCHANGED));
        test.append(zone("salted.test", EC, "-3 aabbcc -H 12", UNCHANGED));
        test.append(zone("optout.test", EC, "-3 - -A", UNCHANGED));
        test.append(zone("expired.test", EC, "-s 20240101000000 -e 20240201000000", UNCHANGED));
        test.append(zone("future.test", EC, "-s 20400101000000 -e 20400201000000", UNCHANGED));
        test.append(zone("changed.test", EC, "", signed -> signed.replace("192.0.2.", "192.0.2.9")));
        test.append(zone("unsigned-a.test", EC, "", signed -> without(signed, "RRSIG\tA ")));
        test.append(zone("unsigned-keys.test", EC, "", signed -> without(signed, "RRSIG\tDNSKEY ")));
        test.append(zone("lost-zsk.test", EC, "", signed -> without(signed, "DNSKEY\t256 ")));
        test.append(zone("lost-ksk.test", EC, "", signed -> without(signed, "DNSKEY\t257 ")));
        test.append(zone("lost-nsec.test", EC, "", signed -> without(without(signed, "IN NSEC\t"), "RRSIG\tNSEC ")));
        zone("other-ds.test", EC, "", UNCHANGED);
        test.append("other-ds.test. NS ns1.test.\n")
                .append(signer.ds("nsec3.test").replace("nsec3.test.", "other-ds.test."));
        zone("no-ds.test", EC, "", UNCHANGED);
        test.append("no-ds.test. NS ns1.test.\n");
        signer.add("plain.test", RECORDS);
        test.append("plain.test. NS ns1.test.\n");
        signer.add("dead-ds.test", RECORDS);
        test.append("dead-ds.test. NS ns1.test.\n")
                .append(signer.ds("nsec3.test").replace("nsec3.test.", "dead-ds.test."));
        signer.sign("test", EC, test.toString(), "-3 -", UNCHANGED);
        signer.sign("", EC, signer.delegation("test"), "", UNCHANGED);
        named = NamedServer.serve(folder, signer.files());
        fixture = DnsFixture.start().trust(signer.trustAnchor());
        signer.writeAnchors();
        Files.writeString(
                folder.resolve("unbound.conf"),
                """
                server:
                  do-not-query-localhost: no
                  local-zone: "test." nodefault
                  trust-anchor: "%s"
                forward-zone:
                  name: "."
                  forward-addr: 127.0.0.1@%d
                """
                        .formatted(signer.trustAnchor(), named.port()));
    }

    private String zone(String name, String algorithm, String options, UnaryOperator<String> change)
            throws IOException, InterruptedException {
        signer.sign(name, algorithm, RECORDS + "sub NS ns1.test.\n", options, change);
        return signer.delegation(name);
    }

    private static String without(String zone, String type) {
        return String.join(
                        "\n", zone.lines().filter(line -> !line.contains(type)).toList()) + "\n";
    }

    @AfterAll
    void stop() throws InterruptedException {
        if (named != null) {
            fixture.close();
            named.close();
        }
    }

    /** The record that dnssec-signzone writes for the registrar. */
    @ParameterizedTest
    @CsvSource({
        "no-ds.test, no-ds.test, secure,",
        "other-ds.test, other-ds.test, secure,",
        "no-ds.test, nsec3.test, bogus, ds_mismatch"
    })
    void validatesWithADsRecordThatIsNotPublished(String domain, String signed, String status, String failure)
            throws IOException {
        String line = signer.ds(signed).strip().replaceFirst("([0-9A-F]{56}) ", "$1");
        String ds = line.replaceAll("\\s+", " ").replaceFirst(".* DS ", "");

        assertThat(fixture.check(MODULE, named.address(), domain, "").fields()).doesNotContainEntry("status", "secure");
        assertThat(fixture.check(MODULE, named.address(), domain, "ds=" + ds).fields())
                .containsEntry("status", status)
                .containsEntry("failure", failure);
    }

    /**
     * Debian's Unbound does not support Ed448. BIND treats a name in an opt-out range as secure; RFC 5155 section 9.2
     * does not permit the AD bit for such a response.
     */
    @ParameterizedTest
    @CsvSource({
        "rsasha1.test, secure, secure, secure",
        "rsasha256.test, secure, secure, secure",
        "rsasha512.test, secure, secure, secure",
        "ecdsap256sha256.test, secure, secure, secure",
        "ecdsap384sha384.test, secure, secure, secure",
        "ed25519.test, secure, secure, secure",
        "ed448.test, secure, secure, insecure",
        "nsec3.test, secure, secure, secure",
        "www.nsec3.test, secure, secure, secure",
        "alias.nsec3.test, secure, secure, secure",
        "below.nsec3.test, secure, secure, secure",
        "x.wild.nsec3.test, secure, secure, secure",
        "no.nsec3.test, secure, secure, secure",
        "x.y.no.nsec3.test, secure, secure, secure",
        "salted.test, secure, secure, secure",
        "no.salted.test, secure, secure, secure",
        "x.wild.salted.test, secure, secure, secure",
        "x.wild.ed25519.test, secure, secure, secure",
        "no.ed25519.test, secure, secure, secure",
        "www.optout.test, secure, secure, secure",
        "no.optout.test, insecure, secure, insecure",
        "x.wild.optout.test, insecure, insecure, insecure",
        "expired.test, bogus, bogus, bogus",
        "www.expired.test, bogus, bogus, bogus",
        "future.test, bogus, bogus, bogus",
        "changed.test, bogus, bogus, bogus",
        "unsigned-a.test, bogus, bogus, bogus",
        "unsigned-keys.test, bogus, bogus, bogus",
        "lost-zsk.test, bogus, bogus, bogus",
        "lost-ksk.test, bogus, bogus, bogus",
        "www.lost-nsec.test, bogus, bogus, bogus",
        "no.lost-nsec.test, bogus, bogus, bogus",
        "other-ds.test, bogus, bogus, bogus",
        "dead-ds.test, bogus, bogus, bogus",
        "no-ds.test, insecure, insecure, insecure",
        "plain.test, insecure, insecure, insecure",
        "www.plain.test, insecure, insecure, insecure",
        "no.test, secure, secure, secure",
    })
    void agreesWithDelvAndUnbound(String name, String expected, String expectedOfDelv, String expectedOfUnbound)
            throws Exception {
        CheckResult result = fixture.check(MODULE, named.address(), name, "");

        assertThat(result.fields()).as("%s", result).containsEntry("status", expected);
        assertThat(delv(name)).as("delv").isEqualTo(expectedOfDelv);
        assertThat(unbound(name)).as("unbound-host").isEqualTo(expectedOfUnbound);
    }

    /** The status is that of the zone of the alias, and the target is a finding. */
    @Test
    void reportsAliasesThatDelvAndUnboundReject() throws Exception {
        CheckResult result = fixture.check(MODULE, named.address(), "into-expired.nsec3.test", "");

        assertThat(result.fields()).containsEntry("status", "secure");
        assertThat(result.findings()).extracting(Finding::code).containsExactly("alias_bogus");
        assertThat(delvOutput("into-expired.nsec3.test"))
                .contains("resolution failed: broken trust chain", "; fully validated");
        assertThat(unbound("into-expired.nsec3.test")).isEqualTo("bogus");
    }

    private String delvOutput(String name) throws Exception {
        return signer.tryRun("delv", "-a anchors.conf +root=. -p %d @127.0.0.1 %s A".formatted(named.port(), name))
                .output();
    }

    private String delv(String name) throws Exception {
        String output = delvOutput(name);
        boolean validated = output.contains("fully validated");
        if (output.contains("unsigned answer")) {
            return "insecure";
        }
        return validated ? "secure" : "bogus";
    }

    private String unbound(String name) throws Exception {
        String output =
                signer.tryRun("unbound-host", "-C unbound.conf -v -t A " + name).output();
        return output.contains("BOGUS") ? "bogus" : output.contains("(insecure)") ? "insecure" : "secure";
    }
}
