package dev.plumbline.tls;

import java.math.BigInteger;
import java.security.PublicKey;
import java.security.interfaces.DSAPublicKey;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.EdECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.util.Arrays;
import java.util.HexFormat;

/** Reads public keys. */
public final class PublicKeys {
    private static final int RSA_MIN_BITS = 2048;
    private static final int EC_MIN_BITS = 224;

    /** Verifying a signature takes too long with larger keys. */
    private static final int RSA_MAX_BITS = 8192;

    private static final int RSA_EXPONENT_MAX_BITS = 64;

    private static final int RSA_CHEAP_BITS = 4096;
    private static final int RSA_EXPONENT_CHEAP_BITS = 17;
    private static final int EC_CHEAP_BITS = 384;

    /** The largest size of FIPS 186-4. */
    private static final int DSA_MAX_BITS = 3072;

    /** The object identifier 1.2.840.113549.1.1.1. */
    private static final byte[] RSA_ENCRYPTION = HexFormat.of().parseHex("2a864886f70d010101");

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

    /**
     * The size in bits of an RSA key in DER: a SubjectPublicKeyInfo (RFC 3279 section 2.3.1) or an RSAPublicKey (RFC
     * 8017 appendix A.1.1).
     *
     * @throws IllegalArgumentException if it is neither
     */
    public static int rsaBits(byte[] der) {
        DerReader outer = new DerReader(der, 0, der.length).next(DerReader.SEQUENCE);
        DerReader key = outer.content();
        if (key.at(DerReader.SEQUENCE)) {
            DerReader algorithm = key.next().content().next(DerReader.OBJECT_IDENTIFIER);
            byte[] oid = Arrays.copyOfRange(der, algorithm.from(), algorithm.to());
            key.next(DerReader.BIT_STRING);
            if (!Arrays.equals(oid, RSA_ENCRYPTION) || key.from() == key.to() || der[key.from()] != 0) {
                throw new IllegalArgumentException("not an RSA key");
            }
            key = new DerReader(der, key.from() + 1, key.to())
                    .next(DerReader.SEQUENCE)
                    .content();
        }
        key.next(DerReader.INTEGER);
        BigInteger modulus = new BigInteger(der, key.from(), key.to() - key.from());
        key.next(DerReader.INTEGER);
        if (modulus.signum() <= 0 || !key.atEnd() || !outer.atEnd()) {
            throw new IllegalArgumentException("not an RSA key");
        }
        return modulus.bitLength();
    }

    /** Whether the key provides less than 112 bits of security (NIST SP 800-57), or is a DSA key. */
    public static boolean weak(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() < RSA_MIN_BITS
                    || rsa.getPublicExponent().compareTo(BigInteger.TWO) <= 0;
        }
        if (key instanceof ECPublicKey) {
            return bits(key) < EC_MIN_BITS;
        }
        return key instanceof DSAPublicKey;
    }

    /** Whether a signature of this key can be verified on an event loop. */
    public static boolean isCheap(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() <= RSA_CHEAP_BITS
                    && rsa.getPublicExponent().bitLength() <= RSA_EXPONENT_CHEAP_BITS;
        }
        if (key instanceof ECPublicKey) {
            return bits(key) <= EC_CHEAP_BITS;
        }
        return key instanceof EdECPublicKey edwards
                && edwards.getParams().getName().equals("Ed25519");
    }

    /** Whether the time to verify a signature of this key is acceptable on a worker thread. */
    static boolean isVerifiable(PublicKey key) {
        if (key instanceof RSAPublicKey rsa) {
            return rsa.getModulus().bitLength() <= RSA_MAX_BITS
                    && rsa.getPublicExponent().bitLength() <= RSA_EXPONENT_MAX_BITS;
        }
        return key instanceof ECPublicKey
                || key instanceof EdECPublicKey
                || key instanceof DSAPublicKey && bits(key) <= DSA_MAX_BITS;
    }
}
