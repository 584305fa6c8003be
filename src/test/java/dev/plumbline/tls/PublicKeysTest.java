package dev.plumbline.tls;

import static org.assertj.core.api.Assertions.assertThat;

import dev.plumbline.lab.CertificateSpec;
import dev.plumbline.lab.TestCa;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PublicKey;
import java.security.spec.RSAPublicKeySpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PublicKeysTest {
    @ParameterizedTest
    @CsvSource({
        "RSA-2048, true",
        "P-256, true",
        "P-384, true",
        "P-521, false",
        "Ed25519, true",
        "Ed448, false",
        "DSA, false"
    })
    void classifiesVerificationCost(String kind, boolean quick) {
        PublicKey key = TestCa.root("Any")
                .issue(CertificateSpec.server("a.test").key(kind))
                .certificate()
                .getPublicKey();
        assertThat(PublicKeys.isCheap(key)).isEqualTo(quick);
    }

    private static PublicKey rsa(int bits, int exponentBits) throws GeneralSecurityException {
        BigInteger modulus = BigInteger.ONE.shiftLeft(bits).subtract(BigInteger.ONE);
        BigInteger exponent = BigInteger.ONE.shiftLeft(exponentBits).subtract(BigInteger.ONE);
        return KeyFactory.getInstance("RSA").generatePublic(new RSAPublicKeySpec(modulus, exponent));
    }

    @Test
    void largeKeysAreSlow() throws GeneralSecurityException {
        assertThat(PublicKeys.isCheap(rsa(4096, 17))).isTrue();
        assertThat(PublicKeys.isCheap(rsa(4097, 17))).isFalse();
        assertThat(PublicKeys.isCheap(rsa(2048, 18))).isFalse();
    }
}
