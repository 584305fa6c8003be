package dev.plumbline.dnssec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import dev.plumbline.lab.SignedZone;
import dev.plumbline.lab.SignedZone.Denial;
import dev.plumbline.signature.RsaKeyPairs;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.interfaces.RSAPrivateKey;
import java.security.spec.RSAPrivateKeySpec;
import java.security.spec.RSAPublicKeySpec;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.DClass;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.NSEC3Record;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** The CPU time of one validation of a hostile zone, whose responses have up to 64 KiB. */
class ValidationCpuTimeTest {
    private static final Duration MAX_CPU_TIME = Duration.ofMillis(400);

    /** KeyTrap (CVE-2023-50387) with the algorithms of the slowest verification. */
    @ParameterizedTest
    @ValueSource(ints = {DNSSEC.Algorithm.RSASHA512, DNSSEC.Algorithm.ECDSAP384SHA384, DNSSEC.Algorithm.ED448})
    void keysWithEqualTags(int algorithm) {
        SignedZone example = new SignedZone("example.", algorithm).record("www A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegate(example);
        HostileRecords.collidingKeys(example.key(), 200).forEach(example::add);
        HostileRecords.forgeSignatures(example, Type.A, 500);
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = lab.lookup("www.example.", "A");

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
        assertThat(lab.cpuTime()).isLessThan(MAX_CPU_TIME);
    }

    /** CVE-2023-50868, with the longest salt. */
    @Test
    void hashesOfNsec3() {
        SignedZone example = SignedZone.of("example.").denial(Denial.NSEC3, Nsec3Proof.MAX_ITERATIONS, "s".repeat(255));
        for (int i = 0; i < 20; i++) {
            example.record("host" + i + " A 192.0.2.1");
        }
        SignedZone root = SignedZone.of(".").delegate(example);
        example.rewrite(section -> section.stream()
                .filter(record -> !(record instanceof NSEC3Record nsec3 && nsec3.hasType(Type.SOA)))
                .toList());
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = lab.lookup("a.".repeat(115) + "example.", "A");

        assertThat(result.status()).isEqualTo(DnssecStatus.BOGUS);
        assertThat(lab.limits().hashes.get()).isGreaterThan(100);
        assertThat(lab.cpuTime()).isLessThan(MAX_CPU_TIME);
    }

    /** The data that is signed has to be assembled for each signature. */
    @Test
    void manyRecordsWithManySignatures() {
        SignedZone example = SignedZone.of("example.");
        for (int i = 0; i < 3_000; i++) {
            example.add(new TXTRecord(DnssecLab.name("www.example."), DClass.IN, 300, "r" + i));
        }
        SignedZone root = SignedZone.of(".").delegate(example);
        HostileRecords.forgeSignatures(example, Type.TXT, 200);
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = lab.lookup("www.example.", "TXT");

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
        assertThat(lab.cpuTime()).isLessThan(MAX_CPU_TIME);
    }

    /**
     * Valid signatures whose verification is as slow as signing, because public and private exponent were exchanged.
     */
    @ParameterizedTest
    @ValueSource(ints = {1024, 2048})
    void exponentAsLongAsModulus(int bits) throws GeneralSecurityException {
        SignedZone example = new SignedZone("example.", DNSSEC.Algorithm.RSASHA256, exchangedExponents(bits))
                .record("www A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegate(example);
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = lab.lookup("www.example.", "A");

        assertThat(result.failure()).isNotNull();
        assertThat(result.failure().reason()).isEqualTo(Reason.LIMIT_EXCEEDED);
        assertThat(lab.limits().signatures.get()).as("signatures of the root").isLessThanOrEqualTo(2);
        assertThat(lab.cpuTime()).isLessThan(MAX_CPU_TIME);
    }

    @Test
    void keyThatIsTooLargeDoesNotReplaceOtherKeys() throws GeneralSecurityException {
        SignedZone example = SignedZone.of("example.").record("www A 192.0.2.1");
        SignedZone other = new SignedZone("example.", DNSSEC.Algorithm.RSASHA256, exchangedExponents(1024));
        example.add(other.key());
        SignedZone root = SignedZone.of(".").delegate(example).add(other.ds(2));

        DnssecResult result = new DnssecLab(root, example).lookup("www.example.", "A");

        assertThat(result.status()).isEqualTo(DnssecStatus.SECURE);
    }

    private static KeyPair exchangedExponents(int bits) throws GeneralSecurityException {
        RSAPrivateKey key = (RSAPrivateKey) RsaKeyPairs.generate(bits).getPrivate();
        KeyFactory factory = KeyFactory.getInstance("RSA");
        return new KeyPair(
                factory.generatePublic(new RSAPublicKeySpec(key.getModulus(), key.getPrivateExponent())),
                factory.generatePrivate(new RSAPrivateKeySpec(key.getModulus(), BigInteger.valueOf(65_537))));
    }

    /** Owner names with equal hash codes (dnsjava adds nine times the code and the character). */
    @Test
    void namesWithEqualHashCodes() {
        SignedZone example = SignedZone.of("example.").record("www A 192.0.2.1");
        SignedZone root = SignedZone.of(".").delegate(example);
        List<Record> many = new ArrayList<>();
        for (int i = 0; i < 2_048; i++) {
            StringBuilder label = new StringBuilder();
            for (int bit = 0; bit < 11; bit++) {
                label.append((i >> bit & 1) == 0 ? "ak" : "bb");
            }
            Name name = DnssecLab.name(label + ".example.");
            many.add(new TXTRecord(name, DClass.IN, 300, "r"));
        }
        assertThat(many)
                .extracting(record -> record.getName().hashCode())
                .containsOnly(many.get(0).getName().hashCode());
        example.rewrite(section -> {
            List<Record> all = new ArrayList<>(section);
            all.addAll(many);
            return all;
        });
        DnssecLab lab = new DnssecLab(root, example);

        DnssecResult result = lab.lookup("www.example.", "A");

        assertThat(result.status()).isEqualTo(DnssecStatus.SECURE);
        assertThat(lab.cpuTime()).isLessThan(MAX_CPU_TIME);
    }
}
