package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.DNSSEC;
import org.xbill.DNS.DSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Matches DS records and trust anchors with the keys of a zone (RFC 4035 section 5.2, RFC 4509). */
final class DelegationSigner {
    private DelegationSigner() {}

    /** The DS records with supported algorithms; without SHA-1 digests if there are others (RFC 4509 section 3). */
    static List<Record> usable(List<Record> anchors) {
        List<Record> usable =
                anchors.stream().filter(DelegationSigner::isSupported).toList();
        boolean strong = usable.stream()
                .anyMatch(anchor -> anchor instanceof DSRecord ds && ds.getDigestID() != DNSSEC.Digest.SHA1);
        return usable.stream()
                .filter(anchor -> !(strong && anchor instanceof DSRecord ds && ds.getDigestID() == DNSSEC.Digest.SHA1))
                .toList();
    }

    private static boolean isSupported(Record anchor) {
        return anchor instanceof DSRecord ds
                ? DnssecAlgorithm.signature(ds.getAlgorithm()) != null
                        && DnssecAlgorithm.digest(ds.getDigestID()) != null
                : anchor instanceof DNSKEYRecord key && DnssecAlgorithm.signature(key.getAlgorithm()) != null;
    }

    static List<DNSKEYRecord> matching(List<Record> anchors, List<DNSKEYRecord> keys, ValidationLimits limits)
            throws DnssecException {
        List<DNSKEYRecord> matching = new ArrayList<>();
        for (DNSKEYRecord key : keys) {
            if (RrsetVerifier.isZoneKey(key) && matchesAny(anchors, key, limits)) {
                matching.add(key);
            }
        }
        return matching;
    }

    private static boolean matchesAny(List<Record> anchors, DNSKEYRecord key, ValidationLimits limits)
            throws DnssecException {
        for (Record anchor : anchors) {
            boolean matches = anchor instanceof DSRecord ds
                    ? matches(ds, key, limits)
                    : Arrays.equals(anchor.rdataToWireCanonical(), key.rdataToWireCanonical());
            if (matches) {
                return true;
            }
        }
        return false;
    }

    private static boolean matches(DSRecord ds, DNSKEYRecord key, ValidationLimits limits) throws DnssecException {
        String algorithm = DnssecAlgorithm.digest(ds.getDigestID());
        if (algorithm == null || ds.getAlgorithm() != key.getAlgorithm() || ds.getFootprint() != key.getFootprint()) {
            return false;
        }
        Name zone = key.getName();
        limits.countHash(zone, Type.DS);
        try {
            MessageDigest digest = MessageDigest.getInstance(algorithm);
            digest.update(zone.toWireCanonical());
            return MessageDigest.isEqual(digest.digest(key.rdataToWireCanonical()), ds.getDigest());
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException(missing);
        }
    }

    /**
     * The failure of a zone whose keys match none of its anchors.
     *
     * @param anchors the usable DS records or trust anchors of the zone
     * @param keys of the zone; empty if there are none
     */
    static DnssecFailure mismatch(Name zone, List<Record> anchors, List<DNSKEYRecord> keys, ValidationLimits limits)
            throws DnssecException {
        for (DNSKEYRecord key : keys) {
            if (RrsetVerifier.isRevoked(key)
                    && (matchesAny(anchors, key, limits)
                            || matchesAny(anchors, RrsetVerifier.withoutRevocation(key), limits))) {
                return new DnssecFailure(Reason.KEY_REVOKED, zone, Type.DNSKEY);
            }
        }
        return new DnssecFailure(keys.isEmpty() ? Reason.DNSKEY_MISSING : Reason.DS_MISMATCH, zone, Type.DNSKEY);
    }
}
