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
import org.xbill.DNS.DSRecord;
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

    private static String rdata(DSRecord ds) {
        return ds.rdataToString().replaceAll("\\s+", " ");
    }

    private static String ds(SignedZone zone) {
        return rdata(zone.ds(DNSSEC.Digest.SHA256));
    }

    @Test
    void validatesWithADsRecordThatIsNotPublished() {
        SignedZone island =
                SignedZone.of("island.test.").record("@ A 192.0.2.1").record("www A 192.0.2.1");
        SignedZone other = SignedZone.of("island.test.");
        SignedZone replaced = SignedZone.of("replaced.test.").record("@ A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegateUnsigned("island.test.").delegate(SignedZone.of("replaced.test."));
        try (DnsFixture signed = DnsFixture.start().sign(new SignedZones(root, island, replaced))) {
            assertThat(signed.check(MODULE, "island.test", "").fields()).containsEntry("failure", "no_ds");
            assertThat(signed.check(MODULE, "replaced.test", "").fields()).containsEntry("failure", "ds_mismatch");

            CheckResult result = signed.check(MODULE, "island.test", "ds=" + ds(island));

            assertThat(result.fields()).containsEntry("status", "secure").containsEntry("failure", null);
            assertThat(chain(result)).extracting(zone -> zone.get("zone")).containsExactly("island.test");
            assertThat(signed.check(MODULE, "replaced.test", "ds=" + ds(replaced))
                            .fields())
                    .containsEntry("status", "secure");
            assertThat(signed.check(MODULE, "island.test", "ds=" + ds(other)).fields())
                    .containsEntry("status", "bogus")
                    .containsEntry("failure", "ds_mismatch");
            // a zone of the same service without the record
            assertThat(signed.check(MODULE, "island.test", "").fields()).containsEntry("failure", "no_ds");
        }
    }

    @Test
    void rejectsAValueThatIsNotADsRecord() {
        CheckResult result = fixture.check(MODULE, "secure.test", "ds=99999 13 2 00");

        assertThat(result.error().code()).isEqualTo(ErrorCode.INVALID_TARGET);
        assertThat(result.error().message()).startsWith("Option ds: '99999 13 2 00' is not a DS record.");
    }

    @Test
    void reportsCdsAndCdnskeyRecords() {
        SignedZone same = SignedZone.of("same.test.").record("@ A 192.0.2.1");
        same.record("@ CDS " + ds(same)).record("@ CDNSKEY " + same.key().rdataToString());
        SignedZone changed = SignedZone.of("changed.test.").record("@ A 192.0.2.1");
        changed.record("@ CDS " + rdata(changed.ds(DNSSEC.Digest.SHA384)));
        SignedZone deleted = SignedZone.of("deleted.test.")
                .record("@ A 192.0.2.1")
                .record("@ CDS 0 0 0 00")
                .record("@ CDNSKEY 0 3 0 AA==");
        SignedZone unmatched = SignedZone.of("unmatched.test.").record("@ A 192.0.2.1");
        unmatched
                .record("@ CDS " + ds(SignedZone.of("unmatched.test.")))
                .record("@ CDNSKEY " + unmatched.key().rdataToString());
        SignedZone none = SignedZone.of("none.test.").record("@ A 192.0.2.1");
        SignedZone root = SignedZone.of(".")
                .delegate(same)
                .delegate(changed)
                .delegate(deleted)
                .delegate(unmatched)
                .delegate(none);
        try (DnsFixture signed =
                DnsFixture.start().sign(new SignedZones(root, same, changed, deleted, unmatched, none))) {
            CheckResult result = signed.check(MODULE, "same.test", "");

            assertThat(result.findings()).isEmpty();
            assertThat(result.fields().get("cds").toString().replaceAll("\\s+", " "))
                    .isEqualTo("[" + ds(same) + "]");
            assertThat((List<?>) result.fields().get("cdnskey")).hasSize(1);
            assertThat(codes(signed, "changed.test")).containsExactly("ds_change_requested");
            assertThat(codes(signed, "deleted.test")).containsExactly("ds_deletion_requested");
            assertThat(codes(signed, "unmatched.test")).containsExactly("cds_unmatched", "cds_differs_from_cdnskey");
            assertThat(codes(signed, "none.test")).isEmpty();
            assertThat(signed.check(MODULE, "none.test", "").fields())
                    .containsEntry("cds", List.of())
                    .containsEntry("cdnskey", List.of());
        }
        assertThat(fixture.check(MODULE, "bogus.test", "").fields()).containsEntry("cds", null);
    }

    private static List<String> codes(DnsFixture signed, String domain) {
        return signed.check(MODULE, domain, "").findings().stream()
                .map(Finding::code)
                .toList();
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

    /** The queries of one check share the chain of trust. Two are for CDS and CDNSKEY records. */
    @Test
    void limitsQueries() {
        int before = fixture.dns().queries();

        fixture.check(MODULE, "www.secure.test", "");

        assertThat(fixture.dns().queries() - before).isLessThanOrEqualTo(14);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> chain(CheckResult result) {
        return (List<Map<String, Object>>) result.fields().get("chain");
    }
}
