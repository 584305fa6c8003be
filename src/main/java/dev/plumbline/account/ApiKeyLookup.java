package dev.plumbline.account;

/** The outcome of the authentication of an API key. */
public sealed interface ApiKeyLookup {

    /** The key is valid. The caller checks plan and scopes. */
    record Authenticated(ApiCaller caller) implements ApiKeyLookup {}

    /** The key is rejected. */
    record Refused(Reason reason) implements ApiKeyLookup {}

    /**
     * The database is unavailable.
     *
     * @param overloaded whether it responds, but not in time
     */
    record Unavailable(boolean overloaded) implements ApiKeyLookup {}

    /** The reason for a rejection. */
    enum Reason {
        /** The format or the checksum is not valid. */
        MALFORMED,
        /** The key does not exist. */
        UNKNOWN,
        REVOKED,
        EXPIRED,
        DISABLED
    }
}
