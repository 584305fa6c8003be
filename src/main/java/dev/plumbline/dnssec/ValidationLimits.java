package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.Name;

/**
 * Limits the cryptographic operations of one check, because a zone can contain many keys with the same key tag
 * (KeyTrap, CVE-2023-50387), NSEC3 records that need many hashes (CVE-2023-50868) and RSA keys whose exponent is as
 * long as their modulus. Not a time limit, because the result would depend on the load of the machine. Thread-safe.
 */
public final class ValidationLimits {
    /** The maximum number of signatures that are verified. A zone with few keys needs about four. */
    public static final int MAX_SIGNATURES = 200;

    /** The maximum number of signatures that do not match their records. BIND permits one, Unbound 16. */
    public static final int MAX_INVALID_SIGNATURES = 16;

    /** The maximum number of DS digests and NSEC3 hashes. */
    public static final int MAX_HASHES = 300;

    /** The maximum size of the exponent of an RSA key, in bytes. BIND permits 35 bits. The usual one has 17 bits. */
    private static final int MAX_RSA_EXPONENT_BYTES = 8;

    /** The maximum size of the modulus of an RSA key, in bytes. RFC 5702 section 2 permits 4096 bits. */
    private static final int MAX_RSA_MODULUS_BYTES = 512;

    /** A zero and the length of the exponent in two bytes. */
    private static final int RSA_LONG_PREFIX_BYTES = 3;

    final AtomicInteger signatures = new AtomicInteger();
    final AtomicInteger hashes = new AtomicInteger();
    private final AtomicInteger invalidSignatures = new AtomicInteger();

    /** Whether a signature of the RSA key would take much more CPU time than one of a usual key. */
    static boolean isTooLarge(DNSKEYRecord key) {
        byte[] data = key.getKey();
        if (!DnssecAlgorithm.isRsa(key.getAlgorithm()) || data.length < RSA_LONG_PREFIX_BYTES) {
            return false;
        }
        // RFC 3110 section 2
        boolean shortPrefix = data[0] != 0;
        int exponent = shortPrefix
                ? Byte.toUnsignedInt(data[0])
                : ByteBuffer.wrap(data).getShort(1) & 0xffff;
        int modulus = data.length - exponent - (shortPrefix ? 1 : RSA_LONG_PREFIX_BYTES);
        return exponent > MAX_RSA_EXPONENT_BYTES || modulus > MAX_RSA_MODULUS_BYTES;
    }

    void countSignature(Name name, int type) throws DnssecException {
        count(signatures, MAX_SIGNATURES, name, type);
    }

    void countInvalidSignature(Name name, int type) throws DnssecException {
        count(invalidSignatures, MAX_INVALID_SIGNATURES, name, type);
    }

    void countHash(Name name, int type) throws DnssecException {
        count(hashes, MAX_HASHES, name, type);
    }

    private static void count(AtomicInteger counter, int max, Name name, int type) throws DnssecException {
        if (counter.getAndUpdate(n -> Math.min(max, n + 1)) == max) {
            throw new DnssecException(new DnssecFailure(Reason.LIMIT_EXCEEDED, name, type));
        }
    }
}
