package dev.plumbline.result;

/** What the errors of several checks of one host have in common, if they have the same cause. */
public enum ErrorKind {
    /** No address: the same cause for all ports of a host. */
    DNS,
    CONNECTION,
    TLS,
    CERTIFICATE,
    REDIRECT,
    /** An error that is specific to one check. */
    OTHER;

    public static ErrorKind of(ErrorCode code) {
        return switch (code) {
            case DNS_NXDOMAIN, DNS_NO_DATA, DNS_SERVFAIL, DNS_TIMEOUT -> DNS;
            case CONNECT_REFUSED, CONNECT_TIMEOUT, CONNECT_UNREACHABLE, CONNECTION_RESET, READ_TIMEOUT -> CONNECTION;
            case TLS_HANDSHAKE_FAILED -> TLS;
            case TLS_UNTRUSTED -> CERTIFICATE;
            case TOO_MANY_REDIRECTS, REDIRECT_LOOP, REDIRECT_BLOCKED -> REDIRECT;
            default -> OTHER;
        };
    }
}
