package dev.plumbline.dnssec;

import dev.plumbline.dnssec.DnssecFailure.Reason;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSKEYRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.RRSIGRecord;

/** Verifies the signatures of RRsets with the keys of a zone (RFC 4035 section 5.3). */
record RrsetVerifier(Instant at, ValidationLimits limits) {
    private static final int PROTOCOL = 3;

    /** The flag Secure Entry Point (RFC 4034 section 2.1.1) of a key is not used for validation. */
    private static final int ZONE_KEY = 0x0100;

    /** RFC 5011 section 3. */
    private static final int REVOKED = 0x0080;

    /**
     * Finds a valid signature. One is sufficient, of any supported algorithm (RFC 6840 section 5.11).
     *
     * @throws DnssecException if there is none
     */
    RRSIGRecord verify(SignedSet set, Name zone, List<DNSKEYRecord> keys) throws DnssecException {
        DnssecFailure failure = new DnssecFailure(Reason.SIGNATURE_MISSING, set.name(), set.type());
        for (RRSIGRecord signature : set.signatures()) {
            if (!signature.getSigner().equals(zone)
                    || !set.name().subdomain(zone)
                    || signature.getLabels() > RrsetSignature.labels(set.name())) {
                failure = failure.orMoreSpecific(failure(Reason.SIGNING_KEY_MISSING, set));
            } else if (at.isAfter(signature.getExpire())) {
                failure = failure.orMoreSpecific(
                        new DnssecFailure(Reason.SIGNATURE_EXPIRED, set.name(), set.type(), signature.getExpire()));
            } else if (at.isBefore(signature.getTimeSigned())) {
                failure = failure.orMoreSpecific(new DnssecFailure(
                        Reason.SIGNATURE_NOT_YET_VALID, set.name(), set.type(), signature.getTimeSigned()));
            } else {
                Reason reason = verify(set, signature, keys);
                if (reason == null) {
                    return signature;
                }
                failure = failure.orMoreSpecific(failure(reason, set));
            }
        }
        throw new DnssecException(failure);
    }

    private @Nullable Reason verify(SignedSet set, RRSIGRecord signature, List<DNSKEYRecord> keys)
            throws DnssecException {
        Reason reason = Reason.SIGNING_KEY_MISSING;
        for (DNSKEYRecord key : keys) {
            if (key.getAlgorithm() == signature.getAlgorithm()
                    && key.getFootprint() == signature.getFootprint()
                    && isZoneKey(key)
                    && DnssecAlgorithm.signature(key.getAlgorithm()) != null) {
                if (ValidationLimits.isTooLarge(key)) {
                    reason = Reason.LIMIT_EXCEEDED;
                    continue;
                }
                limits.countSignature(set.name(), set.type());
                if (RrsetSignature.matches(set, signature, key)) {
                    return null;
                }
                limits.countInvalidSignature(set.name(), set.type());
                if (reason != Reason.LIMIT_EXCEEDED) {
                    reason = Reason.SIGNATURE_INVALID;
                }
            }
        }
        return reason == Reason.SIGNING_KEY_MISSING && isMadeWithRevokedKey(set, signature, keys)
                ? Reason.KEY_REVOKED
                : reason;
    }

    /** Whether a revoked key of the zone made the signature, before or after its revocation. */
    private static boolean isMadeWithRevokedKey(SignedSet set, RRSIGRecord signature, List<DNSKEYRecord> keys) {
        return Stream.concat(keys.stream(), set.records().stream())
                .anyMatch(record -> record instanceof DNSKEYRecord key
                        && isRevoked(key)
                        && key.getAlgorithm() == signature.getAlgorithm()
                        && (key.getFootprint() == signature.getFootprint()
                                || withoutRevocation(key).getFootprint() == signature.getFootprint()));
    }

    static boolean isZoneKey(DNSKEYRecord key) {
        return (key.getFlags() & (ZONE_KEY | REVOKED)) == ZONE_KEY && key.getProtocol() == PROTOCOL;
    }

    static boolean isRevoked(DNSKEYRecord key) {
        return (key.getFlags() & REVOKED) != 0;
    }

    /** The key as it was published before its revocation. It has another key tag. */
    static DNSKEYRecord withoutRevocation(DNSKEYRecord key) {
        return new DNSKEYRecord(
                key.getName(),
                key.getDClass(),
                key.getTTL(),
                key.getFlags() & ~REVOKED,
                key.getProtocol(),
                key.getAlgorithm(),
                key.getKey());
    }

    private static DnssecFailure failure(Reason reason, SignedSet set) {
        return new DnssecFailure(reason, set.name(), set.type());
    }
}
