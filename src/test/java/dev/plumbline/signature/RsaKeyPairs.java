package dev.plumbline.signature;

import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.security.spec.RSAPublicKeySpec;
import java.security.spec.X509EncodedKeySpec;

/**
 * Generates RSA keys for tests with the native library if it is available. The JDK takes half a second of CPU time for
 * 2048 bits, because test JVMs do not use the second compiler.
 */
public final class RsaKeyPairs {
    private RsaKeyPairs() {}

    /** Generates a key of the JDK's provider, with the public exponent 65537. */
    public static KeyPair generate(int bits) throws GeneralSecurityException {
        KeyFactory factory = KeyFactory.getInstance("RSA");
        PublicKey anyOfThisSize = factory.generatePublic(
                new RSAPublicKeySpec(BigInteger.ONE.shiftLeft(bits - 1).setBit(0), RSAKeyGenParameterSpec.F4));
        Provider provider = NativeProvider.of(anyOfThisSize);
        KeyPairGenerator generator =
                provider == null ? KeyPairGenerator.getInstance("RSA") : KeyPairGenerator.getInstance("RSA", provider);
        generator.initialize(bits);
        KeyPair generated = generator.generateKeyPair();
        return new KeyPair(
                factory.generatePublic(
                        new X509EncodedKeySpec(generated.getPublic().getEncoded())),
                factory.generatePrivate(
                        new PKCS8EncodedKeySpec(generated.getPrivate().getEncoded())));
    }
}
