package dev.plumbline.dnssec;

import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

/**
 * Why a response is not secure.
 *
 * @param name the owner of the records
 * @param type the type of the records, a constant of {@link Type}
 * @param time the expiry or the inception of the signature; null for other reasons
 */
public record DnssecFailure(Reason reason, Name name, int type, @Nullable Instant time) {

    /** The reasons. Of several signatures of the same records, the last reason in this order is reported. */
    public enum Reason {
        /** No trust anchor is configured for the name. */
        NO_TRUST_ANCHOR(DnssecStatus.INDETERMINATE),
        /** A lookup failed. */
        LOOKUP_FAILED(DnssecStatus.INDETERMINATE),
        /** The resolver does not return signatures, so it does not support DNSSEC. */
        RESOLVER_UNSUITABLE(DnssecStatus.INDETERMINATE),
        /** The parent zone proves that the zone does not have a DS record. */
        NO_DS(DnssecStatus.INSECURE),
        /** An NSEC3 opt-out range includes the name, so unsigned records can exist (RFC 5155 section 6). */
        OPT_OUT(DnssecStatus.INSECURE),
        /** The DS records have only algorithms or digest types that validators do not support. */
        UNSUPPORTED_ALGORITHM(DnssecStatus.INSECURE),
        /** The NSEC3 records have too many iterations (RFC 9276 section 3.2). */
        TOO_MANY_ITERATIONS(DnssecStatus.INSECURE),
        /** The records do not have a signature. */
        SIGNATURE_MISSING(DnssecStatus.BOGUS),
        /** The proof that the records do not exist is missing or does not match. */
        DENIAL_MISSING(DnssecStatus.BOGUS),
        /** There is a DS record, but the zone does not have DNSKEY records. */
        DNSKEY_MISSING(DnssecStatus.BOGUS),
        /** No DNSKEY record of the zone matches its DS records or trust anchors. */
        DS_MISMATCH(DnssecStatus.BOGUS),
        /** The zone does not have the key that made the signature. */
        SIGNING_KEY_MISSING(DnssecStatus.BOGUS),
        /** The zone has only a revoked key for the signature or the DS records (RFC 5011 section 2.1). */
        KEY_REVOKED(DnssecStatus.BOGUS),
        /** The validity of the signature has not started. */
        SIGNATURE_NOT_YET_VALID(DnssecStatus.BOGUS),
        /** The signature has expired. */
        SIGNATURE_EXPIRED(DnssecStatus.BOGUS),
        /** The signature does not match the records. */
        SIGNATURE_INVALID(DnssecStatus.BOGUS),
        /**
         * The validation needs more signatures, hashes or larger RSA keys than allowed (CVE-2023-50387,
         * CVE-2023-50868).
         */
        LIMIT_EXCEEDED(DnssecStatus.BOGUS);

        private final DnssecStatus status;

        Reason(DnssecStatus status) {
            this.status = status;
        }

        public DnssecStatus status() {
            return status;
        }
    }

    DnssecFailure(Reason reason, Name name, int type) {
        this(reason, name, type, null);
    }

    DnssecFailure orMoreSpecific(DnssecFailure other) {
        return other.reason.compareTo(reason) > 0 ? other : this;
    }
}
