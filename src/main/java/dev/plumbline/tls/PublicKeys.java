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

    /** Larger keys take too long to verify a signature with. */
    private static final int RSA_MOST_BITS = 8192;

    private static final int RSA_EXPONENT_MOST_BITS = 64;

    private static final int RSA_QUICK_BITS = 4096;
    private static final int RSA_EXPONENT_QUICK_BITS = 17;
    private static final int EC_QUICK_BITS = 384;

    private PublicKeys() {}

    /** RSA, EC, Ed25519, Ed448, DSA, or the name of whatever else it is. */
    public static String type(PublicKey key) {
        return key instanceof EdECPublicKey edwards ? edwards.getParams().getName() : key.getAlgorithm();
    }

    /** The size as openssl reports it; 0 when it is unknown. */
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

    /** Whether it is too small or too old to trust (NIST SP 800-57, less than 112 bits). */
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

    /** Whether a signature by this key is verified in next to no time, even on an event loop. */
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

    /** Whether a signature by this key can be verified in a time that does not hurt. */
    static boolean affordable(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() <= RSA_MOST_BITS
                    && rsa.getPublicExponent().bitLength() <= RSA_EXPONENT_MOST_BITS;
        }
        return key instanceof ECPublicKey || key instanceof EdECPublicKey;
    }
}
