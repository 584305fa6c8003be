package dev.plumbline.dnssec;

/** The security status of a response (RFC 4035 section 4.3). */
public enum DnssecStatus {
    /** A chain of signatures from a trust anchor to the response is valid. */
    SECURE,
    /** A signed parent zone proves that the zone is not signed, or that validators do not support its signatures. */
    INSECURE,
    /** The response must be signed, but validation failed. Validating resolvers reject it. */
    BOGUS,
    /** The records that are needed for validation could not be looked up. */
    INDETERMINATE
}
