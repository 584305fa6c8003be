package dev.plumbline.result;

import dev.plumbline.target.LowerCaseId;
import java.util.Locale;

/** The reason why a check could not be completed. All modules share this list; openapi.json documents it. */
public enum ErrorCode implements LowerCaseId {
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
    SMTP_PROTOCOL_ERROR(true, false),
    RESPONSE_TOO_LARGE(true, false),
    READ_TIMEOUT(true, true),
    TOO_MANY_REDIRECTS(true, false),
    REDIRECT_LOOP(true, false),
    REDIRECT_BLOCKED(false, false),
    TARGET_BLOCKED(false, false),
    INVALID_TARGET(false, false),
    UNSUPPORTED_TLD(false, false),
    REGISTRY_UNAVAILABLE(false, true),
    NOT_CONFIGURED(false, false),
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

    /**
     * Returns the code with this name.
     *
     * @throws IllegalArgumentException if the code does not exist
     */
    public static ErrorCode of(String id) {
        return valueOf(id.toUpperCase(Locale.ROOT));
    }

    /** Whether the cause is the target, not this service or its resolver. */
    public boolean targetFault() {
        return targetFault;
    }

    /** Whether the target answered all requests, so that its responses can be evaluated. */
    public boolean answered() {
        return this == REDIRECT_LOOP || this == TOO_MANY_REDIRECTS;
    }

    /** Whether no response was received in time, which can be caused by lost time of this node. */
    public boolean timeout() {
        return this == DEADLINE_EXCEEDED || this == DNS_TIMEOUT || this == CONNECT_TIMEOUT || this == READ_TIMEOUT;
    }

    public boolean retryable() {
        return retryable;
    }

    /**
     * Whether the target, a resolver or a registry did not respond, so that the cause can be the network of this node
     * and another node can have a response.
     */
    public boolean noResponse() {
        return this == DNS_TIMEOUT
                || this == CONNECT_TIMEOUT
                || this == CONNECT_UNREACHABLE
                || this == CONNECTION_RESET
                || this == READ_TIMEOUT
                || this == REGISTRY_UNAVAILABLE;
    }

    /** Whether the error with this ID means that the target was rejected, so that another check has the same error. */
    public static boolean rejectsTarget(String id) {
        return id.equals(INVALID_TARGET.id()) || id.equals(TARGET_BLOCKED.id());
    }

    /** Whether a result with this error can be cached. */
    public boolean cacheable() {
        return this != INTERNAL && this != DEADLINE_EXCEEDED;
    }
}
