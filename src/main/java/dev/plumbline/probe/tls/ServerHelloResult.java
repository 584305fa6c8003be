package dev.plumbline.probe.tls;

import dev.plumbline.check.CheckFailure;
import dev.plumbline.result.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * The response of a server to a {@link ClientHello}.
 *
 * @param version the code of the selected version; 0 if there is none
 * @param cipher the code of the selected suite; -1 if there is none
 * @param group the code of the selected or requested group; -1 if unknown
 * @param primeBits the size of the DHE prime; 0 if there is none
 * @param alpn the selected application protocol; null if there is none
 * @param features the optional features of a version before TLS 1.3; null if there are none
 * @param signature the code of the signature scheme of the key exchange in TLS 1.2; -1 if unknown
 * @param alert the code of the alert; -1 if there is none
 */
record ServerHelloResult(
        Kind kind,
        int version,
        int cipher,
        int group,
        int primeBits,
        @Nullable String alpn,
        @Nullable Features features,
        int signature,
        int alert) {

    /** What the server selects from the optional features that a {@link ClientHello} offers. */
    record Features(
            boolean extendedMasterSecret, boolean secureRenegotiation, boolean sessionTicket, boolean compression) {}

    enum Kind {
        /** A ServerHello or a HelloRetryRequest. */
        HELLO,
        ALERT,
        CLOSED,
        RESET,
        /** No response before the timeout. */
        SILENT,
        /** Data that is not TLS. */
        NOT_TLS,
        /** Malformed or unbounded TLS messages. */
        MALFORMED
    }

    static ServerHelloResult of(Kind kind) {
        return new ServerHelloResult(kind, 0, -1, -1, 0, null, null, -1, -1);
    }

    static ServerHelloResult alert(int alert) {
        return new ServerHelloResult(Kind.ALERT, 0, -1, -1, 0, null, null, -1, alert);
    }

    boolean hello() {
        return kind == Kind.HELLO;
    }

    ServerHelloResult withKeyExchange(int group, int primeBits, int signature) {
        return new ServerHelloResult(kind, version, cipher, group, primeBits, alpn, features, signature, alert);
    }

    /** The failure of a scan whose first messages have this result. */
    CheckFailure failure() {
        return switch (kind) {
            case SILENT ->
                new CheckFailure(
                        ErrorCode.READ_TIMEOUT,
                        "The TLS handshake timed out. The server sent no complete ServerHello message.");
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
