package dev.plumbline.account;

/** What became of a key that somebody showed. */
public sealed interface KeyOutcome {

  /** It is good. Whether it is good enough, its plan and its scopes say. */
  record Authenticated(Caller caller) implements KeyOutcome {}

  /** It opens nothing. */
  record Refused(Reason reason) implements KeyOutcome {}

  /** Nobody can say: the database is away. */
  record Unavailable() implements KeyOutcome {}

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
