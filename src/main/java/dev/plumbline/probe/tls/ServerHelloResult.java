package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.check.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * What a server made of a {@link ClientHello}.
 *
 * @param version the number of the version that it chose, 0 where it chose none
 * @param cipher the number of the suite that it chose, -1 where it chose none
 * @param group the number of the group that it chose or asked for, -1 where it did not say
 * @param primeBits the size of its Diffie-Hellman prime, 0 where it showed none
 * @param alpn the application protocol that it chose, null for none
 * @param alert the number of the alert by which it refused, -1 for none
 */
record ServerHelloResult(
        Kind kind, int version, int cipher, int group, int primeBits, @Nullable String alpn, int alert) {

    /** How a server can answer. */
    enum Kind {
        /** With a ServerHello, or a HelloRetryRequest. */
        HELLO,
        /** With an alert. */
        ALERT,
        /** By closing the connection. */
        CLOSED,
        /** By resetting the connection. */
        RESET,
        /** Not within the time it had. */
        SILENT,
        /** With what is no TLS at all. */
        NOT_TLS,
        /** With TLS that breaks its own rules, or has no end. */
        MALFORMED
    }

    static ServerHelloResult of(Kind kind) {
        return new ServerHelloResult(kind, 0, -1, -1, 0, null, -1);
    }

    static ServerHelloResult refusal(int alert) {
        return new ServerHelloResult(Kind.ALERT, 0, -1, -1, 0, null, alert);
    }

    boolean hello() {
        return kind == Kind.HELLO;
    }

    ServerHelloResult withKeyExchange(int group, int primeBits) {
        return new ServerHelloResult(kind, version, cipher, group, primeBits, alpn, alert);
    }

    /** Why nothing can be learnt of a server that answers so. */
    CheckFailure failure() {
        return switch (kind) {
            case SILENT ->
                new CheckFailure(ErrorCode.READ_TIMEOUT, "The TLS handshake timed out. The server sent no data.");
            case RESET ->
                new CheckFailure(
                        ErrorCode.CONNECTION_RESET, "The server reset the connection during the TLS handshake.");
            case CLOSED -> failed("The server closed the connection during the TLS handshake.");
            case NOT_TLS -> failed("The server does not use TLS on this port.");
            case ALERT -> failed("The server rejected all TLS versions with alert " + alert + ".");
            default -> failed("The server sent a malformed TLS message.");
        };
    }

    private static CheckFailure failed(String message) {
        return new CheckFailure(ErrorCode.TLS_HANDSHAKE_FAILED, message);
    }
}
