package dev.plumbline.signature;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class VerifiedSignaturesTest {
    private static final byte[] DATA = "data".getBytes(StandardCharsets.UTF_8);

    private static KeyPair keys(String curveOrBits) throws GeneralSecurityException {
        if (curveOrBits.startsWith("secp")) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
            generator.initialize(new ECGenParameterSpec(curveOrBits));
            return generator.generateKeyPair();
        }
        if (curveOrBits.startsWith("Ed")) {
            return KeyPairGenerator.getInstance(curveOrBits).generateKeyPair();
        }
        return RsaKeyPairs.generate(Integer.parseInt(curveOrBits));
    }

    @ParameterizedTest
    @CsvSource({
        "secp256r1, SHA256withECDSA",
        "secp256r1, SHA256withECDSAinP1363Format",
        "secp384r1, SHA384withECDSAinP1363Format",
        "secp521r1, SHA512withECDSA",
        "1024, SHA1withRSA",
        "2048, SHA256withRSA",
        "3072, SHA512withRSA",
        "Ed25519, Ed25519",
        "Ed448, Ed448"
    })
    void verifiesSignaturesOfEachAlgorithm(String key, String algorithm) throws GeneralSecurityException {
        KeyPair keys = keys(key);
        Signature signer = Signature.getInstance(algorithm);
        signer.initSign(keys.getPrivate());
        signer.update(DATA);
        byte[] signature = signer.sign();
        byte[] otherData = "other data".getBytes(StandardCharsets.UTF_8);
        PublicKey otherKey = keys(key).getPublic();

        for (int repetition = 0; repetition < 2; repetition++) {
            assertThat(VerifiedSignatures.isValid(algorithm, keys.getPublic(), DATA, signature))
                    .isTrue();
            assertThat(VerifiedSignatures.isValid(algorithm, keys.getPublic(), otherData, signature))
                    .isFalse();
            assertThat(VerifiedSignatures.isValid(algorithm, otherKey, DATA, signature))
                    .isFalse();
        }
    }

    @Test
    void rejectsUnknownAlgorithms() throws GeneralSecurityException {
        KeyPair keys = keys("secp256r1");

        assertThatThrownBy(() -> VerifiedSignatures.isValid("SHA0withECDSA", keys.getPublic(), DATA, new byte[64]))
                .isInstanceOf(NoSuchAlgorithmException.class);
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void nativeLibraryIsUsedForCommonKeysUnlessItIsDisabled() throws GeneralSecurityException {
        boolean enabled = !Boolean.getBoolean(NativeProvider.DISABLED);

        assertThat(NativeProvider.of(keys("secp256r1").getPublic()) != null).isEqualTo(enabled);
        assertThat(NativeProvider.of(keys("2048").getPublic()) != null).isEqualTo(enabled);
        assertThat(NativeProvider.of(keys("Ed25519").getPublic())).isNull();
    }
}
