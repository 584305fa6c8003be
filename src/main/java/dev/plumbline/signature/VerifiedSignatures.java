package dev.plumbline.signature;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.hash.HashCode;
import com.google.common.hash.Hasher;
import com.google.common.hash.Hashing;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.Provider;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.X509Certificate;
import org.jspecify.annotations.Nullable;

/**
 * Verifies digital signatures and caches the results. A signature that the native provider rejects is verified again by
 * the JDK. All checks share the cache: a result depends only on the algorithm, the key, the data and the signature,
 * whose SHA-256 is the key. Thread-safe. Blocks for up to a few milliseconds; the first call also loads the native
 * library, which takes tens of milliseconds.
 */
public final class VerifiedSignatures {
    /** About 3 MB. */
    private static final int MAX_RESULTS = 20_000;

    private static final Cache<HashCode, Boolean> RESULTS = Caffeine.newBuilder()
            .maximumSize(MAX_RESULTS)
            .executor(Runnable::run)
            .build();

    private interface Verification {
        /** @param provider null for the providers of the JDK */
        boolean run(@Nullable Provider provider) throws GeneralSecurityException;
    }

    private VerifiedSignatures() {}

    /**
     * Whether a signature is valid.
     *
     * @param algorithm a signature algorithm of the JDK without parameters
     * @throws GeneralSecurityException if the algorithm is not supported, or the key or the signature is malformed
     */
    public static boolean isValid(String algorithm, PublicKey key, byte[] data, byte[] signature)
            throws GeneralSecurityException {
        return isValid(algorithm, key, data, 0, data.length, signature);
    }

    /** As above, for a part of the data. */
    public static boolean isValid(
            String algorithm, PublicKey key, byte[] data, int offset, int length, byte[] signature)
            throws GeneralSecurityException {
        HashCode id = id(algorithm, key)
                .putInt(length)
                .putBytes(data, offset, length)
                .putBytes(signature)
                .hash();
        return isValid(id, key, provider -> {
            Signature verifier =
                    provider == null ? Signature.getInstance(algorithm) : Signature.getInstance(algorithm, provider);
            verifier.initVerify(key);
            verifier.update(data, offset, length);
            return verifier.verify(signature);
        });
    }

    /**
     * Whether a certificate is signed with a key.
     *
     * @throws GeneralSecurityException if the algorithm is not supported, or the key or the certificate is malformed
     */
    public static boolean isSigned(X509Certificate certificate, PublicKey key) throws GeneralSecurityException {
        HashCode id = id("certificate", key).putBytes(certificate.getEncoded()).hash();
        return isValid(id, key, provider -> {
            try {
                if (provider == null) {
                    certificate.verify(key);
                } else {
                    certificate.verify(key, provider);
                }
                return true;
            } catch (SignatureException invalid) {
                return false;
            }
        });
    }

    private static Hasher id(String kind, PublicKey key) {
        byte[] encoded = key.getEncoded();
        return Hashing.sha256()
                .newHasher()
                .putString(kind, StandardCharsets.UTF_8)
                .putInt(encoded.length)
                .putBytes(encoded);
    }

    private static boolean isValid(HashCode id, PublicKey key, Verification verification)
            throws GeneralSecurityException {
        Boolean known = RESULTS.getIfPresent(id);
        if (known != null) {
            return known;
        }
        boolean valid = verify(key, verification);
        RESULTS.put(id, valid);
        return valid;
    }

    private static boolean verify(PublicKey key, Verification verification) throws GeneralSecurityException {
        Provider provider = NativeProvider.of(key);
        if (provider != null) {
            try {
                if (verification.run(provider)) {
                    return true;
                }
            } catch (GeneralSecurityException | RuntimeException unsupported) {
                // the JDK decides, and throws the exception for the caller
            }
        }
        return verification.run(null);
    }
}
