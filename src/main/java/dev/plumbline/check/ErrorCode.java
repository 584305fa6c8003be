package dev.plumbline.check;

import java.util.Locale;

/**
 * Why an exchange with a target did not complete. A closed list, shared by all modules and
 * documented in openapi.json.
 */
public enum ErrorCode {
    DNS_NXDOMAIN(true, false),
    DNS_NO_DATA(true, false),
    DNS_SERVFAIL(false, true),
    DNS_TIMEOUT(false, true),
    CONNECT_REFUSED(true, true),
    CONNECT_TIMEOUT(true, true),
    CONNECT_UNREACHABLE(true, true),
    CONNECTION_RESET(true, true),
    TLS_HANDSHAKE_FAILED(true, false),
    TLS_UNTRUSTED(true, false),
    HTTP_PROTOCOL_ERROR(true, false),
    RESPONSE_TOO_LARGE(true, false),
    READ_TIMEOUT(true, true),
    TOO_MANY_REDIRECTS(true, false),
    REDIRECT_LOOP(true, false),
    REDIRECT_BLOCKED(false, false),
    TARGET_BLOCKED(false, false),
    INVALID_TARGET(false, false),
    UNSUPPORTED_TLD(false, false),
    RATE_LIMITED(false, true),
    REQUEST_LIMIT(false, false),
    DEADLINE_EXCEEDED(false, true),
    INTERNAL(false, true);

    private final boolean targetFault;
    private final boolean retryable;

    ErrorCode(boolean targetFault, boolean retryable) {
        this.targetFault = targetFault;
        this.retryable = retryable;
    }

    /** The name used in answers, for example {@code connect_refused}. */
    public String id() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether it says something about the target, rather than about us or our resolver. */
    public boolean targetFault() {
        return targetFault;
    }

    /** Whether the target answered each time it was asked, so that its answers can be judged. */
    public boolean answered() {
        return this == REDIRECT_LOOP || this == TOO_MANY_REDIRECTS;
    }

    /** Whether the same check may well end differently a little later. */
    public boolean retryable() {
        return retryable;
    }

    /** Whether a result with this error may be kept for the next caller. */
    public boolean cacheable() {
        return this != INTERNAL && this != DEADLINE_EXCEEDED;
    }
}
