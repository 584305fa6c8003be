package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import org.bouncycastle.jce.ECNamedCurveTable;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.jce.spec.ECParameterSpec;
import org.junit.jupiter.api.Test;

class CertificateParserTest {
    private static final X509Certificate VALID =
            TestCa.selfSigned(CertificateSpec.server("a.test")).certificate();
    private static final TestCa ROOT = TestCa.root("Root");
    private static final X509Certificate NO_SUBJECT =
            ROOT.issue(CertificateSpec.server("b.test").withoutSubject()).certificate();
    private static final Certificate GARBAGE = new Certificate("X.509") {
        @Override
        public byte[] getEncoded() {
            return new byte[] {0x30, 0x03, 0x02, 0x01, 0x05};
        }

        @Override
        public void verify(java.security.PublicKey key) {}

        @Override
        public void verify(java.security.PublicKey key, String provider) {}

        @Override
        public String toString() {
            return "garbage";
        }

        @Override
        public java.security.PublicKey getPublicKey() {
            return VALID.getPublicKey();
        }
    };

    @Test
    void parsesACertificateThatTheJdkRejects() throws Exception {
        assertThatThrownBy(() -> CertificateParser.parse(List.of(NO_SUBJECT))).isInstanceOf(CertificateException.class);
        List<X509Certificate> parsed = CertificateParser.parseLeniently(List.of(VALID, NO_SUBJECT));

        assertThat(parsed).containsExactly(VALID, NO_SUBJECT);
        X509Certificate certificate = parsed.get(1);
        assertThat(certificate.getSubjectX500Principal().getName()).isEmpty();
        assertThat(CertificateHostnames.matches(certificate, "b.test", null)).isTrue();
        assertThat(PublicKeys.bits(certificate.getPublicKey())).isEqualTo(256);
        assertThat(new SignatureVerifier(1).isSignedBy(certificate, ROOT.certificate()))
                .isTrue();
    }

    @Test
    void omitsOnlyIssuersThatAreNotCertificates() throws Exception {
        assertThat(CertificateParser.parseLeniently(List.of(VALID, GARBAGE, NO_SUBJECT)))
                .containsExactly(VALID, NO_SUBJECT);
        assertThatThrownBy(() -> CertificateParser.parseLeniently(List.of(GARBAGE, VALID)))
                .isInstanceOf(CertificateException.class);
    }

    @Test
    void rejectsExplicitCurveParameters() throws Exception {
        ECParameterSpec curve = ECNamedCurveTable.getParameterSpec("secp256r1");
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC", new BouncyCastleProvider());
        generator.initialize(
                new ECParameterSpec(curve.getCurve(), curve.getG(), curve.getN(), BigInteger.ONE, curve.getSeed()));
        KeyPair explicit = generator.generateKeyPair();
        X509Certificate certificate =
                ROOT.issue(CertificateSpec.server("c.test").keys(explicit)).certificate();

        assertThatThrownBy(() -> CertificateParser.parseLeniently(List.of(certificate)))
                .isInstanceOf(CertificateException.class);
    }
}
