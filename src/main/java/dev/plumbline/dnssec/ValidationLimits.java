package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.Name;

/**
 * Limits the cryptographic operations of one check, because a zone can contain many keys with the same key tag
 * (KeyTrap, CVE-2023-50387) and NSEC3 records that need many hashes (CVE-2023-50868). Thread-safe.
 */
public final class ValidationLimits {
    /** The maximum number of signatures that are verified. A zone with few keys needs about four. */
    public static final int MAX_SIGNATURES = 200;

    /** The maximum number of signatures that do not match their records. BIND permits one, Unbound 16. */
    public static final int MAX_INVALID_SIGNATURES = 16;

    /** The maximum number of DS digests and NSEC3 hashes. */
    public static final int MAX_HASHES = 300;

    private final AtomicInteger signatures = new AtomicInteger();
    private final AtomicInteger invalidSignatures = new AtomicInteger();
    private final AtomicInteger hashes = new AtomicInteger();

    /** The number of signatures that were verified. */
    public int signatures() {
        return signatures.get();
    }

    /** The number of DS digests and NSEC3 hashes that were calculated. */
    public int hashes() {
        return hashes.get();
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
