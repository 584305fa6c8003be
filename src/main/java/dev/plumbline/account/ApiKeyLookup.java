package dev.plumbline.account;

/** The outcome of authenticating an API key. */
public sealed interface ApiKeyLookup {

    /** The key is valid. Plan and scopes are not checked. */
    record Authenticated(ApiCaller caller) implements ApiKeyLookup {}

    /** The key is rejected. */
    record Refused(Reason reason) implements ApiKeyLookup {}

    /** The key cannot be verified because the database is unavailable. */
    record Unavailable() implements ApiKeyLookup {}

    /** The reason for a rejection. */
    enum Reason {
        /** The format or checksum is wrong. */
        MALFORMED,
        /** The key does not exist. */
        UNKNOWN,
        REVOKED,
        EXPIRED,
        /** The account of the key is disabled. */
        DISABLED
    }
}
