package dev.plumbline.dnssec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZone.Denial;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.NSECRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

class DnssecLookupTest {
    /** {@code example.}, delegated from a signed root. */
    private static SignedZone example(SignedZone zone) {
        return zone.record("@ A 192.0.2.1")
                .record("www A 192.0.2.2")
                .record("www AAAA 2001:db8::2")
                .record("Alias CNAME www")
                .record("a.b.deep A 192.0.2.3")
                .record("*.wild A 192.0.2.4")
                .record("*.wild TXT text")
                .record("*.alias-wild CNAME www")
                .record("old DNAME wild")
                .delegateUnsigned("unsigned");
    }

    private static DnssecLab lab(SignedZone example) {
        SignedZone root = SignedZone.of(".").delegate(example);
        SignedZone unsigned =
                SignedZone.of("unsigned.example.").record("host A 192.0.2.9").unsigned();
        return new DnssecLab(root, example, unsigned);
    }

    @ParameterizedTest
    @ValueSource(ints = {5, 7, 8, 10, 13, 14, 15, 16})
    void validatesSignaturesOfEachAlgorithm(int algorithm) {
        DnssecLab lab = lab(example(new SignedZone("example.", algorithm)));

        DnssecResult result = lab.lookup("www.example.", "A");

        assertThat(result.failure()).isNull();
        assertThat(result.status()).isEqualTo(DnssecStatus.SECURE);
        assertThat(result.records()).hasSize(1);
        assertThat(result.zones()).extracting(zone -> zone.zone().toString()).containsExactly(".", "example.");
        assertThat(result.last().validity().expiration()).isAfter(Instant.now());
        assertThat(lab.queries()).isEqualTo(4);
        assertThat(lab.limits().signatures.get()).isEqualTo(4);
    }

    @ParameterizedTest
    @EnumSource(Denial.class)
    void validatesExistingAndMissingRecords(Denial denial) {
        DnssecLab lab = lab(example(SignedZone.of("example.")).denial(denial, 3, "salt"));
        boolean optOut = denial == Denial.NSEC3_OPT_OUT;

        assertThat(lab.lookup("www.example.", "AAAA").status()).isEqualTo(DnssecStatus.SECURE);
        assertThat(lab.lookup("WWW.eXample.", "A").status()).isEqualTo(DnssecStatus.SECURE);
        assertThat(lab.lookup("alias.example.", "A").records()).hasSize(1);
        assertThat(lab.lookup("alias.example.", "A").answers()).hasSize(2);
        for (String nodata : List.of("www.example. MX", "deep.example. A", "b.deep.example. A", "example. TXT")) {
            DnssecResult result = lab.lookup(nodata.split(" ")[0], nodata.split(" ")[1]);
            assertThat(result.failure()).as(nodata).isNull();
            assertThat(result.records()).isEmpty();
            assertThat(result.last().nxdomain()).isFalse();
            assertThat(result.last().denial()).isNotNull();
        }
        for (String proof : List.of("x.wild.example. A", "x.y.wild.example. TXT", "x.wild.example. MX")) {
            DnssecResult result = lab.lookup(proof.split(" ")[0], proof.split(" ")[1]);
            assertThat(reason(result)).as(proof).isEqualTo(optOut ? Reason.OPT_OUT : null);
            assertThat(result.records()).hasSize(proof.endsWith("MX") ? 0 : 1);
        }
        for (String missing : List.of("zz.example.", "a.a.example.", "c.b.deep.example.", "x.www.example.")) {
            DnssecResult result = lab.lookup(missing, "A");
            assertThat(reason(result)).as(missing).isEqualTo(optOut ? Reason.OPT_OUT : null);
            assertThat(result.last().nxdomain()).isTrue();
        }
        DnssecResult unsigned = lab.lookup("host.unsigned.example.", "A");
        assertThat(reason(unsigned)).isEqualTo(Reason.NO_DS);
        assertThat(unsigned.zones())
                .extracting(ZoneTrust::status)
                .containsExactly(DnssecStatus.SECURE, DnssecStatus.SECURE, DnssecStatus.INSECURE);
    }

    @Test
    void reportsTheParametersOfNsec3() {
        DnssecLab lab = lab(example(SignedZone.of("example.")).denial(Denial.NSEC3, 5, "ab"));

        DenialParameters denial = lab.lookup("no.example.", "A").last().denial();

        assertThat(denial).isEqualTo(new DenialParameters(true, 5, "6162"));
    }

    static Stream<Arguments> faults() {
        Instant now = Instant.now();
        return Stream.of(
                fault(
                        "expired",
                        zone -> zone.validity(now.minus(9, ChronoUnit.DAYS), now.minus(1, ChronoUnit.DAYS)),
                        Reason.SIGNATURE_EXPIRED),
                fault(
                        "not yet valid",
                        zone -> zone.validity(now.plus(1, ChronoUnit.DAYS), now.plus(9, ChronoUnit.DAYS)),
                        Reason.SIGNATURE_NOT_YET_VALID),
                fault("all signatures changed", zone -> zone.corrupt(Type.ANY), Reason.SIGNATURE_INVALID),
                fault("signature of the record changed", zone -> zone.corrupt(Type.A), Reason.SIGNATURE_INVALID),
                fault("no signature of the record", zone -> zone.strip(Type.A), Reason.SIGNATURE_MISSING),
                fault("no signatures", zone -> zone.strip(Type.ANY), Reason.SIGNATURE_MISSING),
                fault("no signature of the keys", zone -> zone.strip(Type.DNSKEY), Reason.SIGNATURE_MISSING),
                fault("unpublished key", SignedZone::signWithUnpublishedKey, Reason.SIGNING_KEY_MISSING),
                fault("no keys", zone -> zone.remove(Type.DNSKEY), Reason.DNSKEY_MISSING),
                fault(
                        "other keys",
                        zone -> zone.remove(Type.DNSKEY)
                                .add(key(zone, SignedZone.of("example.").key(), 257)),
                        Reason.DS_MISMATCH),
                fault(
                        "revoked key",
                        zone -> zone.remove(Type.DNSKEY).add(key(zone, zone.key(), 257 | 0x80)),
                        Reason.KEY_REVOKED),
                fault(
                        "not a zone key",
                        zone -> zone.remove(Type.DNSKEY).add(key(zone, zone.key(), 1)),
                        Reason.DS_MISMATCH),
                fault(
                        "changed record",
                        zone -> zone.rewrite(section -> section.stream()
                                .map(record -> record.getType() == Type.A ? forged(record.getName()) : record)
                                .toList()),
                        Reason.SIGNATURE_INVALID));
    }

    private static Arguments fault(String name, Consumer<SignedZone> change, Reason reason) {
        return Arguments.of(name, change, reason);
    }

    private static Record forged(Name name) {
        return Record.newRecord(name, Type.A, DClass.IN, 300, new byte[] {(byte) 192, 0, 2, 66});
    }

    private static DNSKEYRecord key(SignedZone zone, DNSKEYRecord key, int flags) {
        return new DNSKEYRecord(
                zone.apex(), DClass.IN, 300, flags, key.getProtocol(), key.getAlgorithm(), key.getKey());
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("faults")
    void findsFaultsOfTheZone(String name, Consumer<SignedZone> change, Reason reason) {
        SignedZone example = example(SignedZone.of("example."));
        DnssecLab lab = lab(example);
        change.accept(example);

        DnssecResult result = lab.lookup("www.example.", "A");

        assertThat(reason(result)).isEqualTo(reason);
        assertThat(result.status()).isEqualTo(DnssecStatus.BOGUS);
    }

    @ParameterizedTest
    @EnumSource(Denial.class)
    void rejectsMissingAndForeignProofs(Denial denial) {
        SignedZone example = example(SignedZone.of("example.")).denial(denial, 0, "");
        DnssecLab lab = lab(example);
        assertThat(reason(lab.lookup("x.wild.example.", "A"))).isNotEqualTo(Reason.DENIAL_MISSING);
        example.rewrite(section -> section.stream()
                .filter(record -> !(record instanceof NSECRecord) && !(record instanceof NSEC3Record))
                .toList());

        assertThat(reason(lab.lookup("www.example.", "A"))).isNull();
        for (String query : List.of("www.example. MX", "no.example. A", "x.wild.example. A", "b.deep.example. A")) {
            assertThat(reason(lab.lookup(query.split(" ")[0], query.split(" ")[1])))
                    .as(query)
                    .isEqualTo(Reason.DENIAL_MISSING);
        }
    }

    /** RFC 4035 section 5.2, RFC 6840 section 5.2. */
    @ParameterizedTest
    @CsvSource({
        "12,2,UNSUPPORTED_ALGORITHM",
        "3,1,UNSUPPORTED_ALGORITHM",
        "253,2,UNSUPPORTED_ALGORITHM",
        "13,3,UNSUPPORTED_ALGORITHM",
        "13,200,UNSUPPORTED_ALGORITHM",
        "13,2,DS_MISMATCH"
    })
    void treatsZonesWithUnsupportedAlgorithmsAsInsecure(int algorithm, int digestType, Reason expected) {
        SignedZone example = example(SignedZone.of("example."));
        SignedZone root = SignedZone.of(".").delegateUnsigned("example.");
        byte[] digest = new byte[digestType == DNSSEC.Digest.SHA1 ? 20 : 32];
        root.add(new DSRecord(
                example.apex(), DClass.IN, 300, example.key().getFootprint(), algorithm, digestType, digest));

        DnssecResult result = new DnssecLab(root, example).lookup("www.example.", "A");

        assertThat(reason(result)).isEqualTo(expected);
    }

    /** RFC 4509 section 3: a SHA-1 digest must not be used if there is another one. */
    @Test
    void ignoresSha1DigestsBesideOthers() {
        SignedZone example = example(SignedZone.of("example."));
        DSRecord sha1 = example.ds(DNSSEC.Digest.SHA1);
        SignedZone weak = SignedZone.of(".").delegateUnsigned("example.").add(sha1);
        SignedZone both = SignedZone.of(".").delegateUnsigned("example.").add(sha1);
        both.add(new DSRecord(example.apex(), DClass.IN, 300, sha1.getFootprint(), 13, 2, new byte[32]));
        SignedZone sha384 = SignedZone.of(".").delegateUnsigned("example.").add(example.ds(4));

        assertThat(reason(new DnssecLab(weak, example).lookup("www.example.", "A")))
                .isNull();
        assertThat(reason(new DnssecLab(sha384, example).lookup("www.example.", "A")))
                .isNull();
        assertThat(reason(new DnssecLab(both, example).lookup("www.example.", "A")))
                .isEqualTo(Reason.DS_MISMATCH);
    }

    /** RFC 6840 section 5.11: one valid chain is sufficient, although the DS records have two algorithms. */
    @Test
    void acceptsOneOfSeveralAlgorithms() {
        SignedZone example = example(SignedZone.of("example."));
        SignedZone other = new SignedZone("example.", DNSSEC.Algorithm.RSASHA256);
        SignedZone root = SignedZone.of(".").delegate(example).add(other.ds(2));
        example.add(other.key());

        assertThat(reason(new DnssecLab(root, example).lookup("www.example.", "A")))
                .isNull();
    }

    @ParameterizedTest
    @CsvSource({"0,", "150,", "151,TOO_MANY_ITERATIONS", "2500,TOO_MANY_ITERATIONS"})
    void limitsTheIterationsOfNsec3(int iterations, Reason expected) {
        DnssecLab lab = lab(example(SignedZone.of("example.")).denial(Denial.NSEC3, iterations, ""));

        assertThat(reason(lab.lookup("no.example.", "A"))).isEqualTo(expected);
        assertThat(reason(lab.lookup("www.example.", "A"))).isNull();
    }

    /** RFC 6672 section 5.3.1. */
    @Test
    void validatesSynthesizedAliases() {
        DnssecLab lab = lab(example(SignedZone.of("example.")));

        DnssecResult result = lab.lookup("x.alias-wild.example.", "A");

        assertThat(result.failure()).isNull();
        assertThat(result.records()).hasSize(1);
    }

    @Test
    void endsAtAliasLoops() {
        SignedZone example =
                example(SignedZone.of("example.")).record("x CNAME y").record("y CNAME x");

        DnssecResult result = lab(example).lookup("x.example.", "A");

        assertThat(result.answers()).hasSize(2);
        assertThat(result.records()).isEmpty();
    }

    @Test
    void doesNotValidateWithoutTrustAnchorOrSignatures() {
        SignedZone example = example(SignedZone.of("example."));
        DnssecLab private_ = new DnssecLab(example);
        SignedZone other = SignedZone.of(".");
        assertThat(reason(private_.lookup("www.example.", "A"))).isNull();
        assertThat(reason(new DnssecLab(example, other).lookup("www.test.", "A")))
                .isEqualTo(Reason.NO_TRUST_ANCHOR);
        example.strip(Type.ANY);
        assertThat(reason(private_.lookup("www.example.", "A"))).isEqualTo(Reason.RESOLVER_UNSUITABLE);
    }

    private static Reason reason(DnssecResult result) {
        DnssecFailure failure = result.failure();
        return failure == null ? null : failure.reason();
    }
}
