package dev.plumbline.account;

/** What became of a key that somebody showed. */
public sealed interface ApiKeyLookup {

    /** It is good. Whether it is good enough, its plan and its scopes say. */
    record Authenticated(ApiCaller caller) implements ApiKeyLookup {}

    /** It opens nothing. */
    record Refused(Reason reason) implements ApiKeyLookup {}

    /** Nobody can say: the database is away. */
    record Unavailable() implements ApiKeyLookup {}

    /** Why a key opens nothing. */
    enum Reason {
        /** It is no key: its form or its checksum is wrong. */
        MALFORMED,
        /** There is no such key. */
        UNKNOWN,
        REVOKED,
        EXPIRED,
        /** Its account was disabled. */
        DISABLED
    }
}
