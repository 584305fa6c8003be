package dev.plumbline.tls;

import java.math.BigInteger;
import java.security.PublicKey;
import java.security.interfaces.DSAPublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;

/** Reads public keys. */
public final class PublicKeys {
    private static final int RSA_LEAST_BITS = 2048;
    private static final int EC_LEAST_BITS = 224;

    /** Verifying a signature takes too long with larger keys. */
    private static final int RSA_MOST_BITS = 8192;

    private static final int RSA_EXPONENT_MOST_BITS = 64;

    private static final int RSA_QUICK_BITS = 4096;
    private static final int RSA_EXPONENT_QUICK_BITS = 17;
    private static final int EC_QUICK_BITS = 384;

    private PublicKeys() {}

    /** RSA, EC, Ed25519, Ed448, DSA, or the algorithm name of the JDK. */
    public static String type(PublicKey key) {
        return key instanceof EdECPublicKey edwards ? edwards.getParams().getName() : key.getAlgorithm();
    }

    /** The size in bits, as OpenSSL reports it; 0 if it is not known. */
    public static int bits(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength();
        }
        if (key instanceof ECPublicKey ec) {
            return ec.getParams().getCurve().getField().getFieldSize();
        }
        if (key instanceof EdECPublicKey edwards) {
            return edwards.getParams().getName().equals("Ed448") ? 456 : 256;
        }
        if (key instanceof DSAPublicKey dsa && dsa.getParams() != null) {
            return dsa.getParams().getP().bitLength();
        }
        return 0;
    }

    /** Whether the key provides less than 112 bits of security (NIST SP 800-57), or is a DSA key. */
    public static boolean weak(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() < RSA_LEAST_BITS
                    || rsa.getPublicExponent().compareTo(BigInteger.TWO) <= 0;
        }
        if (key instanceof ECPublicKey) {
            return bits(key) < EC_LEAST_BITS;
        }
        return key instanceof DSAPublicKey;
    }

    /** Whether a signature of this key can be verified on an event loop. */
    public static boolean quick(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() <= RSA_QUICK_BITS
                    && rsa.getPublicExponent().bitLength() <= RSA_EXPONENT_QUICK_BITS;
        }
        if (key instanceof ECPublicKey) {
            return bits(key) <= EC_QUICK_BITS;
        }
        return key instanceof EdECPublicKey edwards
                && edwards.getParams().getName().equals("Ed25519");
    }

    /** Whether the time to verify a signature of this key is acceptable on a worker thread. */
    static boolean affordable(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() <= RSA_MOST_BITS
                    && rsa.getPublicExponent().bitLength() <= RSA_EXPONENT_MOST_BITS;
        }
        return key instanceof ECPublicKey || key instanceof EdECPublicKey;
    }
}
