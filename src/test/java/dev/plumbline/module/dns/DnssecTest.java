package dev.plumbline.module.dns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.plumbline.check.ModuleDefinition;
import dev.plumbline.check.SheetModule;
import dev.plumbline.lab.DnsFaults;
import dev.plumbline.lab.DnsFixture;
import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZones;
import dev.plumbline.module.dns.Dnssec.Evidence;
import dev.plumbline.result.CheckResult;
import dev.plumbline.result.ErrorCode;
import dev.plumbline.result.Finding;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class DnssecTest {
    private static final ModuleDefinition<Evidence> MODULE = SheetModule.load(new Dnssec());
    private static DnsFixture fixture;

    @BeforeAll
    static void start() {
        fixture = DnsFixture.start().sign();
        fixture.dns()
                .address("unsigned.lab.test", "192.0.2.1")
                .address("internal.lab.test", "10.0.0.1")
                .behave("refusing.test", DnsFaults.rcode(Rcode.REFUSED));
    }

    @AfterAll
    static void stop() {
        fixture.close();
    }

    @ParameterizedTest
    @CsvSource({
        "secure.test, secure, , pass, ''",
        "www.secure.test, secure, , pass, ''",
        "nsec3.test, secure, , pass, ''",
        "salted.test, secure, , warn, nsec3_iterations nsec3_salt",
        "iterated.test, secure, , fail, too_many_iterations",
        "expiring.test, secure, , warn, signature_expires_soon",
        "undenied.test, secure, , fail, denial_missing",
        "expired.test, bogus, signature_expired, fail, signature_expired",
        "www.expired.test, bogus, signature_expired, fail, signature_expired",
        "future.test, bogus, signature_not_yet_valid, fail, signature_not_yet_valid",
        "bogus.test, bogus, signature_invalid, fail, signature_invalid",
        "stripped.test, bogus, dnskey_missing, fail, dnskey_missing",
        "mismatch.test, bogus, ds_mismatch, fail, ds_mismatch",
        "island.test, insecure, no_ds, warn, ds_missing",
        "unsigned.lab.test, insecure, no_ds, warn, not_signed",
    })
    void reportsStatusAndCause(String domain, String status, String failure, String verdict, String findings) {
        CheckResult result = fixture.check(MODULE, domain, "");

        assertThat(result.error()).isNull();
        assertThat(result.fields()).containsEntry("status", status).containsEntry("failure", failure);
        assertThat(result.findings().stream().map(Finding::code).toList())
                .containsExactlyElementsOf(findings.isEmpty() ? List.of() : List.of(findings.split(" ")));
        assertThat(result.verdict().id()).isEqualTo(verdict);
    }

    @Test
    void reportsTheChainOfTrust() {
        CheckResult result = fixture.check(MODULE, "www.secure.test", "");

        List<Map<String, Object>> chain = chain(result);
        assertThat(chain).extracting(zone -> zone.get("zone")).containsExactly(".", "test", "secure.test");
        assertThat(chain).allSatisfy(zone -> {
            assertThat(zone).containsEntry("status", "secure");
            assertThat(zone.get("ds").toString()).matches("\\[\\d+ ECDSAP256SHA256 SHA-256]");
            assertThat(zone.get("dnskey").toString()).matches("\\[\\d+ ECDSAP256SHA256 KSK]");
        });
        assertThat(result.fields())
                .containsEntry("algorithms", List.of("ECDSAP256SHA256"))
                .containsEntry("nsec", "nsec");
        assertThat(fixture.check(MODULE, "nsec3.test", "").fields()).containsEntry("nsec", "nsec3");
        assertThat(chain(fixture.check(MODULE, "expired.test", "")).get(2)).containsEntry("status", "bogus");
    }

    @Test
    void reportsWeakAlgorithms() {
        SignedZone weak = new SignedZone("weak.test.", DNSSEC.Algorithm.RSASHA1).record("@ A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegateUnsigned("weak.test.").add(weak.ds(1));
        try (DnsFixture other = DnsFixture.start().sign(new SignedZones(root, weak))) {
            CheckResult result = other.check(MODULE, "weak.test", "");

            assertThat(result.fields()).containsEntry("status", "secure");
            assertThat(result.findings()).extracting(Finding::code).containsExactly("sha1_algorithm", "sha1_digest");
        }
    }

    @Test
    void reportsAliasesIntoBogusZones() {
        SignedZone good = SignedZone.of("good.test.")
                .record("bad CNAME www.broken.test.")
                .record("chain CNAME bad")
                .record("fine CNAME www")
                .record("www A 192.0.2.1");
        SignedZone broken =
                SignedZone.of("broken.test.").record("www A 192.0.2.1").corrupt(Type.ANY);
        SignedZone root = SignedZone.of(".").delegate(good).delegate(broken);
        try (DnsFixture other = DnsFixture.start().sign(new SignedZones(root, good, broken))) {
            for (String name : List.of("bad.good.test", "chain.good.test")) {
                CheckResult result = other.check(MODULE, name, "");

                assertThat(result.error()).isNull();
                assertThat(result.fields()).containsEntry("status", "secure");
                assertThat(result.findings())
                        .extracting(Finding::code, Finding::message)
                        .containsExactly(tuple(
                                "alias_bogus",
                                name + " is an alias. Its target www.broken.test does not pass DNSSEC validation "
                                        + "(signature invalid), so validating resolvers return SERVFAIL for " + name
                                        + "."));
            }
            assertThat(other.check(MODULE, "fine.good.test", "").findings()).isEmpty();
        }
    }

    @Test
    void namesRevokedKeys() {
        SignedZone revoked =
                SignedZone.of("revoked.test.").record("@ A 192.0.2.1").revokeKey();
        SignedZone signer = SignedZone.of("signer.test.")
                .record("@ A 192.0.2.1")
                .signWithUnpublishedKey()
                .publishRevoked(256);
        SignedZone spare = SignedZone.of("spare.test.").record("@ A 192.0.2.1").publishRevoked(257);
        SignedZone root = SignedZone.of(".").delegate(revoked).delegate(signer).delegate(spare);
        try (DnsFixture other = DnsFixture.start().sign(new SignedZones(root, revoked, signer, spare))) {
            for (String name : List.of("revoked.test", "signer.test")) {
                CheckResult result = other.check(MODULE, name, "");

                assertThat(result.fields()).containsEntry("status", "bogus").containsEntry("failure", "key_revoked");
                assertThat(result.findings())
                        .extracting(Finding::message)
                        .containsExactly("The DNSKEY records of " + name
                                + " can be validated only with a revoked key, which resolvers do not use.");
                assertThat(chain(result).get(1).get("dnskey").toString()).contains("(revoked)");
            }
            CheckResult result = other.check(MODULE, "spare.test", "");
            assertThat(result.fields()).containsEntry("status", "secure");
            assertThat(result.findings()).isEmpty();
            assertThat(chain(result).get(1).get("dnskey").toString())
                    .matches("\\[\\d+ ECDSAP256SHA256 KSK, \\d+ ECDSAP256SHA256 KSK \\(revoked\\)]");
        }
    }

    @Test
    void reportsFailedLookupsAsErrors() {
        CheckResult refused = fixture.check(MODULE, "refusing.test", "");
        assertThat(refused.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        CheckResult missing = fixture.check(MODULE, "no.secure.test", "");
        assertThat(missing.error().code()).isEqualTo(ErrorCode.DNS_NXDOMAIN);
        assertThat(missing.fields()).containsEntry("status", "secure");
        CheckResult internal = fixture.check(MODULE, "internal.lab.test", "");
        assertThat(internal.error().code()).isEqualTo(ErrorCode.TARGET_BLOCKED);
        assertThat(internal.fields().get("chain")).isNull();
        try (DnsFixture plain =
                DnsFixture.start().trust(SignedZone.of(".").ds(2).toString())) {
            plain.dns().address("plain.test", "192.0.2.1");
            CheckResult result = plain.check(MODULE, "plain.test", "");
            assertThat(result.fields()).containsEntry("status", "indeterminate");
            assertThat(result.error().code()).isEqualTo(ErrorCode.DNS_SERVFAIL);
        }
    }

    /** The queries of one check share the chain of trust. */
    @Test
    void limitsQueries() {
        int before = fixture.dns().queries();

        fixture.check(MODULE, "www.secure.test", "");

        assertThat(fixture.dns().queries() - before).isLessThanOrEqualTo(12);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> chain(CheckResult result) {
        return (List<Map<String, Object>>) result.fields().get("chain");
    }
}
